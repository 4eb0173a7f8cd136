"""PFC and its watchdog as EOS would show them."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from fabric_drift.platforms.eos.refuse import Refuser
from fabric_drift.platforms.eos.units import seconds
from fabric_drift.state import ABSENT, UNSAID, DeviceWatchdog, Pfc, Watchdog
from fabric_drift.state.device import Fact

T = TypeVar("T")

PORT_ACTIONS = ("drop", "alert")

TIMERS = {"detect_ms": (10, 60_000, 2), "restore_ms": (10, 60_000, 2), "poll_ms": (5, 30_000, 3)}
"""Lowest and highest time in ms, decimals of the seconds on the line. Decimals: AVD 6.4's schema; ranges: a secondary
source for EOS 4.36, so they only refuse an intent and never judge a switch."""


def localise_pfc(pfc: Fact[Pfc], device: Fact[DeviceWatchdog], refuse: Refuser) -> Fact[Pfc]:
    """``pfc`` in EOS's terms: a port without PFC has no priority that is on. Raises Unsupported."""
    if pfc is ABSENT:
        return Pfc(priorities=(), watchdog=ABSENT)
    if not isinstance(pfc, Pfc):
        return pfc
    if pfc.asymmetric is True:
        raise refuse(("asymmetric",), "EOS sends and honours PFC of the same priorities", "Use symmetric PFC")
    return replace(pfc, asymmetric=UNSAID, watchdog=_watchdog(pfc, device, refuse.below(("watchdog",))))


def _watchdog(pfc: Pfc, device: Fact[DeviceWatchdog], refuse: Refuser) -> Fact[Watchdog]:
    watchdog = pfc.watchdog
    if not isinstance(watchdog, Watchdog):
        return watchdog
    global_ = device if isinstance(device, DeviceWatchdog) else DeviceWatchdog()
    watchdog = replace(
        watchdog,
        detect_ms=_or(watchdog.detect_ms, global_.detect_ms),
        restore_ms=_or(watchdog.restore_ms, global_.restore_ms),
        poll_ms=_or(watchdog.poll_ms, global_.poll_ms),
        action=_or(watchdog.action, global_.action),
    )
    if watchdog.priorities not in (UNSAID, pfc.priorities):
        raise refuse(("priorities",), "EOS watches every no-drop priority of a port", "Watch all lossless priorities")
    _check_action(watchdog, global_, refuse)
    _check_timers(watchdog, refuse)
    return replace(watchdog, priorities=UNSAID)


def _or(first: Fact[T], second: Fact[T]) -> Fact[T]:
    return second if first is UNSAID and second is not ABSENT else first


def _check_action(watchdog: Watchdog, global_: DeviceWatchdog, refuse: Refuser) -> None:
    if watchdog.action is UNSAID or watchdog.action in PORT_ACTIONS:
        return
    if watchdog.action == "errdisable" and global_.action in (UNSAID, "errdisable"):
        return
    raise refuse(
        ("action",),
        f"EOS has no watchdog action {watchdog.action} for a port",
        "Use drop or alert, or errdisable for the whole switch",
    )


def _check_timers(watchdog: Watchdog, refuse: Refuser) -> None:
    timers = {"detect_ms": watchdog.detect_ms, "restore_ms": watchdog.restore_ms}
    if any(isinstance(value, int) for value in timers.values()) and UNSAID in timers.values():
        raise refuse((), "EOS sets detection and restoration in one line", "Give both times")
    check_timers(watchdog, refuse)
    numbers = [value for value in timers.values() if isinstance(value, int)]
    if isinstance(watchdog.poll_ms, int):
        if not numbers:
            raise refuse(("poll_ms",), "EOS sets polling in one line with the other times", "Give them too")
        if 2 * watchdog.poll_ms > min(numbers):
            raise refuse(
                ("poll_ms",),
                "EOS polls at an interval of its own where polling is slower than half of detection or restoration",
                f"Use at most {min(numbers) // 2} ms",
            )


def check_timers(timers: Watchdog | DeviceWatchdog, refuse: Refuser) -> None:
    """Raises Unsupported for a time that EOS doesn't accept or that its decimals would round."""
    for name, (low, high, decimals) in TIMERS.items():
        value: Fact[int] = getattr(timers, name)
        if not isinstance(value, int):
            continue
        if not low <= value <= high:
            raise refuse((name,), f"{value} ms is outside of what EOS accepts", f"Use {low} to {high} ms")
        try:
            seconds(value, decimals)
        except ValueError as error:
            raise refuse((name,), str(error), f"Use a multiple of {10 ** (3 - decimals)} ms") from error
