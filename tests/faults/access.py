"""The way to the world's devices, with accidents on it: what a network, a device or a process does at the worst time."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from fabric_drift.change import Action
from fabric_drift.errors import Unreachable
from fabric_drift.platform import Command, Output, Platform
from fabric_drift.transport.recording import Recording
from fabric_drift.workflow.access import ControlSession
from fabric_drift.workflow.expectations import Device
from tests.faults.world import World

COMMAND_SECONDS = 1.0
KILLED = 9


@dataclass
class Accident:
    """Happens at the first ``times`` commands that match, before or after they take effect.

    ``what``: drop | hang | refuse | garbage | kill | reboot | or a function of the world.
    """

    at: str
    what: str | Callable[[World], None]
    when: str = "before"
    times: int = 1
    device: str = "leaf1"

    def strikes(self, device: str, command: str) -> bool:
        if self.times < 1 or device != self.device or not re.search(self.at, command):
            return False
        self.times -= 1
        return True


@dataclass
class WorldAccess:
    world: World
    accidents: list[Accident] = field(default_factory=list)
    sent: list[tuple[str, str]] = field(default_factory=list)

    async def read(self, device: Device, platform: Platform) -> Recording:
        outputs: dict[str, Output] = {}
        while wanted := platform.commands(outputs):
            recording = await self.ask(device, wanted)
            if recording.failure:
                return recording
            outputs |= recording.outputs
        return Recording(device.name, device.platform, outputs)

    async def ask(self, device: Device, commands: Sequence[Command]) -> Recording:
        if not self.world.reachable(device.name):
            return Recording(device.name, device.platform, failure=_gone(device.name))
        outputs = {command.text: self.command(device.name, command.text) for command in commands}
        return Recording(device.name, device.platform, outputs)

    @asynccontextmanager
    async def control(self, device: Device, channel: str, netmiko_type: str) -> AsyncIterator[ControlSession]:
        del channel, netmiko_type
        if not self.world.reachable(device.name):
            raise _gone(device.name)
        yield WorldSession(self, device.name)

    def command(self, device: str, text: str, stdin: str = "") -> Output:
        self.sent.append((device, text))
        self.world.pass_time(COMMAND_SECONDS)
        struck = [accident for accident in self.accidents if accident.strikes(device, text)]
        for accident in struck:
            if accident.when == "before" and (spoiled := self._happen(accident, device)) is not None:
                return spoiled
        output = self.world.run(device, text, stdin)
        for accident in struck:
            if accident.when == "after" and (spoiled := self._happen(accident, device)) is not None:
                return spoiled
        return output

    def _happen(self, accident: Accident, device: str) -> Output | None:
        if callable(accident.what):
            accident.what(self.world)
            return None
        if accident.what == "kill":
            os._exit(KILLED)
        if accident.what == "reboot":
            self.world.reboot(device)
        return ANSWERS[accident.what]


ANSWERS = {
    "drop": Output(exit_status=None, error="the connection failed: connection lost"),
    "reboot": Output(exit_status=None, error="the connection failed: connection lost"),
    "hang": Output(exit_status=None, error="no whole answer within 60 s"),
    "refuse": Output("% Invalid input\n", exit_status=1),
    "garbage": Output("\x1b[2J\udcff~~~ \x00 not what you asked for", exit_status=0),
}


@dataclass
class WorldSession:
    access: WorldAccess
    device: str
    is_open: bool = True

    async def act(self, action: Action) -> Output:
        if not self.is_open or not self.access.world.reachable(self.device):
            return ANSWERS["drop"]
        output = self.access.command(self.device, action.command, action.stdin)
        self.is_open = not output.error
        return output


@dataclass
class WorldClock:
    world: World

    def now(self) -> float:
        return self.world.now()

    async def sleep(self, seconds: float) -> None:
        self.world.pass_time(seconds)


def _gone(name: str) -> Unreachable:
    return Unreachable("no answer", where=name, remedy="Check the path to the device", code="FD-SSH-001")
