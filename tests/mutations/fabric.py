"""pod1 as it is intended, in memory: emulated devices that carry their rendered configuration, read and judged."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from fabric_drift.lab.emulator import Emulator, LabDevice, Store
from fabric_drift.lab.emulators import emulator
from fabric_drift.lab.fabrics import pod1
from fabric_drift.platform import Output, Platform
from fabric_drift.registry import platform
from fabric_drift.result import DeviceResult
from fabric_drift.state import DeviceState
from fabric_drift.transport.recording import Recording
from fabric_drift.workflow.expectations import Expectations, from_intent
from fabric_drift.workflow.judge import Judge
from fabric_drift.workflow.render import rendered, target

REPO = Path(__file__).resolve().parents[2]
ROUNDS = 4


POD1 = REPO / "intent/pod1"
MANAGED = Path(__file__).with_name("managed.yml")


def managed_files() -> dict[str, str]:
    """The files of pod1 with everything of managed.yml."""
    files = {path.name: path.read_text() for path in sorted(POD1.iterdir())}
    for name, changes in yaml.safe_load(MANAGED.read_text()).items():
        for change in changes:
            files[name] = _with(files[name], change)
    return files


def _with(text: str, change: Mapping[str, Any]) -> str:
    """``text`` with one change. Raises ValueError where its line isn't there exactly once."""
    anchor = change.get("below") or change["instead"]
    lines = text.splitlines()
    (at,) = (number for number, line in enumerate(lines) if line.startswith(anchor))
    lines[at : at + 1] = ([lines[at]] if "below" in change else []) + change["add"]
    return "\n".join(lines) + "\n"


@cache
def expectations() -> Expectations:
    return expected_by(managed_files())


def expected_by(files: Mapping[str, str]) -> Expectations:
    """The expectations of an intent that is given as text."""
    with TemporaryDirectory() as folder:
        for name, text in files.items():
            (Path(folder) / name).write_text(text)
        return from_intent(Path(folder))


@dataclass(frozen=True, slots=True)
class Subject:
    """One device of pod1 that runs what the intent means for it."""

    name: str
    emulator: Emulator
    platform: Platform
    store: Store
    expectations: Expectations

    def changed(self, commands: Sequence[str]) -> Subject:
        """A copy on which somebody typed ``commands``. Raises AssertionError for one that the device refuses."""
        store = copy.deepcopy(self.store)
        for command in commands:
            answer = self.emulator.run(store, command)
            said = answer.stdout + answer.stderr
            assert answer.exit_status == 0, f"{command}: {said}"
        return replace(self, store=store)

    def outputs(self) -> dict[str, Output]:
        """What the collector would bring home: rounds of commands until the platform asks no more."""
        outputs: dict[str, Output] = {}
        for _ in range(ROUNDS):
            asked = self.platform.commands(outputs)
            if not asked:
                break
            for command in asked:
                answer = self.emulator.run(self.store, command.wire, user="drift")
                outputs[command.text] = Output(answer.stdout, answer.stderr, answer.exit_status)
        return outputs


def judged(subject: Subject, outputs: Mapping[str, Output]) -> DeviceResult:
    """What a check says of these outputs: the product's own judge."""
    recording = Recording(subject.name, subject.platform.name, outputs)
    return Judge(subject.expectations).judge(recording, subject.platform)


@cache
def subject(name: str) -> Subject:
    """The device ``name`` of pod1 with its intended configuration loaded."""
    device = next(device for device in pod1() if device.name == name)
    return configured(device, expectations())


def configured(device: LabDevice, wanted: Expectations) -> Subject:
    """An emulated device with its intended configuration loaded."""
    core = emulator(device.emulator)
    intended = wanted.devices[device.name]
    store = core.start(device)
    core.load(store, {file.name: file.text for file in rendered(wanted, intended)})
    return Subject(device.name, core, platform(intended.platform), store, wanted)


def localised(name: str) -> DeviceState:
    """What is expected of the device, as its platform would show it."""
    device = expectations().devices[name]
    return platform(device.platform).localise(expectations().expect(name), target(expectations(), device))
