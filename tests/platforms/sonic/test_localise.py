"""The intent as SONiC would show it; what SONiC can't express is refused with path and remedy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from fabric_drift.errors import Unsupported
from fabric_drift.platform import Target
from fabric_drift.platforms.sonic import PLATFORM
from fabric_drift.state.device import (
    DeviceState,
    DeviceWatchdog,
    Ecn,
    Pfc,
    Port,
    PortQos,
    PriorityGroup,
    Queue,
    Watchdog,
)
from fabric_drift.state.values import ABSENT, UNSAID, NotApplicable
from tests.platforms.sonic.devices import PORTS
from tests.platforms.sonic.roce import ECN, LEAF, MAPS, SPINE, WATCHDOG, roce_qos, roce_state

PORT = PORTS[0]
LOOKUP = {
    "pg_profile_lookup/400000/5": "18796 0 393192 0 3556",
    "pg_profile_lookup/400000/40": "18796 0 446024 -1",
}


def _qos(state: DeviceState, port: str = PORT) -> Any:
    ports: Any = state.ports
    return ports[port].qos


def _with_qos(target: Target, **changes: Any) -> DeviceState:
    state = roce_state(target)
    port = Port(admin_up=True, speed_mbps=400_000, mtu_bytes=9100, fec="rs", qos=replace(roce_qos(), **changes))
    return replace(state, ports=dict.fromkeys(PORTS[:3], port))


def _ecn(**changes: Any) -> dict[int, Queue]:
    return {3: Queue(ecn=replace(ECN, **changes))}


def _pfc(**changes: Any) -> Pfc:
    return Pfc(priorities=(3,), asymmetric=False, watchdog=replace(WATCHDOG, **changes))


def test_all_queues_and_groups_are_spoken_of_so_that_an_extra_one_is_drift() -> None:
    qos = _qos(PLATFORM.localise(roce_state(LEAF), LEAF))
    assert sorted(qos.queues) == list(range(8))
    assert qos.queues[4].ecn is ABSENT
    assert qos.queues[4].buffer is UNSAID
    assert [group for group, value in qos.priority_groups.items() if value.lossless] == [3]


def test_maps_are_made_whole() -> None:
    maps = _qos(PLATFORM.localise(roce_state(SPINE), SPINE)).maps
    assert maps.tc_to_queue == {index: index for index in range(8)}
    assert maps.tc_to_priority_group == {**dict.fromkeys(range(8), 0), 3: 3}
    assert maps.pfc_priority_to_queue == {index: index for index in range(8)}
    assert maps.pfc_priority_to_priority_group == {index: index for index in range(8)}


def test_broadcom_has_no_map_of_priorities_to_groups() -> None:
    assert _qos(PLATFORM.localise(roce_state(LEAF), LEAF)).maps.pfc_priority_to_priority_group is ABSENT


@pytest.mark.parametrize(("target", "drop"), [(LEAF, True), (SPINE, False)], ids=["broadcom", "nvidia"])
def test_all_colours_are_marked_and_only_nvidia_does_so_without_dropping(target: Target, drop: bool) -> None:
    ecn = _qos(PLATFORM.localise(roce_state(target), target)).queues[3].ecn
    assert (ecn.colours, ecn.colour_thresholds, ecn.wred_drop) == (("green", "red", "yellow"), ABSENT, drop)


def test_the_headroom_of_the_static_model_is_the_devices_table() -> None:
    target = replace(LEAF, names=LOOKUP)
    group = _qos(PLATFORM.localise(roce_state(target), target)).priority_groups[3]
    assert group == PriorityGroup(
        lossless=True,
        pool="ingress_lossless_pool",
        size_bytes=18796,
        xon_bytes=0,
        xoff_bytes=393192,
        xon_offset_bytes=3556,
        alpha_exponent=0,
    )


def test_a_row_without_xon_offset_leaves_it_absent_and_its_threshold_is_the_alpha() -> None:
    target = replace(LEAF, names=LOOKUP)
    state = _with_qos(target, cable_length_m=40, priority_groups={3: PriorityGroup(lossless=True)})
    group = _qos(PLATFORM.localise(state, target)).priority_groups[3]
    assert (group.xon_offset_bytes, group.alpha_exponent) == (ABSENT, -1)


def test_bytes_of_the_intent_outrank_the_devices_table() -> None:
    target = replace(LEAF, names=LOOKUP)
    state = _with_qos(target, priority_groups={3: PriorityGroup(lossless=True, xoff_bytes=400_000)})
    assert _qos(PLATFORM.localise(state, target)).priority_groups[3].xoff_bytes == 400_000


def test_in_the_dynamic_model_sonic_computes_the_headroom() -> None:
    target = replace(SPINE, names=LOOKUP)
    group = _qos(PLATFORM.localise(roce_state(target), target)).priority_groups[3]
    assert group == PriorityGroup(lossless=True, alpha_exponent=0)


def test_lossless_groups_follow_from_pfc_where_the_intent_has_none() -> None:
    state = _with_qos(LEAF, priority_groups=UNSAID)
    groups = _qos(PLATFORM.localise(state, LEAF)).priority_groups
    assert {group: value.lossless for group, value in groups.items()} == {**dict.fromkeys(range(8), False), 3: True}


def test_watchdog_times_of_the_device_reach_its_ports() -> None:
    state = replace(
        _with_qos(LEAF, pfc=Pfc(priorities=(3,), watchdog=Watchdog(poll_ms=100))),
        watchdog=DeviceWatchdog(detect_ms=200, restore_ms=400, action="drop"),
    )
    localised = PLATFORM.localise(state, LEAF)
    assert _qos(localised).pfc.watchdog == Watchdog(priorities=(3,), detect_ms=200, restore_ms=400, action="drop")
    assert localised.watchdog == DeviceWatchdog(poll_ms=100)


def test_stock_pools_that_the_intent_does_not_name_are_said_nothing_of() -> None:
    pools: Any = PLATFORM.localise(roce_state(LEAF), LEAF).pools
    assert pools["egress_lossy_pool"] is UNSAID
    assert pools["ingress_lossless_pool"].size_bytes == 132_498_432


def test_what_sonic_has_not_got_and_is_off_is_dropped() -> None:
    qos = _qos(PLATFORM.localise(roce_state(LEAF), LEAF))
    assert (qos.global_pause, qos.dcbx) == (UNSAID, UNSAID)


def test_a_pcp_map_is_inert_where_dscp_is_trusted() -> None:
    state = _with_qos(LEAF, maps=replace(MAPS, pcp_to_tc={3: 3}))
    assert isinstance(_qos(PLATFORM.localise(state, LEAF)).maps.pcp_to_tc, NotApplicable)


def test_ports_of_one_policy_still_share_one_object() -> None:
    localised = PLATFORM.localise(roce_state(LEAF), LEAF)
    assert _qos(localised, PORTS[0]) is _qos(localised, PORTS[1])


def test_nothing_may_lie_unreferenced() -> None:
    assert PLATFORM.localise(roce_state(LEAF), LEAF).unreferenced == {}


REFUSED: dict[str, tuple[Callable[[], DeviceState], str]] = {
    "ECN by time": (lambda: _with_qos(LEAF, queues=_ecn(kmin_ns=5)), "queues/3/ecn/kmin_ns"),
    "ECN by fill": (lambda: _with_qos(LEAF, queues=_ecn(kmax_fill_percent=5)), "queues/3/ecn/kmax_fill_percent"),
    "an averaging weight": (lambda: _with_qos(LEAF, queues=_ecn(weight=4)), "queues/3/ecn/weight"),
    "a minimum above the maximum": (lambda: _with_qos(LEAF, queues=_ecn(kmin_bytes=3_000_000)), "ecn/kmin_bytes"),
    "marking without dropping on Broadcom": (lambda: _with_qos(LEAF, queues=_ecn(wred_drop=False)), "ecn/wred_drop"),
    "errdisable": (lambda: _with_qos(LEAF, pfc=_pfc(action="errdisable")), "pfc/watchdog/action"),
    "a detection of 50 ms": (lambda: _with_qos(LEAF, pfc=_pfc(detect_ms=50)), "pfc/watchdog/detect_ms"),
    "a restoration of 70 s": (lambda: _with_qos(LEAF, pfc=_pfc(restore_ms=70_000)), "pfc/watchdog/restore_ms"),
    "detecting faster than polling": (
        lambda: replace(_with_qos(LEAF), watchdog=DeviceWatchdog(poll_ms=300)),
        "pfc/watchdog/detect_ms",
    ),
    "a polling interval per port": (lambda: _with_qos(LEAF, pfc=_pfc(poll_ms=150)), "pfc/watchdog/poll_ms"),
    "traffic class 8": (
        lambda: _with_qos(LEAF, maps=replace(MAPS, dscp_to_tc={26: 8})),
        "qos/maps/dscp_to_tc/26",
    ),
    "DSCP 64": (lambda: _with_qos(LEAF, maps=replace(MAPS, dscp_to_tc={64: 3})), "qos/maps/dscp_to_tc/64"),
    "queue 8": (lambda: _with_qos(LEAF, maps=replace(MAPS, tc_to_queue={3: 8})), "qos/maps/tc_to_queue/3"),
    "another group than the priority's on Broadcom": (
        lambda: _with_qos(LEAF, maps=replace(MAPS, pfc_priority_to_priority_group={3: 4})),
        "qos/maps/pfc_priority_to_priority_group",
    ),
    "a weight of 101": (lambda: _with_qos(LEAF, scheduling=((0, 101), (3, 1))), "qos/scheduling"),
    "802.3x pause": (lambda: _with_qos(LEAF, global_pause=True), "qos/global_pause"),
    "DCBX": (lambda: _with_qos(LEAF, dcbx="ieee"), "qos/dcbx"),
    "a jumbo of 9217": (
        lambda: replace(roce_state(LEAF), ports={PORT: Port(mtu_bytes=9217)}),
        f"ports/{PORT}/mtu_bytes",
    ),
    "an unknown FEC": (lambda: replace(roce_state(LEAF), ports={PORT: Port(fec="ll")}), f"ports/{PORT}/fec"),
    "a port of an ASIC namespace": (
        lambda: replace(roce_state(LEAF), ports={"asic0:Ethernet0": Port()}),
        "ports/asic0:Ethernet0",
    ),
    "a line break in a port's name": (
        lambda: replace(roce_state(LEAF), ports={"Ethernet0\nx": Port()}),
        "ports/Ethernet0",
    ),
    "an alpha of 2^8": (
        lambda: _with_qos(LEAF, priority_groups={3: PriorityGroup(lossless=True, alpha_exponent=8)}),
        "priority_groups/3/alpha_exponent",
    ),
}


@pytest.mark.parametrize("wish", sorted(REFUSED))
def test_sonic_cannot(wish: str) -> None:
    state, path = REFUSED[wish]
    with pytest.raises(Unsupported) as caught:
        PLATFORM.localise(state(), LEAF)
    assert path in caught.value.what
    assert caught.value.remedy
    assert caught.value.where == "leaf1 (sonic)"


def test_a_cable_without_a_row_in_the_devices_table_is_refused_with_the_lengths_it_has() -> None:
    target = replace(LEAF, names=LOOKUP)
    with pytest.raises(Unsupported, match=r"no row of 400000 Mb/s and 7 m.*next longer of 5 m, 40 m") as caught:
        PLATFORM.localise(_with_qos(target, cable_length_m=7), target)
    assert caught.value.what == f"ports/{PORT}/qos/cable_length_m"


@pytest.mark.parametrize("release", ["", "202405", "202605", "4.32.2F"])
def test_other_releases_are_refused(release: str) -> None:
    with pytest.raises(Unsupported, match="202411, 202505, 202511"):
        PLATFORM.localise(roce_state(LEAF), replace(LEAF, release=release))


@pytest.mark.parametrize(("release", "accepted"), [("202411", True), ("202505", True), ("202511", False)])
def test_202511_polls_at_most_every_second(release: str, accepted: bool) -> None:
    slow = replace(_with_qos(LEAF, pfc=_pfc(detect_ms=3000, restore_ms=3000)), watchdog=DeviceWatchdog(poll_ms=2000))
    target = replace(LEAF, release=release)
    if accepted:
        assert PLATFORM.localise(slow, target).watchdog == DeviceWatchdog(poll_ms=2000)
    else:
        with pytest.raises(Unsupported, match="100 to 1000 ms"):
            PLATFORM.localise(slow, target)


def test_an_intent_that_says_little_stays_small() -> None:
    state = DeviceState(ports={PORT: Port(mtu_bytes=9100)})
    localised = PLATFORM.localise(state, LEAF)
    assert localised.ports == {PORT: Port(mtu_bytes=9100)}
    assert localised.pools is UNSAID
    assert localised.watchdog is UNSAID


def test_ecn_on_its_own_is_enough_of_a_policy() -> None:
    qos = PortQos(queues={3: Queue(ecn=Ecn(kmin_bytes=1, kmax_bytes=2))})
    localised = PLATFORM.localise(DeviceState(ports={PORT: Port(qos=qos)}), SPINE)
    assert _qos(localised).maps is UNSAID
    assert _qos(localised).priority_groups is UNSAID
