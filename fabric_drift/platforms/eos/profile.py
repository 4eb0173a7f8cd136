"""The lines of a qos profile, from a localised policy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fabric_drift.platforms.eos.qos import QUEUES
from fabric_drift.platforms.eos.units import seconds
from fabric_drift.state import ABSENT, DeviceWatchdog, Ecn, Pfc, PortQos, Watchdog
from fabric_drift.state import Queue as QueueFacts

TRUST = {"dscp": "qos trust dscp", "pcp": "qos trust cos", "none": "no qos trust"}
ACTIONS = {"drop": "drop", "alert": "notify-only"}


@dataclass(frozen=True, slots=True)
class Queue:
    """A ``tx-queue`` and its lines."""

    number: int
    lines: tuple[str, ...]


def profile_lines(qos: PortQos, device: DeviceWatchdog) -> Iterator[str]:
    """Trust, PFC and watchdog, in the order of EOS >= 4.35."""
    if isinstance(qos.trust, str):
        yield TRUST[qos.trust]
    if not isinstance(qos.pfc, Pfc):
        return
    if isinstance(qos.pfc.priorities, tuple) and qos.pfc.priorities:
        yield "priority-flow-control on"
        yield from (f"priority-flow-control priority {priority} no-drop" for priority in qos.pfc.priorities)
    if isinstance(qos.pfc.watchdog, Watchdog):
        yield from _watchdog(qos.pfc.watchdog)
    elif qos.pfc.watchdog is ABSENT and isinstance(device.detect_ms, int):
        yield "no priority-flow-control pause watchdog"


def _watchdog(watchdog: Watchdog) -> Iterator[str]:
    yield "priority-flow-control pause watchdog"
    if isinstance(watchdog.detect_ms, int) and isinstance(watchdog.restore_ms, int):
        poll = seconds(watchdog.poll_ms, 3) if isinstance(watchdog.poll_ms, int) else "auto"
        detect, restore = seconds(watchdog.detect_ms, 2), seconds(watchdog.restore_ms, 2)
        yield (
            "priority-flow-control pause watchdog port timer "
            f"timeout {detect} polling-interval {poll} recovery-time {restore}"
        )
    if isinstance(watchdog.action, str) and watchdog.action in ACTIONS:
        yield f"priority-flow-control pause watchdog port action {ACTIONS[watchdog.action]}"


def profile_queues(qos: PortQos) -> Iterator[Queue]:
    """The queues that differ from EOS's default: scheduled or marked ones."""
    rows = dict(qos.scheduling) if isinstance(qos.scheduling, tuple) else {}
    weights = sum(share for share in rows.values() if isinstance(share, int))
    marked = qos.queues if isinstance(qos.queues, Mapping) else {}
    for number in QUEUES:
        facts = marked.get(number)
        threshold = facts.ecn if isinstance(facts, QueueFacts) else None
        lines = (*_share(rows.get(number), weights), *_ecn(threshold))
        if lines:
            yield Queue(number, lines)


def _share(share: int | str | None, weights: int) -> Iterator[str]:
    if isinstance(share, int):
        yield "no priority"
        yield f"bandwidth percent {share * (100 // weights)}"
    elif share == "strict":
        yield "priority strict"


def _ecn(ecn: object) -> Iterator[str]:
    if not isinstance(ecn, Ecn):
        return
    low, high, unit = _threshold(ecn)
    probability = ecn.max_probability_percent
    line = f"random-detect ecn minimum-threshold {low} {unit} maximum-threshold {high} {unit}"
    line += f" max-mark-probability {probability}" if isinstance(probability, int) else ""
    yield line + (f" weight {ecn.weight}" if isinstance(ecn.weight, int) else "")


def _threshold(ecn: Ecn) -> tuple[int, int, str]:
    if isinstance(ecn.kmin_bytes, int) and isinstance(ecn.kmax_bytes, int):
        return ecn.kmin_bytes, ecn.kmax_bytes, "bytes"
    assert isinstance(ecn.kmin_ns, int), "localise lets no other basis through"
    assert isinstance(ecn.kmax_ns, int), "localise lets no other basis through"
    return ecn.kmin_ns // 1000, ecn.kmax_ns // 1000, "microseconds"
