"""Walks a plan's procedure on an emulated switch as an engine would, and reads the switch back."""

from __future__ import annotations

import copy
import json
import re
from dataclasses import replace
from typing import Any

from fabric_drift.change import Action, Health, Plan, Procedure, Stage
from fabric_drift.diff import DiffMemo, diff
from fabric_drift.finding import Layer
from fabric_drift.lab import fabrics
from fabric_drift.lab.clock import take_due
from fabric_drift.lab.emulator import Answer
from fabric_drift.lab.sonic import EMULATOR
from fabric_drift.platform import Output, Target
from fabric_drift.platforms.sonic import PLATFORM
from fabric_drift.platforms.sonic.reading import SonicReading
from fabric_drift.state.device import DeviceState

POD = {device.name: device for device in fabrics.pod1()}
APPLYING = (Stage.PREFLIGHT, Stage.LOCK, Stage.SAVE, Stage.REHEARSE, Stage.ARM, Stage.COMMIT)
ALL = (*APPLYING, Stage.CONFIRM)


class Refused(Exception):
    """A stage said no: the stage, the command and the answer."""


class Switch:
    """An emulated switch with an operator's hands on it."""

    def __init__(self, name: str = "leaf1", release: str = "") -> None:
        device = POD[name]
        self.name = name
        self.store = EMULATOR.start(replace(device, release=release or device.release))

    def answer(self, command: str, stdin: str = "") -> Answer:
        if EMULATOR.reads_input(command):
            return EMULATOR.run_with_input(self.store, command, stdin)
        return EMULATOR.run(self.store, command)

    def run(self, *commands: str) -> str:
        output = ""
        for command in commands:
            answer = self.answer(command)
            assert answer.exit_status == 0, (command, answer)
            output = answer.stdout
        return output

    def read(self) -> SonicReading:
        outputs: dict[str, Output] = {}
        while commands := PLATFORM.commands(outputs):
            for command in commands:
                answer = self.answer(command.wire)
                outputs[command.text] = Output(answer.stdout, answer.stderr, answer.exit_status)
        reading = PLATFORM.parse(outputs)
        assert isinstance(reading, SonicReading)
        return reading

    def target(self, reading: SonicReading) -> Target:
        identity: Any = reading.states[Layer.RUNNING].identity
        ports: Any = reading.states[Layer.RUNNING].ports
        return Target(self.name, identity.release, identity.hardware, identity.asic, tuple(ports), reading.names)

    def plan(self, expected: DeviceState) -> Plan:
        reading = self.read()
        target = self.target(reading)
        return PLATFORM.plan(reading, PLATFORM.localise(expected, target), target)

    def drift(self, expected: DeviceState, *layers: Layer) -> list[tuple[Layer, tuple[str, ...], Any, Any]]:
        """What differs from the intent in these layers, in all that hold configuration by default."""
        reading = self.read()
        wanted = PLATFORM.localise(expected, self.target(reading))
        states = {layer: reading.states[layer] for layer in layers or (Layer.SAVED, Layer.RUNNING, Layer.SAI)}
        found = diff(wanted, states, DiffMemo()).differences
        return [(layer, item.path, item.expected, item.actual) for layer, item in found]

    def health(self) -> Health:
        outputs = {}
        for command in PLATFORM.health_commands():
            answer = self.answer(command.wire)
            outputs[command.text] = Output(answer.stdout, answer.stderr, answer.exit_status)
        return PLATFORM.health(outputs)

    def walk(self, procedure: Procedure, *stages: Stage) -> None:
        """Every action of the stages; raises Refused at the first that says no."""
        for stage in stages or ALL:
            for action in procedure.stages[stage]:
                self._act(stage, action)

    def _act(self, stage: Stage, action: Action) -> None:
        answer = self.answer(action.command, action.stdin)
        text = answer.stdout + answer.stderr
        refused = answer.exit_status != 0 or any(
            re.search(pattern, text, re.MULTILINE) for pattern in action.refused_by
        )
        if refused or not re.search(action.must_show, text, re.MULTILINE):
            raise Refused(stage, action.command, answer)

    def wait(self, seconds: float) -> list[str]:
        """Puts the clock forward; the units whose timers fired."""
        self.store["clock"] = self.store.get("clock", 0.0) + seconds
        due = take_due(self.store)
        for timer in due:
            EMULATOR.run(self.store, timer["command"], user="root")
        return [timer["unit"] for timer in due]

    def load(self, tables: dict[str, Any]) -> None:
        """Boots with rendered tables."""
        EMULATOR.load(self.store, {"config_db.json": json.dumps(tables)})

    def facts(self) -> DeviceState:
        return self.read().states[Layer.RUNNING]

    def config(self) -> dict[str, Any]:
        return copy.deepcopy(self.store["running"])

    def flapped(self) -> set[str]:
        """Ports that lost their link since the last call."""
        flaps = self.store.pop("flaps", [])
        return {flap["port"] for flap in flaps}
