"""``mlnx_qos -i X -a`` of today (since 2024-11), for hosts without ``dcb``. Older formats are refused as a whole.

They differ in what a line means or which lines there are (mlnx-tools commits b8c08c5, 374d9b5), so a lenient
reader would misread them. Source of the format: mlnx-tools 26.07 run on a real kernel.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from fabric_drift.platforms.linux_host.answers import Problem
from fabric_drift.platforms.linux_host.dcb import DSCPS, PRIORITIES, Read, scheduling_of
from fabric_drift.state.values import Unobserved

_WARNING = re.compile(r"\*+ WARNING: .*\*+")
_DCBX = re.compile(r"DCBX mode: (OS|Firmware) controlled")
_TRUST = re.compile(r"Priority trust state: (pcp|dscp)")
_DSCP = re.compile(r"\s+prio:([0-7]) dscp:((?:\d\d?,){1,8})")
_BUFFERS = re.compile(r"Receive buffer size \(bytes\): ((?:\d{1,10},){8})max_buffer_size=\d{1,10}")
_CABLE = re.compile(r"Cable len: (\d{1,5})")
_ROW = re.compile(r"\s+(priority|enabled|buffer)((?: +\d){8})")
_TC = re.compile(r"tc: ([0-7]) ratelimit: (?:unlimited|[\d.]{1,12} Gbps), tsa: (?:(strict|vendor)|ets, bw: (\d{1,3})%)")
_PRIORITY = re.compile(r"\s+priority:\s+([0-7])")
_PARTLY = "mlnx_qos doesn't show every traffic class"
_OLD = {
    "default priority:": "a build from before 2024-11",
    "total_size=": "a build from before 2023-05",
    "Receive buffer size": "a build from before 2023-05",
}


@dataclass(slots=True)
class _Table:
    """What has been read so far. The grammar is a sequence, so ``at`` only moves on."""

    entries: dict[int, int] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    rows: dict[str, tuple[int, ...]] = field(default_factory=dict)
    prio_tc: dict[int, int] = field(default_factory=dict)
    tsa: list[str] = field(default_factory=lambda: ["vendor"] * 8)
    percent: list[int] = field(default_factory=lambda: [0] * 8)
    tcs: list[int] = field(default_factory=list)


@lru_cache(maxsize=512)
def read_mlnx_qos(text: str) -> Read:
    """Facts by the names that the readers of ``dcb`` use. No facts at all where a line isn't of the format."""
    table = _Table()
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.rstrip()
        if not line or _WARNING.fullmatch(line):
            continue
        try:
            understood = _take(table, line)
        except ValueError as error:
            return Read({}, (Problem(line, str(error), line_number=number),))
        if not understood:
            return Read({}, (Problem(line, _why(line), line_number=number),))
    missing = _missing(table)
    if missing:
        return Read({}, (Problem("", f"mlnx_qos shows no {missing}: another format or a cut answer"),))
    return Read(_facts(table))


def _why(line: str) -> str:
    for mark, build in _OLD.items():
        if mark in line:
            return f"the format of {build}, which is not read"
    return "not a line of mlnx_qos as known"


def _take(table: _Table, line: str) -> bool:
    return _take_head(table, line) or _take_dscp(table, line) or _take_row(table, line) or _take_tc(table, line)


def _once(table: _Table, name: str, value: Any) -> None:
    if name in table.facts:
        raise ValueError(f"a second {name}")
    table.facts[name] = value


def _take_head(table: _Table, line: str) -> bool:
    if line in {"dscp2prio mapping:", "PFC configuration:"}:
        return True
    if found := _DCBX.fullmatch(line):
        _once(table, "flags", frozenset({"host", "ieee"} if found[1] == "OS" else {"ieee"}))
    elif found := _TRUST.fullmatch(line):
        _once(table, "trust", found[1])
    elif found := _BUFFERS.fullmatch(line):
        sizes = found[1].rstrip(",").split(",")
        _once(table, "receive_buffers_bytes", {buffer: int(size) for buffer, size in enumerate(sizes)})
    elif found := _CABLE.fullmatch(line):
        _once(table, "cable_length_m", int(found[1]))
    else:
        return False
    return True


def _take_dscp(table: _Table, line: str) -> bool:
    found = _DSCP.fullmatch(line)
    if not found:
        return False
    for dscp in (int(word) for word in found[2].rstrip(",").split(",")):
        if dscp not in DSCPS or table.entries.setdefault(dscp, int(found[1])) != int(found[1]):
            raise ValueError(f"DSCP {dscp} is out of range or there twice")
    return True


def _take_row(table: _Table, line: str) -> bool:
    found = _ROW.fullmatch(line)
    if not found:
        return False
    if found[1] in table.rows:
        raise ValueError(f"a second row {found[1]}")
    table.rows[found[1]] = tuple(int(word) for word in found[2].split())
    return True


def _take_tc(table: _Table, line: str) -> bool:
    if found := _TC.fullmatch(line):
        tc = int(found[1])
        if tc in table.tcs:
            raise ValueError(f"a second tc {tc}")
        table.tcs.append(tc)
        table.tsa[tc] = found[2] or "ets"
        table.percent[tc] = int(found[3] or 0)
        return True
    found = _PRIORITY.fullmatch(line)
    if not found or not table.tcs:
        return False
    if table.prio_tc.setdefault(int(found[1]), table.tcs[-1]) != table.tcs[-1]:
        raise ValueError(f"priority {found[1]} is mapped twice")
    return True


def _missing(table: _Table) -> str:
    for name in ("flags", "trust", "receive_buffers_bytes", "cable_length_m"):
        if name not in table.facts:
            return name
    if table.rows.get("priority") != tuple(PRIORITIES) or not {"enabled", "buffer"} <= set(table.rows):
        return "PFC table"
    if set(table.rows["enabled"]) - {0, 1} or max(table.rows["buffer"]) > max(PRIORITIES):
        return "sane PFC table"
    if set(table.prio_tc) != set(PRIORITIES):
        return "traffic class of some priority"
    return "" if (table.facts["trust"] == "dscp") == bool(table.entries) else "DSCP map that fits the trust state"


def _facts(table: _Table) -> dict[str, Any]:
    prio_tc = tuple(table.prio_tc[priority] for priority in PRIORITIES)
    whole = set(table.tcs) == set(PRIORITIES)
    return {
        **table.facts,
        "dscp": table.entries,
        "priorities": tuple(number for number, on in enumerate(table.rows["enabled"]) if on),
        "priority_to_buffer": dict(enumerate(table.rows["buffer"])),
        "priority_to_tc": dict(enumerate(prio_tc)),
        "scheduling": scheduling_of(tuple(table.tsa), tuple(table.percent)) if whole else Unobserved(_PARTLY),
    }
