"""One egress queue as EOS would show it."""

from __future__ import annotations

from dataclasses import replace

from fabric_drift.platforms.eos.refuse import Refuser
from fabric_drift.state import ABSENT, UNSAID, Ecn, Queue
from fabric_drift.state.device import Fact

BYTES = (1, 256_000_000)
WEIGHTS = range(16)
"""Ranges of AVD 6.4's schema (qos_profiles.tx_queues.random_detect.ecn.threshold)."""


def localise_queue(queue: Fact[Queue], refuse: Refuser) -> Fact[Queue]:
    """``queue`` in EOS's terms. Raises Unsupported."""
    if not isinstance(queue, Queue):
        return queue
    if queue.buffer is not UNSAID and queue.buffer is not ABSENT:
        raise refuse(("buffer",), "queue buffers aren't translated for EOS", "Leave them out of the intent")
    ecn = _ecn(queue.ecn, refuse.below(("ecn",))) if isinstance(queue.ecn, Ecn) else queue.ecn
    return replace(queue, ecn=ecn, buffer=UNSAID)


def _ecn(ecn: Ecn, refuse: Refuser) -> Ecn:
    if ecn.kmin_fill_percent is not UNSAID or ecn.kmax_fill_percent is not UNSAID:
        raise refuse(("kmin_fill_percent",), "EOS has no thresholds in percent of a queue", "Give bytes or time")
    if ecn.colour_thresholds is not UNSAID and ecn.colour_thresholds is not ABSENT:
        raise refuse(("colour_thresholds",), "EOS has one ECN threshold for all colours", "Give one threshold")
    if ecn.wred_drop is True:
        raise refuse(("wred_drop",), "WRED drops beside ECN aren't translated for EOS", "Use ECN without WRED drops")
    _check_bytes(ecn, refuse)
    _check_time(ecn, refuse)
    if isinstance(ecn.weight, int) and ecn.weight not in WEIGHTS:
        raise refuse(("weight",), f"{ecn.weight} is no weight of EOS", "Use 0 to 15")
    if isinstance(ecn.max_probability_percent, int) and not 1 <= ecn.max_probability_percent <= 100:  # noqa: PLR2004  percent
        raise refuse(("max_probability_percent",), "EOS marks with 1 to 100 %", "Use 1 to 100")
    return replace(
        ecn,
        max_probability_percent=_or_absent(ecn.max_probability_percent),
        weight=_or_absent(ecn.weight),
        colours=UNSAID,
        colour_thresholds=UNSAID,
        wred_drop=UNSAID,
    )


def _or_absent(value: Fact[int]) -> Fact[int]:
    """What the intent leaves out isn't on the line: one line holds the whole threshold, so more is drift."""
    return ABSENT if value is UNSAID else value


def _check_bytes(ecn: Ecn, refuse: Refuser) -> None:
    for name, value in (("kmin_bytes", ecn.kmin_bytes), ("kmax_bytes", ecn.kmax_bytes)):
        if isinstance(value, int) and not BYTES[0] <= value <= BYTES[1]:
            raise refuse((name,), f"{value} is no threshold of EOS", f"Use {BYTES[0]} to {BYTES[1]} bytes")


def _check_time(ecn: Ecn, refuse: Refuser) -> None:
    for name, value in (("kmin_ns", ecn.kmin_ns), ("kmax_ns", ecn.kmax_ns)):
        if isinstance(value, int) and (value <= 0 or value % 1000):
            raise refuse((name,), "EOS has thresholds in whole microseconds", "Use a multiple of 1000 ns")
