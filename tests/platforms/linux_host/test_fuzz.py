"""Hostile and broken answers: no traceback, bounded time, and never a match where information was lost."""

from __future__ import annotations

import os
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabric_drift.diff import diff
from fabric_drift.finding import Layer, Verdict
from fabric_drift.platform import Output
from fabric_drift.platforms.linux_host import PLATFORM
from fabric_drift.state.device import DeviceState
from tests.platforms.linux_host.sessions import capture

EXAMPLES = int(os.environ.get("FABRIC_DRIFT_FUZZ", "300"))
ANSWERS = capture("gpu1")
RAILS = ("0000:18:00.0", "0000:2a:00.0")
STATES = PLATFORM.parse(ANSWERS).states
JUNK = st.text(max_size=60) | st.sampled_from(["\x00", "\r\n", "[", '{"a":', "NaN", "9" * 5000, "\u2028", "\x1b[2J"])
# The owner lists name connections and neighbours that may be of no port of ours.
OTHER_NICS = ("enp41s0np0", "0000:29:00.0", "enp42s0np0", "0000:2a:00.0")
INDIFFERENT = ("rdma -j link show", "grep -r -e interface-name=")


def expected(layer: Layer) -> DeviceState:
    """What the host says when nothing is broken, of the two managed rails."""
    state = STATES[layer]
    return DeviceState(
        identity=state.identity,
        ports={pci: state.ports[pci] for pci in RAILS},  # type: ignore[index]
        job=state.job,
    )


EXPECTED = {layer: expected(layer) for layer in STATES}


@st.composite
def broken(draw: st.DrawFn) -> dict[str, Output]:
    """The host's answers with one of them cut, garbled, interleaved, doubled or replaced."""
    command = draw(st.sampled_from(sorted(ANSWERS)))
    text = ANSWERS[command].stdout
    at = draw(st.integers(0, len(text)))
    other = ANSWERS[draw(st.sampled_from(sorted(ANSWERS)))].stdout
    kind = draw(st.sampled_from(["cut", "insert", "replace", "interleave", "swap", "character", "failed"]))
    changed = {
        "cut": text[:at],
        "insert": text[:at] + draw(JUNK) + text[at:],
        "replace": draw(JUNK),
        "interleave": text[:at] + other + text[at:],
        "swap": other,
        "character": text[:at] + draw(st.characters()) + text[at + 1 :],
        "failed": text[:at],
    }[kind]
    status = draw(st.sampled_from([1, 2, 126, 127, 255, None])) if kind == "failed" else ANSWERS[command].exit_status
    error = draw(st.sampled_from(["", "timed out", "truncated"])) if kind == "failed" else ""
    return {**ANSWERS, command: Output(changed, ANSWERS[command].stderr, status, error)}


@given(broken())
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_broken_answer_never_raises(outputs: dict[str, Output]) -> None:
    reading = PLATFORM.parse(outputs)
    assert set(reading.states) == set(STATES)
    for line in reading.unparsed:
        assert line.line.isprintable() or line.line == ""
    list(PLATFORM.commands(outputs))


@given(st.sampled_from([command for command in sorted(ANSWERS) if not command.startswith(INDIFFERENT)]), st.data())
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_lost_answer_is_never_a_match(command: str, data: st.DataObject) -> None:
    """Losing an answer can only lower the count of matching facts, each loss being told as something else."""
    lost = Output("", "", None, data.draw(st.sampled_from(["timed out", "connection lost", "larger than 8 MB"])))
    reading = PLATFORM.parse({**ANSWERS, command: lost})
    for layer, wanted in EXPECTED.items():
        whole = diff(wanted, {layer: STATES[layer]})
        found = diff(wanted, {layer: reading.states[layer]})
        told = [item for _, item in found.differences if item.verdict is Verdict.UNOBSERVED]
        assert found.matches == whole.matches or told or found.unread
        assert not [item for _, item in found.differences if item.verdict is Verdict.MATCH]


@given(st.integers(0, 63), st.integers(0, 7))
@settings(max_examples=EXAMPLES // 3, deadline=None)
def test_one_changed_dscp_is_exactly_one_difference(dscp: int, priority: int) -> None:
    command = "dcb -j app show dev enp24s0np0"
    right = {26: 3, 48: 6}.get(dscp, 0)
    text = ANSWERS[command].stdout.replace(f"[{dscp},{right}]", f"[{dscp},{priority}]")
    reading = PLATFORM.parse({**ANSWERS, command: Output(text)})
    found = diff(EXPECTED[Layer.RUNNING], {Layer.RUNNING: reading.states[Layer.RUNNING]})
    changed = [(item.path, item.expected, item.actual) for _, item in found.differences]
    path = ("ports", RAILS[0], "qos", "maps", "dscp_to_priority", str(dscp))
    assert changed == ([] if priority == right else [(path, right, priority)])


@pytest.mark.parametrize("command", [text for text in sorted(ANSWERS) if not set(text.split()) & set(OTHER_NICS)])
@pytest.mark.parametrize("unit", ["x", " \t", "a=1\n", '{"a":1}', "/sys/class/net/a:1\n"])
def test_a_megabyte_of_junk_is_read_in_bounded_time(command: str, unit: str) -> None:
    junk = unit * (1_000_000 // len(unit))
    start = time.process_time()
    PLATFORM.parse({**ANSWERS, command: Output(ANSWERS[command].stdout + junk)})
    PLATFORM.parse({**ANSWERS, command: Output(junk, junk, 2)})
    assert time.process_time() - start < 5
