"""Which rows have to change: from differing facts to cells of CONFIG_DB, and nothing beside them.

Facts that match leave their rows as they are, whatever ``render`` would have written.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from fabric_drift.platforms.sonic import tables as t
from fabric_drift.platforms.sonic.adopt import GLOBAL_MAP, MAP_OF_REFERENCE
from fabric_drift.platforms.sonic.cells import with_cells
from fabric_drift.platforms.sonic.documents import Row, Table, Tables
from fabric_drift.state.values import Path

Edit: TypeAlias = tuple[str, ...]
"""(table, key, field or index...): the smallest thing that is written, as ``edits_of`` names it."""

PORT_FIELDS = {"admin_up": "admin_status", "speed_mbps": "speed", "mtu_bytes": "mtu", "fec": "fec"}
OWN_FIELDS = {
    "BUFFER_POOL": t.POOL_FIELDS,
    "BUFFER_PROFILE": t.PROFILE_FIELDS,
    "PFC_WD": t.PFC_WD_FIELDS,
    "SCHEDULER": t.SCHEDULER_FIELDS,
    "WRED_PROFILE": t.WRED_FIELDS,
}
"""Fields of a row that are ours; others stay as they are. All fields of a map are its entries."""
REFERENCES = {**MAP_OF_REFERENCE, "scheduler": "SCHEDULER", "wred_profile": "WRED_PROFILE", "profile": "BUFFER_PROFILE"}
CLASSIFIERS = ("dscp_to_tc_map", "dot1p_to_tc_map")
INDEXED = ("BUFFER_PG", "BUFFER_QUEUE", "QUEUE")
_QUEUE = {"ecn": ("QUEUE", "wred_profile"), "buffer": ("BUFFER_QUEUE", "profile")}
_PFC: dict[Path, tuple[str, ...]] = {
    ("pfc", "priorities"): ("PORT_QOS_MAP", "pfc_enable"),
    ("pfc", "asymmetric"): ("PORT", "pfc_asym"),
    ("pfc", "watchdog", "priorities"): ("PORT_QOS_MAP", "pfcwd_sw_enable"),
    ("pfc", "watchdog"): ("PFC_WD",),
}
DEFAULT_ALPHA = ("DEFAULT_LOSSLESS_BUFFER_PARAMETER", t.AZURE)


def edits_of(path: Path) -> tuple[Edit, ...]:
    """What has to be written to close a difference at ``path``; () for what no row of CONFIG_DB decides."""
    match path:
        case ("ports", port, fact) if fact in PORT_FIELDS:
            return (("PORT", port, PORT_FIELDS[fact]),)
        case ("ports", port, "qos", *rest):
            return _policy_edits(port, tuple(rest))
        case ("pools", name, *_):
            return (("BUFFER_POOL", name),)
        case ("watchdog", *_):
            return (("PFC_WD", "GLOBAL"),)
        case ("buffer_model",):
            return (("DEVICE_METADATA", "localhost", "buffer_model"),)
        case ("unreferenced", item):
            return (("PORT_QOS_MAP", "global", "dscp_to_tc_map"),) if item == GLOBAL_MAP else (_removal(item),)
    return ()


def _removal(item: str) -> Edit:
    table, _, name = item.partition("/")
    return (table, name)


def _policy_edits(port: str, rest: Path) -> tuple[Edit, ...]:
    found = _PFC.get(rest[:3]) or _PFC.get(rest[:2])
    if found:
        table, *field = found
        return ((table, port, *field),)
    match rest:
        case ("trust", *_):
            return tuple(("PORT_QOS_MAP", port, field) for field in CLASSIFIERS)
        case ("maps", fact, *_) if fact in t.MAP_OF_FACT:
            return (("PORT_QOS_MAP", port, t.MAP_OF_FACT[fact].reference),)
        case ("scheduling",):
            return tuple(("QUEUE", port, str(queue), "scheduler") for queue in t.QUEUES)
        case ("queues", queue, fact, *_) if fact in _QUEUE:
            return ((_QUEUE[fact][0], port, queue, _QUEUE[fact][1]),)
        case ("priority_groups", group, *_):
            return (("BUFFER_PG", port, group, "profile"), DEFAULT_ALPHA)
        case ("cable_length_m",):
            return (("CABLE_LENGTH", t.AZURE, port),)
    return ()


def edited(rows: Tables, wanted: Tables, edits: Iterable[Edit]) -> Tables:
    """``rows`` with the edits made after ``wanted``, and the objects that edited cells refer to."""
    result = {table: dict(content) for table, content in rows.items()}
    referred: list[Row] = []
    cells: dict[tuple[str, str], dict[int, dict[str, str | None]]] = {}
    for edit in sorted(set(edits)):
        if edit[0] in INDEXED:
            table, port, index, field = edit
            cells.setdefault((table, port), {}).setdefault(int(index), {})[field] = _wanted(wanted, edit)
        else:
            referred.append(_row(result, wanted, edit))
    for (table, port), fields in cells.items():
        result[table] = with_cells(result.get(table, {}), port, fields, ranges=table != "QUEUE")
        referred += ({field: name for field, name in row.items() if name is not None} for row in fields.values())
    objects = {(REFERENCES[field], name) for row in referred for field, name in row.items() if field in REFERENCES}
    for table, name in sorted(objects):
        content = wanted.get(table, {}).get(name)
        if content is not None:
            _put(result, table, name, content)
    return {table: content for table, content in result.items() if content}


def _wanted(wanted: Tables, edit: Edit) -> str | None:
    """What the intent has in one cell."""
    table, port, index, field = edit
    rows = wanted.get(table, {}).items()
    return next((row.get(field) for key, row in rows if _covers(key, port, index)), None)


def _covers(key: str, port: str, index: str) -> bool:
    owner, _, numbers = key.partition("|")
    first, _, last = numbers.partition("-")
    return owner == port and int(first) <= int(index) <= int(last or first)


def _row(result: Tables, wanted: Tables, edit: Edit) -> Row:
    """Whole rows of (table, key); one field of (table, key, field)."""
    table, key, *field = edit
    new = wanted.get(table, {}).get(key, {})
    if not field:
        _put(result, table, key, new)
        return new
    now = dict(result.get(table, {}).get(key, {}))
    now.pop(field[0], None)
    if field[0] in new:
        now[field[0]] = new[field[0]]
    _set(result, table, key, now)
    return {name: text for name, text in new.items() if name == field[0]}


def _put(result: Tables, table: str, key: str, new: Row) -> None:
    """The row becomes ``new``; fields that aren't ours stay, unless there is nothing of ours left."""
    own = OWN_FIELDS.get(table)
    if key == "GLOBAL":
        own = frozenset({"POLL_INTERVAL"})
    old = result.get(table, {}).get(key, {})
    foreign = {field: value for field, value in old.items() if own is not None and field not in own} if new else {}
    _set(result, table, key, {**foreign, **new})


def _set(result: Tables, table: str, key: str, row: Row) -> None:
    content: Table = result.setdefault(table, {})
    if row:
        content[key] = row
    else:
        content.pop(key, None)
