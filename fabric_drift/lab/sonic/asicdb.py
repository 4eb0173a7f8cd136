"""ASIC_DB and the name maps of COUNTERS_DB, computed from orchagent's memory and APPL_DB."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.sonic import appldb, oids, seen
from fabric_drift.lab.sonic.configdb import Fields, Table, expand, numbers, row, table
from fabric_drift.lab.sonic.orchagent import MAP_FIELDS, plain_name

PRIORITY_GROUPS = 8
SAI_HEADER_BYTES = 22
_FEC = {"rs": "RS", "fc": "FC", "none": "NONE"}
_ECN = {
    "ecn_none": "NONE",
    "ecn_green": "GREEN",
    "ecn_yellow": "YELLOW",
    "ecn_red": "RED",
    "ecn_green_yellow": "GREEN_YELLOW",
    "ecn_green_red": "GREEN_RED",
    "ecn_yellow_red": "YELLOW_RED",
    "ecn_all": "ALL",
}
_MAP_KEYS = {
    "DSCP_TO_TC": ("dscp", "tc"),
    "DOT1P_TO_TC": ("dot1p", "tc"),
    "TC_TO_QUEUE": ("tc", "qidx"),
    "TC_TO_PRIORITY_GROUP": ("tc", "pg"),
    "PFC_PRIORITY_TO_QUEUE": ("prio", "qidx"),
    "PFC_PRIORITY_TO_PRIORITY_GROUP": ("prio", "pg"),
    "TC_AND_COLOR_TO_DSCP": ("tc", "dscp"),
}
_NOTHING = {
    "color": "SAI_PACKET_COLOR_GREEN",
    "dot1p": 0,
    "dscp": 0,
    "mpls_exp": 0,
    "pg": 0,
    "prio": 0,
    "qidx": 0,
    "tc": 0,
}


def queue_count(store: Store) -> int:
    """Queues per port: eight unicast ones, and what the ASIC has beside them."""
    return 16 if store["asic"] == "mellanox" else 10


def asic_db(store: Store, kinds: str = "*") -> Table:
    """``ASIC_STATE:<type>:<oid>`` -> attributes, without the overrides of a stuck ASIC.

    ``kinds`` is a pattern of types; a switch has more queues than everything else together, and most dumps ask
    for one type.
    """
    objects: Table = {}
    for owned, family in _FAMILIES:
        if any(fnmatchcase(f"SAI_OBJECT_TYPE_{kind}", kinds) for kind in owned):
            for kind, oid, attributes in family(store):
                objects[f"ASIC_STATE:SAI_OBJECT_TYPE_{kind}:{oid}"] = attributes
    return objects


def _switch_and_ports(store: Store) -> Iterator[tuple[str, str, Fields]]:
    yield "SWITCH", oids.of_name("SWITCH", "switch"), _switch(store)
    for index, (port, fields) in enumerate(table(store, "PORT").items()):
        yield "PORT", oids.of_port(index), _port(store, port, fields)


def _named(store: Store) -> Iterator[tuple[str, str, Fields]]:
    for map_table, kind in MAP_FIELDS.values():
        for name, entries in store["hardware"]["maps"].get(map_table, {}).items():
            yield "QOS_MAP", oids.of_name("QOS_MAP", f"{map_table}|{name}"), _qos_map(kind, entries)
    for name, fields in store["hardware"]["wred"].items():
        yield "WRED", oids.of_name("WRED", name), _wred(fields)
    for name, fields in table(store, "SCHEDULER").items():
        yield "SCHEDULER", oids.of_name("SCHEDULER", name), _scheduler(fields)


def _switch(store: Store) -> Fields:
    name = row(store, "PORT_QOS_MAP", "global").get("dscp_to_tc_map", "")
    return {
        "SAI_SWITCH_ATTR_INIT_SWITCH": "true",
        "SAI_SWITCH_ATTR_QOS_DSCP_TO_TC_MAP": oids.of_name("QOS_MAP", f"DSCP_TO_TC_MAP|{name}") if name else oids.NULL,
    }


def _port(store: Store, port: str, fields: Fields) -> Fields:
    attributes = {
        "SAI_PORT_ATTR_ADMIN_STATE": "true" if fields.get("admin_status") == "up" else "false",
        "SAI_PORT_ATTR_SPEED": fields.get("speed", "0"),
        "SAI_PORT_ATTR_MTU": str(int(fields.get("mtu", "9100")) + SAI_HEADER_BYTES),
    }
    if fields.get("fec") in _FEC:
        attributes["SAI_PORT_ATTR_FEC_MODE"] = f"SAI_PORT_FEC_MODE_{_FEC[fields['fec']]}"
    bound = store["hardware"]["ports"].get(port)
    if bound is not None:
        mask = str(sum(1 << priority for priority in numbers(bound["pfc_enable"])))
        attributes |= _pfc(mask, asymmetric=fields.get("pfc_asym") == "on")
        for field, (map_table, kind) in MAP_FIELDS.items():
            name = bound.get(field, "")
            oid = oids.of_name("QOS_MAP", f"{map_table}|{name}") if name else oids.NULL
            attributes[f"SAI_PORT_ATTR_QOS_{kind}_MAP"] = oid
    return attributes


def _pfc(mask: str, *, asymmetric: bool) -> Fields:
    mode = "SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL_MODE"
    if asymmetric:
        return {
            mode: "SAI_PORT_PRIORITY_FLOW_CONTROL_MODE_SEPARATE",
            "SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL_TX": mask,
            "SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL_RX": "255",
        }
    return {
        mode: "SAI_PORT_PRIORITY_FLOW_CONTROL_MODE_COMBINED",
        "SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL": mask,
    }


def _qos_map(kind: str, entries: Fields) -> Fields:
    key_name, value_name = _MAP_KEYS[kind]
    listed = [
        {"key": {**_NOTHING, key_name: int(key)}, "value": {**_NOTHING, value_name: int(value)}}
        for key, value in sorted(entries.items(), key=lambda item: int(item[0]))
    ]
    return {
        "SAI_QOS_MAP_ATTR_TYPE": f"SAI_QOS_MAP_TYPE_{kind}",
        "SAI_QOS_MAP_ATTR_MAP_TO_VALUE_LIST": json.dumps(
            {"count": len(listed), "list": listed}, separators=(",", ":"), sort_keys=True
        ),
    }


def _wred(fields: Fields) -> Fields:
    attributes = {
        "SAI_WRED_ATTR_ECN_MARK_MODE": f"SAI_ECN_MARK_MODE_{_ECN.get(fields.get('ecn', ''), 'NONE')}",
        "SAI_WRED_ATTR_WEIGHT": "0",
    }
    for colour in ("green", "yellow", "red"):
        head = f"SAI_WRED_ATTR_{colour.upper()}"
        attributes[f"{head}_ENABLE"] = fields.get(f"wred_{colour}_enable", "false")
        for part in ("min_threshold", "max_threshold", "drop_probability"):
            if f"{colour}_{part}" in fields:
                attributes[f"{head}_{part.upper()}"] = fields[f"{colour}_{part}"]
    return attributes


def _scheduler(fields: Fields) -> Fields:
    attributes = {"SAI_SCHEDULER_ATTR_SCHEDULING_TYPE": f"SAI_SCHEDULING_TYPE_{fields.get('type', 'WRR')}"}
    if fields.get("type") != "STRICT":
        attributes["SAI_SCHEDULER_ATTR_SCHEDULING_WEIGHT"] = fields.get("weight", "1")
    return attributes


def _buffers(store: Store) -> Iterator[tuple[str, str, Fields]]:
    pools, profiles = appldb.buffer_pools(store), store["hardware"]["buffer_profiles"]
    for name, fields in pools.items():
        attributes = {
            "SAI_BUFFER_POOL_ATTR_TYPE": f"SAI_BUFFER_POOL_TYPE_{fields.get('type', '').upper()}",
            "SAI_BUFFER_POOL_ATTR_SIZE": fields.get("size", "0"),
            "SAI_BUFFER_POOL_ATTR_THRESHOLD_MODE": f"SAI_BUFFER_POOL_THRESHOLD_MODE_{fields.get('mode', '').upper()}",
        }
        if "xoff" in fields:
            attributes["SAI_BUFFER_POOL_ATTR_XOFF_SIZE"] = fields["xoff"]
        yield "BUFFER_POOL", oids.of_name("BUFFER_POOL", name), attributes
    for name, fields in profiles.items():
        if fields.get("pool") in pools:
            yield "BUFFER_PROFILE", oids.of_name("BUFFER_PROFILE", name), _buffer_profile(fields)


def _buffer_profile(fields: Fields) -> Fields:
    head = "SAI_BUFFER_PROFILE_ATTR"
    attributes = {
        f"{head}_POOL_ID": oids.of_name("BUFFER_POOL", fields["pool"]),
        f"{head}_RESERVED_BUFFER_SIZE": fields.get("size", "0"),
    }
    for field, attribute in (("xoff", "XOFF_TH"), ("xon", "XON_TH"), ("xon_offset", "XON_OFFSET_TH")):
        if field in fields:
            attributes[f"{head}_{attribute}"] = fields[field]
    for kind in ("dynamic", "static"):
        if f"{kind}_th" in fields:
            attributes[f"{head}_THRESHOLD_MODE"] = f"SAI_BUFFER_PROFILE_THRESHOLD_MODE_{kind.upper()}"
            attributes[f"{head}_SHARED_{kind.upper()}_TH"] = fields[f"{kind}_th"]
    return attributes


def _queues(store: Store) -> Iterator[tuple[str, str, Fields]]:
    marks = _by_part(table(store, "QUEUE"), "wred_profile")
    buffers = _by_part(table(store, "BUFFER_QUEUE"), "profile")
    wred, profiles = store["hardware"]["wred"], store["hardware"]["buffer_profiles"]
    for index, port in enumerate(table(store, "PORT")):
        for number in range(queue_count(store)):
            mark, profile = marks.get((port, number), ""), buffers.get((port, number), "")
            attributes = {
                "SAI_QUEUE_ATTR_INDEX": str(number),
                "SAI_QUEUE_ATTR_WRED_PROFILE_ID": oids.of_name("WRED", mark if mark in wred else ""),
                "SAI_QUEUE_ATTR_BUFFER_PROFILE_ID": oids.of_name(
                    "BUFFER_PROFILE", profile if profile in profiles else ""
                ),
            }
            yield "QUEUE", oids.of_part("QUEUE", index, number), attributes


def _groups(store: Store) -> Iterator[tuple[str, str, Fields]]:
    buffers = _by_part(appldb.buffer_groups(store), "profile")
    profiles = store["hardware"]["buffer_profiles"]
    for index, port in enumerate(table(store, "PORT")):
        for number in range(PRIORITY_GROUPS):
            profile = buffers.get((port, number), "")
            attributes = {
                "SAI_INGRESS_PRIORITY_GROUP_ATTR_INDEX": str(number),
                "SAI_INGRESS_PRIORITY_GROUP_ATTR_BUFFER_PROFILE": oids.of_name(
                    "BUFFER_PROFILE", profile if profile in profiles else ""
                ),
            }
            yield "INGRESS_PRIORITY_GROUP", oids.of_part("INGRESS_PRIORITY_GROUP", index, number), attributes


def _by_part(rows: Table, field: str) -> dict[tuple[str, int], str]:
    """(port, index) -> the value of ``field``, from keys such as ``Ethernet0|3-4``."""
    found: dict[tuple[str, int], str] = {}
    for key, fields in rows.items():
        port, _, part = key.partition("|")
        for number in expand(part):
            if field in fields:
                found[port, number] = plain_name(fields[field])
    return found


_FAMILIES: tuple[tuple[tuple[str, ...], Callable[[Store], Iterator[tuple[str, str, Fields]]]], ...] = (
    (("SWITCH", "PORT"), _switch_and_ports),
    (("QOS_MAP", "WRED", "SCHEDULER"), _named),
    (("BUFFER_POOL", "BUFFER_PROFILE"), _buffers),
    (("QUEUE",), _queues),
    (("INGRESS_PRIORITY_GROUP",), _groups),
)


def counters_db(store: Store) -> Table:
    """The name maps, and the watchdog's status of every watched queue."""
    ports = list(table(store, "PORT"))
    queues = range(queue_count(store))
    maps: Table = {
        "COUNTERS_PORT_NAME_MAP": {port: oids.of_port(index) for index, port in enumerate(ports)},
        "COUNTERS_QUEUE_NAME_MAP": {
            f"{port}:{number}": oids.of_part("QUEUE", index, number)
            for index, port in enumerate(ports)
            for number in queues
        },
        "COUNTERS_PG_NAME_MAP": {
            f"{port}:{number}": oids.of_part("INGRESS_PRIORITY_GROUP", index, number)
            for index, port in enumerate(ports)
            for number in range(PRIORITY_GROUPS)
        },
        "COUNTERS_BUFFER_POOL_NAME_MAP": {
            name: oids.of_name("BUFFER_POOL", name) for name in appldb.buffer_pools(store)
        },
    }
    return maps | _counters(store, ports)


def _counters(store: Store, ports: list[str]) -> Table:
    """The watchdog's view of every watched queue, and packets that priority groups lost."""
    found: Table = {}
    for index, port in enumerate(ports):
        watched = row(store, "PFC_WD", port) and row(store, "PORT_QOS_MAP", port).get("pfcwd_sw_enable", "")
        for number in numbers(watched or ""):
            storms = seen.count(store, "storms", port, number)
            found[f"COUNTERS:{oids.of_part('QUEUE', index, number)}"] = {
                "PFC_WD_STATUS": "operational",
                "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED": storms,
                "PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED": storms,
            }
        for number in range(PRIORITY_GROUPS) if row(store, "PORT_QOS_MAP", port) else ():
            found[f"COUNTERS:{oids.of_part('INGRESS_PRIORITY_GROUP', index, number)}"] = {
                "SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS": seen.count(store, "drops", port, number)
            }
    return found
