"""A few hundred damaged answers per platform; `make fuzz` judges 100,000 of each."""

from __future__ import annotations

import random

import pytest

from fabric_drift.finding import Verdict
from fabric_drift.platform import Output
from fabric_drift.result import DeviceStatus
from tests.fuzz.damage import KINDS, Damage, damage
from tests.fuzz.devices import DEVICES, small
from tests.fuzz.run import fault, fuzz
from tests.mutations.fabric import judged

CASES = 250


@pytest.mark.parametrize("platform", DEVICES)
def test_damaged_answers_break_no_law(platform: str) -> None:
    tally = fuzz(platform, CASES)
    assert tally.broken == []
    assert set(tally.kinds) == set(KINDS)
    assert tally.lossy > CASES / 3


@pytest.mark.parametrize("platform", DEVICES)
def test_the_devices_are_as_intended_before_they_are_damaged(platform: str) -> None:
    here = small(platform)
    result = judged(here, here.outputs())
    assert result.status is DeviceStatus.CHECKED
    assert {finding.verdict for finding in result.findings} == {Verdict.INFORMATION}


def test_the_same_seed_is_the_same_damage() -> None:
    outputs = {"a": Output("one\ntwo\n"), "b": Output('{"three": 3}')}
    first, second = (damage(random.Random(7), outputs) for _ in range(2))
    assert first == second


def test_a_match_where_drift_was_cut_off_is_noticed() -> None:
    """The law has teeth: a judge that takes the lost answer for a clean one is caught."""
    here = small("eos")
    changed = here.changed(("configure\ninterface Ethernet1/1\nmtu 1500\nend",))
    wrong = tuple(f for f in judged(changed, changed.outputs()).findings if f.verdict is Verdict.DRIFT)
    clean = judged(here, here.outputs())
    lost = Damage("cut", "show running-config", {}, is_loss=True)
    assert "mtu_bytes in running is 1500" in fault(lost, clean, wrong, clean.facts[Verdict.MATCH])
    assert "more matches" in fault(lost, clean, (), clean.facts[Verdict.MATCH] - 1)
