"""The QoS policy file: read into one way of writing it, and whatever OpenSM would drop or guess about is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from fabric_drift.errors import Unsupported
from fabric_drift.expect.infiniband import expect
from fabric_drift.intent.infiniband import load
from fabric_drift.platform import Target
from fabric_drift.platforms.opensm import PLATFORM, qos_policy
from fabric_drift.state.infiniband import Infiniband
from tests.intent.infiniband.editing import INTENT
from tests.scaling import reads_in_linear_time

GOOD = Path(__file__).with_name("data").joinpath("qos-policy.conf").read_text()
FAULTS: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("qos_faults.yml").read_text())
TARGET = Target("sm1", "3.3.23")


def test_everything_that_a_policy_may_say_is_read() -> None:
    found = qos_policy.parse(GOOD)
    assert found.faults == []
    assert "port-guid: 0x0c42a10300000001,0x0c42a10300000011-0x0c42a10300000031" in found.lines
    assert "pkey: 0x0010" in found.lines[found.lines.index("name: bulk") :]
    assert "service-id: 22,24576-24831" in found.lines
    assert "srp, target-port-guid 0x0c42a10300000101 : 2" in found.lines
    assert not [line for line in found.lines if line.startswith("use")]


def test_two_ways_of_writing_a_policy_are_the_same() -> None:
    other = "\n".join(
        f"\t {line}  # a note" for line in GOOD.replace("0x10\n", "0x0010\n").splitlines() if "use:" not in line
    )
    assert qos_policy.parse(other).lines == qos_policy.parse(GOOD).lines


def test_what_is_rendered_is_read_back() -> None:
    lines = tuple(qos_policy.parse(GOOD).lines)
    assert tuple(qos_policy.parse(qos_policy.render(lines)).lines) == lines


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault['by'].strip()[:40] or fault['replace'].strip()!r}")
def test_what_opensm_would_drop_or_guess_about_is_a_fault(fault: dict[str, Any]) -> None:
    assert fault["replace"] in GOOD
    found = qos_policy.parse(GOOD.replace(fault["replace"], fault["by"], 1))
    assert any(fault["says"] in item.reason for item in found.faults)
    assert all(item.line_number <= len(GOOD.splitlines()) + 2 for item in found.faults)


def test_levels_without_a_default_are_a_fault() -> None:
    text = "qos-levels\nqos-level\nname: bulk\nsl: 1\nend-qos-level\nend-qos-levels\n"
    assert ["no level is called DEFAULT" in fault.reason for fault in qos_policy.parse(text).faults] == [True]


def refused(lines: tuple[str, ...]) -> str:
    expected = expect(load(INTENT), "sm1")
    assert isinstance(expected.infiniband, Infiniband)
    with pytest.raises(Unsupported) as raised:
        PLATFORM.localise(replace(expected, infiniband=replace(expected.infiniband, qos_policy=lines)), TARGET)
    return raised.value.text()


def test_a_rule_on_a_key_that_no_partition_has_is_refused_before_it_is_pushed() -> None:
    assert "no partition has 0x0099" in refused(("qos-ulps", "default : 0", "any, pkey 0x0099 : 1", "end-qos-ulps"))


def test_a_level_that_no_lane_can_have_is_refused_before_it_is_pushed() -> None:
    assert "SL" in refused(("qos-ulps", "default : 16", "end-qos-ulps"))


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=300), st.sampled_from(GOOD.splitlines()))
def test_any_damage_is_read_without_an_exception(junk: str, line: str) -> None:
    qos_policy.parse(GOOD.replace(line, junk))


@pytest.mark.parametrize(
    "junk", ["qos-levels\nqos-level\n" * 40_000, "1-" * 500_000, "any, pkey 1,\n" * 80_000, ":" * 900_000]
)
def test_a_megabyte_of_junk_is_read_in_linear_time(junk: str) -> None:
    assert reads_in_linear_time(qos_policy.parse, junk)
