"""Expected states of pod1, fact by fact, against numbers taken from the lab's table and computed by hand."""

from __future__ import annotations

from typing import Any

import pytest

from fabric_drift.expect import expect
from fabric_drift.intent import Fabric
from fabric_drift.state.device import (
    Dcqcn,
    DeviceState,
    DeviceWatchdog,
    Ecn,
    Neighbour,
    Pfc,
    Port,
    PriorityGroup,
    QueueBuffer,
    Watchdog,
)
from fabric_drift.state.values import ABSENT, UNSAID

IDENTITY = {number: number for number in range(8)}
DSCPS: dict[int, int] = dict.fromkeys(range(64), 0) | {26: 3, 48: 6}


def _port(state: DeviceState, name: str) -> Any:
    assert isinstance(state.ports, dict)
    port = state.ports[name]
    assert isinstance(port, Port)
    return port


def test_leaf1_is_a_static_buffer_switch_with_24_managed_ports(pod1: Fabric) -> None:
    state = expect(pod1, "leaf1")
    assert isinstance(state.ports, dict)
    assert list(state.ports) == [f"Ethernet{8 * index}" for index in range(24)]
    assert state.buffer_model == "static"
    assert state.watchdog == DeviceWatchdog(poll_ms=100)
    assert state.unreferenced == {}
    assert state.job is UNSAID
    assert isinstance(state.pools, dict)
    assert sorted(state.pools) == ["egress_lossless_pool", "egress_lossy_pool", "ingress_lossless_pool"]


def test_a_port_to_a_host_of_leaf1(pod1: Fabric) -> None:
    port = _port(expect(pod1, "leaf1"), "Ethernet8")  # index 1: host 1, rail 2
    assert (port.admin_up, port.speed_mbps, port.mtu_bytes, port.fec) == (True, 400_000, 9100, "rs")
    assert port.neighbour == Neighbour(device="gpu1", port="0000:2a:00.0")
    assert port.nic is UNSAID
    assert port.qos.trust == "dscp"
    assert port.qos.maps.dscp_to_tc == DSCPS
    assert port.qos.maps.pcp_to_tc is UNSAID
    assert port.qos.maps.tc_to_queue == IDENTITY
    assert port.qos.maps.tc_to_priority_group == {0: 0, 1: 0, 2: 0, 3: 3, 4: 0, 5: 0, 6: 0, 7: 0}
    assert port.qos.maps.pfc_priority_to_queue == IDENTITY
    assert port.qos.maps.pfc_priority_to_priority_group == IDENTITY
    assert port.qos.pfc == Pfc(
        priorities=(3,), watchdog=Watchdog(priorities=(3,), detect_ms=200, restore_ms=400, action="drop")
    )
    assert port.qos.scheduling == ((0, 3), (3, 7), (6, "strict"))
    assert port.qos.global_pause is False
    assert port.qos.cable_length_m == 5


def test_only_the_rdma_queue_is_marked_and_unlimited(pod1: Fabric) -> None:
    queues = _port(expect(pod1, "leaf1"), "Ethernet0").qos.queues
    assert sorted(queues) == list(range(8))
    assert queues[3].ecn == Ecn(kmin_bytes=1_600_000, kmax_bytes=6_400_000, max_probability_percent=20)
    assert queues[3].buffer == QueueBuffer(pool="egress_lossless_pool", static_bytes=165_870_080)
    for number in set(range(8)) - {3}:
        assert queues[number].ecn is ABSENT
        assert queues[number].buffer is UNSAID


@pytest.mark.parametrize(
    ("device", "port", "xoff_bytes"),
    [
        ("leaf1", "Ethernet0", 393_192),  # Tomahawk 5, 400G, 5 m
        ("leaf1", "Ethernet128", 446_024),  # Tomahawk 5, 400G, 40 m
        ("spine1", "Ethernet0", 283_648),  # Spectrum-4, 400G, 40 m
    ],
)
def test_headroom_is_the_vendors_row_for_speed_and_cable(pod1: Fabric, device: str, port: str, xoff_bytes: int) -> None:
    groups = _port(expect(pod1, device), port).qos.priority_groups
    assert list(groups) == [3]
    assert isinstance(groups[3], PriorityGroup)
    assert groups[3].lossless is True
    assert groups[3].xoff_bytes == xoff_bytes
    assert groups[3].pool == "ingress_lossless_pool"


def test_leaf3_leaves_buffers_to_eos_and_marks_earlier(pod1: Fabric) -> None:
    state = expect(pod1, "leaf3")
    port = _port(state, "Ethernet17/1")
    assert state.pools is UNSAID
    assert state.buffer_model is UNSAID
    assert port.qos.priority_groups is UNSAID
    assert port.qos.cable_length_m is UNSAID
    assert port.qos.queues[3].buffer is UNSAID
    assert port.qos.queues[3].ecn == Ecn(kmin_bytes=1_000_000, kmax_bytes=4_000_000, max_probability_percent=20)
    assert port.neighbour == Neighbour(device="spine1", port="Ethernet64")  # (3-1)*4+0 = index 8
    assert port.qos.pfc.priorities == (3,)


def test_gpu1_has_eight_rails_by_pci_address(pod1: Fabric) -> None:
    state = expect(pod1, "gpu1")
    assert isinstance(state.ports, dict)
    assert list(state.ports) == [
        "0000:18:00.0",
        "0000:2a:00.0",
        "0000:3a:00.0",
        "0000:5d:00.0",
        "0000:9a:00.0",
        "0000:ab:00.0",
        "0000:ba:00.0",
        "0000:db:00.0",
    ]
    assert state.job == {"NCCL_GIN_IB_TC": "106", "NCCL_IB_TC": "106", "UCX_IB_TRAFFIC_CLASS": "106"}  # 26*4 + 2


def test_a_rail_of_gpu1(pod1: Fabric) -> None:
    port = _port(expect(pod1, "gpu1"), "0000:2a:00.0")
    assert (port.admin_up, port.speed_mbps, port.mtu_bytes, port.fec) == (True, 400_000, 9000, "rs")
    assert port.neighbour is UNSAID
    assert port.qos.trust == "dscp"
    assert port.qos.maps.dscp_to_priority == DSCPS
    assert port.qos.maps.dscp_to_tc is UNSAID
    assert port.qos.maps.priority_to_tc == IDENTITY
    assert port.qos.maps.priority_to_buffer == {0: 0, 1: 0, 2: 0, 3: 1, 4: 0, 5: 0, 6: 0, 7: 0}
    assert port.qos.pfc == Pfc(priorities=(3,))
    assert port.qos.scheduling == ((0, 3), (3, 7), (6, "strict"))
    assert port.qos.global_pause is False
    assert port.qos.cable_length_m == 5
    assert port.qos.queues is UNSAID


def test_the_nic_of_a_rail_of_gpu1(pod1: Fabric) -> None:
    nic = _port(expect(pod1, "gpu1"), "0000:2a:00.0").nic
    assert (nic.netdev, nic.rdma_device, nic.guid) == ("enp42s0np0", UNSAID, UNSAID)
    assert (nic.family, nic.firmware, nic.dcb_owner) == ("connectx-7", UNSAID, "os")
    assert (nic.congestion_control, nic.roce_mode) == ("dcqcn", "v2")
    assert (nic.rdma_cm_tos, nic.traffic_class) == (106, 106)
    assert (nic.cnp_dscp, nic.cnp_priority) == (48, 6)
    assert nic.dcqcn == Dcqcn(
        notification_priorities=(3,),
        reaction_priorities=(3,),
        notification={"min_time_between_cnps": 4},
        reaction={"rpg_ai_rate": 5, "rpg_hai_rate": 50, "rpg_time_reset": 300},
    )
    assert nic.firmware_parameters == {"CNP_802P_PRIO_P1": "6", "CNP_DSCP_P1": "48", "ROCE_CC_PRIO_MASK_P1": "8"}


def test_pod1_is_the_labs_table(pod1: Fabric) -> None:
    assert len(pod1.devices) == 14
    assert len(pod1.links) == 96
    assert {link.cable_m for link in pod1.links if link.rail is not None} == {5}
    assert {link.cable_m for link in pod1.links if link.rail is None} == {40}
    link = pod1.links_of["leaf4"]["Ethernet24/1"]  # leaf 4, second spine, last of four: index 15
    assert link.far("leaf4", "Ethernet24/1") == ("spine2", "Ethernet16/1")
    rail = pod1.links_of["gpu8"]["0000:db:00.0"]  # rail 8 of host 8: leaf 4, index 15
    assert rail.far("gpu8", "0000:db:00.0") == ("leaf4", "Ethernet16/1")


@pytest.mark.parametrize("device", ["leaf1", "leaf3", "gpu1"])
def test_nothing_is_left_behind_on_switches_and_hosts(pod1: Fabric, device: str) -> None:
    assert expect(pod1, device).unreferenced == {}
