"""The seam to the devices of a change: reading over a new connection, and a session that may write."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from fabric_drift.change import Action
from fabric_drift.platform import Command, Output, Platform
from fabric_drift.transport.recording import Recording
from fabric_drift.workflow.expectations import Device


class ControlSession(Protocol):
    """An open connection that may change the device."""

    async def act(self, action: Action) -> Output:
        """The answer; never raises for what a device does. ``Output.error``: no whole answer, effect unknown."""
        ...


class Access(Protocol):
    """How a run reaches devices. Every call is a new connection."""

    async def read(self, device: Device, platform: Platform) -> Recording:
        """All facts; a failure is in the recording."""
        ...

    async def ask(self, device: Device, commands: Sequence[Command]) -> Recording:
        """The answers to some read-only commands (health)."""
        ...

    def control(self, device: Device, channel: str, netmiko_type: str) -> AbstractAsyncContextManager[ControlSession]:
        """A session for actions. Raises Unreachable or Unauthorised on entering."""
        ...
