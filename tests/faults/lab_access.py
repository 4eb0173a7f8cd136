"""The way to devices of the lab, in this process: their emulators, stores on disk, a clock that is put forward."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from fabric_drift.change import Action
from fabric_drift.lab import fabrics
from fabric_drift.lab.device import RunningDevice
from fabric_drift.lab.directory import LabDirectory
from fabric_drift.lab.emulator import Answer, Terminal
from fabric_drift.lab.emulators import emulator
from fabric_drift.lab.wiring import Wiring
from fabric_drift.platform import Command, Output
from fabric_drift.transport.recording import Recording
from fabric_drift.workflow.access import ControlSession
from fabric_drift.workflow.expectations import Device
from tests.faults.accidents import ANSWERS, gone
from tests.faults.rounds import Rounds

POD1 = {device.name: device for device in fabrics.pod1()}
READING_SECONDS, ACTION_SECONDS = 2.0, 1.0
USER = "admin"


@dataclass
class LabWorld:
    """Devices of pod1, made when first needed. Circumstances and the clock are on disk, for killed processes."""

    directory: Path
    wired: frozenset[str] = frozenset()
    """Devices that feel what happens to the others."""
    devices: dict[str, RunningDevice] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.wiring = Wiring(POD1, lambda name: self.device(name) if name in self.wired else None)

    def device(self, name: str) -> RunningDevice:
        if name not in self.devices:
            lab = LabDirectory(self.directory / "lab")
            device = RunningDevice(lab, POD1[name], emulator(POD1[name].emulator))
            device.tick(self.now())
            device.changed = partial(self.wiring.carry, name)
            self.devices[name] = device
        return self.devices[name]

    def store(self, name: str) -> dict[str, Any]:
        return self.device(name)._store.value

    def save(self, name: str) -> None:
        self.device(name)._store.save()

    def circumstances(self) -> dict[str, Any]:
        file = self.directory / "circumstances.json"
        return dict(json.loads(file.read_text())) if file.exists() else {}

    def set(self, **values: Any) -> None:
        content = json.dumps({**self.circumstances(), **values})
        (self.directory / "circumstances.json").write_text(content)

    def now(self) -> float:
        return float(self.circumstances().get("now", 0.0))

    def pass_time(self, seconds: float) -> None:
        self.set(now=self.now() + seconds)
        for device in self.devices.values():
            device.tick(self.now())

    def reachable(self, name: str) -> bool:
        known = self.circumstances()
        return name not in known.get("unreachable", []) and self.now() >= known.get("up_at", {}).get(name, 0.0)

    def behind(self, name: str) -> RunningDevice:
        """The device that answers at this address."""
        return self.device(self.circumstances().get("answers", {}).get(name, name))

    def typed(self, name: str, *commands: str) -> None:
        """What hands type; raises for a refusal."""
        for command in commands:
            answer = self.device(name).run(USER, command)
            assert answer.exit_status == 0, (command, answer)
        self.save(name)


@dataclass
class LabAccess(Rounds):
    world: LabWorld

    async def ask(self, device: Device, commands: Sequence[Command]) -> Recording:
        self.world.pass_time(READING_SECONDS)
        if not self.world.reachable(device.name):
            return Recording(device.name, device.platform, failure=gone(device.name))
        there = self.world.behind(device.name)
        outputs = {command.text: _output(there.run(USER, command.wire)) for command in commands}
        deaf = self.world.circumstances().get("deaf", {}).get(device.name, [])
        outputs |= {text: Output("", "not available now", 1) for text in outputs if text in deaf}
        return Recording(device.name, device.platform, outputs)

    @asynccontextmanager
    async def control(self, device: Device, channel: str, netmiko_type: str) -> AsyncIterator[ControlSession]:
        del netmiko_type
        if not self.world.reachable(device.name):
            raise gone(device.name)
        there = self.world.behind(device.name)
        terminal = there.terminal(USER) if channel == "shell" else None
        if terminal is not None:
            terminal.type("enable")
        yield LabSession(self.world, device.name, there, terminal)


@dataclass
class LabSession:
    world: LabWorld
    name: str
    there: RunningDevice
    terminal: Terminal | None

    async def act(self, action: Action) -> Output:
        self.world.pass_time(ACTION_SECONDS)
        if not self.world.reachable(self.name):
            return ANSWERS["drop"]
        if self.terminal is not None:
            said = self.there.type(self.terminal, USER, action.command)
            return Output(said.stdout + said.stderr)
        return _output(self.there.run(USER, action.command, action.stdin))


def _output(answer: Answer) -> Output:
    return Output(answer.stdout, answer.stderr, answer.exit_status)
