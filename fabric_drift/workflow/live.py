"""The way to live devices: every reading and every session is a connection of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from fabric_drift.errors import FabricDriftError, Unreachable
from fabric_drift.platform import Command, Output, Platform
from fabric_drift.transport.collect import read_device, scrubbed
from fabric_drift.transport.endpoint import Endpoint
from fabric_drift.transport.limits import Limits
from fabric_drift.transport.recording import Recording
from fabric_drift.workflow.access import ControlSession
from fabric_drift.workflow.expectations import Device


@dataclass(frozen=True, slots=True)
class LiveAccess:
    """Devices over SSH, as the inventory says."""

    endpoints: Mapping[str, Endpoint]
    limits: Limits = field(default_factory=Limits)
    verify_host_keys: bool = True

    async def read(self, device: Device, platform: Platform) -> Recording:
        """All facts; a failure is in the recording."""
        try:
            endpoint = self._endpoint(device.name)
        except FabricDriftError as failure:
            return Recording(device.name, device.platform, failure=failure)
        return await read_device(endpoint, platform, self.limits, verify_host_keys=self.verify_host_keys)

    async def ask(self, device: Device, commands: Sequence[Command]) -> Recording:
        """The answers to some read-only commands."""
        from fabric_drift.transport.ssh import connect  # noqa: PLC0415  asyncssh is slow to import

        seconds = self.limits.command_seconds
        outputs: dict[str, Output] = {}
        try:
            endpoint = self._endpoint(device.name)
            async with connect(endpoint, self.limits, verify_host_keys=self.verify_host_keys) as session:
                for command in commands:
                    answer = await session.run(command, seconds, f"the command's {seconds:g} s")
                    outputs[command.text] = scrubbed(answer)
        except FabricDriftError as failure:
            return Recording(device.name, device.platform, failure=failure)
        return Recording(device.name, device.platform, outputs)

    @asynccontextmanager
    async def control(self, device: Device, channel: str, netmiko_type: str) -> AsyncIterator[ControlSession]:
        """A session for actions. Raises Unreachable or Unauthorised on entering."""
        endpoint = self._endpoint(device.name)
        if channel == "shell":
            from fabric_drift.transport.shell import shell_control  # noqa: PLC0415  netmiko is slow to import

            opened = shell_control(endpoint, self.limits, netmiko_type, verify_host_keys=self.verify_host_keys)
            async with opened as shell:
                yield shell
            return
        from fabric_drift.transport.control import exec_control  # noqa: PLC0415

        async with exec_control(endpoint, self.limits, verify_host_keys=self.verify_host_keys) as session:
            yield session

    def _endpoint(self, name: str) -> Endpoint:
        if name not in self.endpoints:
            raise Unreachable(
                "the inventory doesn't know it", where=name, remedy="Add it to the inventory", code="FD-INV-002"
            )
        return self.endpoints[name]
