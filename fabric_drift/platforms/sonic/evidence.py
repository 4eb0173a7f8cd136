"""Which rows decided a fact: the command, and lines like ``PORT_QOS_MAP|Ethernet0 dscp_to_tc_map = AZURE``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fabric_drift.finding import Evidence, Layer
from fabric_drift.platform import Command
from fabric_drift.platforms.sonic import commands as c
from fabric_drift.platforms.sonic import sai_words as w
from fabric_drift.platforms.sonic import tables as t
from fabric_drift.platforms.sonic.documents import Row, Tables
from fabric_drift.platforms.sonic.evidence_fields import POOL_ATTRIBUTES, attributes_of, fields_of, map_entry
from fabric_drift.platforms.sonic.keys import indices, reference
from fabric_drift.state.values import Path

PORT_FIELDS = {
    "admin_up": "admin_status",
    "oper_up": "oper_status",
    "speed_mbps": "speed",
    "mtu_bytes": "mtu",
    "fec": "fec",
}
SAI_FIELDS = {
    "admin_up": "SAI_PORT_ATTR_ADMIN_STATE",
    "speed_mbps": "SAI_PORT_ATTR_SPEED",
    "mtu_bytes": "SAI_PORT_ATTR_MTU",
    "fec": "SAI_PORT_ATTR_FEC_MODE",
}
POOL_FACTS = {"direction": "type", "mode": "mode", "size_bytes": "size", "xoff_bytes": "xoff"}
WATCHDOG_FIELDS = {"detect_ms": "detection_time", "restore_ms": "restoration_time", "action": "action"}
DEVICE_FIELDS = {
    ("watchdog",): ("PFC_WD", "GLOBAL", "POLL_INTERVAL"),
    ("watchdog", "poll_ms"): ("PFC_WD", "GLOBAL", "POLL_INTERVAL"),
    ("buffer_model",): ("DEVICE_METADATA", "localhost", "buffer_model"),
    ("identity", "hostname"): ("DEVICE_METADATA", "localhost", "hostname"),
    ("identity", "hardware"): ("DEVICE_METADATA", "localhost", "hwsku"),
}
LONGEST = 12


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of all layers, and the layer that is asked."""

    all: Mapping[Layer, Tables]
    layer: Layer

    @property
    def tables(self) -> Tables:
        """The rows of the layer."""
        return self.all.get(self.layer, {})

    def row(self, table: str, key: str) -> Row | None:
        """One row, None where there is none."""
        return self.tables.get(table, {}).get(key)

    def line(self, table: str, key: str, field: str) -> str:
        """One field as people write it; "(no row)" and "(not set)" are said, not left out."""
        separator = "|" if self.layer in (Layer.SAVED, Layer.RUNNING) else ":"
        row = self.row(table, key)
        if row is None:
            return f"{table}{separator}{key} (no row)"
        return (
            f"{table}{separator}{key} {field} = {row[field]}"
            if field in row
            else f"{table}{separator}{key} {field} (not set)"
        )


def evidence(rows: Rows, path: Path) -> tuple[Evidence, ...]:
    """What the device answered about ``path``; () where the layer doesn't carry it."""
    command, lines = _decided(rows, path)
    shown = tuple(dict.fromkeys(lines))[:LONGEST]
    return (Evidence(command.text, shown),) if shown else ()


def _decided(rows: Rows, path: Path) -> tuple[Command, Iterator[str]]:
    if rows.layer is Layer.NOS:
        return _nos(rows, path)
    if rows.layer is Layer.SAI:
        return _sai(rows, path)
    return (c.SAVED if rows.layer is Layer.SAVED else c.RUNNING), _config(rows, path)


def _config(rows: Rows, path: Path) -> Iterator[str]:
    match path:
        case ("ports", port, "qos", kind, *rest) if kind in QOS:
            yield from QOS[kind](rows, port, rest)
        case ("ports", port, fact, *_) if fact in PORT_FIELDS:
            yield rows.line("PORT", port, PORT_FIELDS[fact])
        case ("ports", port):
            yield rows.line("PORT", port, "admin_status")
        case ("pools", pool, *rest):
            yield from (rows.line("BUFFER_POOL", pool, field) for field in _pool_fields(rest))
        case ("unreferenced", name):
            table, _, key = name.partition("/")
            yield from (rows.line(table, key, field) for field in sorted(rows.row(table, key) or {"": ""}))
        case _ if path in DEVICE_FIELDS:
            yield rows.line(*DEVICE_FIELDS[path])
        case _:
            return


def _pool_fields(rest: list[str]) -> Iterator[str]:
    yield from (POOL_FACTS[fact] for fact in (rest or POOL_FACTS) if fact in POOL_FACTS)


def _maps(rows: Rows, port: str, rest: list[str]) -> Iterator[str]:
    item = t.MAP_OF_FACT.get(rest[0]) if rest else None
    if item is None:
        return
    yield rows.line("PORT_QOS_MAP", port, item.reference)
    name = reference((rows.row("PORT_QOS_MAP", port) or {}).get(item.reference, ""))
    if rest[1:] and name:
        yield rows.line(item.table, name, rest[1])


def _pfc(rows: Rows, port: str, rest: list[str]) -> Iterator[str]:
    match rest:
        case ["watchdog", "priorities"]:
            yield rows.line("PORT_QOS_MAP", port, "pfcwd_sw_enable")
        case ["watchdog", *fact]:
            names = fact or list(WATCHDOG_FIELDS)
            yield from (rows.line("PFC_WD", port, WATCHDOG_FIELDS[name]) for name in names if name in WATCHDOG_FIELDS)
        case ["asymmetric"]:
            yield rows.line("PORT", port, "pfc_asym")
        case _:
            yield rows.line("PORT_QOS_MAP", port, "pfc_enable")


def _trust(rows: Rows, port: str, _rest: list[str]) -> Iterator[str]:
    yield from (rows.line("PORT_QOS_MAP", port, field) for field in ("dscp_to_tc_map", "dot1p_to_tc_map"))


def _cable(rows: Rows, port: str, _rest: list[str]) -> Iterator[str]:
    yield rows.line("CABLE_LENGTH", t.AZURE, port)


def _scheduling(rows: Rows, port: str, _rest: list[str]) -> Iterator[str]:
    """The queues' rows, and a line for each scheduler that they name."""
    bound = {
        key: row for key, row in sorted(rows.tables.get("QUEUE", {}).items()) if port in key.split("|")[0].split(",")
    }
    yield from (rows.line("QUEUE", key, "scheduler") for key in bound)
    for name in sorted({reference(row["scheduler"]) for row in bound.values() if "scheduler" in row}):
        fields = rows.row("SCHEDULER", name)
        shown = ", ".join(f"{field} = {value}" for field, value in sorted(fields.items())) if fields else "(no row)"
        yield f"SCHEDULER|{name} {shown}"
    if not bound:
        yield f"QUEUE|{port}|* (no row)"


def _queue(rows: Rows, port: str, rest: list[str]) -> Iterator[str]:
    match rest:
        case [queue, "ecn", *fact]:
            yield from _bound(rows, ("QUEUE", "|"), (port, queue), ("wred_profile", "WRED_PROFILE"), _first(fact))
        case [queue, *fact]:
            yield from _bound(rows, ("BUFFER_QUEUE", "|"), (port, queue), BUFFER, _first(fact[1:]))
        case _:
            return


def _group(rows: Rows, port: str, rest: list[str]) -> Iterator[str]:
    for group in rest[:1]:
        yield from _bound(rows, ("BUFFER_PG", "|"), (port, group), BUFFER, _first(rest[1:]))


def _first(fact: Sequence[str]) -> str:
    return fact[0] if fact else ""


BUFFER = ("profile", "BUFFER_PROFILE")


def _bound(
    rows: Rows, table: tuple[str, str], place: tuple[str, str], target: tuple[str, str], fact: str
) -> Iterator[str]:
    """Rows that cover an index of a port, and of what they refer to the fields that decide ``fact``."""
    name, separator = table
    port, index = place
    field, objects = target
    found = False
    for key, row in sorted(rows.tables.get(name, {}).items()):
        owner, _, numbers = key.rpartition(separator)
        if port not in owner.split(",") or index not in {str(number) for number in indices(numbers)}:
            continue
        found = True
        yield rows.line(name, key, field)
        profile = reference(row.get(field, ""))
        if profile not in ("", "NULL"):
            content = rows.row(objects, profile) or {}
            yield from (rows.line(objects, profile, part) for part in fields_of(fact, content) or ("",))
    if not found:
        yield f"{name}{separator}{port}{separator}{index} (no row)"


def _nos(rows: Rows, path: Path) -> tuple[Command, Iterator[str]]:
    match path:
        case ("ports", port, "neighbour", *_):
            fields = ("lldp_rem_sys_name", "lldp_rem_port_id")
            return c.APPL_LLDP, (rows.line("LLDP_ENTRY_TABLE", port, field) for field in fields)
        case ("ports", port, "qos", "queues" | "priority_groups" as kind, index, *rest):
            table = "BUFFER_QUEUE_TABLE" if kind == "queues" else "BUFFER_PG_TABLE"
            fact = _first(rest[1:] if kind == "queues" else rest)
            return c.APPL_BUFFERS, _bound(rows, (table, ":"), (port, index), ("profile", "BUFFER_PROFILE_TABLE"), fact)
        case ("ports", port, fact) if fact in PORT_FIELDS:
            return c.APPL_PORTS, iter([rows.line("PORT_TABLE", port, PORT_FIELDS[fact])])
        case ("pools", pool, *rest):
            return c.APPL_BUFFERS, (rows.line("BUFFER_POOL_TABLE", pool, field) for field in _pool_fields(rest))
        case _:
            return c.APPL_PORTS, iter(())


def _sai(rows: Rows, path: Path) -> tuple[Command, Iterator[str]]:
    if path[:1] == ("pools",) and len(path) > 1:
        return c.ASIC_BUFFERS, _asic_pool(rows, *path[1:])
    if len(path) < len(("ports", "port")) or path[0] != "ports":
        return c.ASIC_BUFFERS, iter(())
    ports = (rows.row("COUNTERS_PORT_NAME_MAP", "") or {}).get(path[1], "")
    match path[2:]:
        case (fact,) if fact in SAI_FIELDS:
            return c.ASIC_PORTS, iter([rows.line("PORT", ports, SAI_FIELDS[fact])])
        case ("qos", "pfc", *_):
            return c.ASIC_PORTS, (rows.line("PORT", ports, field) for field in (w.PFC_MASK, w.PFC_MODE))
        case ("qos", "maps", fact, *key) if fact in w.PORT_MAPS:
            return c.ASIC_QUEUES, _asic_map(rows, ports, fact, _first(key))
        case ("qos", "queues", queue, *part):
            marking = part[:1] == ["ecn"]
            field = "SAI_QUEUE_ATTR_WRED_PROFILE_ID" if marking else "SAI_QUEUE_ATTR_BUFFER_PROFILE_ID"
            target = (field, "WRED" if marking else "BUFFER_PROFILE", _first(part[1:]))
            return c.ASIC_QUEUES, _object(rows, ("QUEUE", "QUEUE"), f"{path[1]}:{queue}", target)
        case ("qos", "priority_groups", group, *part):
            target = (w.GROUP_PROFILE, "BUFFER_PROFILE", _first(part))
            return c.ASIC_GROUPS, _object(rows, ("PG", "INGRESS_PRIORITY_GROUP"), f"{path[1]}:{group}", target)
        case _:
            return c.ASIC_PORTS, iter(())


def _asic_map(rows: Rows, port: str, fact: str, key: str) -> Iterator[str]:
    """The map that the port refers to, and of its list the entry that was asked for."""
    oid = (rows.row("PORT", port) or {}).get(w.PORT_MAPS[fact], w.NULL)
    yield rows.line("PORT", port, w.PORT_MAPS[fact])
    listing = (rows.row("QOS_MAP", oid) or {}).get(w.MAP_LIST)
    if listing is None or not key:
        yield rows.line("QOS_MAP", oid, w.MAP_LIST)
    else:
        yield f"QOS_MAP:{oid} {w.MAP_LIST} = {map_entry(fact, key, listing)}"


def _asic_pool(rows: Rows, pool: str, *fact: str) -> Iterator[str]:
    oid = (rows.row("COUNTERS_BUFFER_POOL_NAME_MAP", "") or {}).get(pool, pool)
    yield f"COUNTERS_BUFFER_POOL_NAME_MAP {pool} = {oid}"
    yield from (rows.line("BUFFER_POOL", oid, POOL_ATTRIBUTES[field]) for field in _pool_fields(list(fact)))


def _object(rows: Rows, kinds: tuple[str, str], name: str, target: tuple[str, str, str]) -> Iterator[str]:
    """From a queue's or group's name to its object, the profile bound to it, and what decides the fact in that."""
    field, table, fact = target
    oid = (rows.row(f"COUNTERS_{kinds[0]}_NAME_MAP", "") or {}).get(name, "")
    yield f"COUNTERS_{kinds[0]}_NAME_MAP {name} = {oid or '(not set)'}"
    yield rows.line(kinds[1], oid, field)
    bound = (rows.row(kinds[1], oid) or {}).get(field, w.NULL)
    content = rows.row(table, bound)
    if content is not None:
        yield from (rows.line(table, bound, part) for part in attributes_of(fact, content))


QOS: dict[str, Callable[[Rows, str, list[str]], Iterator[str]]] = {
    "cable_length_m": _cable,
    "maps": _maps,
    "pfc": _pfc,
    "priority_groups": _group,
    "queues": _queue,
    "scheduling": _scheduling,
    "trust": _trust,
}
