"""Changes by hand that aren't just another value: too much, too little, said twice, unheard of, not followed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.sonic import databases
from fabric_drift.lab.sonic.asicdb import counters_db
from fabric_drift.lab.sonic.configdb import numbers, row, table
from fabric_drift.lab.sonic.native import expanded, hdel, hset, other, part_fields

Trouble: TypeAlias = tuple[str, tuple[str, ...]]


def troubles(store: Store, port: str) -> Iterator[Trouble]:
    """All of them, for a port that has QoS."""
    yield from _extra(store, port)
    yield from _deleted(store, port)
    yield from _second(store, port)
    yield from _gaps(store, port)
    yield from _stuck(store, port)
    yield from _outside(store, port)


def _wred_name(store: Store, port: str) -> str:
    named = (fields.get("wred_profile", "") for fields in part_fields(store, "QUEUE", port).values())
    return next((name for name in named if row(store, "WRED_PROFILE", name)), "")


def _extra(store: Store, port: str) -> Iterator[Trouble]:
    name = row(store, "PORT_QOS_MAP", port).get("dscp_to_tc_map", "")
    entries = row(store, "DSCP_TO_TC_MAP", name)
    lossless = [entry for entry in entries.values() if int(entry) in _lossless(store, port)]
    spare = next((str(dscp) for dscp in range(63, -1, -1) if entries.get(str(dscp)) not in lossless), "")
    if lossless and spare:
        yield "extra/dscp_entry", (hset("DSCP_TO_TC_MAP", name, spare, lossless[0]),)
    profile = 'sonic-db-cli CONFIG_DB hset "WRED_PROFILE|BYHAND" ecn ecn_all wred_green_enable true'
    yield "extra/wred_profile", (f"{profile} green_min_threshold 1000 green_max_threshold 2000",)
    yield "extra/scheduler", ('sonic-db-cli CONFIG_DB hset "SCHEDULER|BYHAND" type DWRR weight 7',)
    pool = next(iter(table(store, "BUFFER_POOL")), "")
    if pool:
        command = f'sonic-db-cli CONFIG_DB hset "BUFFER_PROFILE|byhand_profile" pool {pool} size 0 dynamic_th 1'
        yield "extra/buffer_profile", (command,)
    yield "extra/dscp_map", ('sonic-db-cli CONFIG_DB hset "DSCP_TO_TC_MAP|BYHAND" 26 3',)


def _lossless(store: Store, port: str) -> tuple[int, ...]:
    return numbers(row(store, "PORT_QOS_MAP", port).get("pfc_enable", ""))


def _deleted(store: Store, port: str) -> Iterator[Trouble]:
    """Named objects that are still referred to."""
    queues = part_fields(store, "QUEUE", port).values()
    used = {
        "WRED_PROFILE": _wred_name(store, port),
        "SCHEDULER": next((fields["scheduler"] for fields in queues if "scheduler" in fields), ""),
        "BUFFER_PROFILE": next(
            (name for name in table(store, "BUFFER_PROFILE") if name.startswith("egress_lossless")), ""
        ),
        "TC_TO_QUEUE_MAP": row(store, "PORT_QOS_MAP", port).get("tc_to_queue_map", ""),
    }
    for kind, name in used.items():
        if row(store, kind, name):
            yield f"deleted/{kind}", (f'sonic-db-cli CONFIG_DB del "{kind}|{name}"',)


def _second(store: Store, port: str) -> Iterator[Trouble]:
    """A second, different value of a fact that has one; and a field that nobody has heard of."""
    for queue in sorted(part_fields(store, "QUEUE", port)):
        key, fields = expanded(store, "QUEUE", port, queue)
        rivals = sorted(table(store, "SCHEDULER").keys() - {fields.get("scheduler")})
        range_key = f"{port}|{queue}-{queue + 1}"
        if rivals and key != range_key and "scheduler" in fields:
            yield "second/scheduler", (hset("QUEUE", range_key, "scheduler", rivals[0]),)
            break
    name = _wred_name(store, port)
    if name:
        yield "unknown/wred_field", (hset("WRED_PROFILE", name, "green_future_knob", "1"),)
    yield "unknown/qos_map_field", (hset("PORT_QOS_MAP", port, "future_map", "AZURE"),)


def _gaps(store: Store, port: str) -> Iterator[Trouble]:
    """CONFIG_DB says one thing, and SONiC quietly does another."""
    name = _wred_name(store, port)
    if "green_drop_probability" in row(store, "WRED_PROFILE", name):
        yield "gap/removed_field_stays_in_hardware", (hdel("WRED_PROFILE", name, "green_drop_probability"),)
    if row(store, "PORT_QOS_MAP", port).get("tc_to_queue_map"):
        yield "gap/missing_map_is_ignored", (hset("PORT_QOS_MAP", port, "tc_to_queue_map", "NOWHERE"),)
    if not store["dynamic_buffers"]:
        yield "gap/no_headroom_for_cable", (hset("CABLE_LENGTH", "AZURE", port, "77m"),)


def _stuck(store: Store, port: str) -> Iterator[Trouble]:
    """The configuration is right, and the layer below doesn't have it."""
    maps = counters_db(store)
    oid = maps["COUNTERS_PORT_NAME_MAP"][port]
    key = f"ASIC_STATE:SAI_OBJECT_TYPE_PORT:{oid}"
    attributes = databases.database(store, "ASIC_DB")[key]
    mask = attributes.get("SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL")
    if mask is not None:
        head = f'sonic-db-cli ASIC_DB hset "{key}"'
        yield "stuck/pfc", (f"{head} SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL {other(mask, '0', '8')}",)
        yield "stuck/dscp_to_tc", (f"{head} SAI_PORT_ATTR_QOS_DSCP_TO_TC_MAP oid:0x0",)
        yield "stuck/mtu", (f"{head} SAI_PORT_ATTR_MTU 1522",)
    for row_key, fields in databases.matching(store, "ASIC_DB", "ASIC_STATE:SAI_OBJECT_TYPE_WRED:*").items():
        if "SAI_WRED_ATTR_GREEN_MAX_THRESHOLD" in fields:
            command = f'sonic-db-cli ASIC_DB hset "{row_key}" SAI_WRED_ATTR_GREEN_MAX_THRESHOLD 7654321'
            yield "stuck/wred", (command,)
            break
    for row_key in databases.matching(store, "APPL_DB", "BUFFER_PROFILE_TABLE:pg_lossless_*"):
        yield "stuck/headroom", (f'sonic-db-cli APPL_DB hset "{row_key}" xoff 1024',)
        break


def _outside(store: Store, port: str) -> Iterator[Trouble]:
    """A change that was saved and taken back, and one of a port that nobody here manages."""
    mtu = row(store, "PORT", port).get("mtu", "9100")
    there = f"config interface mtu {port} {other(mtu, '1500', '9000')}"
    yield "saved/mtu", (there, "config save -y", f"config interface mtu {port} {mtu}")
    foreign = next((name for name in table(store, "PORT") if not row(store, "DEVICE_NEIGHBOR", name)), None)
    if foreign:
        now = row(store, "PORT", foreign).get("mtu", "9100")
        yield "foreign/port_mtu", (f"config interface mtu {foreign} {other(now, '1500', '9000')}",)
