"""What an intent says of a leaf, before a platform has seen it: DSCP 26 lossless on 3, CNP on 48."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fabric_drift.platform import Target
from fabric_drift.state import (
    ABSENT,
    DeviceState,
    DeviceWatchdog,
    Ecn,
    Identity,
    Neighbour,
    Pfc,
    Port,
    PortQos,
    PriorityGroup,
    QosMaps,
    Queue,
    Watchdog,
)

TARGET = Target("leaf3", "4.30.5M", "DCS-7060DX5-64S")
SAME = {number: number for number in range(8)}

MAPS = QosMaps(
    dscp_to_tc={dscp: {26: 3, 48: 6}.get(dscp, 0) for dscp in range(64)},
    tc_to_queue=SAME,
    tc_to_priority_group=SAME,
    pfc_priority_to_queue=SAME,
    pfc_priority_to_priority_group=SAME,
)
ECN = Ecn(kmin_bytes=1_000_000, kmax_bytes=2_000_000, max_probability_percent=10)
WATCHDOG = Watchdog(priorities=(3,), detect_ms=200, restore_ms=400, action="drop")

POLICY = PortQos(
    trust="dscp",
    maps=MAPS,
    pfc=Pfc(priorities=(3,), watchdog=WATCHDOG),
    global_pause=False,
    scheduling=((0, 3), (3, 7), (6, "strict")),
    queues={queue: Queue(ecn=ECN if queue == 3 else ABSENT) for queue in range(8)},
    priority_groups={3: PriorityGroup(lossless=True)},
    cable_length_m=40,
)


def leaf(policy: PortQos = POLICY, ports: int = 2, watchdog: DeviceWatchdog | None = None) -> DeviceState:
    """A leaf with ``ports`` ports of one policy."""
    port = Port(
        admin_up=True, speed_mbps=400_000, mtu_bytes=9100, fec="rs", qos=policy, neighbour=Neighbour("gpu1", "x")
    )
    return DeviceState(
        identity=Identity(hostname="leaf3", asic="tomahawk4"),
        ports={f"Ethernet{number}/1": port for number in range(1, ports + 1)},
        watchdog=watchdog or DeviceWatchdog(poll_ms=100),
        unreferenced={},
    )


def with_maps(**maps: Any) -> PortQos:
    """The policy with other maps."""
    return replace(POLICY, maps=replace(MAPS, **maps))


def with_watchdog(**facts: Any) -> PortQos:
    """The policy with another watchdog."""
    return replace(POLICY, pfc=Pfc(priorities=(3,), watchdog=replace(WATCHDOG, **facts)))


def with_ecn(**facts: Any) -> PortQos:
    """The policy with other thresholds on queue 3."""
    return replace(POLICY, queues={3: Queue(ecn=replace(ECN, **facts))})
