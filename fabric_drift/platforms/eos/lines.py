"""One configuration line -> what it sets. Tables of patterns; every pattern is linear in the length of the line.

A line sets *slots*: ``("mtu",)``, ``("no_drop", 3)``, ``("ecn", 3)``. A line that is known but has no fact in a state,
and a line that nobody understood, become a ``Remark``, so that neither vanishes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from fabric_drift.platforms.eos.units import Threshold, milliseconds, numbers
from fabric_drift.state import Unobserved

Slot: TypeAlias = tuple[str | int, ...]
Settings: TypeAlias = dict[Slot, Any]
Build: TypeAlias = Callable[[re.Match[str]], Settings]
Rule: TypeAlias = tuple[re.Pattern[str], Build]

MAX_LINE = 1000
"""Longer lines are not understood: EOS has none, and patterns stay cheap on hostile text."""


@dataclass(frozen=True, slots=True)
class Remark:
    """Why a line isn't wholly translated. ``below``: path below the port that it may decide; None = no fact at all."""

    reason: str
    below: tuple[str, ...] | None = ()


NOT_UNDERSTOOD = "not understood"
NO_FACT = "understood, but no fact stands for it"


def _rule(pattern: str, build: Build | Settings) -> Rule:
    return re.compile(pattern, re.ASCII), build if callable(build) else (lambda _match: dict(build))


def _watchdog_timer(match: re.Match[str]) -> Settings:
    poll = match[2]
    return {
        ("wd_detect_ms",): milliseconds(match[1]),
        ("wd_poll_ms",): "auto" if poll == "auto" else milliseconds(poll),
        ("wd_restore_ms",): milliseconds(match[3]),
        ("wd_forced",): match[4] is not None,
    }


def _speed(match: re.Match[str]) -> Settings:
    return {("speed",): None if match[1] == "auto" else int(float(match[2]) * 1000)}


def _optional(text: str | None) -> int | None:
    return None if text is None else int(text)


SECONDS = r"(\d{1,5}(?:\.\d{1,6})?)"

COMMON: tuple[Rule, ...] = (
    _rule(r"qos trust (dscp|cos)", lambda m: {("trust",): {"dscp": "dscp", "cos": "pcp"}[m[1]]}),
    _rule(r"no qos trust", {("trust",): "none"}),
    _rule(r"priority-flow-control on", {("pfc_on",): True}),
    _rule(r"no priority-flow-control", {("pfc_on",): False}),
    _rule(r"priority-flow-control priority ([0-7]) (no-drop|drop)", lambda m: {("no_drop", int(m[1])): m[2] != "drop"}),
    _rule(r"(no )?priority-flow-control pause watchdog", lambda m: {("wd_on",): m[1] is None}),
    _rule(
        r"priority-flow-control pause watchdog port action (drop|notify-only)",
        lambda m: {("wd_action",): {"drop": "drop", "notify-only": "alert"}[m[1]]},
    ),
    _rule(
        "priority-flow-control pause watchdog port timer "
        rf"timeout {SECONDS} polling-interval (auto|{SECONDS[1:-1]}) recovery-time {SECONDS}( forced)?",
        _watchdog_timer,
    ),
)
"""Lines that mean the same in a qos profile and under an interface."""

INTERFACE: tuple[Rule, ...] = (
    *COMMON,
    _rule(r"service-profile (\S+)", lambda m: {("service_profile",): m[1]}),
    _rule(r"mtu (\d{2,5})", lambda m: {("mtu",): int(m[1])}),
    _rule(r"(no )?shutdown", lambda m: {("shutdown",): m[1] is None}),
    _rule(r"(no )?switchport", lambda m: {("switched",): m[1] is None}),
    _rule(r"channel-group (\d{1,7}) mode (?:active|passive|on)", lambda m: {("channel",): int(m[1])}),
    _rule(r"error-correction encoding (reed-solomon|fire-code)", lambda m: {("fec", m[1]): True}),
    _rule(r"no error-correction encoding", {("fec", "none"): True}),
    _rule(r"speed (auto)", _speed),
    _rule(r"speed (forced |auto )?(\d{1,4}(?:\.\d)?)g(?:full|-\d)?", _speed),
    _rule(r"flowcontrol (send|receive) (on|off|desired)", lambda m: {("pause", m[1]): m[2] != "off"}),
    _rule(r"dcbx mode (ieee|cee)", lambda m: {("dcbx",): m[1]}),
    _rule(r"no dcbx mode", {("dcbx",): "off"}),
    _rule(r"service-policy type pbr input \S+", {}),
)

QUEUE: tuple[Rule, ...] = (
    _rule(r"priority strict", {("priority",): "strict"}),
    _rule(r"no priority", {("priority",): "round-robin"}),
    _rule(r"bandwidth percent (\d{1,3})", lambda m: {("percent",): int(m[1])}),
    _rule(
        r"random-detect ecn minimum-threshold (\d{1,10}) (\w{1,12}) maximum-threshold (\d{1,10}) (\w{1,12})"
        r"(?: max-mark-probability (\d{1,3}))?(?: weight (\d{1,2}))?",
        lambda m: {("ecn",): Threshold((int(m[1]), m[2]), (int(m[3]), m[4]), _optional(m[5]), _optional(m[6]))},
    ),
    _rule(r"random-detect ecn count", {("ecn_count",): True}),
)

GLOBAL: tuple[Rule, ...] = (
    _rule(r"(no )?qos rewrite dscp", lambda m: {("rewrite_dscp",): m[1] is None}),
    _rule(
        r"qos map dscp ([\d ,-]+) to traffic-class ([0-7])(?: drop-precedence [0-2])?",
        lambda m: {("dscp_to_tc", dscp): int(m[2]) for dscp in numbers(m[1], 63)},
    ),
    _rule(
        r"qos map cos ([\d ,-]+) to traffic-class ([0-7])",
        lambda m: {("pcp_to_tc", cos): int(m[2]) for cos in numbers(m[1], 7)},
    ),
    _rule(
        r"qos map traffic-class ([\d ,-]+) to (?:uc-)?tx-queue ([0-7])",
        lambda m: {("tc_to_queue", tc): int(m[2]) for tc in numbers(m[1], 7)},
    ),
    _rule(
        r"qos map traffic-class ([\d ,-]+) to dscp (\d|[1-5]\d|6[0-3])",
        lambda m: {("tc_to_dscp", tc): int(m[2]) for tc in numbers(m[1], 7)},
    ),
    _rule(
        r"priority-flow-control pause watchdog action (?!drop$|errdisable$|notify-only$)\S{1,40}",
        {("wd_action",): Unobserved("the watchdog's action is a word that isn't documented")},
    ),
    _rule(r"qos map exp [\d ,-]+ to traffic-class [0-7]", {}),
    _rule(r"qos map traffic-class [\d ,-]+ to cos [0-7]", {}),
    _rule(r"priority-flow-control all off", {("all_off",): True}),
    _rule(
        rf"priority-flow-control pause watchdog default timeout {SECONDS}",
        lambda m: {("wd_detect_ms",): milliseconds(m[1])},
    ),
    _rule(
        rf"priority-flow-control pause watchdog default recovery-time {SECONDS}",
        lambda m: {("wd_restore_ms",): milliseconds(m[1])},
    ),
    _rule(
        rf"priority-flow-control pause watchdog default polling-interval {SECONDS}",
        lambda m: {("wd_poll_ms",): milliseconds(m[1])},
    ),
    _rule(
        r"priority-flow-control pause watchdog action (drop|errdisable|notify-only)",
        lambda m: {("wd_action",): {"notify-only": "alert"}.get(m[1], m[1])},
    ),
    _rule(r"priority-flow-control pause watchdog override action drop", {("wd_override",): "drop"}),
    _rule(r"switchport default mode (access|routed)", lambda m: {("switched",): m[1] == "access"}),
)
"""``qos map exp`` and ``... to cos`` set nothing: labels and tags of packets that aren't RoCEv2 over IP."""

REMARKS: tuple[tuple[re.Pattern[str], Remark], ...] = tuple(
    (re.compile(pattern, re.ASCII), Remark(reason, below))
    for pattern, reason, below in (
        (r"service-policy type qos input \S+", "a policy map may classify differently", ("qos", "maps")),
        (r"traffic-policy (input|output) \S+", "a traffic policy may classify differently", ("qos", "maps")),
        (r"l2 (mtu|mru) \d+", "the layer-2 limit counts too", ("mtu_bytes",)),
        (r"priority-flow-control pause watchdog action (?!drop$|errdisable$|notify-only$)\S{1,40}", NO_FACT, None),
        (r"qos (cos|dscp) \d+", NO_FACT, None),
        (r"shape rate .+", NO_FACT, None),
        (r"bandwidth guaranteed .+", NO_FACT, None),
        (r"random-detect drop .+", NO_FACT, None),
        (r"qos map dscp .+ drop-precedence [0-2]", "the drop precedence has no fact", None),
        (r"qos random-detect ecn (global-buffer|allow non-ect).*", NO_FACT, None),
        (r"qos tx-queue .+", NO_FACT, None),
        (r"platform trident mmu .+", NO_FACT, None),
        (r"dcbx (ets|application) .+", NO_FACT, None),
    )
)

FAMILIES: dict[str, tuple[str, ...]] = {
    "priority-flow-control": ("qos", "pfc"),
    "qos": ("qos",),
    "service-profile": ("qos",),
    "mtu": ("mtu_bytes",),
    "shutdown": ("admin_up",),
    "error-correction": ("fec",),
    "speed": ("speed_mbps",),
    "flowcontrol": ("qos", "global_pause"),
    "dcbx": ("qos", "dcbx"),
    "random-detect": ("qos", "queues"),
    "bandwidth": ("qos", "scheduling"),
    "priority": ("qos", "scheduling"),
    "tx-queue": ("qos",),
    "uc-tx-queue": ("qos",),
    "mc-tx-queue": ("qos",),
}
"""First word -> the facts below a port that a line we don't understand may decide."""


def _match(rules: tuple[Rule, ...], line: str) -> Iterator[Settings | Remark]:
    found = False
    for pattern, build in rules:
        match = pattern.fullmatch(line)
        if match:
            found = True
            try:
                yield build(match)
            except ValueError as error:
                yield Remark(str(error), family(line))
            break
    for pattern, remark in REMARKS:
        if pattern.fullmatch(line):
            found = True
            yield remark
    if not found:
        yield Remark(NOT_UNDERSTOOD, family(line))


def family(line: str) -> tuple[str, ...]:
    """The facts below a port that ``line`` may decide; () where that isn't known."""
    return FAMILIES.get(line.removeprefix("no ").partition(" ")[0], ())


def first(slot: Slot, *levels: Settings, default: Any = None) -> Any:
    """The value of ``slot`` in the first of ``levels`` that has it."""
    for level in levels:
        if slot in level:
            return level[slot]
    return default


CONTEXTS = {"profile": COMMON, "interface": INTERFACE, "queue": QUEUE, "global": GLOBAL}


def read_line(context: str, line: str) -> tuple[Settings | Remark, ...]:
    """What ``line`` (stripped) sets in ``context``: at least one entry, a Remark where something isn't translated."""
    return _read_line(context, line) if len(line) <= MAX_LINE else (Remark("longer than any line of EOS"),)


@lru_cache(maxsize=16384)
def _read_line(context: str, line: str) -> tuple[Settings | Remark, ...]:
    return tuple(_match(CONTEXTS[context], line))
