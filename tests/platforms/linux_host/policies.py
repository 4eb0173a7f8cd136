"""Expected states of hosts: design points that sites use, and arbitrary ones for properties."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from fabric_drift.platforms.linux_host.localise import DCQCN_RANGES
from fabric_drift.platforms.linux_host.sysfs import NOTIFICATION, REACTION
from fabric_drift.state.device import Dcqcn, DeviceState, Nic, Pfc, Port, PortQos, QosMaps
from fabric_drift.state.values import ABSENT, UNSAID

RAILS = ("0000:18:00.0", "0000:2a:00.0")
TOTAL_BYTES = 262016
"""Receive buffers of a ConnectX port in ``dcb buffer``, as the sheets' captures show."""


def policy(dscps: dict[int, int], prio_tc: dict[int, int], shares: Any, lossless: tuple[int, ...]) -> PortQos:
    """A policy with everything else as pod1 has it."""
    return PortQos(
        trust="dscp",
        maps=QosMaps(
            dscp_to_priority=dscps,
            priority_to_tc=prio_tc,
            priority_to_buffer={priority: int(priority in lossless) for priority in range(8)},
        ),
        pfc=Pfc(priorities=lossless),
        global_pause=False,
        scheduling=shares,
        receive_buffers_bytes={0: 87296, 1: 174720},
        cable_length_m=5,
        dcbx="off",
    )


ONE_TO_ONE = {priority: priority for priority in range(8)}
DESIGNS = {
    "nvidia": policy({26: 3, 48: 6}, {3: 3, 6: 6}, ((0, 3), (3, 7), (6, "strict")), (3,)),
    "oci": policy({26: 5, 46: 6, 10: 2}, ONE_TO_ONE, ((2, 1), (5, 4), (6, "strict")), (5,)),
    "amd": policy({24: 3, 46: 6}, {3: 3, 6: 6}, ((0, 1), (3, 99), (6, "strict")), (3,)),
    "two lossless": policy({24: 2, 26: 3, 48: 6}, {2: 1, 3: 3, 6: 6}, ((0, 1), (1, 1), (3, 1), (6, "strict")), (2, 3)),
    "nothing lossless": policy({8: 1}, {1: 1}, ((0, 1), (1, 1)), ()),
    "one class": policy({26: 3}, dict.fromkeys(range(8), 0), ((0, 1),), (3,)),
}


def host(qos: PortQos, nic: Nic | None = None, job: Any = UNSAID) -> DeviceState:
    """A host whose rails share one policy."""
    port = Port(admin_up=True, mtu_bytes=9000, fec="rs", qos=qos, nic=nic or pod1_nic())
    return DeviceState(ports=dict.fromkeys(RAILS, port), job=job)


def pod1_nic() -> Nic:
    """The NIC facts of pod1."""
    return Nic(
        roce_mode="v2",
        rdma_cm_tos=106,
        traffic_class=106,
        cnp_dscp=48,
        cnp_priority=6,
        dcqcn=Dcqcn((3,), (3,), {"min_time_between_cnps": 4}, {"rpg_ai_rate": 5, "rpg_hai_rate": 50}),
        firmware_parameters={"CNP_DSCP_P1": "48", "ROCE_CC_PRIO_MASK_P1": "8"},
    )


def _shares(draw: st.DrawFn, prio_tc: dict[int, int]) -> tuple[tuple[int, int | str], ...]:
    used = sorted(set(prio_tc.values()))
    words = {tc: draw(st.sampled_from(["strict", "ets"])) for tc in used}
    weights = [tc for tc in used if words[tc] == "ets"]
    return tuple((tc, draw(st.integers(1, 100)) if tc in weights else "strict") for tc in used)


@st.composite
def policies(draw: st.DrawFn) -> PortQos:
    """Any policy that mlx5 can hold. Some shares can't be told in percent; those are refused, not rounded to 0."""
    priority = st.integers(0, 7)
    prio_tc = dict(enumerate(draw(st.lists(priority, min_size=8, max_size=8))))
    buffers = draw(st.lists(st.integers(0, TOTAL_BYTES // 8), min_size=8, max_size=8))
    dscp = draw(st.dictionaries(st.integers(0, 63), priority, min_size=1))
    return PortQos(
        trust="dscp",
        maps=QosMaps(
            dscp_to_priority=dscp,
            priority_to_tc=prio_tc,
            priority_to_buffer=dict(enumerate(draw(st.lists(priority, min_size=8, max_size=8)))),
        ),
        pfc=Pfc(priorities=tuple(sorted(draw(st.sets(priority))))),
        global_pause=draw(st.booleans()),
        scheduling=_shares(draw, prio_tc),
        receive_buffers_bytes=dict(enumerate(buffers)),
        cable_length_m=draw(st.integers(1, 999)),
        dcbx=draw(st.sampled_from(["off", "firmware"])),
    )


@st.composite
def nics(draw: st.DrawFn) -> Nic:
    """Any NIC facts."""
    byte, number = st.integers(0, 255), st.integers(0, 2**32 - 1)
    reactions = st.sets(st.sampled_from(REACTION)).map(sorted)
    priorities = st.sets(st.integers(0, 7)).map(lambda found: tuple(sorted(found)))
    return Nic(
        roce_mode=draw(st.sampled_from(["v1", "v2"])),
        rdma_cm_tos=draw(byte),
        traffic_class=draw(byte | st.just(ABSENT)),
        cnp_dscp=draw(st.integers(0, 63)),
        cnp_priority=draw(st.integers(0, 7)),
        dcqcn=Dcqcn(
            draw(priorities),
            draw(priorities),
            {name: draw(number) for name in NOTIFICATION},
            {name: draw(st.integers(*DCQCN_RANGES.get(name, (0, 2**32 - 1)))) for name in draw(reactions)},
        ),
    )


JOBS = st.dictionaries(
    st.sampled_from(["NCCL_IB_TC", "NCCL_IB_HCA", "NCCL_IB_GID_INDEX", "UCX_IB_TRAFFIC_CLASS", "UCX_NET_DEVICES"]),
    st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=30),
)
HOSTS = st.builds(host, policies(), nics(), JOBS)
