"""Ways to change an emulated switch by hand: name -> the commands that a human would type.

A name is the path of the fact that changes (``all`` stands for every port of a shared object), or says what kind of
trouble it is: ``extra/``, ``deleted/``, ``second/``, ``unknown/``, ``stuck/``, ``gap/``, ``saved/``, ``foreign/``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.sonic import trouble
from fabric_drift.lab.sonic.configdb import numbers, row, table
from fabric_drift.lab.sonic.ecnconfig import OPTIONS
from fabric_drift.lab.sonic.native import expanded, hdel, hset, other, part_fields, shifted

Mutation: TypeAlias = tuple[str, tuple[str, ...]]
MAPS = (
    ("dscp_to_tc_map", "DSCP_TO_TC_MAP", "dscp_to_tc"),
    ("tc_to_queue_map", "TC_TO_QUEUE_MAP", "tc_to_queue"),
    ("tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP", "tc_to_priority_group"),
    ("pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE", "pfc_priority_to_queue"),
    ("pfc_to_pg_map", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "pfc_priority_to_priority_group"),
)
_ECN_OPTION = {field: option for option, field in OPTIONS.items()}

_GREEN_FACTS = {
    "ecn": "colours",
    "green_min_threshold": "kmin_bytes",
    "green_max_threshold": "kmax_bytes",
    "green_drop_probability": "max_probability_percent",
    "wred_green_enable": "wred_drop",
}


def mutations(store: Store) -> Mapping[str, tuple[str, ...]]:
    """Every change this switch can suffer now; {} where no port has a neighbour."""
    port = next((name for name in table(store, "PORT") if row(store, "PORT_QOS_MAP", name)), None)
    if port is None:
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for family in (_maps, _pfc, _watchdog, _ecn, _scheduling, _buffers, _bindings, _port, trouble.troubles):
        found |= dict(family(store, port))
    return found


def _maps(store: Store, port: str) -> Iterator[Mutation]:
    for field, map_table, fact in MAPS:
        name = row(store, "PORT_QOS_MAP", port).get(field, "")
        if not name:
            continue
        for key, value in row(store, map_table, name).items():
            new = str((int(value) + 1) % 8)
            yield f"ports/all/qos/maps/{fact}/{key}", (hset(map_table, name, key, new),)
        yield f"ports/{port}/qos/maps/{fact}", (hdel("PORT_QOS_MAP", port, field),)


def _pfc(store: Store, port: str) -> Iterator[Mutation]:
    now = numbers(row(store, "PORT_QOS_MAP", port).get("pfc_enable", ""))
    if now:
        yield f"ports/{port}/qos/pfc/priorities", (f"config interface pfc priority {port} {now[0]} off",)
    free = next(number for number in (4, 5, 2, 1, 0, 3, 6, 7) if number not in now)
    yield "extra/pfc_priority", (f"config interface pfc priority {port} {free} on",)
    state = "off" if row(store, "PORT", port).get("pfc_asym") == "on" else "on"
    yield f"ports/{port}/qos/pfc/asymmetric", (f"config interface pfc asymmetric {port} {state}",)


def _watchdog(store: Store, port: str) -> Iterator[Mutation]:
    watched = row(store, "PORT_QOS_MAP", port).get("pfcwd_sw_enable", "")
    if watched:
        yield f"ports/{port}/qos/pfc/watchdog/priorities", (hdel("PORT_QOS_MAP", port, "pfcwd_sw_enable"),)
    poll = row(store, "PFC_WD", "GLOBAL").get("POLL_INTERVAL")
    if poll:
        yield "watchdog/poll_ms", (f"pfcwd interval {other(poll, '100', '150')}",)
    now = row(store, "PFC_WD", port)
    if not now:
        return
    yield f"ports/{port}/qos/pfc/watchdog", (f"pfcwd stop {port}",)
    changes = {
        "action": other(now.get("action", "drop"), "forward", "alert"),
        "detection_time": shifted(now.get("detection_time", "200"), 100),
        "restoration_time": shifted(now.get("restoration_time", "400"), 100),
    }
    facts = {"action": "action", "detection_time": "detect_ms", "restoration_time": "restore_ms"}
    for field, value in changes.items():
        new = {"action": "drop", "detection_time": "200", "restoration_time": "400"} | now | {field: value}
        command = f"pfcwd start -a {new['action']} -r {new['restoration_time']} {port} {new['detection_time']}"
        yield f"ports/{port}/qos/pfc/watchdog/{facts[field]}", (command,)


def _ecn(store: Store, port: str) -> Iterator[Mutation]:
    """Fields of the WRED profiles that the port's queues use, and the binding itself."""
    for queue, fields in part_fields(store, "QUEUE", port).items():
        name = fields.get("wred_profile", "")
        profile = row(store, "WRED_PROFILE", name)
        if not profile:
            continue
        place = f"ports/all/qos/queues/{queue}/ecn"
        for field, value in profile.items():
            fact = f"{place}/{_ecn_fact(field)}"
            if field in _ECN_OPTION:
                new = _threshold(field, int(value))
                yield fact, (f"ecnconfig -p {name} {_ECN_OPTION[field]} {new}",)
            elif field == "ecn":
                yield fact, (hset("WRED_PROFILE", name, field, other(value, "ecn_none", "ecn_all")),)
            elif value in {"true", "false"}:
                yield fact, (hset("WRED_PROFILE", name, field, other(value, "true", "false")),)
        key, _ = expanded(store, "QUEUE", port, queue)
        yield f"ports/{port}/qos/queues/{queue}/ecn", (hdel("QUEUE", key, "wred_profile"),)


def _ecn_fact(field: str) -> str:
    """Green's fields are the facts of a queue; those of the other colours stand below their colour."""
    colour, _, part = field.partition("_")
    return _GREEN_FACTS.get(field) or (f"colour_thresholds/{colour}/{part}" if colour in {"red", "yellow"} else field)


def _threshold(field: str, value: int) -> int:
    """Another value that keeps minimum below maximum."""
    if field.endswith("_min_threshold"):
        return value // 2
    return value % 100 + 1 if field.endswith("_drop_probability") else value * 2


def _scheduling(store: Store, port: str) -> Iterator[Mutation]:
    schedulers = table(store, "SCHEDULER")
    for queue, fields in part_fields(store, "QUEUE", port).items():
        name = fields.get("scheduler", "")
        now = schedulers.get(name)
        if now is None:
            continue
        key, _ = expanded(store, "QUEUE", port, queue)
        if now.get("type") != "STRICT":
            new = str(int(now.get("weight", "1")) % 100 + 1)
            yield f"scheduler/{name}/weight", (hset("SCHEDULER", name, "weight", new),)
        new_type = other(now.get("type", "WRR"), "STRICT", "DWRR")
        yield f"scheduler/{name}/type", (hset("SCHEDULER", name, "type", new_type),)
        for rival in sorted(schedulers.keys() - {name})[:1]:
            yield f"ports/{port}/qos/scheduling/{queue}", (hset("QUEUE", key, "scheduler", rival),)


def _buffers(store: Store, _port: str) -> Iterator[Mutation]:
    pools = table(store, "BUFFER_POOL")
    for name, fields in pools.items():
        for field, value in fields.items():
            new = {"type": other(value, "ingress", "egress"), "mode": other(value, "static", "dynamic")}.get(field)
            yield f"pools/{name}/{field}", (hset("BUFFER_POOL", name, field, new or shifted(value, 4096)),)
    for name, fields in table(store, "BUFFER_PROFILE").items():
        for field, value in fields.items():
            if field == "pool":
                rivals = sorted(pools.keys() - {value})
                new_value = rivals[0] if rivals else ""
            elif field == "dynamic_th":
                new_value = str(int(value) - 1 if int(value) > -8 else 0)  # noqa: PLR2004 - lowest exponent
            else:
                new_value = shifted(value, 2048) if value.isdigit() else ""
            if new_value:
                yield f"buffer_profile/{name}/{field}", (hset("BUFFER_PROFILE", name, field, new_value),)


def _bindings(store: Store, port: str) -> Iterator[Mutation]:
    """Priority groups and queues bound to another buffer profile, or to none."""
    profiles = sorted(table(store, "BUFFER_PROFILE"))
    for map_table, fact, side in (("BUFFER_PG", "priority_groups", "ingress"), ("BUFFER_QUEUE", "queues", "egress")):
        for key, fields in table(store, map_table).items():
            owner, _, part = key.partition("|")
            if owner != port:
                continue
            rivals = [name for name in profiles if name != fields.get("profile") and name.startswith(side)]
            for rival in rivals[:1]:
                yield f"ports/{port}/qos/{fact}/{part}/buffer", (hset(map_table, key, "profile", rival),)
            yield f"deleted/{map_table}/{part}", (f'sonic-db-cli CONFIG_DB del "{map_table}|{key}"',)


def _port(store: Store, port: str) -> Iterator[Mutation]:
    now = row(store, "PORT", port)
    yield f"ports/{port}/mtu_bytes", (f"config interface mtu {port} {other(now.get('mtu', '9100'), '1500', '9000')}",)
    yield f"ports/{port}/admin_up", (f"config interface shutdown {port}",)
    yield f"ports/{port}/speed_mbps", (f"config interface speed {port} {other(now['speed'], '200000', '400000')}",)
    yield f"ports/{port}/fec", (f"config interface fec {port} {other(now.get('fec', 'none'), 'none', 'rs')}",)
    cable = row(store, "CABLE_LENGTH", "AZURE").get(port)
    if cable:
        new = other(cable, "40m", "300m")
        by_hand = hset("CABLE_LENGTH", "AZURE", port, new)
        command = f"config interface cable-length {port} {new}" if store["dynamic_buffers"] else by_hand
        yield f"ports/{port}/qos/cable_length_m", (command,)
    model = row(store, "DEVICE_METADATA", "localhost").get("buffer_model", "traditional")
    new_model = other(model, "dynamic", "traditional")
    yield "buffer_model", (hset("DEVICE_METADATA", "localhost", "buffer_model", new_model),)
