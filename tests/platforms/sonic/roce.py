"""A RoCE intent by hand: DSCP 26 lossless on 3, CNP 48 strict on 6, the rest lossy on 0."""

from __future__ import annotations

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
from fabric_drift.state.values import ABSENT
from tests.platforms.sonic.devices import BROADCOM, NVIDIA, PORTS

LEAF = BROADCOM
SPINE = NVIDIA
MAPS = QosMaps(
    dscp_to_tc={**dict.fromkeys(range(64), 0), 26: 3, 48: 6},
    tc_to_queue={0: 0, 3: 3, 6: 6},
    tc_to_priority_group={0: 0, 3: 3, 6: 0},
    pfc_priority_to_queue={3: 3},
    pfc_priority_to_priority_group={3: 3},
)
WATCHDOG = Watchdog(priorities=(3,), detect_ms=200, restore_ms=400, action="drop")
ECN = Ecn(kmin_bytes=1_000_000, kmax_bytes=2_000_000, max_probability_percent=5)


def roce_qos() -> PortQos:
    return PortQos(
        trust="dscp",
        maps=MAPS,
        pfc=Pfc(priorities=(3,), asymmetric=False, watchdog=WATCHDOG),
        global_pause=False,
        scheduling=((0, 30), (3, 70), (6, "strict")),
        queues={3: Queue(ecn=ECN, buffer=QueueBuffer(pool="egress_lossless_pool", reserved_bytes=0, alpha_exponent=7))},
        priority_groups={3: PriorityGroup(lossless=True, alpha_exponent=0)},
        cable_length_m=5,
        dcbx="off",
    )


def roce_state(target: Target) -> DeviceState:
    qos = roce_qos()
    port = Port(admin_up=True, speed_mbps=400_000, mtu_bytes=9100, fec="rs", qos=qos)
    return DeviceState(
        ports=dict.fromkeys(PORTS[:3], port),
        pools={
            "ingress_lossless_pool": Pool("ingress", "dynamic", 132_498_432, 33_371_648),
            "egress_lossless_pool": Pool("egress", "dynamic", 165_870_080, ABSENT),
        },
        watchdog=DeviceWatchdog(poll_ms=100),
        buffer_model="dynamic" if target.asic == "mellanox" else "static",
    )
