"""Links between devices: what goes down on one side is down on the other, and flaps there too.

An emulator that knows links keeps ``store["link_down"]``, its ports that are down on its own side, and
``store["flaps"]``, a log of ``{"at", "port", "by"}`` or, where it only counts, a number by port. After every
command the daemon carries both over: to ``store["peer_down"]`` and the log of the device at the other end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from fabric_drift.lab.emulator import LabDevice, Store

DOWN = "link_down"
PEER_DOWN = "peer_down"
FLAPS = "flaps"
Find = Callable[[str], "Store | None"]


def far_ends(device: LabDevice) -> dict[str, tuple[str, str]]:
    """Port -> (device, port) at the other end."""
    return {port.name: (port.peer_device, port.peer_port) for port in device.ports if port.peer_device}


class Links:
    """Tells neighbours what became of their links."""

    def __init__(self, devices: Mapping[str, LabDevice], find: Find) -> None:
        self._ends = {name: far_ends(device) for name, device in devices.items()}
        self._find = find
        self._down: dict[str, frozenset[str]] = {}
        self._told: dict[str, int] = {}

    def carry(self, name: str) -> set[str]:
        """Brings the neighbours of a device up to date; says whose stores were changed."""
        store = self._find(name)
        if store is None:
            return set()
        changed = {far for far in self._moved(name, store) if self._find(far) is not None}
        return changed | set(self._flapped(name, store))

    def _moved(self, name: str, store: Store) -> Iterator[str]:
        now = frozenset(store.get(DOWN, ()))
        before = self._down.get(name, frozenset())
        self._down[name] = now
        for port in sorted(now ^ before):
            device, far = self._ends[name].get(port, ("", ""))
            other = self._find(device) if device else None
            if other is not None:
                down = set(other.get(PEER_DOWN, ())) - {far}
                other[PEER_DOWN] = sorted(down | ({far} if port in now else set()))
                yield device

    def _flapped(self, name: str, store: Store) -> Iterator[str]:
        """Flaps that were carried over aren't carried back."""
        log = store.get(FLAPS, [])
        if not isinstance(log, list):  # an emulator that only counts
            return
        start, self._told[name] = min(self._told.get(name, 0), len(log)), len(log)
        for flap in log[start:]:
            device, far = self._ends[name].get(flap["port"], ("", ""))
            other = self._find(device) if device and not str(flap["by"]).startswith("peer ") else None
            if other is not None:
                _note(other.setdefault(FLAPS, []), {"at": flap["at"], "port": far, "by": f"peer {name}"})
                yield device


def _note(log: Any, flap: dict[str, Any]) -> None:
    """Emulators keep a log of flaps, or count them by port."""
    if isinstance(log, list):
        log.append(flap)
    else:
        log[flap["port"]] = log.get(flap["port"], 0) + 1
