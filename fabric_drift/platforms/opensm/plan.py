"""What brings an SM node to its intent: whole files, and one reload or restart. Never a write to the hardware."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from fabric_drift.change import Kind, Phase, Plan, Refusal, Step
from fabric_drift.diff import DiffMemo
from fabric_drift.finding import Layer, Verdict
from fabric_drift.platform import Disruption, Reading, Target
from fabric_drift.platforms.opensm import localise, moves, options
from fabric_drift.platforms.opensm.localise import GUID_FILES
from fabric_drift.state.device import DeviceState
from fabric_drift.state.infiniband import Infiniband
from fabric_drift.state.opensm_options import OPTIONS, defaults
from fabric_drift.state.values import Path, is_said

PLATFORM = "opensm"
ROUTE = "sm_files"
DEADLINE_S = 300
SIMULATED = "OpenSM 3.3.23 on ibsim 0.10"
FILES = {"options": "opensm.conf", "partitions": "partitions.conf", "qos_policy": "qos-policy.conf"}
NO_REPAIR = (
    "Restart OpenSM (failover; routes are computed anew), or bounce the link of that port (its traffic is lost): both "
    "were observed to repair it, sweeps were not"
)
UFM_REMEDY = "Change partitions through UFM, or take UFM off this node"


def plan(reading: Reading, expected: DeviceState, target: Target) -> Plan:
    """Steps for files that differ, a lone activation where the process is behind its files, refusals for the rest."""
    wanted, saved = expected.infiniband, _layer(reading, Layer.SAVED)
    if not isinstance(wanted, Infiniband):
        return Plan(target.device, PLATFORM, "")
    refusals = [*_unreadable(reading, wanted), *_owned(reading)]
    if saved is None or refusals:
        return Plan(target.device, PLATFORM, "", refusals=tuple(refusals))
    changed = _changed(wanted, saved, reading)
    action = _action(changed, wanted, saved, _layer(reading, Layer.RUNNING))
    is_master = _role(reading) == "master"
    live = _layer(reading, Layer.HARDWARE)
    steps = tuple(
        _step(name, section, text, action, wanted, saved, is_master=is_master)
        for section, name, text in _files(changed, wanted, saved, target)
    )
    if not steps and action != "none":
        name, text = "opensm.conf", options.render(_merged(wanted, saved))
        steps = (_step(name, "options", text, action, wanted, saved, is_master=is_master),)
    if not steps:
        refusals += _hardware(reading, wanted)
    told = moves.told(wanted, saved, live) if any("partitions" in step.title for step in steps) and is_master else ()
    return Plan(
        target.device, PLATFORM, ROUTE if steps else "", steps, tuple(refusals),
        "\n".join((*(step.title for step in steps), *told)), DEADLINE_S,
    )  # fmt: skip


def _layer(reading: Reading, layer: Layer) -> Infiniband | None:
    state = reading.states.get(layer)
    return state.infiniband if state and isinstance(state.infiniband, Infiniband) else None


def _role(reading: Reading) -> str:
    nos = _layer(reading, Layer.NOS)
    return str(getattr(nos.manager, "state", "")) if nos else ""


def _unreadable(reading: Reading, wanted: Infiniband) -> Iterator[Refusal]:
    saved = _layer(reading, Layer.SAVED)
    for name in ("options", "partitions", "qos_policy", "guid_files"):
        value = getattr(saved, name, None)
        if is_said(getattr(wanted, name)) and (saved is None or not is_said(value)):
            why = getattr(value, "reason", "the node was not read")
            yield Refusal(("infiniband", name), f"the file can't be read: {why}", "Make the node readable first")


def _owned(reading: Reading) -> Iterator[Refusal]:
    for note in reading.notes:
        if note.startswith("UFM owns"):
            yield Refusal(("infiniband", "partitions"), note, UFM_REMEDY)


def _changed(wanted: Infiniband, saved: Infiniband, reading: Reading) -> set[str]:
    """Sections whose file differs from the intent, or holds a line that OpenSM would guess about."""
    result = DiffMemo().compare(wanted, saved)
    drifted = {item.path[0] for item in result.differences if item.verdict is Verdict.DRIFT}
    guessed = {line.path[1] for line in reading.unparsed if line.layer is Layer.SAVED and len(line.path) > 1}
    return (drifted | guessed) & {*FILES, "guid_files"}


def _action(changed: set[str], wanted: Infiniband, saved: Infiniband, running: Infiniband | None) -> str:
    """restart, where an option that HUP doesn't re-read is other than what the process has; reload; none."""
    names = _different(wanted.options, saved.options) if "options" in changed else set()
    if running is not None and is_said(running.options):
        names |= _different(wanted.options, running.options)
    if "guid_files" in changed or any(OPTIONS[name].reload == "R" for name in names):
        return "restart"
    return "reload" if changed or names else "none"


def _different(wanted: Any, found: Any) -> set[str]:
    if not is_said(wanted) or not is_said(found):
        return set()
    return {name for name, value in wanted.items() if found.get(name) != value}


def _merged(wanted: Infiniband, saved: Infiniband) -> Mapping[str, Any]:
    """The intent, and what the file says beyond it: options that nobody manages stay as they are."""
    usual = defaults()
    kept = {name: value for name, value in saved.options.items() if value != usual[name]}  # type: ignore[union-attr]
    return {**kept, **wanted.options}  # type: ignore[dict-item]


def _files(changed: set[str], wanted: Infiniband, saved: Infiniband, target: Target) -> Iterator[tuple[str, str, str]]:
    rendered = {file.name: file.text for file in localise.render(DeviceState(infiniband=wanted), target)}
    if "options" in changed:
        rendered["opensm.conf"] = options.render(_merged(wanted, saved))
    for section in ("guid_files", "qos_policy", "partitions", "options"):
        if section not in changed:
            continue
        names = _guid_files(wanted, saved) if section == "guid_files" else (FILES[section],)
        for name in names:
            if name in rendered:
                yield section, name, rendered[name]
            elif section in ("qos_policy", "guid_files"):  # an empty file says nothing
                yield section, name, ""


def _guid_files(wanted: Infiniband, saved: Infiniband) -> list[str]:
    """Files with other GUIDs than intended; all that are intended where one of them holds something else as well."""
    ours: Mapping[str, Any] = wanted.guid_files  # type: ignore[assignment]
    theirs: Mapping[str, Any] = saved.guid_files  # type: ignore[assignment]
    other = [name for kind, name in GUID_FILES.items() if ours.get(kind) != theirs.get(kind)]
    return other or [GUID_FILES[kind] for kind in sorted(ours)]


def _step(  # noqa: PLR0917 - one step is made of all of them
    name: str, section: str, text: str, action: str, wanted: Infiniband, saved: Infiniband, *, is_master: bool
) -> Step:
    document = json.dumps({"file": name, "text": text, "action": action}, sort_keys=True)
    kind, words, disruption = _weighed(section, action, wanted, saved)
    if not is_master:
        words += "; on a standby: takes effect at the next failover"
        disruption = Disruption.NONE
    return Step(
        title=f"{name}: {words}, then {action}",
        paths=(("infiniband", section),),
        phase=Phase.MAPS if section == "partitions" else Phase.BUFFERS,
        kind=kind,
        forward=(document,),
        undo=(),
        disruption=disruption,
        evidence=SIMULATED,
        undo_disruption=disruption,
    )


def _weighed(section: str, action: str, wanted: Infiniband, saved: Infiniband) -> tuple[Kind, str, Disruption]:
    floor = Disruption.RESTART if action == "restart" else Disruption.REORDER
    if section == "options":
        names = sorted(_different(wanted.options, saved.options))
        return Kind.CHANGE, f"{', '.join(names) or 'a restart that is due'}", floor
    if section != "partitions":
        return Kind.CHANGE, "rewritten", floor
    added, removed = (
        moves.members(saved.partitions, wanted.partitions),
        moves.members(wanted.partitions, saved.partitions),
    )
    words = f"{len(added)} memberships added, {len(removed)} removed"
    # One file, one reload: a change that takes something away is as bad as that.
    loss = max(floor, Disruption.TRAFFIC_LOSS) if removed else floor
    return (Kind.CHANGE if removed else Kind.ADD), words, loss


def _hardware(reading: Reading, wanted: Infiniband) -> Iterator[Refusal]:
    """Files and process are as intended, the hardware isn't: nothing that we may do repairs it."""
    live = _layer(reading, Layer.HARDWARE)
    if live is None:
        return
    for item in DiffMemo().compare(wanted, live).differences:
        path: Path = ("infiniband", *item.path)
        if item.verdict is Verdict.DRIFT and {"pkeys", "sl2vl", "sl2vl_exceptions", "arbitration", "routing"} & {
            *item.path
        }:
            yield Refusal(path, f"the hardware holds {item.actual}, and the files are as intended", NO_REPAIR)
