"""What a configuration line sets, how it is taken back, and when it may be written: data for ``plan``.

A *key* names the setting: entering a line with the same key replaces the value. ``removal`` is the line that
takes it back to EOS's default. ``no X`` is used where it does that; ``default X`` where ``no X`` is a setting.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from fabric_drift.change import Phase
from fabric_drift.platforms.eos.units import numbers

Family = tuple[str, ...]
WATCHDOG = "priority-flow-control pause watchdog"


@dataclass(frozen=True, slots=True)
class Form:
    """One kind of line. ``key`` and ``removal`` may hold ``{0}``, the first group of ``pattern``.

    ``family``: the facts below a port that it decides, or of the device; ``maybe_hidden``: the line may equal a
    default, which ``show`` leaves out.
    """

    pattern: re.Pattern[str]
    key: str
    removal: str
    phase: Phase
    family: Family
    fact: str
    maybe_hidden: bool = False


@dataclass(frozen=True, slots=True)
class Key:
    """The setting of one line. ``form`` is None for a line that ``plan`` leaves alone."""

    name: str
    removal: str = ""
    form: Form | None = None


def _form(pattern: str, key: str, removal: str, phase: Phase, fact: str, *, maybe_hidden: bool = False) -> Form:
    family = tuple(fact.removeprefix("ports/*/").split("/"))
    return Form(re.compile(pattern, re.ASCII), key, removal, phase, family, fact, maybe_hidden)


FORMS: tuple[Form, ...] = (
    _form(
        r"(?:no )?qos trust\b.*", "qos trust", "default qos trust", Phase.MAPS, "ports/*/qos/trust", maybe_hidden=True
    ),
    _form(
        r"priority-flow-control priority ([0-7]) .*",
        "priority-flow-control priority {0}",
        "no priority-flow-control priority {0}",
        Phase.PFC,
        "ports/*/qos/pfc/priorities",
    ),
    _form(
        r"(?:no )?priority-flow-control(?: on)?",
        "priority-flow-control",
        "no priority-flow-control",
        Phase.PFC,
        "ports/*/qos/pfc/priorities",
    ),
    _form(rf"(?:no )?{WATCHDOG}", WATCHDOG, f"default {WATCHDOG}", Phase.WATCHDOG, "ports/*/qos/pfc/watchdog"),
    _form(
        rf"{WATCHDOG} port (timer|action) .*",
        f"{WATCHDOG} port {{0}}",
        f"no {WATCHDOG} port {{0}}",
        Phase.WATCHDOG,
        "ports/*/qos/pfc/watchdog",
    ),
    _form(
        r"(?:no )?priority(?: strict)?",
        "priority",
        "default priority",
        Phase.SCHEDULING,
        "ports/*/qos/scheduling",
        maybe_hidden=True,
    ),
    _form(r"bandwidth .*", "bandwidth", "no bandwidth percent", Phase.SCHEDULING, "ports/*/qos/scheduling"),
    _form(
        r"random-detect ecn minimum-threshold .*",
        "random-detect ecn",
        "no random-detect ecn",
        Phase.ECN,
        "ports/*/qos/queues",
    ),
    _form(r"mtu \d+", "mtu", "no mtu", Phase.BUFFERS, "ports/*/mtu_bytes", maybe_hidden=True),
    _form(r"(?:no )?shutdown", "shutdown", "no shutdown", Phase.BUFFERS, "ports/*/admin_up", maybe_hidden=True),
    _form(
        r"(?:no )?error-correction encoding\b.*",
        "error-correction encoding",
        "default error-correction encoding",
        Phase.BUFFERS,
        "ports/*/fec",
    ),
    _form(
        r"flowcontrol (send|receive) .*",
        "flowcontrol {0}",
        "no flowcontrol {0}",
        Phase.PFC,
        "ports/*/qos/global_pause",
        maybe_hidden=True,
    ),
    _form(r"(?:no )?dcbx mode\b.*", "dcbx mode", "no dcbx mode", Phase.PFC, "ports/*/qos/dcbx", maybe_hidden=True),
    _form(r"service-profile (?:\S+)", "service-profile", "no service-profile", Phase.PFC, "ports/*/qos"),
    _form(
        r"qos map dscp (\d+) to .*",
        "qos map dscp {0}",
        "no qos map dscp {0}",
        Phase.MAPS,
        "ports/*/qos/maps/dscp_to_tc",
        maybe_hidden=True,
    ),
    _form(
        r"qos map cos (\d+) to .*",
        "qos map cos {0}",
        "no qos map cos {0}",
        Phase.MAPS,
        "ports/*/qos/maps/pcp_to_tc",
        maybe_hidden=True,
    ),
    _form(
        r"qos map traffic-class (\d) to (?:uc-)?tx-queue \d",
        "qos map traffic-class {0} to tx-queue",
        "no qos map traffic-class {0} to tx-queue",
        Phase.MAPS,
        "ports/*/qos/maps/tc_to_queue",
        maybe_hidden=True,
    ),
    _form(
        r"qos map traffic-class (\d) to dscp \d+",
        "qos map traffic-class {0} to dscp",
        "no qos map traffic-class {0} to dscp",
        Phase.MAPS,
        "ports/*/qos/maps/tc_to_dscp",
        maybe_hidden=True,
    ),
    _form(
        r"(?:no )?qos rewrite dscp",
        "qos rewrite dscp",
        "no qos rewrite dscp",
        Phase.MAPS,
        "ports/*/qos/maps/tc_to_dscp",
        maybe_hidden=True,
    ),
    _form(
        rf"{WATCHDOG} default (timeout|recovery-time|polling-interval) .*",
        f"{WATCHDOG} default {{0}}",
        f"no {WATCHDOG} default {{0}}",
        Phase.WATCHDOG,
        "watchdog",
    ),
    _form(
        rf"{WATCHDOG} (action|override action) .*",
        f"{WATCHDOG} {{0}}",
        f"no {WATCHDOG} {{0}}",
        Phase.WATCHDOG,
        "watchdog",
        maybe_hidden=True,
    ),
)

LISTS = re.compile(r"(qos map (?:dscp|cos|traffic-class) )(\d[\d ,-]*)( to .+)", re.ASCII)
LIST_REMOVALS = re.compile(r"(no qos map (?:dscp|cos|traffic-class) )(\d+)((?: to .+)?)", re.ASCII)
LARGEST = {"qos map dscp ": 63}


@lru_cache(maxsize=8192)
def key_of(line: str) -> Key:
    """The setting of ``line`` (stripped, one entry of a list)."""
    for form in FORMS:
        match = form.pattern.fullmatch(line)
        if match:
            groups = match.groups()
            removal = form.removal.format(*groups)
            if "uc-tx-queue" in line:
                removal = removal.replace(" tx-queue", " uc-tx-queue")
            return Key(form.key.format(*groups), removal, form)
    return Key(line)


def entries(line: str) -> Iterator[str]:
    """``qos map dscp 8 9 to traffic-class 1`` as one line per DSCP; any other line as it is."""
    match = LISTS.fullmatch(line)
    if not match:
        yield line
        return
    try:
        values = numbers(match[2], LARGEST.get(match[1], 7))
    except ValueError:
        yield line
        return
    yield from (f"{match[1]}{value}{match[3]}" for value in values)


def joined(lines: Iterable[str]) -> list[str]:
    """The reverse of ``entries``: entries of maps that say the same become one line, at the place of the first."""
    groups: dict[tuple[str, str], list[int]] = {}
    order: list[tuple[str, str]] = []
    for line in lines:
        match = LISTS.fullmatch(line) or LIST_REMOVALS.fullmatch(line)
        is_single = match is not None and match[2].isdigit() and "traffic-class " not in match[1]
        group = (match[1], match[3]) if match and is_single else (line, "")
        if group not in groups:
            order.append(group)
        groups.setdefault(group, []).extend([int(match[2])] if match and is_single else [])
    return [f"{head}{' '.join(map(str, sorted(groups[head, tail])))}{tail}" for head, tail in order]
