"""Changes by hand: each changes one thing and says which."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.eos import EMULATOR

SEVERAL = {"deleted/qos_profile", "extra/pfc_priority", "foreign/port", "extra/qos_profile"}


def leaves(value: Any, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], Any]:
    if isinstance(value, dict) and value:
        return {key: leaf for name, child in value.items() for key, leaf in leaves(child, (*path, name)).items()}
    return {path: json.dumps(value)}


def changed(before: Store, after: Store) -> set[tuple[str, ...]]:
    old, new = leaves(before), leaves(after)
    return {path for path in old.keys() | new.keys() if old.get(path) != new.get(path)}


def test_every_change_is_accepted_and_changes_one_setting(configured: Store) -> None:
    mutations = EMULATOR.mutations(configured)
    for name, commands in mutations.items():
        store = deepcopy(configured)
        for command in commands:
            answer = EMULATOR.run(store, command)
            assert ("%" in answer.stdout, answer.exit_status) == (False, 0), name
        paths = changed(configured, store)
        if name.endswith("/strict"):  # a queue that shares needs a share
            assert {path[-1] for path in paths} <= {"priority", "bandwidth"}, name
        elif name not in SEVERAL:
            settings = {path for path in paths if path != ("stuck",) and path[0] not in {"flaps", "link_down"}}
            assert len(settings) == 1, (name, settings)
            assert (settings.pop()[0] == "startup") == name.startswith("saved/"), name


def test_no_two_changes_are_the_same(configured: Store) -> None:
    mutations = EMULATOR.mutations(configured)
    odd = {"extra/dscp_entry", "ports/all/qos/pfc/priorities"}
    commands = [commands for name, commands in mutations.items() if name not in odd]
    assert len(set(commands)) == len(commands)


@pytest.mark.parametrize(
    "name",
    [
        "ports/all/qos/maps/dscp_to_tc/26",
        "ports/all/qos/maps/tc_to_queue/3",
        "ports/all/qos/maps/tc_to_dscp",
        "ports/Ethernet1/1/mtu_bytes",
        "ports/Ethernet1/1/fec",
        "ports/Ethernet1/1/admin_up",
        "ports/Ethernet1/1/speed_mbps",
        "ports/Ethernet1/1/qos/trust",
        "ports/Ethernet1/1/qos/global_pause",
        "ports/Ethernet1/1/neighbour/device",
        "ports/all/qos/pfc/priorities",
        "ports/all/qos/pfc/watchdog",
        "ports/all/qos/pfc/watchdog/detect_ms",
        "ports/all/qos/pfc/watchdog/poll_ms",
        "ports/all/qos/pfc/watchdog/restore_ms",
        "ports/all/qos/pfc/watchdog/action",
        "ports/all/qos/scheduling/3/share",
        "ports/all/qos/scheduling/3/strict",
        "ports/all/qos/queues/3/ecn",
        "ports/all/qos/queues/3/ecn/kmin_bytes",
        "ports/all/qos/queues/3/ecn/kmax_bytes",
        "ports/all/qos/queues/3/ecn/max_probability_percent",
        "ports/all/qos/queues/3/ecn/weight",
        "watchdog/poll_ms",
        "extra/pfc_priority",
        "extra/dscp_entry",
        "extra/qos_profile",
        "deleted/qos_profile",
        "stuck/bandwidth",
        "stuck/link_status",
        "unknown/global_line",
        "unknown/queue_line",
        "saved/mtu_bytes",
        "foreign/port",
    ],
)
def test_a_configured_switch_can_drift_in(configured: Store, name: str) -> None:
    assert name in EMULATOR.mutations(configured)


def test_an_ecn_change_types_the_whole_line_with_one_other_number(configured: Store) -> None:
    (command,) = EMULATOR.mutations(configured)["ports/all/qos/queues/3/ecn/kmin_bytes"]
    assert command.splitlines() == [
        "configure",
        "qos profile GPU-RAIL",
        "tx-queue 3",
        (
            "random-detect ecn minimum-threshold 149999 bytes maximum-threshold 1500000 bytes"
            " max-mark-probability 5 weight 0"
        ),
        "end",
    ]


def test_a_fresh_switch_offers_only_changes_that_it_can_take(fresh: Store) -> None:
    mutations = EMULATOR.mutations(fresh)
    assert "deleted/qos_profile" not in mutations
    for name, commands in mutations.items():
        store = deepcopy(fresh)
        assert [EMULATOR.run(store, command).exit_status for command in commands] == [0] * len(commands), name
        assert store != fresh, name
