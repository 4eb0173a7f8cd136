"""Stock configurations that others rendered, with facts that were looked up in them by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fabric_drift.finding import Layer
from fabric_drift.platform import Reading
from fabric_drift.state.device import DeviceState, Ecn, PortQos, PriorityGroup, Queue, QueueBuffer
from fabric_drift.state.tree import facts
from fabric_drift.state.values import ABSENT, UNSAID, Unobserved
from tests.platforms.sonic.devices import BROADCOM, NVIDIA, read

pytestmark = pytest.mark.witness
Shared = Callable[[str], Path]


def _config(shared: Shared, name: str) -> dict[str, Any]:
    return dict(json.loads(shared(f"captures/sonic/{name}").read_text()))


def _reading(shared: Shared, name: str, **target: str) -> Reading:
    kind = NVIDIA if target.get("asic") == "mellanox" else BROADCOM
    return read(_config(shared, name), replace(kind, **target), lookup=None)  # type: ignore[arg-type]


def _qos(reading: Reading, port: str) -> PortQos:
    ports = reading.states[Layer.RUNNING].ports
    assert isinstance(ports, Mapping)
    qos = ports[port].qos
    assert isinstance(qos, PortQos)
    return qos


def test_dscp_3_and_4_are_lossless_and_26_is_not_in_the_stock_template(shared: Shared) -> None:
    qos: Any = _qos(_reading(shared, "qos-arista7050cx3-dualtor-remap-disabled.json"), "Ethernet0")
    assert (qos.maps.dscp_to_tc[3], qos.maps.dscp_to_tc[4]) == (3, 4)
    assert (qos.maps.dscp_to_tc[26], qos.maps.dscp_to_tc[48]) == (1, 6)
    assert len(qos.maps.dscp_to_tc) == 64
    assert qos.pfc.priorities == (3, 4)
    assert qos.trust == "dscp"
    assert qos.cable_length_m == 5


def test_azure_lossless_marks_from_1_mib_to_2_mib_with_5_percent(shared: Shared) -> None:
    qos: Any = _qos(_reading(shared, "qos-arista7050cx3-dualtor-remap-disabled.json"), "Ethernet0")
    marking = Ecn(
        kmin_bytes=1048576,
        kmax_bytes=2097152,
        max_probability_percent=5,
        colours=("green", "red", "yellow"),
        colour_thresholds=ABSENT,
        wred_drop=True,
    )
    assert qos.queues[3].ecn == marking
    assert qos.queues[4].ecn == marking
    assert {queue: qos.queues[queue].ecn for queue in (0, 1, 2, 5, 6, 7)} == dict.fromkeys((0, 1, 2, 5, 6, 7), ABSENT)


def test_stock_weights_are_14_and_15_and_queue_7_has_none(shared: Shared) -> None:
    qos = _qos(_reading(shared, "qos-arista7050cx3-dualtor-remap-disabled.json"), "Ethernet0")
    assert qos.scheduling == ((0, 14), (1, 14), (2, 14), (3, 15), (4, 15), (5, 14), (6, 14))


def test_weights_are_divided_by_what_they_share(shared: Shared) -> None:
    qos = _qos(_reading(shared, "qos-arista7060x6.json"), "Ethernet0")
    assert qos.scheduling == ((0, 1), (1, 1), (2, 1), (3, 2), (4, 1), (5, 1), (6, 7), (7, 1))


def test_a_range_of_queues_is_expanded(shared: Shared) -> None:
    qos: Any = _qos(_reading(shared, "qos-arista7050cx3-dualtor-remap-disabled.json"), "Ethernet24")
    lossless = QueueBuffer("egress_lossless_pool", 0, 32441856, ABSENT)
    lossy = QueueBuffer("egress_lossy_pool", 1792, ABSENT, 3)
    assert [qos.queues[queue].buffer for queue in range(8)] == [lossy] * 3 + [lossless] * 2 + [lossy] * 2 + [ABSENT]


def test_the_uplinks_of_a_dual_tor_have_maps_of_their_own(shared: Shared) -> None:
    reading = _reading(shared, "qos-arista7260-dualtor.json")
    uplink: Any = _qos(reading, "Ethernet48")
    server: Any = _qos(reading, "Ethernet0")
    assert uplink.pfc.priorities == (2, 3, 4, 6)
    assert server.pfc.priorities == (3, 4)
    assert uplink.maps.dscp_to_tc != server.maps.dscp_to_tc
    assert server.maps.tc_to_queue[8] == 1


def test_maps_of_a_tunnel_that_is_not_there_are_unreferenced(shared: Shared) -> None:
    state = _reading(shared, "qos-arista7260-dualtor.json").states[Layer.RUNNING]
    tables = ("DSCP_TO_TC_MAP", "TC_TO_DSCP_MAP", "TC_TO_PRIORITY_GROUP_MAP", "TC_TO_QUEUE_MAP")
    assert state.unreferenced == {f"{table}/AZURE_TUNNEL": "unreferenced" for table in tables}


def test_ports_of_one_policy_share_one_object(shared: Shared) -> None:
    ports: Any = _reading(shared, "qos-arista7060x6.json").states[Layer.RUNNING].ports
    assert len(ports) == 130
    assert ports["Ethernet0"].qos is ports["Ethernet8"].qos
    assert ports["Ethernet512"].qos.pfc.priorities == ()  # Ethernet512 and 513 carry no lossless class
    assert ports["Ethernet512"].qos is not ports["Ethernet0"].qos


def test_a_dynamic_switch_leaves_headroom_to_be_computed(shared: Shared) -> None:
    reading = _reading(shared, "qos-mellanox4700-o28-t1-smartswitch_dyn.json", asic="mellanox")
    state = reading.states[Layer.RUNNING]
    group: Any = _qos(reading, "Ethernet216").priority_groups
    assert state.buffer_model == "dynamic"
    assert group[3] == PriorityGroup(lossless=True, alpha_exponent=ABSENT)
    assert group[3].xoff_bytes is UNSAID
    pools: Any = state.pools
    assert pools["ingress_lossless_pool"].size_bytes is UNSAID
    assert pools["egress_lossless_pool"].size_bytes == 60817392


def test_references_that_lead_nowhere_are_unobserved_and_told(shared: Shared) -> None:
    """This sample refers to AZURE maps and schedulers that it doesn't hold."""
    reading = _reading(shared, "qos-mellanox4700-o28-t1-smartswitch_dyn.json", asic="mellanox")
    qos: Any = _qos(reading, "Ethernet216")
    assert isinstance(qos.maps.dscp_to_tc, Unobserved)
    assert isinstance(qos.scheduling, Unobserved)
    lines = {item.line for item in reading.unparsed}
    assert "PORT_QOS_MAP|Ethernet216 dscp_to_tc_map = AZURE" in lines
    assert "QUEUE|Ethernet216|3 scheduler = scheduler.1" in lines


def test_storage_backends_classify_by_pcp(shared: Shared) -> None:
    config = _config(shared, "qos-arista7050-t0-storage-backend.json")
    config["PORT"] = {"Ethernet0": {"lanes": "1", "speed": "40000"}}
    config["PORT_QOS_MAP"] = {"Ethernet0": {"dot1p_to_tc_map": "AZURE"}}
    qos: Any = _qos(read(config), "Ethernet0")
    assert qos.trust == "pcp"
    assert qos.maps.pcp_to_tc == {0: 1, 1: 0, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7}
    assert qos.maps.dscp_to_tc is ABSENT


def test_ports_without_any_qos_row_have_no_policy(shared: Shared) -> None:
    """Stock templates cover the ports of DEVICE_NEIGHBOR only; this sample has none."""
    qos: Any = _qos(_reading(shared, "config_qos.json"), "Ethernet0")
    assert qos.trust == "none"
    assert qos.pfc.priorities == ()
    assert qos.queues[3] == Queue(ecn=ABSENT, buffer=QueueBuffer("egress_lossless_pool", 0, 12766208, ABSENT))


@pytest.mark.parametrize(
    "name",
    [
        "qos-arista7800r3-48cqm2-lc.json",
        "qos-arista7800r3a-36dm2-d36-lc.json",
        "qos-nokia-ixr7250e-36x100g.json",
        "qos-pch-config.json",
    ],
)
def test_a_voq_chassis_is_refused_as_a_whole(name: str, shared: Shared) -> None:
    reading = _reading(shared, name)
    for state in reading.states.values():
        assert {type(value) for _, value in facts(state)} == {Unobserved}
    assert any("voq" in item.reason for item in reading.unparsed)


@pytest.mark.parametrize(
    "name",
    [
        "config_qos.json",
        "qos-arista7050cx3-dualtor-remap-disabled.json",
        "qos-arista7060x6.json",
        "qos-arista7260-dualtor.json",
        "qos-arista7260-t1-remap-disabled.json",
        "qos-arista7260.json",
        "qos-dell9332.json",
        "qos-mellanox4600c-c64.json",
        "qos-mellanox4600c-d48c40-t0.json",
    ],
)
def test_whole_stock_configurations_leave_nothing_unparsed_or_unobserved(name: str, shared: Shared) -> None:
    reading = _reading(shared, name)
    running: DeviceState = reading.states[Layer.RUNNING]
    assert [item for item in reading.unparsed if item.layer is Layer.RUNNING] == []
    assert [path for path, value in facts(running) if isinstance(value, Unobserved)] == []
