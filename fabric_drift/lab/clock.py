"""The lab's clock, and the timers of its devices.

The clock runs like any other and can be put forward, so that nobody waits for a timer. A device keeps its timers in
``store["timers"]``: ``[{"due": seconds on this clock, "unit": name, "command": text}]``; ``store["clock"]`` is what an
emulator takes for now. The daemon runs commands that are due as user ``root``.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from fabric_drift.lab.directory import write_atomically
from fabric_drift.lab.emulator import Store

NOW = "clock"
TIMERS = "timers"
TICK_SECONDS = 1.0
Timer = Mapping[str, Any]


def now_s(store: Store) -> float:
    """Seconds on the lab's clock, as the device knows them; 0 outside of a lab."""
    return float(store.get(NOW, 0.0))


def arm(store: Store, unit: str, command: str, after_s: float) -> None:
    """Adds a timer that is due ``after_s`` from now. Raises ValueError when the device has one of that name."""
    if any(timer["unit"] == unit for timer in timers(store)):
        raise ValueError(f"there is a timer {unit} already")
    timers(store).append({"due": now_s(store) + after_s, "unit": unit, "command": command})


def disarm(store: Store, unit: str) -> bool:
    """Removes a timer; says whether there was one."""
    kept = [timer for timer in timers(store) if timer["unit"] != unit]
    found = len(kept) < len(timers(store))
    store[TIMERS] = kept
    return found


def timers(store: Store) -> list[dict[str, Any]]:
    """The device's own list, for reading and adding."""
    listed: list[dict[str, Any]] = store.setdefault(TIMERS, [])
    return listed


def take_due(store: Store) -> list[Timer]:
    """Removes and returns the timers that are due, the oldest first."""
    now = now_s(store)
    due = sorted(
        (timer for timer in store.get(TIMERS, ()) if timer["due"] <= now), key=lambda item: (item["due"], item["unit"])
    )
    if due:
        store[TIMERS] = [timer for timer in timers(store) if timer["due"] > now]
    return due


class LabClock:
    """Seconds since the lab was made. Survives the daemon as far as ``keep`` was called."""

    def __init__(self, file: Path, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._file = file
        self._monotonic = monotonic
        self._offset = self._kept() - monotonic()

    def _kept(self) -> float:
        if not self._file.exists():
            return 0.0
        return float(json.loads(self._file.read_text(encoding="utf-8"))["seconds"])

    @property
    def seconds(self) -> float:
        """Now."""
        return self._monotonic() + self._offset

    def advance(self, seconds: float) -> float:
        """Puts the clock forward; says what it shows then. Raises ValueError: a clock never goes back."""
        if not 0 <= seconds < float("inf"):
            raise ValueError(f"the clock can't be put forward by {seconds} seconds")
        self._offset += seconds
        self.keep()
        return self.seconds

    def keep(self) -> None:
        """Writes down what it shows."""
        write_atomically(self._file, json.dumps({"seconds": self.seconds}) + "\n")
