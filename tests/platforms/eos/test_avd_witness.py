"""An independent witness: pyavd (vendor schema and renderer) writes the same lines for the same state."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings

from fabric_drift.diff import diff
from fabric_drift.finding import Layer
from fabric_drift.platforms.eos import PLATFORM
from fabric_drift.state import DeviceState, PortQos
from tests.platforms.eos import avd
from tests.platforms.eos.reading import answers
from tests.platforms.eos.strategies import TARGET, states

pytestmark = pytest.mark.witness

NOT_IN_AVD = {
    r"dcbx mode ieee": "EOS User Manual, DCBX; AVD 6.4 has no dcbx",
    r"no priority-flow-control pause watchdog": "AVD 6.4 can't negate it; EOS negates any line with `no`",
    r"flowcontrol send on": "AVD 6.4 knows only `flowcontrol receive`; EOS User Manual, flow control",
    r"flowcontrol receive on": "kept out of the comparison together with its other direction",
}
"""Lines that we render and AVD can't, with the source that says EOS has them."""


def is_exception(line: tuple[str, ...]) -> bool:
    return any(re.fullmatch(pattern, line[-1]) for pattern in NOT_IN_AVD)


def rendered(state: DeviceState) -> str:
    return PLATFORM.render(state, TARGET)[0].text


def by_avd(state: DeviceState, ours: str) -> str:
    """AVD's text for ``state``, with the profile names that we chose."""
    attached = [line for line in avd.lines(ours) if line[-1].startswith("service-profile ")]
    names = {line[0].removeprefix("interface "): line[1].removeprefix("service-profile ") for line in attached}
    return avd.configuration(avd.structured(state, names))


@given(states())
@settings(max_examples=12, deadline=None)
def test_our_lines_are_avds_lines(state: DeviceState) -> None:
    ours = rendered(state)
    mine, theirs = avd.lines(ours), avd.lines(by_avd(state, ours))
    assert {line for line in mine if not is_exception(line)} == theirs - {("hostname leaf9",)}


@given(states())
@settings(max_examples=12, deadline=None)
def test_what_avd_writes_reads_back_as_the_same_state(state: DeviceState) -> None:
    assert isinstance(state.ports, Mapping)
    plain = replace(
        state,
        ports={
            name: replace(port, qos=replace(port.qos, dcbx="off", global_pause=False))
            for name, port in state.ports.items()
            if isinstance(port.qos, PortQos)
        },
    )
    ours = rendered(plain)
    assume("no priority-flow-control pause watchdog" not in ours)
    reading = PLATFORM.parse(answers(by_avd(plain, ours) + "end\n"))
    assert reading.unparsed == ()
    assert diff(plain, {Layer.RUNNING: reading.states[Layer.RUNNING]}).differences == []
