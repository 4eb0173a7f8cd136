"""orchagent's memory: what was asked of the ASIC, which isn't always what CONFIG_DB says now.

After orchagent/qosorch.cpp and bufferorch.cpp: a change of a WRED profile sets only the fields that are present, so a
removed field keeps its value in hardware; a port that refers to a map which doesn't exist keeps the map it had; an
object that something refers to can't be removed.
"""

from __future__ import annotations

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.sonic import appldb
from fabric_drift.lab.sonic.configdb import Fields, Table, row, table

MAP_FIELDS = {
    "dscp_to_tc_map": ("DSCP_TO_TC_MAP", "DSCP_TO_TC"),
    "dot1p_to_tc_map": ("DOT1P_TO_TC_MAP", "DOT1P_TO_TC"),
    "tc_to_queue_map": ("TC_TO_QUEUE_MAP", "TC_TO_QUEUE"),
    "tc_to_pg_map": ("TC_TO_PRIORITY_GROUP_MAP", "TC_TO_PRIORITY_GROUP"),
    "pfc_to_queue_map": ("MAP_PFC_PRIORITY_TO_QUEUE", "PFC_PRIORITY_TO_QUEUE"),
    "pfc_to_pg_map": ("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "PFC_PRIORITY_TO_PRIORITY_GROUP"),
    "tc_to_dscp_map": ("TC_TO_DSCP_MAP", "TC_AND_COLOR_TO_DSCP"),
}
"""PORT_QOS_MAP field -> (CONFIG_DB table of the map, its name in SAI)."""


def follow_config(store: Store) -> None:
    """Brings the memory up to date with CONFIG_DB, as far as orchagent would."""
    _follow_maps(store)
    _follow_wred(store)
    _follow_buffers(store)
    _follow_ports(store)


def _follow_maps(store: Store) -> None:
    """Maps are written as a whole; one that a port still uses can't be removed."""
    memory: dict[str, dict[str, Fields]] = store["hardware"]["maps"]
    for name, _ in MAP_FIELDS.values():
        known, wanted = memory.setdefault(name, {}), table(store, name)
        for key, fields in wanted.items():
            known[key] = dict(fields)
        for key in known.keys() - wanted.keys():
            if not _used(store, name, key):
                del known[key]


def _used(store: Store, table_name: str, key: str) -> bool:
    fields = [field for field, (name, _) in MAP_FIELDS.items() if name == table_name]
    bound: dict[str, Fields] = store["hardware"]["ports"]
    return any(port.get(field) == key for port in bound.values() for field in fields)


def _follow_wred(store: Store) -> None:
    memory: dict[str, Fields] = store["hardware"]["wred"]
    wanted = table(store, "WRED_PROFILE")
    for name, fields in wanted.items():
        memory.setdefault(name, {}).update(fields)
    _forget(memory, set(wanted), _named_in(table(store, "QUEUE"), "wred_profile"))


def _follow_buffers(store: Store) -> None:
    memory: Table = store["hardware"]["buffer_profiles"]
    wanted = appldb.buffer_profiles(store)
    memory.update({name: dict(fields) for name, fields in wanted.items()})
    users = (appldb.buffer_groups(store), table(store, "BUFFER_QUEUE"))
    _forget(memory, set(wanted), {name for rows in users for name in _named_in(rows, "profile")})


def _named_in(rows: Table, field: str) -> set[str]:
    return {plain_name(fields.get(field, "")) for fields in rows.values()}


def _forget(memory: Table, wanted: set[str], used: set[str]) -> None:
    for name in memory.keys() - wanted - used:
        del memory[name]


def plain_name(reference: str) -> str:
    """A reference without the brackets and the table that releases before 202111 put around it."""
    return reference.strip("[]").rpartition("|")[2]


def _follow_ports(store: Store) -> None:
    memory: dict[str, Fields] = store["hardware"]["ports"]
    for port in table(store, "PORT"):
        wanted = row(store, "PORT_QOS_MAP", port)
        if not wanted and port not in memory:
            continue
        known = memory.setdefault(port, {})
        for field, (map_table, _) in MAP_FIELDS.items():
            name = plain_name(wanted.get(field, ""))
            if not name or row(store, map_table, name):
                known[field] = name
        known["pfc_enable"] = wanted.get("pfc_enable", "")
