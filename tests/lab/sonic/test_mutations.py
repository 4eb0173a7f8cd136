"""Every change by hand changes exactly what it says."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from fabric_drift.lab.sonic import EMULATOR
from tests.lab.sonic.switch import Switch, changed, flat

PORT = "Ethernet0"
NAMES = {name: EMULATOR.mutations(Switch(name).store) for name in ("leaf1", "leaf2", "spine1")}
BEFORE = {name: flat(Switch(name).config()) for name in NAMES}
ALL = [(switch, mutation) for switch, known in NAMES.items() for mutation in known]

# What the commands with their own grammar change; ecnconfig's are computed from its options below.
BY_COMMAND = {
    f"config interface mtu {PORT}": {f"PORT|{PORT}|mtu"},
    f"config interface shutdown {PORT}": {f"PORT|{PORT}|admin_status"},
    f"config interface fec {PORT}": {f"PORT|{PORT}|fec"},
    f"config interface speed {PORT}": {f"PORT|{PORT}|speed"},
    f"config interface pfc asymmetric {PORT}": {f"PORT|{PORT}|pfc_asym"},
    f"config interface pfc priority {PORT}": {f"PORT_QOS_MAP|{PORT}|pfc_enable"},
    f"config interface cable-length {PORT}": {f"CABLE_LENGTH|AZURE|{PORT}"},
    "pfcwd interval": {"PFC_WD|GLOBAL|POLL_INTERVAL"},
    f"pfcwd stop {PORT}": {f"PFC_WD|{PORT}|{field}" for field in ("action", "detection_time", "restoration_time")},
}
WATCHDOG_FIELDS = {"action": "action", "detect_ms": "detection_time", "restore_ms": "restoration_time"}
ECN_FIELD = re.compile(r"ecnconfig -p (\S+) -([gyr])(min|max|drop) \d+")
REDIS = re.compile(r'sonic-db-cli CONFIG_DB (hset|hdel|del) "([^"]+)"(.*)')


def derived(switch: str, name: str) -> set[str]:
    """Rows that the static model writes by itself when speed, cable or pfc_enable of the port change."""
    if switch == "spine1":
        return set()
    profiles = {
        f"ports/{PORT}/speed_mbps": "pg_lossless_200000_5m_profile",
        f"ports/{PORT}/qos/cable_length_m": "pg_lossless_400000_40m_profile",
    }
    if name in profiles:
        fields = ("pool", "size", "xon", "xoff", "xon_offset", "dynamic_th")
        rows = {f"BUFFER_PROFILE|{profiles[name]}|{field}" for field in fields}
        return rows | {f"BUFFER_PG|{PORT}|3-4|profile"}
    # pfc_enable 3,4 -> 4 or 3,4,5: the new range gets a row, the old row stays.
    groups = {f"ports/{PORT}/qos/pfc/priorities": "4", "extra/pfc_priority": "3-5"}
    return {f"BUFFER_PG|{PORT}|{groups[name]}|profile"} if name in groups else set()


def intended(switch: str, name: str, command: str, before: Mapping[str, str]) -> set[str]:
    redis, ecn = REDIS.fullmatch(command), ECN_FIELD.fullmatch(command)
    if redis:
        verb, row, rest = redis.groups()
        if verb == "del":
            return {field for field in before if field.startswith(f"{row}|")}
        words = rest.split()
        return {f"{row}|{field}" for field in (words[::2] if verb == "hset" else words)}
    if ecn:
        profile, colour, part = ecn.groups()
        field = {"min": "min_threshold", "max": "max_threshold", "drop": "drop_probability"}[part]
        return {f"WRED_PROFILE|{profile}|{ {'g': 'green', 'y': 'yellow', 'r': 'red'}[colour] }_{field}"}
    if command.startswith("pfcwd start"):
        return {f"PFC_WD|{PORT}|{WATCHDOG_FIELDS[name.rpartition('/')[2]]}"}
    if name == "foreign/port_mtu":
        return {f"PORT|{'Ethernet128' if switch == 'spine1' else 'Ethernet192'}|mtu"}
    return next(fields for head, fields in BY_COMMAND.items() if command.startswith(head))


@pytest.mark.parametrize(("device", "name"), [item for item in ALL if item[1].split("/")[0] not in {"stuck", "saved"}])
def test_a_change_by_hand_changes_what_it_says_and_nothing_else(device: str, name: str) -> None:
    switch = Switch(device)
    before = flat(switch.config())
    (command,) = NAMES[device][name]
    switch.run(command)

    expected = intended(device, name, command, before) | derived(device, name)
    assert changed(before, flat(switch.config())) == expected
    assert switch.saved() == Switch(device).config()


@pytest.mark.parametrize(("device", "name"), [item for item in ALL if item[1].startswith("stuck/")])
def test_a_stuck_layer_leaves_the_configuration_as_it_is_and_differs_in_one_field(device: str, name: str) -> None:
    switch = Switch(device)
    (command,) = NAMES[device][name]
    database = command.split()[1]
    before = {key: dict(fields) for key, fields in switch.dump(database).items()}
    switch.run(command)
    after = switch.dump(database)

    assert switch.config() == Switch(device).config()
    assert len([key for key in after if after[key] != before[key]]) == 1
    assert len(changed(flat({"": before}), flat({"": after}))) == 1


@pytest.mark.parametrize("device", ["leaf1", "spine1"])
def test_what_was_saved_and_taken_back_differs_in_the_saved_layer_only(device: str) -> None:
    switch = Switch(device)
    before = flat(switch.config())
    switch.run(*NAMES[device]["saved/mtu"])

    assert flat(switch.config()) == before
    assert changed(before, flat(switch.saved())) == {f"PORT|{PORT}|mtu"}


def test_every_owned_table_of_the_lossless_chain_has_a_change() -> None:
    tables = {
        part.split("|")[0]
        for device, name in ALL
        if name.split("/")[0] not in {"stuck", "saved"}
        for part in intended(device, name, NAMES[device][name][0], BEFORE[device])
    }

    assert tables >= {
        "PORT",
        "PORT_QOS_MAP",
        "DSCP_TO_TC_MAP",
        "TC_TO_QUEUE_MAP",
        "TC_TO_PRIORITY_GROUP_MAP",
        "MAP_PFC_PRIORITY_TO_QUEUE",
        "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
        "WRED_PROFILE",
        "SCHEDULER",
        "QUEUE",
        "BUFFER_POOL",
        "BUFFER_PROFILE",
        "BUFFER_PG",
        "BUFFER_QUEUE",
        "CABLE_LENGTH",
        "PFC_WD",
        "DEVICE_METADATA",
    }


@pytest.mark.parametrize("device", ["leaf1", "spine1"])
def test_each_dscp_has_a_change_of_its_own(device: str) -> None:
    assert {f"ports/all/qos/maps/dscp_to_tc/{dscp}" for dscp in range(64)} <= NAMES[device].keys()


@pytest.mark.parametrize(
    "name",
    [
        "extra/pfc_priority",
        "extra/dscp_entry",
        "extra/wred_profile",
        "extra/buffer_profile",
        "deleted/WRED_PROFILE",
        "deleted/BUFFER_PROFILE",
        "second/scheduler",
        "unknown/wred_field",
        "stuck/pfc",
        "stuck/headroom",
        "foreign/port_mtu",
    ],
)
@pytest.mark.parametrize("device", ["leaf1", "leaf2", "spine1"])
def test_the_kinds_of_trouble_that_a_checker_must_tell_apart_are_there(device: str, name: str) -> None:
    assert name in NAMES[device]


def test_a_switch_without_neighbours_has_nothing_to_change() -> None:
    switch = Switch("leaf1")
    switch.run("config qos clear")

    assert EMULATOR.mutations(switch.store) == {}
