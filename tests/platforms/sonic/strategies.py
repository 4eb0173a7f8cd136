"""DeviceStates that SONiC claims to support, for property tests."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from fabric_drift.platform import Target
from fabric_drift.state.device import (
    DeviceState,
    DeviceWatchdog,
    Ecn,
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
from fabric_drift.state.values import ABSENT, UNSAID
from tests.platforms.sonic.devices import BROADCOM, NVIDIA, PORTS

EIGHT = st.integers(0, 7)
COLOURS = ("green", "red", "yellow")
POOLS = {
    "ingress_lossless_pool": Pool("ingress", "dynamic", 132498432, 33371648),
    "egress_lossless_pool": Pool("egress", "static", 165870080, ABSENT),
    "egress_lossy_pool": Pool("egress", "dynamic", 132498432, ABSENT),
}


def _map(keys: range, values: st.SearchStrategy[int]) -> st.SearchStrategy[dict[int, int]]:
    return st.fixed_dictionaries(dict.fromkeys(keys, values))


@st.composite
def ecns(draw: st.DrawFn, *, nvidia: bool) -> Ecn:
    """Marking of a queue; outside NVIDIA marking and dropping come together."""
    kmin = draw(st.integers(1, 10**7))
    colours: Any = draw(st.sampled_from([COLOURS, ("green",), ("green", "yellow"), UNSAID]))
    others: Any = ABSENT
    if colours is UNSAID and draw(st.booleans()):
        others = {"yellow": (kmin + 1, kmin + 5, 7)}
    drop: Any = draw(st.sampled_from([True, False, UNSAID] if nvidia else [True, UNSAID]))
    return Ecn(
        kmin_bytes=kmin,
        kmax_bytes=kmin + draw(st.integers(0, 10**7)),
        max_probability_percent=draw(st.integers(1, 100)),
        colours=colours,
        colour_thresholds=others,
        wred_drop=drop,
    )


@st.composite
def schedulings(draw: st.DrawFn) -> tuple[tuple[int, int | str], ...]:
    queues = draw(st.lists(EIGHT, unique=True, max_size=8))
    return tuple((queue, draw(st.one_of(st.integers(1, 100), st.just("strict")))) for queue in queues)


@st.composite
def policies(draw: st.DrawFn, *, nvidia: bool, dynamic: bool, cable: int, alpha: int) -> PortQos:
    priorities = tuple(sorted(draw(st.sets(EIGHT, max_size=4))))
    maps = QosMaps(
        dscp_to_tc=draw(_map(range(64), EIGHT)),
        pcp_to_tc=ABSENT,
        tc_to_queue=draw(_map(range(8), EIGHT)),
        tc_to_priority_group=draw(_map(range(8), EIGHT)),
        pfc_priority_to_queue=draw(_map(range(8), EIGHT)),
        pfc_priority_to_priority_group={index: index for index in range(8)},
        tc_to_dscp=draw(st.one_of(st.just(ABSENT), _map(range(8), st.integers(0, 63)))),
    )
    watched = Watchdog(
        priorities=priorities,
        detect_ms=draw(st.integers(100, 5000)),
        restore_ms=draw(st.integers(100, 60000)),
        action=draw(st.sampled_from(["drop", "forward", "alert"])),
    )
    explicit = PriorityGroup(
        lossless=True,
        pool="ingress_lossless_pool",
        size_bytes=18796,
        xon_bytes=0,
        xoff_bytes=393192 + cable,
        xon_offset_bytes=3556,
        static_bytes=ABSENT,
        alpha_exponent=alpha,
    )
    computed = PriorityGroup(lossless=True, alpha_exponent=alpha)
    buffers: tuple[Any, ...] = (QueueBuffer("egress_lossless_pool", 0, 165870080, ABSENT), ABSENT, UNSAID)
    watchdog: Any = draw(st.sampled_from([watched, ABSENT]))
    queues = {
        queue: Queue(
            ecn=draw(st.one_of(st.just(ABSENT), ecns(nvidia=nvidia))),
            buffer=draw(st.sampled_from(buffers)),
        )
        for queue in draw(st.sets(EIGHT, max_size=3))
    }
    return PortQos(
        trust="dscp",
        maps=maps,
        pfc=Pfc(priorities, draw(st.booleans()), watchdog),
        scheduling=draw(schedulings()),
        queues=queues,
        priority_groups=dict.fromkeys(priorities, computed if dynamic and draw(st.booleans()) else explicit),
        cable_length_m=cable,
    )


@st.composite
def states(draw: st.DrawFn, *, nvidia: bool | None = None) -> tuple[DeviceState, Target]:
    """(expected state, its target): one or two policies over four ports."""
    nvidia = draw(st.booleans()) if nvidia is None else nvidia
    dynamic = nvidia and draw(st.booleans())
    target = NVIDIA if nvidia else replace(BROADCOM, release=draw(st.sampled_from(["202411", "202505", "202511"])))
    chosen = [
        draw(policies(nvidia=nvidia, dynamic=dynamic, cable=cable, alpha=alpha))
        for cable, alpha in draw(st.sampled_from([((5, 0),), ((5, 0), (40, -1))]))
    ]
    ports = {
        name: Port(
            admin_up=draw(st.booleans()),
            speed_mbps=400000,
            mtu_bytes=draw(st.integers(68, 9216)),
            fec=draw(st.sampled_from(["rs", "fc", "none", "auto"])),
            qos=chosen[index % len(chosen)],
        )
        for index, name in enumerate(PORTS)
    }
    state = DeviceState(
        ports=ports,
        pools=POOLS,
        watchdog=DeviceWatchdog(poll_ms=100),
        buffer_model="dynamic" if dynamic else "static",
    )
    return state, target
