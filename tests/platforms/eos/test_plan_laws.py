"""Law 1 for changes: what is planned and typed on a switch gives what is expected, and what is undone is as before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabric_drift.diff import diff
from fabric_drift.finding import Layer
from fabric_drift.platforms.eos import PLATFORM
from fabric_drift.state import ABSENT, UNSAID, DeviceState, Ecn, Pfc, Port, PortQos, Queue
from tests.platforms.eos.pod import POLICY, TARGET, leaf
from tests.platforms.eos.strategies import states
from tests.platforms.eos.switch import RELEASES, Switch, change

IN_BYTES = Ecn(665, 700, max_probability_percent=20, weight=ABSENT)
IN_TIME = Ecn(kmin_ns=665_000, kmax_ns=700_000, max_probability_percent=20, weight=ABSENT)
PORTS = tuple(f"Ethernet{number}/1" for number in range(1, 65))


def with_ecn(ecn: Ecn) -> DeviceState:
    assert isinstance(POLICY.queues, Mapping)
    policy = replace(POLICY, queues={**POLICY.queues, 3: Queue(ecn=ecn)})
    return replace(PLATFORM.localise(leaf(policy), TARGET), identity=UNSAID)


def thresholds_that_differ(switch: Switch, expected: Ecn) -> set[str]:
    found = diff(with_ecn(expected), switch.read().states)
    assert not {path for path in found.unread if "ecn" in path}
    return {item.path[-1] for _, item in found.differences if "ecn" in item.path}


def shown(state: DeviceState) -> DeviceState:
    """Without what neither side can show: see ``readable``."""
    return replace(state, identity=UNSAID)


def readable(state: DeviceState) -> bool:
    """The emulated running-config doesn't show `no priority-flow-control pause watchdog`: see README, doubtful."""
    ports = state.ports
    assert not isinstance(ports, type(UNSAID))
    return all(_watched(port) for port in ports.values())  # type: ignore[union-attr]


def _watched(port: Port) -> bool:
    qos = port.qos
    assert isinstance(qos, PortQos)
    return isinstance(qos.pfc, Pfc) and not isinstance(qos.pfc.watchdog, type(UNSAID))


@given(states().filter(readable), st.sampled_from(RELEASES))
@settings(max_examples=15, deadline=None)
def test_nothing_is_planned_for_a_switch_that_is_as_expected(state: DeviceState, release: str) -> None:
    switch = Switch(release, PORTS)
    change(switch, state)
    again = switch.plan(state)
    assert (again.steps, again.refusals, again.route, again.diff) == ((), (), "", "")


@given(states().filter(readable), states().filter(readable), st.sampled_from(RELEASES))
@settings(max_examples=20, deadline=None)
def test_from_any_state_the_plan_leads_to_the_expected_one(old: DeviceState, new: DeviceState, release: str) -> None:
    switch = Switch(release, PORTS)
    change(switch, old, "old")
    change(switch, new, "new")
    actual = switch.read().states[Layer.RUNNING]
    assert {name: actual.ports[name] for name in new.ports} == new.ports  # type: ignore[index, union-attr]
    assert (actual.watchdog, actual.unreferenced) == (new.watchdog, new.unreferenced)


@pytest.mark.parametrize(("old", "new"), [(IN_BYTES, IN_TIME), (IN_TIME, IN_BYTES)])
def test_the_same_number_in_another_unit_is_another_threshold(old: Ecn, new: Ecn) -> None:
    switch = Switch("4.32.2F", PORTS)
    change(switch, with_ecn(old), "old")
    assert thresholds_that_differ(switch, new)
    change(switch, with_ecn(new), "new")
    assert not thresholds_that_differ(switch, new)


@given(states().filter(readable), states().filter(readable))
@settings(max_examples=20, deadline=None)
def test_undo_lines_give_back_the_running_configuration_as_it_was(old: DeviceState, new: DeviceState) -> None:
    switch = Switch("4.32.2F", PORTS)
    change(switch, old, "old")
    before = switch.running()
    plan = switch.plan(new)
    switch.type("configure", *(line for step in plan.steps for line in step.forward), "end")
    if plan.steps:
        assert switch.running() != before
    switch.type("configure", *(line for step in reversed(plan.steps) for line in step.undo), "end")
    assert switch.running() == before
