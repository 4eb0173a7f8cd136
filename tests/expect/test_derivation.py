"""How one choice of the intent changes what is expected."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from fabric_drift.errors import IntentError
from fabric_drift.expect import expect
from fabric_drift.intent import Fabric
from fabric_drift.state.device import Ecn
from fabric_drift.state.tree import facts
from fabric_drift.state.values import ABSENT, UNSAID, NotApplicable, Unobserved

Edited = Callable[..., Fabric]
RAIL1 = "0000:18:00.0"


def _port(fabric: Fabric, device: str, port: str) -> Any:
    state = expect(fabric, device)
    assert isinstance(state.ports, dict)
    return state.ports[port]


def _mode(mode: str) -> tuple[tuple[str, str, str], ...]:
    return (("fabric.yml", "cc_mode: dcqcn", f"cc_mode: {mode}"),)


def test_ports_of_one_policy_share_one_object_also_across_devices(pod1: Fabric) -> None:
    leaf1 = _port(pod1, "leaf1", "Ethernet0").qos
    assert _port(pod1, "leaf1", "Ethernet120").qos is leaf1
    assert _port(pod1, "leaf2", "Ethernet8").qos is leaf1
    assert _port(pod1, "leaf1", "Ethernet128").qos is not leaf1


def test_an_expected_state_never_says_unobserved_and_is_deterministic(pod1: Fabric) -> None:
    for name in pod1.devices:
        first = list(facts(expect(pod1, name)))
        assert not any(isinstance(value, Unobserved) for _, value in first)
        assert first == list(facts(expect(pod1, name)))


def test_an_unknown_device_is_an_error_of_the_author(pod1: Fabric) -> None:
    with pytest.raises(IntentError, match="FD-INT-021"):
        expect(pod1, "leaf9")


def test_priority_traffic_class_queue_group_and_pfc_priority_are_five_numbers(edited: Edited) -> None:
    fabric = edited(
        (
            "fabric.yml",
            "priority: 3\n",
            "priority: 5\n    traffic_class: 1\n    queue: 2\n    priority_group: 4\n    nic_traffic_class: 7\n",
        )
    )
    qos = _port(fabric, "leaf1", "Ethernet0").qos
    assert qos.maps.dscp_to_tc[26] == 1
    assert qos.maps.tc_to_queue[1] == 2
    assert qos.maps.tc_to_priority_group[1] == 4
    assert qos.maps.pfc_priority_to_queue[5] == 2
    assert qos.maps.pfc_priority_to_priority_group[5] == 4
    assert qos.pfc.priorities == (5,)
    assert qos.scheduling == ((0, 3), (2, 7), (6, "strict"))
    assert list(qos.priority_groups) == [4]
    assert isinstance(qos.queues[2].ecn, Ecn)
    nic = _port(fabric, "gpu1", RAIL1)
    assert nic.qos.maps.dscp_to_priority[26] == 5
    assert nic.qos.maps.priority_to_tc[5] == 7
    assert nic.qos.pfc.priorities == (5,)
    assert nic.qos.scheduling == ((0, 3), (6, "strict"), (7, 7))
    assert nic.nic.dcqcn.reaction_priorities == (5,)


def test_a_role_may_put_a_class_into_another_queue(edited: Edited) -> None:
    fabric = edited(("fabric.yml", "to_fabric: {}", "to_fabric: {class_overrides: {rdma: {queue: 4}}}"))
    assert _port(fabric, "leaf1", "Ethernet0").qos.maps.tc_to_queue[3] == 3
    uplink = _port(fabric, "leaf1", "Ethernet128").qos
    assert uplink.maps.tc_to_queue[3] == 4
    assert uplink.maps.pfc_priority_to_queue[3] == 4
    assert uplink.queues[3].ecn is ABSENT
    assert isinstance(uplink.queues[4].ecn, Ecn)


def test_the_last_layer_that_says_a_key_wins_key_by_key(edited: Edited) -> None:
    one_port = "      Ethernet184: {role: to_fabric, settings: {watchdog: {action: alert}}}\n"
    apart = f"      Ethernet[128-176/8]: to_fabric\n{one_port}"
    fabric = edited(
        ("fabric.yml", "to_fabric: {}", "to_fabric: {watchdog: {detect: 300 ms}}"),
        ("fabric.yml", "leaf: {}", "leaf: {settings: {watchdog: {restore: 500 ms}}}"),
        (
            "topology.yml",
            "      Ethernet[128-184/8]: to_fabric\n",
            apart,
        ),
    )
    watchdog = _port(fabric, "leaf1", "Ethernet184").qos.pfc.watchdog
    assert (watchdog.detect_ms, watchdog.restore_ms, watchdog.action) == (300, 500, "alert")
    other = _port(fabric, "leaf1", "Ethernet176").qos.pfc.watchdog
    assert (other.detect_ms, other.restore_ms, other.action) == (300, 500, "drop")
    host_side = _port(fabric, "leaf1", "Ethernet0").qos.pfc.watchdog
    assert (host_side.detect_ms, host_side.restore_ms, host_side.action) == (200, 500, "drop")


def test_a_watchdog_that_is_off_must_not_be_there_and_one_nobody_mentions_is_not_managed(edited: Edited) -> None:
    fabric = edited(("fabric.yml", "to_fabric: {}", "to_fabric: {watchdog: off}"))
    assert _port(fabric, "leaf1", "Ethernet128").qos.pfc.watchdog is ABSENT
    assert _port(fabric, "leaf1", "Ethernet0").qos.pfc.watchdog is not ABSENT
    assert expect(fabric, "spine1").watchdog is UNSAID


def test_a_fabric_that_says_nothing_about_the_watchdog_does_not_manage_it(edited: Edited) -> None:
    line = "  watchdog: {poll: 100 ms, detect: 200 ms, restore: 400 ms, action: drop}\n"
    fabric = edited(("fabric.yml", line, ""))
    assert _port(fabric, "leaf1", "Ethernet0").qos.pfc.watchdog is UNSAID


def test_a_cable_between_two_rows_takes_the_longer_one(edited: Edited) -> None:
    fabric = edited(("cables.csv", "leaf1,Ethernet0,400G,5 m,1", "leaf1,Ethernet0,400G,6 m,1"))
    qos = _port(fabric, "leaf1", "Ethernet0").qos
    assert qos.cable_length_m == 6
    assert qos.priority_groups[3].xoff_bytes == 446_024  # the 40 m row


def test_dscps_of_another_nic_family_are_classified_on_switches_and_not_on_the_nic(edited: Edited) -> None:
    fabric = edited(
        ("fabric.yml", "    dscp: 26\n", "    dscp: 26\n    dscp_by_nic: {pollara: 24}\n"),
        ("fabric.yml", "nic_profiles:\n", "nic_profiles:\n  pollara: {family: pollara, cc_mode: dcqcn}\n"),
        (
            "fabric.yml",
            "job:\n  class: rdma\n  derived: [NCCL_IB_TC, NCCL_GIN_IB_TC, UCX_IB_TRAFFIC_CLASS]\n",
            "",  # one variable can't mark for two families
        ),
        (
            "topology.yml",
            "      rail:[1-8]: rail",
            "      rail:[1-7]: rail\n      rail:8: {role: rail, settings: {nic: pollara}}",
        ),
    )
    switch = _port(fabric, "leaf1", "Ethernet0").qos.maps.dscp_to_tc
    assert (switch[24], switch[26]) == (3, 3)
    cx7 = _port(fabric, "gpu1", RAIL1)
    assert (cx7.qos.maps.dscp_to_priority[24], cx7.qos.maps.dscp_to_priority[26]) == (0, 3)
    pollara = _port(fabric, "gpu1", "0000:db:00.0")
    assert (pollara.qos.maps.dscp_to_priority[24], pollara.qos.maps.dscp_to_priority[26]) == (3, 0)
    assert (cx7.nic.traffic_class, pollara.nic.traffic_class) == (106, 98)


def test_nics_and_jobs_mark_with_the_first_dscp_written_so_that_a_new_one_moves_no_traffic(edited: Edited) -> None:
    fabric = edited(("fabric.yml", "    dscp: 26\n", "    dscp: [26, 24]\n"))
    assert _port(fabric, "gpu1", RAIL1).nic.traffic_class == 106  # 26 << 2 | ECT(0)
    job = expect(fabric, "gpu1").job
    assert isinstance(job, Mapping)
    assert job["NCCL_IB_TC"] == "106"
    assert [_port(fabric, "leaf1", "Ethernet0").qos.maps.dscp_to_tc[dscp] for dscp in (24, 26)] == [3, 3]


def test_programmable_congestion_control_makes_dcqcn_parameters_not_applicable(edited: Edited) -> None:
    nic = _port(edited(*_mode("pcc")), "gpu1", RAIL1).nic
    assert nic.congestion_control == "pcc"
    assert isinstance(nic.dcqcn, NotApplicable)
    assert nic.cnp_dscp == 48


def test_pfc_only_runs_no_congestion_control_and_keeps_pfc(edited: Edited) -> None:
    port = _port(edited(*_mode("pfc_only")), "gpu1", RAIL1)
    assert port.qos.pfc.priorities == (3,)
    assert port.nic.dcqcn.notification_priorities == ()
    assert port.nic.dcqcn.reaction_priorities == ()
    assert isinstance(port.nic.dcqcn.reaction, NotApplicable)
    assert isinstance(port.nic.cnp_dscp, NotApplicable)
    assert port.nic.congestion_control is UNSAID


def test_ecn_only_is_dcqcn_on_a_lossy_class(edited: Edited) -> None:
    fabric = edited(*_mode("ecn_only"), ("fabric.yml", "lossless: on", "lossless: off"))
    port = _port(fabric, "gpu1", RAIL1)
    assert port.qos.pfc.priorities == ()
    assert port.nic.congestion_control == "dcqcn"
    assert port.nic.dcqcn.reaction_priorities == (3,)
    leaf = _port(fabric, "leaf1", "Ethernet0").qos
    assert leaf.pfc.priorities == ()
    assert leaf.pfc.watchdog is ABSENT
    assert leaf.maps.tc_to_priority_group[3] == 0
    assert isinstance(leaf.queues[3].ecn, Ecn)


def test_persist_expects_runtime_values_in_mlxconfig_parameters(edited: Edited) -> None:
    fabric = edited(("fabric.yml", "    roce_mode: v2\n", "    roce_mode: v2\n    persist: on\n"))
    wanted = _port(fabric, "gpu1", RAIL1).nic.firmware_parameters
    assert wanted["ROCE_CC_PRIO_MASK_P1"] == "8"
    assert wanted["RPG_AI_RATE_P1"] == "5"
    assert wanted["MIN_TIME_BETWEEN_CNPS_P1"] == "4"


def test_unused_queues_are_scheduled_only_when_the_intent_says_how(edited: Edited) -> None:
    fabric = edited(("fabric.yml", "to_fabric: {}", "to_fabric: {unused_queues: 1%}"))
    qos = _port(fabric, "leaf1", "Ethernet128").qos
    assert qos.scheduling == ((0, 30), (1, 1), (2, 1), (3, 70), (4, 1), (5, 1), (6, "strict"), (7, 1))


def test_nobody_is_expected_at_the_end_of_a_cable_to_a_planned_device(edited: Edited) -> None:
    fabric = edited(
        (
            "topology.yml",
            "    redundancy_group: spines    #",
            "    lifecycle: planned\n    redundancy_group: spines    #",
        )
    )
    assert _port(fabric, "leaf1", "Ethernet128").neighbour is UNSAID
    assert _port(fabric, "leaf1", "Ethernet160").neighbour.device == "spine2"


def test_a_port_channel_places_its_role_on_its_members(edited: Edited) -> None:
    fabric = edited(
        (
            "topology.yml",
            "    ports:\n      Ethernet[0-120/8]: to_fabric",
            (
                '    port_channels: {PortChannel1: ["Ethernet[0-24/8]"]}\n'
                "    ports:\n      PortChannel1: to_fabric\n      Ethernet[32-120/8]: to_fabric"
            ),
        )
    )
    state = expect(fabric, "spine1")
    assert isinstance(state.ports, dict)
    assert len(state.ports) == 16
    assert "PortChannel1" not in state.ports
    assert _port(fabric, "spine1", "Ethernet0").qos.pfc.priorities == (3,)


def test_a_nic_may_be_selected_by_guid(edited: Edited) -> None:
    fabric = edited(
        ("hardware.yml", "{rail: 1, pci: 0000:18:00.0, netdev: enp24s0np0}", "{rail: 1, guid: 0x506b4b0300a1b2c3}")
    )
    port = _port(fabric, "gpu1", "guid:0x506b4b0300a1b2c3")
    assert port.nic.guid == "0x506b4b0300a1b2c3"
    assert port.speed_mbps == 400_000


def test_ports_that_trust_pcp_map_vlan_priorities_instead_of_dscp(edited: Edited) -> None:
    fabric = edited(("fabric.yml", "to_fabric: {}", "to_fabric: {trust: pcp}"))
    maps = _port(fabric, "leaf1", "Ethernet128").qos.maps
    assert maps.dscp_to_tc is UNSAID
    assert maps.pcp_to_tc == {0: 0, 1: 0, 2: 0, 3: 3, 4: 0, 5: 0, 6: 6, 7: 0}


def test_rewrite_off_expects_dscp_to_leave_as_it_came(edited: Edited) -> None:
    fabric = edited(("fabric.yml", "to_fabric: {}", "to_fabric: {rewrite_dscp: off}"))
    assert _port(fabric, "leaf1", "Ethernet128").qos.maps.tc_to_dscp is ABSENT
    assert _port(fabric, "leaf1", "Ethernet0").qos.maps.tc_to_dscp is UNSAID


@pytest.mark.parametrize(
    ("kmin", "kmax", "ecn"),
    [
        ("4 us", "16 us", Ecn(kmin_ns=4_000, kmax_ns=16_000, max_probability_percent=20)),
        ("30%", "60%", Ecn(kmin_fill_percent=30, kmax_fill_percent=60, max_probability_percent=20)),
        ("1.5 MiB", "3 MiB", Ecn(kmin_bytes=1_572_864, kmax_bytes=3_145_728, max_probability_percent=20)),
    ],
)
def test_a_threshold_stays_in_the_basis_it_is_written_in(edited: Edited, kmin: str, kmax: str, ecn: Ecn) -> None:
    fabric = edited(("fabric.yml", "kmin: 1600 KB, kmax: 6400 KB", f"kmin: {kmin}, kmax: {kmax}"))
    assert _port(fabric, "leaf1", "Ethernet0").qos.queues[3].ecn == ecn


def test_two_planes_of_one_rail_are_two_ports(edited: Edited) -> None:
    two_planes = (
        "{rail: 1, plane: a, pci: 0000:18:00.0, netdev: enp24s0f0np0}\n"
        "      - {rail: 1, plane: b, pci: 0000:18:00.1, netdev: enp24s0f1np1}"
    )
    fabric = edited(
        ("hardware.yml", "{rail: 1, pci: 0000:18:00.0, netdev: enp24s0np0}", two_planes),
        ("topology.yml", "rail:[1-8]: rail", "rail:1/a: rail\n      rail:[2-8]: rail"),
        *(("cables.csv", f"gpu{host},rail:1,", f"gpu{host},rail:1/a,") for host in range(1, 9)),
    )
    link = fabric.links_of["gpu1"][RAIL1]
    assert (link.rail, link.plane) == (1, "a")
    assert _port(fabric, "gpu1", RAIL1).nic.netdev == "enp24s0f0np0"
    state = expect(fabric, "gpu1")
    assert isinstance(state.ports, dict)
    assert "0000:18:00.1" not in state.ports  # the other plane has no role, so it is left alone


def test_ports_of_a_multi_asic_switch_carry_their_namespace(edited: Edited) -> None:
    fabric = edited(
        ("hardware.yml", "      - Ethernet[0-504/8]\n", '      - "asic[0-1]:Ethernet[0-120/8]"\n'),
        ("topology.yml", "      Ethernet[0-120/8]: to_fabric\n", "      asic1:Ethernet[0-120/8]: to_fabric\n"),
        *(("cables.csv", f"spine1,Ethernet{8 * index},", f"spine1,asic1:Ethernet{8 * index},") for index in range(16)),
    )
    assert _port(fabric, "spine1", "asic1:Ethernet0").neighbour.device == "leaf1"
