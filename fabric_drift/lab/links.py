"""Links between devices: what goes down on one side is down on the other, and flaps there too.

An emulator that knows links keeps ``store["link_down"]``, its ports that are down on its own side, and
``store["flaps"]``, a log of ``{"at", "port", "by"}`` or, where it only counts, a number by port. After every
command the daemon carries both over: to ``store["peer_down"]`` and the flaps of the device at the other end. A cable
that is cut (``troubles``) is down at both ends as if the other one were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from fabric_drift.lab.clock import now_s
from fabric_drift.lab.emulator import LabDevice, Store
from fabric_drift.lab.troubles import arguments

DOWN = "link_down"
PEER_DOWN = "peer_down"
FLAPS = "flaps"
DARK = "dark_carried"
"""Ports whose other end knows that it gets no light because of this one."""
CARRIED = "flaps_carried"
"""How much of ``FLAPS`` the other ends know: a length, or a number by port."""
Find = Callable[[str], "Store | None"]


def far_ends(device: LabDevice) -> dict[str, tuple[str, str]]:
    """Port -> (device, port) at the other end."""
    return {port.name: (port.peer_device, port.peer_port) for port in device.ports if port.peer_device}


class Links:
    """Tells neighbours what became of their links."""

    def __init__(self, devices: Mapping[str, LabDevice], find: Find) -> None:
        self._ends = {name: far_ends(device) for name, device in devices.items()}
        self._find = find

    def carry(self, name: str) -> set[str]:
        """Brings the neighbours of a device up to date; says whose stores were changed, perhaps its own too."""
        store = self._find(name)
        if store is None:
            return set()
        return {*self._moved(name, store), *self._flapped(name, store)}

    def _moved(self, name: str, store: Store) -> Iterator[str]:
        now = _dark(store)
        before = frozenset(store.get(DARK, ()))
        if now != before:
            store[DARK] = sorted(now)
            yield name
        for port in sorted(now ^ before):
            device, far = self._ends[name].get(port, ("", ""))
            other = self._find(device) if device else None
            own, theirs = set(arguments(store, "cut")), _dark(other) if other else frozenset()
            if _set(store, port, is_down=port in own or far in theirs):
                yield name
            if other is not None and _set(other, far, is_down=port in now or far in arguments(other, "cut")):
                yield device

    def _flapped(self, name: str, store: Store) -> Iterator[str]:
        """Flaps that were carried over aren't carried back."""
        for flap in _news(store):
            yield name
            device, far = self._ends[name].get(flap["port"], ("", ""))
            other = self._find(device) if device and not str(flap["by"]).startswith("peer ") else None
            if other is not None:
                _note(other, {"at": flap["at"], "port": far, "by": f"peer {name}"})
                yield device


def _dark(store: Store) -> frozenset[str]:
    return frozenset((*store.get(DOWN, ()), *arguments(store, "cut"), *arguments(store, "far-cut")))


def _set(store: Store, port: str, *, is_down: bool) -> bool:
    """Whether it is another than before."""
    before = store.get(PEER_DOWN, [])
    now = sorted({*before} - {port} | ({port} if is_down else set()))
    if now != before:
        store[PEER_DOWN] = now
    return bool(now != before)


def _news(store: Store) -> list[Mapping[str, Any]]:
    """Flaps since the last look."""
    flaps = store.get(FLAPS, [])
    if isinstance(flaps, list):
        start, length = min(store.get(CARRIED, 0), len(flaps)), len(flaps)
        if length:
            store[CARRIED] = length
        return flaps[start:]
    known: dict[str, int] = store.setdefault(CARRIED, {}) if flaps else {}
    news: list[Mapping[str, Any]] = [
        {"at": now_s(store), "port": port, "by": "itself"}
        for port, count in sorted(flaps.items())
        for _ in range(count - known.get(port, 0))
    ]
    known.update(flaps)
    return news


def _note(store: Store, flap: dict[str, Any]) -> None:
    """Emulators keep a log of flaps, or count them by port; what is counted for a peer isn't news of its own."""
    flaps = store.setdefault(FLAPS, [])
    if isinstance(flaps, list):
        flaps.append(flap)
        return
    for counted in (flaps, store.setdefault(CARRIED, {})):
        counted[flap["port"]] = counted.get(flap["port"], 0) + 1
