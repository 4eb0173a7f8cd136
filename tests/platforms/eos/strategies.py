"""States that EOS can express, whole: every fact that the running layer carries."""

from __future__ import annotations

from hypothesis import strategies as st

from fabric_drift.platform import Target
from fabric_drift.platforms.eos import PLATFORM
from fabric_drift.state import (
    ABSENT,
    DeviceState,
    DeviceWatchdog,
    Ecn,
    Pfc,
    Port,
    PortQos,
    QosMaps,
    Queue,
    Watchdog,
)

TARGET = Target("leaf9", "4.32.2F")
TCS = st.integers(0, 7)
PORT_NAMES = st.integers(1, 64).map(lambda number: f"Ethernet{number}/1")


def whole_map(size: int, values: st.SearchStrategy[int]) -> st.SearchStrategy[dict[int, int]]:
    return st.lists(values, min_size=size, max_size=size).map(lambda listed: dict(enumerate(listed)))


@st.composite
def maps(draw: st.DrawFn) -> QosMaps:
    to_queue = draw(whole_map(7, st.integers(0, 6)))
    return QosMaps(
        dscp_to_tc=draw(whole_map(64, TCS)),
        pcp_to_tc=draw(whole_map(8, TCS)),
        tc_to_queue={**to_queue, 7: 7},
        tc_to_dscp=draw(st.just(ABSENT) | whole_map(8, st.integers(0, 63))),
    )


@st.composite
def ecn(draw: st.DrawFn) -> Ecn:
    low, high = sorted(draw(st.lists(st.integers(1, 256_000_000), min_size=2, max_size=2, unique=True)))
    percent = draw(st.just(ABSENT) | st.integers(1, 100))
    weight = draw(st.just(ABSENT) | st.integers(0, 15))
    if draw(st.booleans()):
        return Ecn(low, high, ABSENT, ABSENT, max_probability_percent=percent, weight=weight)
    return Ecn(ABSENT, ABSENT, low * 1000, high * 1000, max_probability_percent=percent, weight=weight)


@st.composite
def scheduling(draw: st.DrawFn) -> tuple[tuple[int, int | str], ...]:
    shared = draw(st.lists(TCS, max_size=5, unique=True))
    weights = {queue: draw(st.integers(1, 20)) for queue in shared}
    return tuple((queue, weights.get(queue, "strict")) for queue in range(8))


@st.composite
def watchdog(draw: st.DrawFn, device_action: str | None) -> Watchdog:
    detect, restore = (draw(st.integers(1, 6000)) * 10 for _ in range(2))
    actions = ["drop", "alert"] + (["errdisable"] if device_action in (None, "errdisable") else [])
    poll = draw(st.integers(5, min(detect, restore) // 2))
    return Watchdog(detect_ms=detect, restore_ms=restore, poll_ms=poll, action=draw(st.sampled_from(actions)))


@st.composite
def policies(draw: st.DrawFn, shared_maps: QosMaps, device_action: str | None) -> PortQos:
    queues = {queue: Queue(ecn=draw(st.just(ABSENT) | ecn())) for queue in range(8)}
    return PortQos(
        trust=draw(st.sampled_from(["dscp", "pcp", "none"])),
        maps=shared_maps,
        pfc=Pfc(
            priorities=tuple(sorted(draw(st.sets(TCS, max_size=3)))),
            watchdog=draw(st.just(ABSENT) | watchdog(device_action)),
        ),
        global_pause=draw(st.booleans()),
        scheduling=draw(scheduling()),
        queues=queues,
        dcbx=draw(st.sampled_from(["off", "ieee"])),
    )


@st.composite
def device_watchdogs(draw: st.DrawFn) -> DeviceWatchdog:
    return DeviceWatchdog(
        poll_ms=draw(st.just(ABSENT) | st.integers(5, 30_000)),
        detect_ms=draw(st.just(ABSENT) | st.integers(1, 6000).map(lambda value: value * 10)),
        restore_ms=draw(st.just(ABSENT) | st.integers(1, 6000).map(lambda value: value * 10)),
        action=draw(st.sampled_from(["drop", "alert", "errdisable"])),
    )


@st.composite
def states(draw: st.DrawFn) -> DeviceState:
    """A localised state of up to six ports with up to three policies."""
    device = draw(st.just(ABSENT) | device_watchdogs())
    action = device.action if isinstance(device, DeviceWatchdog) else None
    shared_maps = draw(maps())
    kinds = draw(st.lists(policies(shared_maps, str(action) if action else None), min_size=1, max_size=3))
    ports = {
        name: Port(
            admin_up=draw(st.booleans()),
            mtu_bytes=draw(st.integers(68, 9214)),
            fec=draw(st.sampled_from(["rs", "fc", "none", "auto"])),
            qos=draw(st.sampled_from(kinds)),
        )
        for name in sorted(draw(st.sets(PORT_NAMES, min_size=1, max_size=6)))
    }
    return PLATFORM.localise(DeviceState(ports=ports, watchdog=device, unreferenced={}), TARGET)
