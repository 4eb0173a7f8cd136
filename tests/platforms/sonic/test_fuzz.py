"""Hostile and damaged answers: never a traceback, never a lost fact that looks like the one before."""

from __future__ import annotations

import json
import os
from functools import cache
from itertools import islice
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fabric_drift.finding import Layer
from fabric_drift.platform import Output, Reading
from fabric_drift.platforms.sonic import PLATFORM
from fabric_drift.platforms.sonic import commands as c
from fabric_drift.state.tree import facts
from fabric_drift.state.values import Unobserved
from tests.platforms.sonic.devices import merged, outputs_of, own_rows, rendered
from tests.platforms.sonic.roce import LEAF, roce_state
from tests.platforms.sonic.test_lower_layers import outputs as lower_outputs
from tests.scaling import reads_in_linear_time

EXAMPLES = int(os.environ.get("FABRIC_DRIFT_FUZZ", "300"))
FUZZ = settings(deadline=None, suppress_health_check=list(HealthCheck))
NOT_OURS = {("PORT", "lanes"), ("PORT", "alias"), ("DEVICE_METADATA", "type"), ("DEVICE_METADATA", "platform")}
DEFAULTS = {("mtu", "9100"), ("pfc_asym", "off"), ("action", "drop"), ("buffer_model", "traditional")}
JUNK = ["", " ", "{", '"', "\x00", "\x1b[2J", "null", "é", "9" * 5000, "-1", "[[", "NaN", "--More--", "\ud800"]


@cache
def _config() -> str:
    config = merged(own_rows(LEAF), rendered(PLATFORM.localise(roce_state(LEAF), LEAF), LEAF))
    return json.dumps(config, indent=1)


@cache
def _whole() -> dict[str, Output]:
    return {**lower_outputs(), **outputs_of(_config())}


@cache
def _before() -> Reading:
    return PLATFORM.parse(_whole())


def _mutate(text: str, kind: str, at: int, junk: str) -> str:
    at %= max(1, len(text))
    if kind == "truncate":
        return text[:at]
    if kind == "flip":
        return text[:at] + chr((ord(text[at]) ^ 1) or 32) + text[at + 1 :]
    if kind == "insert":
        return text[:at] + junk + text[at:]
    lines = text.splitlines()
    here, there = at % len(lines), (at * 7 + 3) % len(lines)
    if kind == "swap":
        lines[here], lines[there] = lines[there], lines[here]
    elif kind == "repeat":
        lines.insert(there, lines[here])
    else:
        del lines[here]
    return "\n".join(lines)


@settings(FUZZ, max_examples=EXAMPLES)
@given(
    command=st.sampled_from(sorted(item.text for item in c.FIRST_ROUND)),
    kind=st.sampled_from(["truncate", "flip", "insert", "swap", "repeat", "drop"]),
    at=st.integers(0, 10**6),
    junk=st.sampled_from(JUNK),
)
def test_a_damaged_answer_never_raises(command: str, kind: str, at: int, junk: str) -> None:
    outputs = _whole()
    damaged = _mutate(outputs[command].stdout, kind, at, junk)
    reading = PLATFORM.parse({**outputs, command: Output(damaged)})
    assert sorted(reading.states) == sorted(PLATFORM.layers)
    for layer, state in reading.states.items():
        for path, _ in islice(facts(state), at % 97, None, 97):  # a sample: all of them would take most of the time
            reading.evidence(layer, path)


@settings(FUZZ, max_examples=60)
@given(at=st.integers(1, 10**6), command=st.sampled_from([c.RUNNING, c.SAVED]))
def test_a_truncated_configuration_is_unobserved_everywhere(at: int, command: Any) -> None:
    text = _config()
    reading = PLATFORM.parse({**_whole(), command.text: Output(text[: at % len(text)])})
    assert {type(value) for _, value in facts(reading.states[command.layer])} == {Unobserved}


def _places() -> list[tuple[str, str, str]]:
    config = json.loads(_config())
    return [
        (table, key, field)
        for table, rows in sorted(config.items())
        for key, row in sorted(rows.items())
        for field in sorted(row)
        if (table, field) not in NOT_OURS
    ]


def _same_number(left: str, right: str) -> bool:
    return left.isascii() and left.isdecimal() and right.isdecimal() and int(left) == int(right)


@settings(FUZZ, max_examples=EXAMPLES)
@given(place=st.sampled_from(_places()), value=st.one_of(st.none(), st.text(max_size=6), st.integers(0, 99).map(str)))
def test_no_change_of_an_owned_field_is_invisible(place: tuple[str, str, str], value: str | None) -> None:
    table, key, field = place
    config = json.loads(_config())
    old = config[table][key].pop(field)
    if value == old or _same_number(value or "", old):
        return
    if value is not None:
        config[table][key][field] = value
    elif (field, old) in DEFAULTS:
        return
    reading = PLATFORM.parse({**_whole(), c.RUNNING.text: Output(json.dumps(config))})
    before = _before()
    changed = reading.states[Layer.RUNNING] != before.states[Layer.RUNNING]
    assert changed or reading.unparsed != before.unparsed


WORDS = st.sampled_from(["PORT", "Ethernet0", "QUEUE", "Ethernet0|3", "type", "value", "hash", "x"])
DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)


@settings(FUZZ, max_examples=100)
@given(DOCUMENTS)
def test_any_json_at_all_is_read_without_raising(document: Any) -> None:
    text = json.dumps(document)
    reading = PLATFORM.parse({item.text: Output(text) for item in c.FIRST_ROUND})
    assert sorted(reading.states) == sorted(PLATFORM.layers)


@pytest.mark.parametrize(
    "junk",
    ["[" * 10**6, "{" * 10**6, "a" * 10**6, '{"PORT": ' * 10**5, "9" * 10**6, "asic_type: '" * 10**5, "\n" * 10**6],
    ids=["brackets", "braces", "letters", "nesting", "digits", "yaml", "lines"],
)
def test_a_megabyte_of_junk_is_read_in_linear_time_and_understood_nowhere(junk: str) -> None:
    assert reads_in_linear_time(lambda text: PLATFORM.parse({item.text: Output(text) for item in c.FIRST_ROUND}), junk)
    reading = PLATFORM.parse({item.text: Output(junk) for item in c.FIRST_ROUND})
    for state in reading.states.values():
        assert {type(value) for _, value in facts(state)} == {Unobserved}
