"""Every change by hand of every device is exactly the finding that the data of this folder asks for."""

from __future__ import annotations

import pytest

from fabric_drift.finding import Verdict
from fabric_drift.result import DeviceStatus
from tests.mutations.expected import PLATFORMS, load
from tests.mutations.fabric import judged, subject
from tests.mutations.judgement import changes, expectation, outcome, unreached
from tests.mutations.table import PAGE, page

DEVICES = [device for platform in PLATFORMS for device in load(platform).devices]


@pytest.mark.parametrize("device", DEVICES)
def test_a_device_that_runs_what_the_intent_means_has_no_drift(device: str) -> None:
    here = subject(device)
    result = judged(here, here.outputs())
    assert result.status is DeviceStatus.CHECKED
    assert {finding.verdict for finding in result.findings} == {Verdict.INFORMATION}  # ports that nobody manages


@pytest.mark.parametrize("device", DEVICES)
def test_every_change_is_exactly_the_expected_finding_and_every_fact_is_reached(device: str) -> None:
    outcomes = [outcome(device, name) for name in changes(device)]
    assert [problem for result in outcomes for problem in result.problems] == []
    assert unreached(device, outcomes) - expectation(device).unreached.keys() == set()


def test_a_job_that_marks_its_traffic_as_the_intent_says_is_no_finding() -> None:
    busy = subject("gpu1").changed(["lab traffic 0000:18:00.0 26"])
    result = judged(busy, busy.outputs())
    assert {finding.verdict for finding in result.findings} == {Verdict.INFORMATION}
    assert not any("no RDMA was sent" in note for note in result.notes)


@pytest.mark.parametrize("device", DEVICES)
def test_more_than_one_fact_moves_only_where_the_data_says_why(device: str) -> None:
    for name, commands in changes(device).items():
        rule, caught = expectation(device).rule_for(device, name, commands)
        facts = {path[2:] if path[0] == "ports" else path for path in rule.paths(caught)}
        assert len(facts) == 1 or rule.why, name


@pytest.mark.parametrize("platform", PLATFORMS)
def test_no_rule_is_about_nothing(platform: str) -> None:
    used = {
        id(expectation(device).rule_for(device, name, commands)[0])
        for device in load(platform).devices
        for name, commands in changes(device).items()
    }
    assert [rule.title for rule in load(platform).rules if id(rule) not in used] == []


def test_the_page_is_fresh() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `make mutations`"
