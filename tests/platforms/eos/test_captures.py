"""Text that this project did not write: AVD's molecule configurations. Facts checked by hand against their input."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from fabric_drift.finding import Layer
from fabric_drift.platform import Reading
from fabric_drift.state import ABSENT, Port, PortQos, QosMaps, Unobserved
from tests.platforms.eos.reading import fact, read

pytestmark = pytest.mark.witness


@pytest.fixture(scope="module")
def qos_cfg(shared: Callable[[str], Path]) -> Reading:
    """AVD's qos.cfg; a fragment, so its ``end`` is added."""
    return read((shared("captures") / "eos" / "avd_molecule_qos.cfg").read_text() + "end\n")


@pytest.fixture(scope="module")
def interfaces_cfg(shared: Callable[[str], Path]) -> Reading:
    """AVD's ethernet-interfaces.cfg, with ``end``."""
    return read((shared("captures") / "eos" / "avd_molecule_ethernet-interfaces.cfg").read_text() + "end\n")


def port(reading: Reading, name: str) -> Port:
    ports = reading.states[Layer.RUNNING].ports
    assert isinstance(ports, Mapping)
    return ports[name]


def policy(reading: Reading, name: str) -> PortQos:
    found = port(reading, name).qos
    assert isinstance(found, PortQos)
    return found


def lines(reading: Reading) -> list[str]:
    return [line.line.strip() for line in reading.unparsed if line.layer is Layer.RUNNING]


def test_the_dscp_map_is_as_its_three_lines_say(qos_cfg: Reading) -> None:
    maps = policy(qos_cfg, "Ethernet1").maps
    assert isinstance(maps, QosMaps)
    table = maps.dscp_to_tc
    assert isinstance(table, Mapping)
    assert {tc: sorted(d for d in table if table[d] == tc) for tc in (4, 5, 6, 7)} == {
        4: [18, 20, 22, 26, 28, 30, 34, 36, 38],
        5: [46],
        6: [48],
        7: [56],
    }
    assert maps.tc_to_queue == {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 2, 7: 7}


def test_a_cos_value_in_two_lines_is_unobserved(qos_cfg: Reading) -> None:
    maps = policy(qos_cfg, "Ethernet1").maps
    assert isinstance(maps, QosMaps)
    assert isinstance(maps.pcp_to_tc, Mapping)
    assert (maps.pcp_to_tc[1], maps.pcp_to_tc[2], maps.pcp_to_tc[5]) == (2, 2, 5)
    assert isinstance(maps.pcp_to_tc[3], Unobserved)
    assert "qos map cos 3 to traffic-class 3" in lines(qos_cfg)


def test_trust_comes_from_the_interface_and_for_lag_members_from_the_lag(qos_cfg: Reading) -> None:
    trust = {
        name: policy(qos_cfg, name).trust for name in ("Ethernet1", "Ethernet3", "Ethernet4", "Ethernet6", "Ethernet7")
    }
    assert trust == {
        "Ethernet1": "dscp",
        "Ethernet3": "pcp",
        "Ethernet4": "pcp",
        "Ethernet6": "pcp",
        "Ethernet7": "pcp",
    }


def test_pfc_that_is_off_for_the_switch_leaves_no_priority(qos_cfg: Reading) -> None:
    assert fact(policy(qos_cfg, "Ethernet1"), "pfc", "priorities") == ()


def test_attached_profiles_and_lags_are_named(qos_cfg: Reading) -> None:
    assert qos_cfg.names["service-profile Ethernet7"] == "qprof_testwithpolicy"
    assert qos_cfg.names["channel-group Ethernet4"] == "Port-Channel3"


def test_profiles_without_an_interface_are_unreferenced(qos_cfg: Reading) -> None:
    unreferenced = qos_cfg.states[Layer.RUNNING].unreferenced
    assert isinstance(unreferenced, Mapping)
    assert sorted(unreferenced) == [
        f"qos profile/{name}"
        for name in ("no_qos_trust", "test_with_pfc", "uc_mc_queues_test", "wred_queues_test", "wred_uc_queues_test")
    ]


def test_global_watchdog_timers_are_read_and_its_unknown_action_is_told(qos_cfg: Reading) -> None:
    watchdog = qos_cfg.states[Layer.RUNNING].watchdog
    assert [fact(watchdog, name) for name in ("detect_ms", "restore_ms", "poll_ms")] == [50, 1220, 10_001]
    assert isinstance(fact(watchdog, "action"), Unobserved)
    assert "priority-flow-control pause watchdog action no-drop" in lines(qos_cfg)


def test_link_facts_of_the_interface_examples(interfaces_cfg: Reading) -> None:
    assert port(interfaces_cfg, "Ethernet1").speed_mbps == 100_000
    assert [port(interfaces_cfg, name).mtu_bytes for name in ("Ethernet3", "Ethernet4")] == [1500, 9100]
    assert [port(interfaces_cfg, name).admin_up for name in ("Ethernet3", "Ethernet4")] == [True, False]


def test_pfc_of_the_interface_examples(interfaces_cfg: Reading) -> None:
    priorities = {
        name: fact(policy(interfaces_cfg, name), "pfc", "priorities")
        for name in ("Ethernet1", "Ethernet2", "Ethernet3")
    }
    assert priorities == {"Ethernet1": (), "Ethernet2": (5,), "Ethernet3": ()}
    assert fact(policy(interfaces_cfg, "Ethernet2"), "pfc", "watchdog") is ABSENT


def test_fec_of_the_interface_examples(interfaces_cfg: Reading) -> None:
    ports = interfaces_cfg.states[Layer.RUNNING].ports
    assert isinstance(ports, Mapping)
    found = {name: facts.fec for name, facts in ports.items() if facts.fec != "auto"}
    assert sorted(found) == ["Ethernet23", "Ethernet24"]
    assert found["Ethernet24"] == "none"
    assert isinstance(found["Ethernet23"], Unobserved)


def test_unknown_lines_of_the_interface_examples_are_told(interfaces_cfg: Reading) -> None:
    assert sorted(lines(interfaces_cfg)) == [
        "Comment created from eos_cli under ethernet_interfaces.Ethernet1",
        "EOF",
        "comment",
        "l2 mru 8000",
        "l2 mtu 8000",
        "qos cos 5",
        "service-profile QoS",
        "shape rate 10 percent",
        "shape rate 200000 kbps",
    ]
