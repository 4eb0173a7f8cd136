"""Show commands: the keys that eAPI has, computed from configuration, cabling and stuck hardware."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.eos import EMULATOR
from tests.lab.eos.conftest import leaf

ShowJson = Callable[[Store, str], Any]


def shape(value: Any) -> Any:
    """Types instead of values, and one entry of what is keyed by names of ports or queues."""
    if isinstance(value, dict):
        keyed = {"*" if key[0].isdigit() or key.startswith("Ethernet") else key: value[key] for key in value}
        return {key: shape(item) for key, item in keyed.items()}
    return type(value).__name__


def test_pfc_counters_have_the_shape_of_a_capture(
    fresh: Store, show_json: ShowJson, shared: Callable[[str], Path]
) -> None:
    capture = json.loads((shared("captures/eos") / "show_priority-flow-control_counters__success.json").read_text())
    assert shape(show_json(fresh, "show priority-flow-control counters")) == shape(capture)


def test_ecn_counters_have_the_shape_of_a_capture(
    fresh: Store, show_json: ShowJson, shared: Callable[[str], Path]
) -> None:
    name = "show_qos_interfaces_ecn_counters_queue__success.json"
    capture = json.loads((shared("captures/eos") / name).read_text())
    assert shape(show_json(fresh, "show qos interfaces ecn counters queue")) == shape(capture)


def test_a_queue_is_counted_only_where_the_interface_says_so(configured: Store, show_json: ShowJson) -> None:
    counters = show_json(configured, "show qos interfaces ecn counters queue")["intfQueueCounters"]
    assert counters["Ethernet1/1"]["queueCounters"]["3"] == "-"
    assert counters["Ethernet2/1"]["queueCounters"]["3"] == "0"
    assert counters["Ethernet2/1"]["queueCounters"]["0"] == "-"


def test_version_and_hostname_say_who_answers(fresh: Store, show_json: ShowJson) -> None:
    version = show_json(fresh, "show version")
    assert (version["version"], version["modelName"]) == ("4.34.1F", "DCS-7060DX5-64S")
    assert show_json(fresh, "show hostname")["hostname"] == "leaf3"


def test_a_shut_port_is_disabled_and_has_no_neighbour(fresh: Store, show_json: ShowJson) -> None:
    EMULATOR.run(fresh, "configure\ninterface Ethernet1/1\nshutdown\nend")
    status = show_json(fresh, "show interfaces status")["interfaceStatuses"]
    assert [status[port]["linkStatus"] for port in status] == ["disabled", "connected", "notconnect"]
    neighbours = show_json(fresh, "show lldp neighbors")["lldpNeighbors"]
    assert [(row["port"], row["neighborDevice"], row["neighborPort"]) for row in neighbours] == [
        ("Ethernet2/1", "gpu1", "0000:2a:00.0")
    ]


def test_forced_speed_changes_the_bandwidth(fresh: Store, show_json: ShowJson) -> None:
    EMULATOR.run(fresh, "configure\ninterface Ethernet1/1\nspeed forced 100gfull\nend")
    status = show_json(fresh, "show interfaces status")["interfaceStatuses"]
    assert status["Ethernet1/1"]["bandwidth"] == 100_000_000_000
    assert status["Ethernet2/1"]["bandwidth"] == 400_000_000_000


def test_stuck_hardware_keeps_its_value_while_the_configuration_changes(fresh: Store, show_json: ShowJson) -> None:
    EMULATOR.run(fresh, "lab stuck Ethernet1/1 mtu 1500")
    EMULATOR.run(fresh, "configure\ninterface Ethernet1/1\nmtu 9100\ninterface Ethernet2/1\nmtu 9100\nend")
    interfaces = show_json(fresh, "show interfaces")["interfaces"]
    assert (interfaces["Ethernet1/1"]["mtu"], interfaces["Ethernet2/1"]["mtu"]) == (1500, 9100)


def test_the_running_config_as_json_has_sections_as_commands(configured: Store, show_json: ShowJson) -> None:
    cmds = show_json(configured, "show running-config")["cmds"]
    assert cmds["interface Ethernet1/1"]["cmds"]["mtu 9100"] is None
    assert "bandwidth percent 70" in cmds["qos profile GPU-RAIL"]["cmds"]["tx-queue 3"]["cmds"]


def test_no_configuration_session_is_open(fresh: Store, show_json: ShowJson) -> None:
    shown = show_json(fresh, "show configuration sessions")
    assert (shown["sessions"], shown["maxOpenSessions"]) == ({}, 5)


def test_an_unknown_command_is_refused_at_its_token(fresh: Store) -> None:
    answer = EMULATOR.run(fresh, "show interfaces frobnicate")
    assert (answer.stdout, answer.exit_status) == ("% Invalid input (at token 2: 'frobnicate')\n", 1)


def test_a_command_without_structured_output_refuses_json(fresh: Store) -> None:
    assert EMULATOR.run(fresh, "show startup-config | json").exit_status == 1


def test_a_store_is_json_types_only() -> None:
    store = EMULATOR.start(leaf())
    assert json.loads(json.dumps(store)) == store
