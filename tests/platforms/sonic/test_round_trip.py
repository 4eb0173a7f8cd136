"""What is rendered is read back as what was meant, for every state that SONiC claims to support."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, given, settings

from fabric_drift.diff import DiffMemo, diff
from fabric_drift.finding import Layer
from fabric_drift.platform import Target
from fabric_drift.platforms.sonic import PLATFORM
from fabric_drift.state.device import DeviceState
from fabric_drift.state.tree import facts
from fabric_drift.state.values import Unobserved
from tests.platforms.sonic.devices import merged, own_rows, read, rendered
from tests.platforms.sonic.strategies import states

QUICK = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def _on_switch(state: DeviceState, target: Target) -> dict[str, Any]:
    return merged(own_rows(target), rendered(state, target))


@QUICK
@given(states())
def test_a_rendered_configuration_has_no_drift_from_its_intent(example: tuple[DeviceState, Target]) -> None:
    state, target = example
    expected = PLATFORM.localise(state, target)
    reading = read(_on_switch(expected, target), target)
    assert reading.unparsed == ()
    for layer in (Layer.RUNNING, Layer.SAVED):
        result = diff(expected, {layer: reading.states[layer]}, DiffMemo())
        assert [(item.path, item.expected, item.actual) for _, item in result.differences] == []
        assert result.unread == ()


@QUICK
@given(states())
def test_what_was_read_renders_and_reads_back_as_itself(example: tuple[DeviceState, Target]) -> None:
    state, target = example
    first = read(_on_switch(PLATFORM.localise(state, target), target), target)
    actual = first.states[Layer.RUNNING]
    second = read(_on_switch(actual, replace(target, names=first.names)), target)
    assert second.states[Layer.RUNNING] == actual
    assert second.names == first.names


@QUICK
@given(states())
def test_rendering_twice_gives_the_same_bytes(example: tuple[DeviceState, Target]) -> None:
    state, target = example
    expected = PLATFORM.localise(state, target)
    assert PLATFORM.render(expected, target) == PLATFORM.render(PLATFORM.localise(state, target), target)


@QUICK
@given(states())
def test_localising_a_localised_state_changes_nothing(example: tuple[DeviceState, Target]) -> None:
    state, target = example
    expected = PLATFORM.localise(state, target)
    assert PLATFORM.localise(expected, target) == expected


@given(states())
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
def test_nothing_of_a_rendered_configuration_is_unobserved(example: tuple[DeviceState, Target]) -> None:
    state, target = example
    actual = read(_on_switch(PLATFORM.localise(state, target), target), target).states[Layer.RUNNING]
    assert [path for path, value in facts(actual) if isinstance(value, Unobserved)] == []
