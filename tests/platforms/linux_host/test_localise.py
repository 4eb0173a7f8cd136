"""What a host can't express is refused with its path and a remedy; what it derives is derived."""

from dataclasses import replace
from typing import Any

import pytest

from fabric_drift.errors import Unsupported
from fabric_drift.platform import Target
from fabric_drift.platforms.linux_host import PLATFORM
from fabric_drift.state.device import (
    Dcqcn,
    DeviceState,
    DeviceWatchdog,
    Ecn,
    Nic,
    Pfc,
    Pool,
    Port,
    PortQos,
    PriorityGroup,
    QosMaps,
    Queue,
    Watchdog,
)
from fabric_drift.state.values import ABSENT, UNSAID, NotApplicable

TARGET = Target("gpu1", "22.04")
PCI = "0000:18:00.0"


def with_qos(qos: PortQos) -> DeviceState:
    return DeviceState(ports={PCI: Port(qos=qos)})


def with_nic(nic: Nic) -> DeviceState:
    return DeviceState(ports={PCI: Port(nic=nic)})


def localised_qos(qos: PortQos) -> PortQos:
    ports: Any = PLATFORM.localise(with_qos(qos), TARGET).ports
    found = ports[PCI].qos
    assert isinstance(found, PortQos)
    return found


@pytest.mark.parametrize(
    ("state", "path"),
    [
        (DeviceState(pools={"p": Pool(size_bytes=1)}), "pools"),
        (DeviceState(watchdog=DeviceWatchdog(poll_ms=100)), "watchdog"),
        (DeviceState(buffer_model="dynamic"), "buffer_model"),
        (with_qos(PortQos(trust="none")), f"ports/{PCI}/qos/trust"),
        (with_qos(PortQos(cable_length_m=1000)), f"ports/{PCI}/qos/cable_length_m"),
        (with_qos(PortQos(cable_length_m=0)), f"ports/{PCI}/qos/cable_length_m"),
        (with_qos(PortQos(dcbx="cee")), f"ports/{PCI}/qos/dcbx"),
        (with_qos(PortQos(queues={3: Queue(ecn=Ecn(kmin_bytes=1))})), f"ports/{PCI}/qos/queues"),
        (with_qos(PortQos(priority_groups={3: PriorityGroup(lossless=True)})), f"ports/{PCI}/qos/priority_groups"),
        (with_qos(PortQos(pfc=Pfc(watchdog=Watchdog(detect_ms=200)))), f"ports/{PCI}/qos/pfc/watchdog"),
        (with_qos(PortQos(pfc=Pfc(asymmetric=True))), f"ports/{PCI}/qos/pfc/asymmetric"),
        (with_qos(PortQos(maps=QosMaps(dscp_to_tc={26: 3}))), f"ports/{PCI}/qos/maps/dscp_to_tc"),
        (with_nic(Nic(rdma_cm_tos=256)), f"ports/{PCI}/nic/rdma_cm_tos"),
        (with_nic(Nic(cnp_dscp=64)), f"ports/{PCI}/nic/cnp_dscp"),
        (with_nic(Nic(dcqcn=Dcqcn(reaction={"rpg_new": 1}))), f"ports/{PCI}/nic/dcqcn/reaction/rpg_new"),
        (with_nic(Nic(dcqcn=Dcqcn(reaction={"dce_tcp_rtt": 0}))), f"ports/{PCI}/nic/dcqcn/reaction/dce_tcp_rtt"),
        (with_nic(Nic(firmware_parameters={"X Y": "1"})), f"ports/{PCI}/nic/firmware_parameters/X Y"),
        (with_nic(Nic(firmware_parameters={"SRIOV_EN": "yes"})), f"ports/{PCI}/nic/firmware_parameters/SRIOV_EN"),
        (DeviceState(job={"LD_PRELOAD": "x.so"}), "job/LD_PRELOAD"),
        (DeviceState(job={"NCCL_IB_TC": "106\nLD_PRELOAD=x"}), "job/NCCL_IB_TC"),
    ],
)
def test_what_a_host_cannot_express_is_refused(state: DeviceState, path: str) -> None:
    with pytest.raises(Unsupported) as refused:
        PLATFORM.localise(state, TARGET)
    assert (refused.value.where, refused.value.what) == ("gpu1", path)
    assert refused.value.remedy


def test_an_absent_watchdog_is_no_request() -> None:
    assert localised_qos(PortQos(pfc=Pfc(priorities=(3,), watchdog=ABSENT))).pfc == Pfc(priorities=(3,))


def test_unlisted_dscps_have_priority_0_and_unlisted_buffers_no_bytes() -> None:
    found: Any = localised_qos(PortQos(maps=QosMaps(dscp_to_priority={26: 3}), receive_buffers_bytes={0: 87296}))
    assert found.maps.dscp_to_priority == {**dict.fromkeys(range(64), 0), 26: 3}
    assert found.receive_buffers_bytes == {0: 87296, 1: 0, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0, 7: 0}


def test_an_unlisted_priority_goes_where_priority_0_goes() -> None:
    found: Any = localised_qos(PortQos(maps=QosMaps(priority_to_tc={0: 2, 3: 3})))
    assert found.maps.priority_to_tc == {0: 2, 1: 2, 2: 2, 3: 3, 4: 2, 5: 2, 6: 2, 7: 2}


def test_a_dscp_map_has_no_effect_on_a_nic_that_trusts_pcp() -> None:
    found: Any = localised_qos(PortQos(trust="pcp", maps=QosMaps(dscp_to_priority={26: 3})))
    assert isinstance(found.maps.dscp_to_priority, NotApplicable)


@pytest.mark.parametrize(
    ("shares", "wanted"),
    [
        (((0, 3), (3, 7), (6, "strict")), ((0, 3), (3, 7), (6, "strict"))),
        (((0, 30), (3, 70), (6, "strict")), ((0, 3), (3, 7), (6, "strict"))),
        # Thirds are 34 + 33 + 33 percent: ETS knows whole percents only.
        (((0, 1), (3, 1), (6, 1)), ((0, 34), (3, 33), (6, 33))),
        # ETS percents that sum to 0 are refused by the driver, so without a share every class is strict.
        (((0, "strict"), (3, "strict")), tuple((tc, "strict") for tc in range(8))),
    ],
)
def test_scheduling_is_in_whole_percents(shares: Any, wanted: Any) -> None:
    assert localised_qos(PortQos(scheduling=shares)).scheduling == wanted


@pytest.mark.parametrize("shares", [((0, 1), (3, 999), (6, "strict")), ((0, 0), (6, "strict"))])
def test_a_share_that_ets_cannot_give_is_refused(shares: Any) -> None:
    with pytest.raises(Unsupported, match=r"below 1 %|no traffic class has a share"):
        localised_qos(PortQos(scheduling=shares))


@pytest.mark.parametrize(
    ("written", "number"), [("True", "1"), ("False", "0"), ("ETH", "2"), ("True(1)", "1"), ("0x8", "8")]
)
def test_a_firmware_parameter_is_its_number(written: str, number: str) -> None:
    ports: Any = PLATFORM.localise(with_nic(Nic(firmware_parameters={"X": written})), TARGET).ports
    assert ports[PCI].nic.firmware_parameters == {"X": number}


def test_what_is_inert_or_unsaid_stays_so() -> None:
    inert = NotApplicable("programmable congestion control")
    state = with_nic(Nic(dcqcn=inert, firmware_parameters=UNSAID))
    assert PLATFORM.localise(state, TARGET) == state
    assert PLATFORM.render(state, TARGET) == ()
    assert PLATFORM.localise(replace(state, job=UNSAID), TARGET) == state
