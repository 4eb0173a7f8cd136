"""The way to the world's devices, and its clock."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from fabric_drift.change import Action
from fabric_drift.platform import Command, Output
from fabric_drift.transport.recording import Recording
from fabric_drift.workflow.access import ControlSession
from fabric_drift.workflow.expectations import Device
from tests.faults.accidents import ANSWERS, gone
from tests.faults.rounds import Rounds
from tests.faults.world import World

COMMAND_SECONDS = 1.0


@dataclass
class WorldAccess(Rounds):
    world: World

    async def ask(self, device: Device, commands: Sequence[Command]) -> Recording:
        if not self.world.reachable(device.name):
            return Recording(device.name, device.platform, failure=gone(device.name))
        outputs = {command.text: self.world.run(device.name, command.text) for command in commands}
        self.world.pass_time(COMMAND_SECONDS)
        return Recording(device.name, device.platform, outputs)

    @asynccontextmanager
    async def control(self, device: Device, channel: str, netmiko_type: str) -> AsyncIterator[ControlSession]:
        del channel, netmiko_type
        if not self.world.reachable(device.name):
            raise gone(device.name)
        yield WorldSession(self.world, device.name)


@dataclass
class WorldSession:
    world: World
    device: str

    async def act(self, action: Action) -> Output:
        if not self.world.reachable(self.device):
            return ANSWERS["drop"]
        self.world.pass_time(COMMAND_SECONDS)
        return self.world.run(self.device, action.command, action.stdin)


@dataclass
class WorldClock:
    world: World

    def now(self) -> float:
        return self.world.now()

    async def sleep(self, seconds: float) -> None:
        self.world.pass_time(seconds)
