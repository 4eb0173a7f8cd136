"""Where recordings come from: live devices, or captures on disk. Both are streams: nothing loads the fleet."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Protocol

from fabric_drift.errors import Unreachable
from fabric_drift.platform import Platform
from fabric_drift.transport import captures
from fabric_drift.transport.collect import read_device
from fabric_drift.transport.endpoint import Endpoint
from fabric_drift.transport.limits import Limits
from fabric_drift.transport.recording import Recording
from fabric_drift.workflow.expectations import Device

PlatformOf = Callable[[str], Platform]


class Source(Protocol):
    """A stream of recordings of the devices asked for, in any order."""

    def recordings(self, devices: Sequence[Device], platform: PlatformOf) -> AsyncIterator[Recording]:
        """One recording per device."""
        ...


@dataclass(frozen=True, slots=True)
class Captured:
    """Recordings of a capture directory."""

    directory: FilePath

    async def recordings(self, devices: Sequence[Device], platform: PlatformOf) -> AsyncIterator[Recording]:
        """Read one by one; ``platform`` isn't needed to read."""
        del platform
        for device in devices:
            yield captures.read(self.directory, device.name, device.platform)


@dataclass(frozen=True, slots=True)
class Live:
    """Recordings of live devices, some at a time, each within its own limits."""

    endpoints: Mapping[str, Endpoint]
    limits: Limits = field(default_factory=Limits)
    verify_host_keys: bool = True

    async def recordings(self, devices: Sequence[Device], platform: PlatformOf) -> AsyncIterator[Recording]:
        """As they come in. A window of tasks, so that a large fleet isn't thousands of idle tasks."""
        waiting = iter(devices)
        running: set[asyncio.Task[Recording]] = set()
        try:
            while True:
                while len(running) < self.limits.concurrency and (device := next(waiting, None)) is not None:
                    running.add(asyncio.create_task(self._read(device, platform(device.platform))))
                if not running:
                    return
                done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    yield task.result()
        finally:
            for task in running:
                task.cancel()

    async def _read(self, device: Device, platform: Platform) -> Recording:
        endpoint = self.endpoints.get(device.name)
        if endpoint is None:
            failure = Unreachable(
                "the inventory doesn't know it", where=device.name, remedy="Add it to the inventory", code="FD-INV-002"
            )
            return Recording(device.name, device.platform, failure=failure)
        return await read_device(endpoint, platform, self.limits, verify_host_keys=self.verify_host_keys)
