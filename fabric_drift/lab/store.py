"""The memory of an emulated device: in core, and on disk whenever it has changed."""

from __future__ import annotations

import json
from pathlib import Path

from fabric_drift.lab.clock import NOW
from fabric_drift.lab.directory import write_atomically
from fabric_drift.lab.emulator import Emulator, LabDevice, Store


class DeviceStore:
    """One device's store. Made or read on first use; a device that nobody changed has no file."""

    def __init__(self, file: Path, device: LabDevice, emulator: Emulator) -> None:
        self._file = file
        self._device = device
        self._emulator = emulator
        self._store: Store | None = None
        self._on_disk = ""

    @property
    def value(self) -> Store:
        """The store itself, for the emulator to read and change."""
        if self._store is None:
            if self._file.exists():
                self._on_disk = self._file.read_text(encoding="utf-8")
                self._store = json.loads(self._on_disk)
            else:
                self._store = self._emulator.start(self._device)
        return self._store

    @property
    def exists(self) -> bool:
        """Whether anybody has used it: in core or on disk."""
        return self._store is not None or self._file.exists()

    def save(self) -> None:
        """Writes the store, if it differs from what is on disk."""
        text = json.dumps({key: item for key, item in self.value.items() if key != NOW}, separators=(",", ":"))
        if text != self._on_disk:
            write_atomically(self._file, text)
            self._on_disk = text
