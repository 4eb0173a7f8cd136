"""``mlnx_qos -i X -a`` of today (since 2024-11), for hosts without ``dcb``. Older formats are refused as a whole.

They differ in what a line means or which lines there are (mlnx-tools commits b8c08c5, 374d9b5), so a lenient
reader would misread them. TTP takes the text apart; since it drops what it doesn't know, every record is
written back as a line, and a line of the answer that isn't among them is a problem.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, TypeAlias

from fabric_drift.platforms.linux_host.answers import Problem
from fabric_drift.platforms.linux_host.dcb import DSCPS, PRIORITIES, Read, scheduling_of
from fabric_drift.state.values import Unobserved

Records: TypeAlias = dict[str, list[dict[str, Any]]]

LONGEST = 20_000
"""Characters. A whole answer has about 1,500; more isn't mlnx_qos, and TTP needn't chew on it."""
SINGLE = {"dcbx": "flags", "trust": "trust", "buffers": "receive_buffers_bytes", "cable": "cable_length_m"}
"""Records that there is one of, by the fact they say."""
_HEADINGS = ("dscp2prio mapping:", "PFC configuration:")
_WARNING = re.compile(r"\*+ WARNING: .*\*+")
_TSA = re.compile(r"(strict|vendor)|ets, bw: (\d{1,3})%")
_LIMIT = re.compile(r"unlimited|[\d.]{1,12} Gbps")
_PARTLY = "mlnx_qos doesn't show every traffic class"
_OLD = {
    "default priority:": "a build from before 2024-11",
    "total_size=": "a build from before 2023-05",
    "Receive buffer size": "a build from before 2023-05",
}


@lru_cache(maxsize=512)
def read_mlnx_qos(text: str) -> Read:
    """Facts by the names that the readers of ``dcb`` use. No facts at all where a line isn't of the format."""
    if len(text) > LONGEST:
        return Read({}, (Problem(text[:200], "longer than an answer of mlnx_qos can be"),))
    records = _records(text)
    stray = _stray_line(text, records)
    if stray:
        number, line = stray
        return Read({}, (Problem(line, _why(line), line_number=number),))
    try:
        return Read(_facts(records))
    except ValueError as error:
        return Read({}, (Problem("", str(error)),))


@cache
def _template() -> str:
    return files("fabric_drift.platforms.linux_host").joinpath("parsers", "mlnx_qos.ttp").read_text("utf-8")


def _records(text: str) -> Records:
    from ttp import ttp  # noqa: PLC0415  slow to import, and only hosts without `dcb` need it

    # TTP opens `data` as a file where it is the name of one: with a newline before it, no answer can be.
    parser = ttp(data="\n" + text, template=_template(), log_level="CRITICAL")
    parser.parse(one=True)
    found = parser.result()[0]
    return found[0] if found and isinstance(found[0], dict) else {}


def _stray_line(text: str, records: Records) -> tuple[int, str] | None:
    """The first line that no record accounts for, with its number."""
    taken = Counter(_folded(line) for line in _lines_of(records))
    taken.update(dict.fromkeys(_HEADINGS, 1))
    for number, line in enumerate(text.splitlines(), start=1):
        folded = _folded(line)
        if not folded or _WARNING.fullmatch(folded):
            continue
        if not taken[folded]:
            return number, line.rstrip()
        taken[folded] -= 1
    return None


def _folded(line: str) -> str:
    return " ".join(line.split())


def _lines_of(records: Records) -> Iterator[str]:
    """Every record as the line that it was read from; the template's counterpart."""
    forms = {
        "dcbx": "DCBX mode: {owner} controlled",
        "trust": "Priority trust state: {trust}",
        "dscp": "prio:{priority} dscp:{dscps}",
        "buffers": "Receive buffer size (bytes): {sizes},max_buffer_size={total}",
        "cable": "Cable len: {metres}",
        "row": "{name} {values}",
        "tc": "tc: {tc} ratelimit: {limit}, tsa: {tsa}",
    }
    for kind, form in forms.items():
        for record in records.get(kind, []):
            yield form.format(**record)
            for below in record.get("priority", []) if kind == "tc" else []:
                yield f"priority: {below['priority']}"


def _why(line: str) -> str:
    for mark, build in _OLD.items():
        if mark in line:
            return f"the format of {build}, which is not read"
    return "not a line of mlnx_qos as known"


def _facts(records: Records) -> dict[str, Any]:
    """Raises ValueError for what is missing, there twice or out of range."""
    single = {fact: _only(records, kind, fact) for kind, fact in SINGLE.items()}
    rows = _rows(records)
    tsa, percent, prio_tc = _classes(records)
    entries = _entries(records)
    trust = _word(single["trust"]["trust"], {"pcp": "pcp", "dscp": "dscp"})
    if (trust == "dscp") != bool(entries):
        raise ValueError("mlnx_qos shows no DSCP map that fits the trust state")
    whole = set(tsa) == set(PRIORITIES)
    return {
        "flags": _word(single["flags"]["owner"], {"OS": frozenset({"host", "ieee"}), "Firmware": frozenset({"ieee"})}),
        "trust": trust,
        "receive_buffers_bytes": dict(enumerate(_eight(single["receive_buffers_bytes"]["sizes"].split(",")))),
        "cable_length_m": _number(single["cable_length_m"]["metres"], 65_535),
        "dscp": entries,
        "priorities": tuple(number for number, on in enumerate(rows["enabled"]) if on),
        "priority_to_buffer": dict(enumerate(rows["buffer"])),
        "priority_to_tc": {priority: prio_tc[priority] for priority in PRIORITIES},
        "scheduling": scheduling_of(tuple(tsa[tc] for tc in PRIORITIES), tuple(percent[tc] for tc in PRIORITIES))
        if whole
        else Unobserved(_PARTLY),
    }


def _only(records: Records, kind: str, fact: str) -> dict[str, Any]:
    found = records.get(kind, [])
    if len(found) != 1:
        raise ValueError(f"mlnx_qos shows {'no' if not found else 'a second'} {fact}: another format or a cut answer")
    return found[0]


def _word(word: str, known: dict[str, Any]) -> Any:
    if word not in known:
        raise ValueError(f"{word[:40]!r} is not one of {', '.join(known)}")
    return known[word]


def _number(word: str, most: int) -> int:
    if len(word) > 10 or int(word) > most:  # noqa: PLR2004 - ten digits hold every number of mlnx_qos
        raise ValueError(f"{word[:20]} is out of range")
    return int(word)


def _eight(words: list[str]) -> tuple[int, ...]:
    if len(words) != len(PRIORITIES):
        raise ValueError("a row without eight numbers")
    return tuple(_number(word, 2**32) for word in words)


def _rows(records: Records) -> dict[str, tuple[int, ...]]:
    rows: dict[str, tuple[int, ...]] = {}
    for record in records.get("row", []):
        if record["name"] in rows:
            raise ValueError(f"a second row {record['name']}")
        rows[record["name"]] = _eight(record["values"].split())
    if set(rows) != {"priority", "enabled", "buffer"} or rows["priority"] != tuple(PRIORITIES):
        raise ValueError("mlnx_qos shows no PFC table: another format or a cut answer")
    if set(rows["enabled"]) - {0, 1} or max(rows["buffer"]) > max(PRIORITIES):
        raise ValueError("mlnx_qos shows no sane PFC table")
    return rows


def _entries(records: Records) -> dict[int, int]:
    entries: dict[int, int] = {}
    for record in records.get("dscp", []):
        words = record["dscps"].rstrip(",").split(",")
        for word in words:
            dscp, priority = _number(word or "99", 99), _number(record["priority"], max(PRIORITIES))
            if dscp not in DSCPS or entries.setdefault(dscp, priority) != priority:
                raise ValueError(f"DSCP {dscp} is out of range or there twice")
    return entries


def _classes(records: Records) -> tuple[dict[int, str], dict[int, int], dict[int, int]]:
    """Algorithm and percent by traffic class, and the traffic class of every priority."""
    tsa: dict[int, str] = {}
    percent: dict[int, int] = {}
    prio_tc: dict[int, int] = {}
    for record in records.get("tc", []):
        tc, kind = _number(record["tc"], max(PRIORITIES)), _TSA.fullmatch(record["tsa"])
        if tc in tsa or not kind or not _LIMIT.fullmatch(record["limit"]):
            raise ValueError(f"tc {tc} is there twice or of an unknown kind")
        tsa[tc], percent[tc] = kind[1] or "ets", int(kind[2] or 0)
        for below in record.get("priority", []):
            priority = _number(below["priority"], max(PRIORITIES))
            if prio_tc.setdefault(priority, tc) != tc:
                raise ValueError(f"priority {priority} is mapped twice")
    if set(prio_tc) != set(PRIORITIES):
        raise ValueError("mlnx_qos shows no traffic class of some priority")
    return tsa, percent, prio_tc
