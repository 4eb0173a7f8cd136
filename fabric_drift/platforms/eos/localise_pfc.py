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
    for name, value in timers.items():
        _check_decimals(value, 2, refuse.below((name,)))
    _check_decimals(watchdog.poll_ms, 3, refuse.below(("poll_ms",)))
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


def _check_decimals(value: Fact[int], decimals: int, refuse: Refuser) -> None:
    if not isinstance(value, int):
        return
    try:
        seconds(value, decimals)
    except ValueError as error:
        raise refuse((), str(error), f"Use a multiple of {10 ** (3 - decimals)} ms") from error
