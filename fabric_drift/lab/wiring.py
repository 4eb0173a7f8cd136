"""What happens on one device of a lab and is felt on another: links, and consequences that somebody ordered."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fabric_drift.lab.device import RunningDevice
from fabric_drift.lab.emulator import LabDevice, Store
from fabric_drift.lab.links import Links
from fabric_drift.lab.troubles import Consequence

TROUBLE = "lab fault "
Find = Callable[[str], "RunningDevice | None"]


class Wiring:
    """Between the devices that ``find`` finds; the others are as good as not there."""

    def __init__(self, devices: Mapping[str, LabDevice], find: Find) -> None:
        self._find = find
        self._links = Links(devices, self._store)
        self._is_carrying = False

    def _store(self, name: str) -> Store | None:
        device = self._find(name)
        return device.store if device else None

    def carry(self, name: str) -> None:
        """To be called when a device may have changed. Consequences have none of their own."""
        for far in self._links.carry(name):
            device = self._find(far)
            if device:
                device.keep()
        near = self._find(name)
        due = near.take_consequences() if near else []
        if self._is_carrying:
            return
        self._is_carrying = True
        try:
            for consequence in due:
                self._follow(consequence)
        finally:
            self._is_carrying = False

    def _follow(self, consequence: Consequence) -> None:
        device = self._find(consequence.device)
        if device is None:
            return
        if consequence.command.startswith(TROUBLE):
            device.trouble(consequence.command.removeprefix(TROUBLE))
        else:
            device.run("root", consequence.command)
