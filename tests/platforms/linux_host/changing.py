"""An emulated host that is read, changed by the stages of a procedure, and looked at. Test code only."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from typing import Any

from fabric_drift.change import Plan, Procedure, Stage
from fabric_drift.diff import diff
from fabric_drift.finding import Layer
from fabric_drift.lab.clock import NOW, take_due
from fabric_drift.lab.emulator import Answer, LabDevice, LabPort, Store
from fabric_drift.lab.linux_host import EMULATOR
from fabric_drift.platform import Output, Reading, Target
from fabric_drift.platforms.linux_host import CHANGER, PLATFORM
from fabric_drift.state.device import DeviceState
from fabric_drift.state.tree import plain
from tests.platforms.linux_host.policies import DESIGNS, RAILS, host

TARGET = Target("gpu1", "22.04")
GUARDED = (Stage.PREFLIGHT, Stage.LOCK, Stage.SAVE, Stage.REHEARSE, Stage.ARM, Stage.COMMIT)
DEVICE = LabDevice(
    "gpu1",
    "linux_host",
    "22.04",
    "HGX-H100",
    (
        LabPort(RAILS[0], 400_000, "leaf1", "Ethernet0", alias="enp24s0np0", role="rail1"),
        LabPort(RAILS[1], 400_000, "leaf1", "Ethernet8", alias="enp42s0np0", role="rail2"),
        LabPort("0000:29:00.0", 200_000, alias="enp41s0np0", role="storage"),
        LabPort("0000:cc:00.0", 10_000, alias="eno1", role="management"),
    ),
)
POD1 = PLATFORM.localise(host(DESIGNS["nvidia"], job={"NCCL_IB_TC": "106", "UCX_IB_TRAFFIC_CLASS": "106"}), TARGET)


def fresh(*, gate: str = "drained") -> Store:
    """A host that nobody configured."""
    store = EMULATOR.start(DEVICE)
    run(store, f"lab gate {gate}")
    return store


def configured(state: DeviceState = POD1) -> Store:
    """A host that booted with the files of ``state``."""
    store = fresh()
    EMULATOR.load(store, {file.name: file.text for file in PLATFORM.render(state, TARGET)})
    return store


def run(store: Store, command: str, stdin: str = "") -> Answer:
    """One command of the administrator."""
    if EMULATOR.reads_input(command):
        return EMULATOR.run_with_input(store, command, stdin)
    return EMULATOR.run(store, command)


def reading(store: Store) -> Reading:
    """What a check would read. Reading must change nothing."""
    outputs: dict[str, Output] = {}
    while commands := PLATFORM.commands(outputs):
        for command in commands:
            answer = run(store, command.wire)
            outputs[command.text] = Output(answer.stdout, answer.stderr, answer.exit_status)
    return PLATFORM.parse(outputs)


def planned(store: Store, expected: DeviceState = POD1) -> Plan:
    """The plan for the host as it is."""
    return CHANGER.plan(reading(store), expected, TARGET)


def left(store: Store, expected: DeviceState = POD1) -> list[str]:
    """What running and saved layer still lack; firmware parameters aside, which only a boot changes."""
    states = reading(store).states
    found = diff(expected, {layer: states[layer] for layer in (Layer.RUNNING, Layer.SAVED)})
    paths = ["/".join(item.path) for _, item in found.differences] + ["/".join(path) for path in found.unread]
    return [path for path in paths if "firmware_parameters" not in path]


def seen(store: Store) -> dict[str, Any]:
    """Every fact of every layer, for comparing before and after."""
    return {layer.value: plain(state) for layer, state in reading(store).states.items()}


def walk(store: Store, procedure: Procedure, *stages: Stage) -> str:
    """Runs stages in turn; the problem of the first action that fails, or ""."""
    for stage in stages:
        for action in procedure.stages[stage]:
            answer = run(store, action.command, action.stdin)
            text = f"{answer.stdout}\n{answer.stderr}"
            shows = not action.must_show or re.search(action.must_show, text, re.MULTILINE)
            if answer.exit_status or not shows:
                return f"{stage.value}: {answer.exit_status}: {text.strip()}"
    return ""


def apply(store: Store, expected: DeviceState = POD1, run_id: str = "run1") -> Procedure:
    """Everything up to the commit, which has to succeed."""
    procedure = CHANGER.procedure(planned(store, expected), run_id)
    assert walk(store, procedure, *GUARDED) == ""
    return procedure


def pass_time(store: Store, seconds: float) -> list[Answer]:
    """Puts the clock forward and runs what is due, as root."""
    store[NOW] = store.get(NOW, 0.0) + seconds
    return [EMULATOR.run(store, str(timer["command"]), user="root") for timer in take_due(store)]


def bytes_of(store: Store) -> str:
    """The whole store, to see that nothing at all was changed."""
    return json.dumps(deepcopy(store), sort_keys=True)
