"""Law 1: what is rendered reads back as it was meant, for every state that EOS can express."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from fabric_drift.diff import diff
from fabric_drift.finding import Layer
from fabric_drift.platforms.eos import PLATFORM
from fabric_drift.state import UNSAID, DeviceState
from tests.platforms.eos.reading import answers
from tests.platforms.eos.strategies import TARGET, states


def as_running(text: str) -> str:
    return f"! Command: show running-config\n!\nhostname leaf9\n{text}!\nrouter bgp 65009\n   neighbor x\nend\n"


@given(states())
@settings(max_examples=60, deadline=None)
def test_what_is_rendered_reads_back_as_it_was_meant(expected: DeviceState) -> None:
    [rendered] = PLATFORM.render(expected, TARGET)
    reading = PLATFORM.parse(answers(as_running(rendered.text)))
    assert reading.unparsed == ()
    for layer in (Layer.RUNNING, Layer.SAVED):
        assert replace(reading.states[layer], identity=UNSAID) == expected


@given(states())
@settings(max_examples=30, deadline=None)
def test_localising_twice_changes_nothing(expected: DeviceState) -> None:
    assert PLATFORM.localise(expected, TARGET) == expected


@given(states(), st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_the_order_of_sections_does_not_matter(expected: DeviceState, random: Random) -> None:
    [rendered] = PLATFORM.render(expected, TARGET)
    whole = [f"!\n{part}" for part in _sections(rendered.text)]
    random.shuffle(whole)
    reading = PLATFORM.parse(answers(as_running("".join(whole))))
    assert diff(expected, {Layer.RUNNING: reading.states[Layer.RUNNING]}).differences == []


def _sections(text: str) -> list[str]:
    """Blocks with their bodies; lines at the left margin of the last block each for itself."""
    found: list[str] = []
    for line in text.splitlines(keepends=True):
        if line.startswith(" "):
            found[-1] += line
        elif line != "!\n":
            found.append(line)
    return found


@given(states())
@settings(max_examples=20, deadline=None)
def test_names_that_the_switch_has_are_kept_when_it_is_rendered_again(expected: DeviceState) -> None:
    [first] = PLATFORM.render(expected, TARGET)
    text = first.text.replace("ROCE", "GPU-RAIL")
    names = PLATFORM.parse(answers(as_running(text))).names
    [second] = PLATFORM.render(expected, replace(TARGET, names=names))
    assert "ROCE" not in second.text
    assert sorted(second.text.splitlines()) == sorted(text.splitlines())
