"""An independent witness: pyavd (vendor schema and renderer) writes the same lines for the same state."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import Phase, assume, given, settings

from fabric_drift.diff import diff
from fabric_drift.finding import Layer
from fabric_drift.platforms.eos import PLATFORM, plan_lines
from fabric_drift.state import DeviceState, PortQos
from tests.platforms.eos import avd
from tests.platforms.eos.reading import answers
from tests.platforms.eos.strategies import TARGET, states
from tests.platforms.eos.switch import Switch

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


REMOVALS = ("no ", "default ")
SETTINGS_THAT_NEGATE = ("no priority", "no qos trust", "no error-correction encoding", "no shutdown")


def entries(lines: set[tuple[str, ...]]) -> set[tuple[str, ...]]:
    """With one entry of a map per line."""
    return {(*line[:-1], entry) for line in lines for entry in plan_lines.entries(line[-1])}


def named_alike(ours: set[tuple[str, ...]], theirs: set[tuple[str, ...]]) -> set[tuple[str, ...]]:
    """A plan makes no profile for a policy that is EOS's default, so its numbers may be others: by attachment."""
    attached = {line[0]: line[1].split()[1] for line in theirs if line[-1].startswith("service-profile ")}
    names = {line[1].split()[1]: attached[line[0]] for line in ours if line[-1].startswith("service-profile ")}

    def renamed(part: str) -> str:
        kind, _, name = part.rpartition(" ")
        return f"{kind} {names[name]}" if kind in {"qos profile", "service-profile"} else part

    return {tuple(renamed(part) for part in line) for line in ours}


@given(states())
@settings(max_examples=12, deadline=None, phases=[Phase.reuse, Phase.generate])  # AVD takes too long to shrink with
def test_every_line_of_a_session_is_one_that_avd_writes_for_the_same_state(state: DeviceState) -> None:
    fresh = Switch("4.32.2F", tuple(f"Ethernet{number}/1" for number in range(1, 65)))
    text = "\n".join(line for step in fresh.plan(state).steps for line in step.forward)
    known = avd.lines(by_avd(state, rendered(state)))
    typed = {line for line in named_alike(avd.lines(text), known) if not is_exception(line)}
    typed = {line for line in typed if not line[-1].startswith(REMOVALS) or line[-1] in SETTINGS_THAT_NEGATE}
    headers = {line[:1] for line in known if len(line) > 1} | {line[:2] for line in known if len(line) > 2}
    up = {(f"interface {name}", "no shutdown") for name in fresh.store["ports"]}
    assert entries(typed) - entries(known) - headers - up == set()
