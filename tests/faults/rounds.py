"""Reading a device to the end: round by round, as its platform asks, until an answer fails to come."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from fabric_drift.platform import Command, Output, Platform
from fabric_drift.transport.recording import Recording
from fabric_drift.workflow.expectations import Device


class Rounds(ABC):
    @abstractmethod
    async def ask(self, device: Device, commands: Sequence[Command]) -> Recording:
        """The answers to one round."""

    async def read(self, device: Device, platform: Platform) -> Recording:
        outputs: dict[str, Output] = {}
        while wanted := platform.commands(outputs):
            recording = await self.ask(device, wanted)
            if recording.failure:
                return recording
            outputs |= recording.outputs
        return Recording(device.name, device.platform, outputs)
