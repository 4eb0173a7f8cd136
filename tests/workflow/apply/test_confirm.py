"""A device that says no when it is asked to confirm: what it is afterwards decides, not what it said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fabric_drift.change import Stage
from fabric_drift.workflow.outcome import Outcome, Status
from tests.faults.accidents import LAST, Accident
from tests.faults.bench import PaperBench
from tests.faults.run import under_stagehand
from tests.faults.world import PORTS


@pytest.fixture
def bench(tmp_path: Path) -> PaperBench:
    return PaperBench(tmp_path)


def said_no(bench: PaperBench, happens: Callable[[], object] = lambda: None) -> Outcome:
    """A run whose confirmation took effect and was answered with a refusal; ``happens`` in between."""
    accidents = [Accident(Stage.CONFIRM, what, "after", LAST) for what in (happens, "refuse")]
    return under_stagehand(bench, accidents, bench.directory / "log")


def test_a_confirmed_and_saved_change_is_changed_and_what_was_said_is_told(bench: PaperBench) -> None:
    outcome = said_no(bench)
    assert (outcome.status, bench.is_whole(), bench.left_behind()) == (Status.CHANGED, True, [])
    assert "had confirmed the change all the same" in " ".join(outcome.notes)


def test_one_that_a_restart_would_take_back_needs_a_human(bench: PaperBench) -> None:
    outcome = said_no(bench, lambda: bench.world.edit("leaf1", saved=PORTS))
    assert (outcome.status, bool(outcome.by_hand)) == (Status.NEEDS_HUMAN, True)


def test_one_that_is_not_as_it_was_proven_needs_a_human(bench: PaperBench) -> None:
    another = {**PORTS, "Ethernet0": {"mtu": 1500, "pfc": [3]}}
    outcome = said_no(bench, lambda: bench.world.edit("leaf1", running=another, saved=another))
    assert (outcome.status, bool(outcome.by_hand)) == (Status.NEEDS_HUMAN, True)


def test_one_that_can_not_be_read_any_more_needs_a_human(bench: PaperBench) -> None:
    outcome = said_no(bench, lambda: bench.world.edit("leaf1", unreachable=True))
    assert (outcome.status, bool(outcome.by_hand)) == (Status.NEEDS_HUMAN, True)
