"""Outputs -> Reading. Never raises on what a device says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fabric_drift.finding import Layer
from fabric_drift.platform import Command, Output, UnparsedLine
from fabric_drift.platforms.sonic import commands as c
from fabric_drift.platforms.sonic import kept
from fabric_drift.platforms.sonic import tables as t
from fabric_drift.platforms.sonic.adopt import References, names_of, only_listed, references
from fabric_drift.platforms.sonic.appl import nos_state
from fabric_drift.platforms.sonic.config import Chassis, config_state, derives_nothing, unobserved_state
from fabric_drift.platforms.sonic.documents import Problems, Tables, config_tables, load, whole_text
from fabric_drift.platforms.sonic.evidence import Rows, evidence
from fabric_drift.platforms.sonic.headroom import Lookup, as_names, lookup_of
from fabric_drift.platforms.sonic.reading import SonicReading
from fabric_drift.platforms.sonic.sai import sai_state
from fabric_drift.state.device import DeviceState
from fabric_drift.state.values import Unobserved

VERSION_LINE = re.compile(r"(build_version|release|asic_type): *'?([A-Za-z0-9._+-]{1,80})'?")
RELEASE = re.compile(r"(?:SONiC\.)?(20[0-9]{4})(?:[0-9]{2})?(?![0-9])")
"""202411, 202411.716590-a1b2c3 and 20241110.05 are release 202411."""


def parse(outputs: Mapping[str, Output]) -> SonicReading:
    """All four layers of one switch."""
    chassis = chassis_of(outputs)
    lookup, unparsed = _lookup(outputs)
    states: dict[Layer, DeviceState] = {}
    rows: dict[Layer, Tables] = {}
    problems = Problems(Layer.RUNNING, c.RUNNING.text)
    states[Layer.RUNNING], rows[Layer.RUNNING] = _config(outputs, c.RUNNING, chassis, lookup, problems)
    saved = Problems(Layer.SAVED, c.SAVED.text)
    if outputs.get(c.SAVED.text) == outputs.get(c.RUNNING.text) and derives_nothing(states[Layer.RUNNING]):
        # Nearly every switch in sync: the same text means the same, and is read once.
        states[Layer.SAVED], rows[Layer.SAVED] = states[Layer.RUNNING], rows[Layer.RUNNING]
        saved.found = [replace(line, layer=Layer.SAVED, command=c.SAVED.text) for line in problems.found]
    else:
        states[Layer.SAVED], rows[Layer.SAVED] = _config(outputs, c.SAVED, chassis, lookup, saved)
    unparsed += saved.found + problems.found
    running = states[Layer.RUNNING].ports
    for layer, command in ((Layer.NOS, c.APPL_PORTS), (Layer.SAI, c.ASIC_PORTS)):
        problems = Problems(layer, command.text)
        states[layer], rows[layer] = _lower(layer, outputs, chassis, problems)
        if isinstance(running, Unobserved) and "not supported" in running.reason:
            states[layer] = unobserved_state(running)
        unparsed += problems.found
    referred = references(rows[Layer.RUNNING])
    names = {**names_of(rows[Layer.RUNNING], referred), **kept.as_names(rows[Layer.RUNNING])}
    if not isinstance(lookup, Unobserved):
        names.update(as_names(lookup))
    return SonicReading(
        states=states,
        unparsed=tuple(unparsed),
        aliases=_aliases(rows[Layer.RUNNING]),
        notes=_notes(chassis, rows[Layer.RUNNING], referred),
        evidence=lambda layer, path: evidence(Rows(rows, layer), path),
        names=names,
        rows=rows[Layer.RUNNING],
        chassis=chassis,
        lookup=lookup,
    )


def chassis_of(outputs: Mapping[str, Output]) -> Chassis:
    """Release and ASIC as ``sonic_version.yml`` says them. Only plain scalars are read, no YAML."""
    text = whole_text(outputs, c.VERSION)
    if isinstance(text, Unobserved):
        return Chassis(text, text)
    said: dict[str, str] = {}
    for line in text.splitlines():
        match = VERSION_LINE.fullmatch(line.rstrip())
        if match and said.setdefault(match[1], match[2]) != match[2]:
            doubt = Unobserved(f"sonic_version.yml gives {match[1]} twice")
            return Chassis(doubt, doubt)
    release = RELEASE.match(said.get("release", "")) or RELEASE.match(said.get("build_version", ""))
    unknown = Unobserved(f"sonic_version.yml names no release: build_version {said.get('build_version', 'missing')}")
    asic: Any = said.get("asic_type", Unobserved("sonic_version.yml names no asic_type"))
    return Chassis(release[1] if release else unknown, asic)


def _lookup(outputs: Mapping[str, Output]) -> tuple[Lookup | Unobserved, list[UnparsedLine]]:
    command = c.lookup(outputs)
    if command is None:
        return Unobserved("the headroom table has no path: platform and hwsku are not known"), []
    text = whole_text(outputs, command)
    if isinstance(text, Unobserved):
        return text, []
    problems = Problems(Layer.RUNNING, command.text)
    return lookup_of(text, problems), problems.found


def _config(
    outputs: Mapping[str, Output], command: Command, chassis: Chassis, lookup: Lookup | Unobserved, problems: Problems
) -> tuple[DeviceState, Tables]:
    document = load(outputs, command)
    if isinstance(document, Unobserved):
        return unobserved_state(document), {}
    rows = config_tables(document, t.OWNED, problems)
    return config_state(rows, chassis, lookup, problems, layer=problems.layer), rows


def _lower(
    layer: Layer, outputs: Mapping[str, Output], chassis: Chassis, problems: Problems
) -> tuple[DeviceState, Tables]:
    if layer is Layer.NOS:
        return nos_state(outputs, problems)
    return sai_state(outputs, problems, nvidia=chassis.nvidia)


def _aliases(rows: Tables) -> dict[str, str]:
    return {row["alias"]: name for name, row in sorted(rows.get("PORT", {}).items()) if "alias" in row}


def _notes(chassis: Chassis, rows: Tables, referred: References) -> tuple[str, ...]:
    notes = []
    if isinstance(chassis.release, str) and chassis.release not in t.RELEASES:
        notes.append(
            f"release {chassis.release} is none of {', '.join(t.RELEASES)}: its configuration may mean other things"
        )
    spared = [name for name in only_listed(rows, referred) if name in t.CONVENTIONAL_PROFILES]
    if spared:
        notes.append(f"not compared, since only profile lists refer to them: BUFFER_PROFILE {', '.join(spared)}")
    if not chassis.nvidia:
        inert = sorted(
            name
            for name, row in rows.get("WRED_PROFILE", {}).items()
            if row.get("ecn", "ecn_none") != "ecn_none" and row.get("wred_green_enable", "false") != "true"
        )
        notes += [
            f"WRED_PROFILE|{name} names ECN but marks nothing without wred_green_enable on this ASIC" for name in inert
        ]
    return tuple(notes)
