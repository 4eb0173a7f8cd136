"""Accidents on the way to a device: what a network, a device or a process does at the worst moment.

They are placed by stage of the procedure, so one table of faults fits every platform. ``Stagehand`` knows the stage
from the run log, which is written before anything of a stage is sent.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from fabric_drift.change import Action, Stage
from fabric_drift.errors import Unreachable
from fabric_drift.platform import Command, Output, Platform
from fabric_drift.transport.recording import Recording
from fabric_drift.workflow import apply as apply_module
from fabric_drift.workflow import journal
from fabric_drift.workflow.access import Access, ControlSession
from fabric_drift.workflow.expectations import Device

KILLED = 9
FIRST, LAST = 0, -1
ANSWERS = {
    "drop": Output(exit_status=None, error="the connection failed: connection lost"),
    "hang": Output(exit_status=None, error="no whole answer within 60 s"),
    "refuse": Output("% Invalid input\n", "Error: % Invalid input\n", 1),
    "garbage": Output("\x1b[2J~~~ \x00 not what you asked for %", exit_status=0),
}
NOT_RUN = Output("\x1b[2J~~~ \x00 not what you asked for %", exit_status=127)
"""Garbage instead of a command that ran: an exec channel has an exit status, which isn't 0 then."""


@dataclass
class Accident:
    """``what``: a key of ``ANSWERS``, kill, or something that happens to the bench (then the answer is true).

    ``action``: which one of the stage; ``when``: before it takes effect, or after.
    """

    stage: Stage
    what: str | Callable[[], object]
    when: str = "before"
    action: int = LAST
    times: int = 1


@dataclass
class Stagehand:
    """What was begun last, and the accidents to come. ``reads``: readings after a stage that fail, by stage."""

    accidents: list[Accident] = field(default_factory=list)
    unreadable_after: dict[Stage, int] = field(default_factory=dict)
    full_log_at: Stage | None = None
    stage: Stage | None = None
    begun: list[Stage] = field(default_factory=list)
    action: int = 0
    lengths: dict[Stage, int] = field(default_factory=dict)
    """How many actions a stage has, so that its last one can be meant."""

    def begin(self, stage: Stage) -> None:
        self.stage, self.action = stage, 0
        self.begun.append(stage)

    def due(self, when: str) -> list[Accident]:
        return [
            accident
            for accident in self.accidents
            if accident.stage is self.stage
            and accident.when == when
            and accident.times > 0
            and accident.action in (self.action, self.action - self.lengths.get(self.stage, 0))
        ]

    def strike(self, when: str) -> Output | None:
        for accident in self.due(when):
            accident.times -= 1
            if callable(accident.what):
                accident.what()
            elif accident.what == "kill":
                os._exit(KILLED)
            else:
                return ANSWERS[accident.what]
        return None

    def loses_a_reading(self) -> bool:
        left = self.unreadable_after.get(self.stage, 0) if self.stage else 0
        if left and self.stage:
            self.unreadable_after[self.stage] = left - 1
        return left > 0

    def on_stage(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Listens to the run log."""
        hand = self

        class Watched(journal.RunLog):
            def write(self, event: str, **details: Any) -> None:
                if event == "begin" and hand.full_log_at is not None and details["stage"] == hand.full_log_at.value:
                    raise OSError(28, "No space left on device")
                super().write(event, **details)
                if event == "begin":
                    hand.begin(Stage(details["stage"]))

        monkeypatch.setattr(apply_module, "RunLog", Watched)
        monkeypatch.setattr(journal, "RunLog", Watched)


@dataclass
class Overheard:
    """A platform whose procedures the stagehand knows."""

    platform: Any
    hand: Stagehand

    def __getattr__(self, name: str) -> Any:
        return getattr(self.platform, name)

    def procedure(self, plan: Any, run_id: str) -> Any:
        procedure = self.platform.procedure(plan, run_id)
        self.hand.lengths.update({stage: len(actions) for stage, actions in procedure.stages.items()})
        return procedure


@dataclass
class AccidentalAccess:
    """An access with accidents on the control sessions and the readings of one device."""

    inner: Access
    hand: Stagehand
    device: str

    async def read(self, device: Device, platform: Platform) -> Recording:
        if device.name == self.device and self.hand.loses_a_reading():
            return Recording(device.name, device.platform, failure=gone(device.name))
        return await self.inner.read(device, platform)

    async def ask(self, device: Device, commands: Sequence[Command]) -> Recording:
        return await self.inner.ask(device, commands)

    @asynccontextmanager
    async def control(self, device: Device, channel: str, netmiko_type: str) -> AsyncIterator[ControlSession]:
        async with self.inner.control(device, channel, netmiko_type) as session:
            self.hand.action = 0
            yield AccidentalSession(session, self.hand, has_status=channel == "exec")


@dataclass
class AccidentalSession:
    inner: ControlSession
    hand: Stagehand
    has_status: bool
    is_lost: bool = False

    async def act(self, action: Action) -> Output:
        if self.is_lost:
            return ANSWERS["drop"]
        output = self.hand.strike("before")
        if output is ANSWERS["garbage"] and self.has_status:
            output = NOT_RUN
        if output is None:
            output = await self.inner.act(action)
            output = self.hand.strike("after") or output
        self.hand.action += 1
        self.is_lost = bool(output.error)
        return output


def gone(name: str) -> Unreachable:
    return Unreachable("no answer", where=name, remedy="Check the path to the device", code="FD-SSH-001")


def log_of(directory: Path, device: str) -> Path:
    return max((directory / device).glob("*.jsonl"))
