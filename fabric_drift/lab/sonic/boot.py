"""Starting a switch, and configuration that takes effect as a whole."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from fabric_drift.lab.emulator import LabDevice, Store
from fabric_drift.lab.sonic import badday, buffermgr, files, flaps, orchagent, seen
from fabric_drift.lab.sonic.configdb import config, row, text
from fabric_drift.lab.sonic.lookup import TOMAHAWK5_LOOKUP
from fabric_drift.lab.sonic.stock import sku, stock_config
from fabric_drift.lab.spec import device_from_plain, device_to_plain

# A rendered file knows a few fields of these rows; the rest (lanes, alias, hostname) comes with the switch.
MERGED_TABLES = frozenset({"PORT", "DEVICE_METADATA"})
# ``config qos clear`` of sonic-utilities, without tables that this lab never has.
QOS_TABLES = (
    "PORT_QOS_MAP",
    "QUEUE",
    "TC_TO_PRIORITY_GROUP_MAP",
    "MAP_PFC_PRIORITY_TO_QUEUE",
    "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
    "TC_TO_QUEUE_MAP",
    "DSCP_TO_TC_MAP",
    "SCHEDULER",
    "WRED_PROFILE",
    "CABLE_LENGTH",
    "BUFFER_PG",
    "BUFFER_QUEUE",
    "BUFFER_PORT_INGRESS_PROFILE_LIST",
    "BUFFER_PORT_EGRESS_PROFILE_LIST",
    "BUFFER_PROFILE",
    "BUFFER_POOL",
    "DEFAULT_LOSSLESS_BUFFER_PARAMETER",
    "LOSSLESS_TRAFFIC_PATTERN",
)


def new_store(device: LabDevice) -> Store:
    """A switch after its first boot: stock configuration, saved."""
    kind = sku(device)
    folder = f"/usr/share/sonic/device/{kind.platform}/{device.hardware}"
    store: Store = {
        "device": device_to_plain(device),
        "asic": device.asic,
        "running": stock_config(device),
        "saved": {},
        "peers": {port.name: [port.peer_device, port.peer_port] for port in device.ports if port.peer_device},
        "files": {"/etc/sonic/sonic_version.yml": _version(device), "pg_profile_lookup.ini": TOMAHAWK5_LOOKUP},
    }
    if device.asic != "mellanox":
        store["files"][f"{folder}/pg_profile_lookup.ini"] = TOMAHAWK5_LOOKUP
    boot(store)
    save(store)
    return store


def _version(device: LabDevice) -> str:
    """/etc/sonic/sonic_version.yml of a community build."""
    build = f"{device.release}.{1000 + int(device.release[-2:])}-0a1b2c3d4"
    return (
        "---\n"
        f"build_version: '{build}'\n"
        "debian_version: '12.11'\n"
        "kernel_version: '6.1.0-29-2-amd64'\n"
        f"asic_type: {device.asic}\n"
        f"asic_subtype: '{device.asic}'\n"
        "commit_id: '0a1b2c3d4'\n"
        f"branch: '{device.release}'\n"
        f"release: '{device.release}'\n"
        "build_number: 1024\n"
        "built_by: lab@build\n"
        "libswsscommon: 1.0.0\n"
        "sonic_utilities: 1.2\n"
    )


def boot(store: Store, cause: str = "boot") -> None:
    """Everything that forgets starts anew, links too, then the managers follow the configuration."""
    flaps.all_flap(store, cause)
    metadata = row(store, "DEVICE_METADATA", "localhost")
    store["dynamic_buffers"] = metadata.get("buffer_model") == "dynamic"
    store["buffermgr"] = {}
    store["hardware"] = {"maps": {}, "wred": {}, "buffer_profiles": {}, "ports": {}}
    store["stuck"] = {}
    store["syslog"] = []
    follow(store)


def follow(store: Store, cause: str = "by hand") -> None:
    """The managers take up what changed in CONFIG_DB; ``cause`` is what links that go down are put down to."""
    buffermgr.follow_config(store)
    if badday.trouble(store, "asic_stuck") is None or not store["hardware"]["ports"]:
        orchagent.follow_config(store)
    flaps.follow(store, cause)
    if cause != "by hand":
        seen.suffer(store)


def save(store: Store) -> None:
    """``config save``: the running configuration becomes /etc/sonic/config_db.json."""
    store["saved"] = copy.deepcopy(config(store))


def load_tables(store: Store, tables: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> None:
    """Takes whole tables (an empty one removes it), boots, and saves; PORT and DEVICE_METADATA are merged."""
    running = config(store)
    for name, rows in tables.items():
        new = {key: {field: text(value) for field, value in fields.items()} for key, fields in rows.items()}
        if name in MERGED_TABLES:
            for key, fields in new.items():
                running.setdefault(name, {}).setdefault(key, {}).update(fields)
        elif new:
            running[name] = new
        else:
            running.pop(name, None)
    boot(store)
    save(store)


def reload_config(store: Store, tables: Mapping[str, Any], cause: str = "config reload") -> None:
    """``config reload``: ``tables`` replace the running configuration, and all services start anew."""
    store["running"] = copy.deepcopy(dict(tables))
    boot(store, cause)


def reboot(store: Store) -> None:
    """The switch starts again: with the saved configuration, without timers, locks and what lay in memory."""
    files.forget_volatile(store)
    store["timers"], store["locks"] = [], {}
    reload_config(store, store["saved"], "reboot")


def clear_qos(store: Store) -> None:
    """``config qos clear``."""
    for name in QOS_TABLES:
        config(store).pop(name, None)


def reload_qos(store: Store) -> None:
    """``config qos reload``: the stock templates of the SKU again; custom QoS is gone."""
    clear_qos(store)
    stock = stock_config(device_from_plain(store["device"]))
    config(store).update({name: stock[name] for name in QOS_TABLES if name in stock})
    store["buffermgr"] = {}
