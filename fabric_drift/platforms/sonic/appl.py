"""APPL_DB and STATE_DB -> the ``nos`` layer: ports, buffers as buffermgrd gave them on, neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabric_drift.platform import Output
from fabric_drift.platforms.sonic import commands as c
from fabric_drift.platforms.sonic import tables as t
from fabric_drift.platforms.sonic.buffers import NO_GROUP, Profiles, pools_of, spread
from fabric_drift.platforms.sonic.config import unobserved_state
from fabric_drift.platforms.sonic.documents import Problems, Row, Tables, dump_tables, load
from fabric_drift.platforms.sonic.keys import per_port, place_of, reference
from fabric_drift.platforms.sonic.port_facts import PortFacts
from fabric_drift.state.device import DeviceState, Neighbour, Port, PortQos, Queue
from fabric_drift.state.values import ABSENT, Unobserved

PORT_FLAGS = ("PortConfigDone", "PortInitDone")
OPER = {"up": True, "down": False}
NO_NEIGHBOUR = Unobserved("LLDP knows no neighbour on the port")
LINK_DOWN = Unobserved("the link is down")
STATE_TABLES = ("BUFFER_POOL_TABLE", "BUFFER_PROFILE_TABLE")


def nos_tables(outputs: Mapping[str, Output], problems: Problems) -> tuple[Tables, dict[str, Unobserved]]:
    """All rows of the layer by APPL_DB's table names, and why a command's rows are missing."""
    tables: Tables = {}
    missing: dict[str, Unobserved] = {}
    for command, separator in ((c.APPL_PORTS, ":"), (c.APPL_BUFFERS, ":"), (c.APPL_LLDP, ":"), (c.STATE_BUFFERS, "|")):
        document = load(outputs, command)
        if isinstance(document, Unobserved):
            missing[command.text] = document
            continue
        rows = dump_tables(document, separator, problems)
        prefix = "STATE_DB " if command is c.STATE_BUFFERS else ""
        tables.update({prefix + name: table for name, table in rows.items()})
    return tables, missing


def nos_state(outputs: Mapping[str, Output], problems: Problems) -> tuple[DeviceState, Tables]:
    """The layer, and its rows for evidence."""
    tables, missing = nos_tables(outputs, problems)
    if c.APPL_PORTS.text in missing:
        return unobserved_state(missing[c.APPL_PORTS.text]), tables
    ports = {name: row for name, row in tables.get("PORT_TABLE", {}).items() if name not in PORT_FLAGS}
    if not ports:
        return unobserved_state("APPL_DB has no PORT_TABLE rows"), tables
    buffers = missing.get(c.APPL_BUFFERS.text)
    if not buffers:
        _contradictions(tables, problems)
    qos = {} if buffers else _port_qos(tables, ports, problems)
    pool_rows = tables.get("BUFFER_POOL_TABLE", {})
    pools: Any = buffers or pools_of(pool_rows, problems, computed=False, name="BUFFER_POOL_TABLE:")
    lldp = missing.get(c.APPL_LLDP.text)
    facts = PortFacts("PORT_TABLE:", problems)
    result = {}
    for name, row in ports.items():
        said = facts.of(name, row)
        oper_up = _oper(name, row, problems)
        neighbour = lldp or _neighbour(tables.get("LLDP_ENTRY_TABLE", {}).get(name), oper_up)
        port_policy = buffers or qos.get(name) or EMPTY
        result[name] = Port(oper_up=oper_up, qos=port_policy, neighbour=neighbour, **said)
    return DeviceState(ports=result, pools=pools), tables


def _oper(name: str, row: Row, problems: Problems) -> Any:
    text = row.get("oper_status")
    if text is None:
        return Unobserved(f"PORT_TABLE:{name} has no oper_status")
    if text not in OPER:
        return problems.add(
            f"PORT_TABLE:{name} oper_status = {text}", "neither up nor down", ("ports", name, "oper_up")
        )
    return OPER[text]


def _neighbour(row: Row | None, oper_up: Any) -> Any:
    if row is None:
        return LINK_DOWN if oper_up is False else NO_NEIGHBOUR
    silent = Unobserved("LLDP gives an empty name")
    return Neighbour(device=row.get("lldp_rem_sys_name") or silent, port=row.get("lldp_rem_port_id") or silent)


def _contradictions(tables: Tables, problems: Problems) -> None:
    """STATE_DB holds what was computed, APPL_DB what was given on: the fact is APPL_DB's, another value a problem."""
    for table in STATE_TABLES:
        for name, row in tables.get(f"STATE_DB {table}", {}).items():
            ours = tables.get(table, {}).get(name, {})
            for field in sorted(row.keys() & ours.keys() & (t.PROFILE_FIELDS | t.POOL_FIELDS)):
                if reference(row[field]) != reference(ours[field]):
                    line = f"STATE_DB {table}|{name} {field} = {row[field]}"
                    path = ("pools", name) if table == "BUFFER_POOL_TABLE" else ("ports",)
                    problems.add(line, f"APPL_DB says {ours[field]}", path)


EMPTY = PortQos(
    queues={queue: Queue(buffer=ABSENT) for queue in t.QUEUES},
    priority_groups=dict.fromkeys(t.QUEUES, NO_GROUP),
)
"""A port without buffer rows."""


def _port_qos(tables: Tables, ports: Mapping[str, Row], problems: Problems) -> dict[str, PortQos]:
    pools = tables.get("BUFFER_POOL_TABLE", {})
    profiles = Profiles(tables.get("BUFFER_PROFILE_TABLE", {}), pools, problems, name="BUFFER_PROFILE_TABLE:")
    groups, buffers = _indexed(tables, "BUFFER_PG_TABLE", problems), _indexed(tables, "BUFFER_QUEUE_TABLE", problems)
    for port in sorted((groups.keys() | buffers.keys()) - ports.keys()):
        row = f"BUFFER_PG_TABLE, BUFFER_QUEUE_TABLE: {port}"
        problems.add(row, "rows of a port that does not exist", place_of(port))
    known: dict[Any, PortQos] = {}
    result = {}
    for port in groups.keys() | buffers.keys():
        rows = (tuple(sorted(groups.get(port, ()))), tuple(sorted(buffers.get(port, ()))))
        if rows not in known:
            known[rows] = _one(port, rows, profiles, problems)
        result[port] = known[rows]
    return result


def _indexed(tables: Tables, name: str, problems: Problems) -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for port, index, row in per_port(name, tables.get(name, {}), ":", t.PROFILE_REFERENCE, problems):
        found.setdefault(port, []).append((index, reference(row.get("profile", ""))))
    return found


def _one(
    port: str,
    rows: tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]],
    profiles: Profiles,
    problems: Problems,
) -> PortQos:
    def resolve(table: str, items: Any, default: Any, translate: Any, kind: str) -> dict[int, Any]:
        found, wrong, doubtful = spread(items)
        path = ("ports", port, "qos", kind)
        for text, reason in wrong:
            problems.add(f"{table}:{port}:{text}", reason, path)
        result: dict[int, Any] = dict.fromkeys(t.QUEUES, default)
        for index, name in found.items():
            if index in doubtful:
                result[index] = Unobserved(f"two rows of {table} speak of {index}")
            elif not profiles.known(name):
                result[index] = problems.add(f"{table}:{port}:{index} profile = {name}", "no such profile", path)
            else:
                result[index] = translate(name)
        return result

    buffers = resolve("BUFFER_QUEUE_TABLE", rows[1], ABSENT, profiles.buffer, "queues")
    groups = resolve("BUFFER_PG_TABLE", rows[0], NO_GROUP, profiles.group, "priority_groups")
    return PortQos(queues={queue: Queue(buffer=buffer) for queue, buffer in buffers.items()}, priority_groups=groups)
