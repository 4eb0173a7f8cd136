"""Every change by hand that the lab knows is repaired by a plan or refused by name; nothing is guessed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabric_drift.diff import diff
from fabric_drift.finding import Layer
from fabric_drift.lab.eos import EMULATOR
from fabric_drift.platform import Target
from fabric_drift.platforms.eos import PLATFORM
from fabric_drift.state import UNSAID, DeviceState, Identity
from tests.platforms.eos.pod import leaf
from tests.platforms.eos.switch import Switch, change

PORTS = ("Ethernet1/1", "Ethernet2/1", "Ethernet3/1")
REFUSED = {"ports/Ethernet1/1/speed_mbps"}
"""`speed` needs a number of lanes."""


def expected_leaf() -> DeviceState:
    """What pod1's intent says of two of the three ports."""
    state = PLATFORM.localise(leaf(), Target("leaf9", "4.32.2F"))
    ports = {name: replace(port, neighbour=UNSAID) for name, port in state.ports.items()}  # type: ignore[union-attr]
    return replace(state, ports=ports, identity=Identity(hostname="leaf9"))


@pytest.fixture(scope="module")
def configured() -> Switch:
    switch = Switch("4.32.2F", PORTS)
    change(switch, without_speed(expected_leaf()))
    return switch


def without_speed(state: DeviceState) -> DeviceState:
    """An unconfigured switch says nothing of the speed in its configuration."""
    ports = {name: replace(port, speed_mbps=UNSAID) for name, port in state.ports.items()}  # type: ignore[union-attr]
    return replace(state, ports=ports)


MUTATIONS = sorted(
    name
    for name in EMULATOR.mutations(Switch("4.32.2F", PORTS).store)
    if not name.startswith(("stuck/", "ports/Ethernet1/1/neighbour", "saved/"))
)
QOS_MUTATIONS = (
    "deleted/qos_profile",
    "ports/all/qos/pfc/priorities",
    "ports/all/qos/pfc/watchdog",
    "ports/all/qos/pfc/watchdog/action",
    "ports/all/qos/pfc/watchdog/detect_ms",
    "ports/all/qos/queues/3/ecn",
    "ports/all/qos/queues/3/ecn/kmin_bytes",
    "ports/all/qos/queues/3/ecn/weight",
    "ports/all/qos/scheduling/0/share",
    "ports/all/qos/scheduling/3/strict",
    "ports/all/qos/scheduling/6/strict",
)
"""Of a switch that has a profile."""


@pytest.mark.parametrize("name", [*MUTATIONS, *QOS_MUTATIONS])
def test_a_change_by_hand_is_repaired_with_one_plan(configured: Switch, name: str) -> None:
    switch = configured.copy()
    expected = expected_leaf()
    before = switch.read().states[Layer.RUNNING]
    for command in EMULATOR.mutations(switch.store)[name]:
        switch.type(*command.splitlines())
    plan = switch.plan(expected)
    if name in REFUSED:
        assert [refusal.path[-1] for refusal in plan.refusals] == ["speed_mbps"]
        return
    assert plan.refusals == ()
    change(switch, expected, "repair")
    after = switch.read().states[Layer.RUNNING]
    assert diff(without_identity(expected), {Layer.RUNNING: after}).differences == []
    if plan.steps and not name.startswith(("extra/", "ports/all/qos/maps")):
        assert before == after


def without_identity(state: DeviceState) -> DeviceState:
    return replace(state, identity=UNSAID)


def test_each_mutation_of_a_map_entry_is_one_line(configured: Switch) -> None:
    switch = configured.copy()
    switch.type("configure", "qos map dscp 26 to traffic-class 5", "end")
    plan = switch.plan(expected_leaf())
    assert [step.forward for step in plan.steps] == [("qos map dscp 26 to traffic-class 3",)]
    assert [step.undo for step in plan.steps] == [("qos map dscp 26 to traffic-class 5",)]
