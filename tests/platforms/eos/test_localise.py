"""What an intent becomes on EOS, and what EOS refuses, with path and remedy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from fabric_drift.diff import diff
from fabric_drift.errors import Unsupported
from fabric_drift.finding import Layer
from fabric_drift.platforms.eos import PLATFORM
from fabric_drift.state import (
    ABSENT,
    UNSAID,
    DeviceState,
    DeviceWatchdog,
    Pfc,
    Pool,
    Port,
    PortQos,
    PriorityGroup,
    QosMaps,
    Queue,
    QueueBuffer,
    Watchdog,
)
from tests.platforms.eos.pod import ECN, POLICY, TARGET, leaf, with_ecn, with_maps, with_watchdog
from tests.platforms.eos.reading import answers


def localised(policy: PortQos = POLICY) -> PortQos:
    ports = PLATFORM.localise(leaf(policy), TARGET).ports
    assert isinstance(ports, Mapping)
    port = ports["Ethernet1/1"]
    assert isinstance(port, Port)
    assert isinstance(port.qos, PortQos)
    return port.qos


def refusal(state: DeviceState) -> Unsupported:
    with pytest.raises(Unsupported) as caught:
        PLATFORM.localise(state, TARGET)
    assert caught.value.where == "leaf3"
    assert caught.value.remedy
    return caught.value


def test_maps_that_eos_does_not_have_are_dropped_when_they_say_what_eos_does() -> None:
    maps = localised().maps
    assert isinstance(maps, QosMaps)
    assert (maps.tc_to_priority_group, maps.pfc_priority_to_queue, maps.pfc_priority_to_priority_group) == (UNSAID,) * 3


def test_queues_of_no_class_are_strict_as_eos_leaves_them() -> None:
    assert localised().scheduling == (
        (0, 3), (1, "strict"), (2, "strict"), (3, 7), (4, "strict"), (5, "strict"), (6, "strict"), (7, "strict"),
    )  # fmt: skip


def test_the_polling_interval_of_the_switch_is_written_for_each_port() -> None:
    pfc = localised().pfc
    assert isinstance(pfc, Pfc)
    assert pfc.watchdog == Watchdog(detect_ms=200, restore_ms=400, poll_ms=100, action="drop")


def test_ports_of_one_policy_still_share_one_object() -> None:
    ports = PLATFORM.localise(leaf(), TARGET).ports
    assert isinstance(ports, Mapping)
    assert ports["Ethernet1/1"].qos is ports["Ethernet2/1"].qos


def test_a_rendered_intent_reads_back_without_a_difference_or_an_unread_fact() -> None:
    expected = PLATFORM.localise(replace(leaf(ports=1), identity=UNSAID), TARGET)
    [rendered] = PLATFORM.render(expected, TARGET)
    outputs = answers(rendered.text + "end\n")
    states = PLATFORM.parse(outputs).states
    assert isinstance(expected.ports, Mapping)
    nos = {"Ethernet1/1": replace(expected.ports["Ethernet1/1"], neighbour=UNSAID)}
    result = diff(replace(expected, ports=nos), {layer: states[layer] for layer in Layer if layer in states})
    assert (result.differences, result.unread) == ([], ())


@pytest.mark.parametrize(
    ("policy", "path"),
    [
        (with_maps(tc_to_queue={**{tc: tc for tc in range(8)}, 7: 5}), "maps/tc_to_queue/7"),
        (with_maps(tc_to_queue={**{tc: tc for tc in range(8)}, 4: 7}), "maps/tc_to_queue/4"),
        (with_maps(dscp_to_tc={26: 8}), "maps/dscp_to_tc/26"),
        (with_maps(pfc_priority_to_queue={3: 4}), "maps/pfc_priority_to_queue/3"),
        (with_maps(tc_to_priority_group={3: 3, 4: 3}), "maps/tc_to_priority_group"),
        (with_maps(tc_to_dscp={3: 26}), "maps/tc_to_dscp"),
        (with_maps(priority_to_tc={3: 3}), "maps/priority_to_tc"),
        (with_ecn(kmin_fill_percent=10, kmax_fill_percent=90), "queues/3/ecn/kmin_fill_percent"),
        (with_ecn(kmax_bytes=256_000_001), "queues/3/ecn/kmax_bytes"),
        (with_ecn(weight=16), "queues/3/ecn/weight"),
        (with_ecn(colour_thresholds={"red": (1, 2, 3)}), "queues/3/ecn/colour_thresholds"),
        (with_watchdog(detect_ms=205), "pfc/watchdog/detect_ms"),
        (with_watchdog(poll_ms=4), "pfc/watchdog/poll_ms"),
        (with_watchdog(detect_ms=60_010), "pfc/watchdog/detect_ms"),
        (with_watchdog(poll_ms=101), "pfc/watchdog/poll_ms"),
        (with_watchdog(restore_ms=UNSAID), "pfc/watchdog"),
        (with_watchdog(action="forward"), "pfc/watchdog/action"),
        (with_watchdog(priorities=(4,)), "pfc/watchdog/priorities"),
        (replace(POLICY, pfc=Pfc(priorities=(3,), asymmetric=True)), "pfc/asymmetric"),
        (replace(POLICY, priority_groups={3: PriorityGroup(xoff_bytes=1)}), "priority_groups/3"),
        (replace(POLICY, queues={3: Queue(buffer=QueueBuffer(static_bytes=1))}), "queues/3/buffer"),
        (replace(POLICY, scheduling=((0, 1), (8, 1))), "scheduling"),
        (replace(POLICY, scheduling=((0, 1), (1, 100))), "scheduling"),
        (replace(POLICY, dcbx="firmware"), "dcbx"),
        (replace(POLICY, receive_buffers_bytes={0: 1}), "receive_buffers_bytes"),
    ],
)
def test_what_eos_cannot_express_is_refused_with_its_path(policy: PortQos, path: str) -> None:
    assert refusal(leaf(policy)).what == f"ports/Ethernet1/1/qos/{path}"


def test_buffer_pools_are_refused() -> None:
    pools = {"ingress_lossless_pool": Pool(size_bytes=1)}
    assert refusal(replace(leaf(), pools=pools)).what == "pools"


def test_a_port_name_of_another_platform_is_refused() -> None:
    assert refusal(replace(leaf(), ports={"Ethernet0\nshutdown": Port()})).what == "ports/Ethernet0\nshutdown"


def test_two_dscp_maps_on_one_switch_are_refused() -> None:
    other = with_maps(dscp_to_tc={26: 4})
    base = leaf()
    assert isinstance(base.ports, Mapping)
    ports = {**base.ports, "Ethernet2/1": replace(base.ports["Ethernet2/1"], qos=other)}
    assert refusal(replace(base, ports=ports)).what == "ports/Ethernet2/1/qos/maps/dscp_to_tc"


def test_a_watchdog_timer_of_the_switch_finer_than_eos_has_is_refused() -> None:
    assert refusal(leaf(watchdog=DeviceWatchdog(detect_ms=205))).what == "watchdog/detect_ms"


def test_global_watchdog_lines_that_the_intent_leaves_out_are_expected_to_be_absent() -> None:
    found = PLATFORM.localise(leaf(watchdog=DeviceWatchdog(poll_ms=100)), TARGET).watchdog
    assert found == DeviceWatchdog(poll_ms=100, detect_ms=ABSENT, restore_ms=ABSENT, action="errdisable")


def test_rewriting_of_dscp_is_expected_to_be_off_unless_the_intent_asks_for_it() -> None:
    maps = localised().maps
    assert isinstance(maps, QosMaps)
    assert maps.tc_to_dscp is ABSENT


def test_a_weight_that_the_intent_leaves_out_is_expected_to_be_absent() -> None:
    queues = localised().queues
    assert isinstance(queues, Mapping)
    assert queues[3] == Queue(ecn=replace(ECN, weight=ABSENT))
