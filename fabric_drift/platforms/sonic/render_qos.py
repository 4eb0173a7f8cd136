"""Facts of one policy -> rows of maps, schedulers, WRED profiles and the watchdog."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabric_drift.platform import Target
from fabric_drift.platforms.sonic import tables as t
from fabric_drift.platforms.sonic.documents import Row
from fabric_drift.platforms.sonic.ecn import colours_of
from fabric_drift.platforms.sonic.refuse import refusal
from fabric_drift.state.device import Ecn, Pfc, Watchdog
from fabric_drift.state.values import Path, is_said


def map_row(value: Any) -> Row:
    """A map's row; empty where the port has none."""
    return {str(key): str(mapped) for key, mapped in sorted(value.items())} if isinstance(value, Mapping) else {}


def scheduler_row(treatment: int | str) -> tuple[Row, str]:
    """(SCHEDULER row, default name) of a queue's treatment."""
    if isinstance(treatment, int):
        return {"type": "DWRR", "weight": str(treatment)}, f"ROCE_DWRR_{treatment}"
    if treatment.startswith("wrr:"):
        weight = treatment.removeprefix("wrr:")
        return {"type": "WRR", "weight": weight}, f"ROCE_WRR_{weight}"
    return {"type": "STRICT"}, "ROCE_STRICT"


def wred_row(ecn: Ecn, path: Path, target: Target, *, nvidia: bool) -> Row:
    """A WRED profile: all three colours have thresholds, because a missing one is whatever was there before.

    NVIDIA drops all colours or none; elsewhere enabling a colour is what marks it.
    """
    if not (is_said(ecn.kmin_bytes) and is_said(ecn.kmax_bytes)):
        raise refusal(target, path, "SONiC needs kmin_bytes and kmax_bytes", "Give both thresholds in bytes")
    marked = colours_of(ecn)
    row = {"ecn": t.ECN_OF_COLOURS[tuple(sorted(marked))]}
    probability = ecn.max_probability_percent if is_said(ecn.max_probability_percent) else t.DEFAULT_PROBABILITY_PERCENT
    others = ecn.colour_thresholds if isinstance(ecn.colour_thresholds, Mapping) else {}
    for colour in t.COLOURS:
        low, high, percent = others.get(colour, (ecn.kmin_bytes, ecn.kmax_bytes, probability))
        row[f"{colour}_min_threshold"] = str(low)
        row[f"{colour}_max_threshold"] = str(high)
        row[f"{colour}_drop_probability"] = str(percent)
        enabled = ecn.wred_drop is True and (nvidia or colour in marked or not marked)
        row[f"wred_{colour}_enable"] = "true" if enabled else "false"
    return row


def watchdog_row(pfc: Pfc) -> Row:
    """The PFC_WD row of a port; empty where it has no watchdog."""
    watchdog = pfc.watchdog
    if not isinstance(watchdog, Watchdog):
        return {}
    fields = (
        ("action", watchdog.action),
        ("detection_time", watchdog.detect_ms),
        ("restoration_time", watchdog.restore_ms),
    )
    return {field: str(value) for field, value in fields if is_said(value)}
