"""A switch of the lab, in process: read like the collector does, changed like the engine does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import replace

from fabric_drift.change import Action, Plan, Procedure, Stage
from fabric_drift.lab import clock
from fabric_drift.lab.emulator import LabDevice, LabPort
from fabric_drift.lab.eos import EMULATOR
from fabric_drift.lab.eos.terminal import Terminal
from fabric_drift.platform import Command, Output, Target
from fabric_drift.platforms.eos import PLATFORM
from fabric_drift.platforms.eos.reading import EosReading
from fabric_drift.state import DeviceState

RELEASES = ("4.31.2F", "4.32.2F", "4.35.0F")
"""Session states as up to 4.31, as from 4.32 on; order of sections as before and from 4.35 on."""
BEFORE_COMMIT = (Stage.PREFLIGHT, Stage.LOCK, Stage.SAVE, Stage.REHEARSE, Stage.ARM)
ALL = (*BEFORE_COMMIT, Stage.COMMIT, Stage.CONFIRM)


class Failed(Exception):
    """An action was refused: (stage, command, answer)."""


class Switch:
    """leaf9 with ``ports`` ports; some have a neighbour."""

    def __init__(self, release: str = "4.32.2F", ports: Sequence[str] = ("Ethernet1/1", "Ethernet2/1")) -> None:
        cabled = tuple(LabPort(name, 400_000, f"gpu{index}", "eth0") for index, name in enumerate(ports))
        self.store = EMULATOR.start(LabDevice("leaf9", "eos", release, "DCS-7060DX5-64S", cabled))
        self.release = release

    def ask(self, commands: Iterable[Command]) -> dict[str, Output]:
        """Answers as over exec channels."""
        answers = {item.text: EMULATOR.run(self.store, item.text) for item in commands}
        return {text: Output(item.stdout, item.stderr, item.exit_status) for text, item in answers.items()}

    def read(self) -> EosReading:
        return PLATFORM.parse(self.ask(PLATFORM.commands({})))  # type: ignore[return-value]

    def plan(self, expected: DeviceState) -> Plan:
        reading = self.read()
        target = Target("leaf9", self.release, names=reading.names)
        return PLATFORM.plan(reading, expected, target)

    def type(self, *lines: str) -> str:
        """What a human gets to read."""
        return EMULATOR.run(self.store, "\n".join(lines)).stdout

    def running(self) -> str:
        return self.type("show running-config")

    def advance(self, seconds: float) -> None:
        """Puts the clock forward; timers that are due run, as in the daemon."""
        self.store[clock.NOW] = clock.now_s(self.store) + seconds
        for timer in clock.take_due(self.store):
            assert EMULATOR.run(self.store, timer["command"], user="root").exit_status == 0

    def copy(self) -> Switch:
        other = Switch(self.release)
        other.store = deepcopy(self.store)
        return other


class Walker:
    """The stages of one procedure over one shell."""

    def __init__(self, switch: Switch, procedure: Procedure) -> None:
        self.switch = switch
        self.procedure = procedure
        self.reconnect()

    def reconnect(self) -> None:
        """A new shell; the old one is gone."""
        self.terminal: Terminal = EMULATOR.terminal(self.switch.store, "admin")
        self.terminal.type("enable")

    def walk(self, *stages: Stage) -> None:
        for stage in stages:
            for action in self.procedure.stages[stage]:
                self.act(stage, action)

    def act(self, stage: Stage, action: Action) -> None:
        """One action, judged as ``Action`` says. Raises Failed."""
        text = self.terminal.type(action.command).stdout
        refused = any(re.search(pattern, text, re.MULTILINE) for pattern in action.refused_by)
        if refused or (action.must_show and not re.search(action.must_show, text, re.MULTILINE)):
            raise Failed(stage, action.command, text)


def change(switch: Switch, expected: DeviceState, run_id: str = "run1") -> Plan:
    """The whole change, if there is one, on a switch where nothing goes wrong."""
    plan = switch.plan(expected)
    assert plan.refusals == ()
    if plan.steps:
        Walker(switch, PLATFORM.procedure(plan, run_id)).walk(*ALL)
    return plan


def part(plan: Plan, *indices: int) -> Plan:
    """Some of the steps of a plan."""
    return replace(plan, steps=tuple(plan.steps[index] for index in indices))
