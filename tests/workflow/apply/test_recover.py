"""A run that was cut is brought to its end by the next one, which applies nothing on top."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from fabric_drift.change import Stage
from fabric_drift.workflow import journal
from fabric_drift.workflow.apply import apply
from fabric_drift.workflow.outcome import Outcome, Status
from tests.faults.accidents import LAST, Accident, log_of
from tests.faults.bench import PaperBench
from tests.faults.run import under_stagehand


@pytest.fixture
def bench(tmp_path: Path) -> PaperBench:
    return PaperBench(tmp_path)


def cut(bench: PaperBench, stage: Stage, when: str = "after") -> None:
    """A run that ends in the middle of a stage, as if its process had been killed."""

    def ended() -> None:
        raise SystemExit(9)

    with pytest.raises(SystemExit):
        under_stagehand(bench, [Accident(stage, ended, when, LAST)], bench.directory / "log")


def next_run(bench: PaperBench) -> Outcome:
    return apply(bench.scene(), "leaf1", run_log=bench.directory / "log")


def test_a_run_cut_after_its_commit_is_undone_while_the_timer_runs(bench: PaperBench) -> None:
    before = bench.state()
    cut(bench, Stage.COMMIT)
    assert bench.state() != before
    outcome = next_run(bench)
    assert outcome.status is Status.UNDONE
    assert bench.state() == before
    assert not bench.left_behind()
    assert "nothing was applied on top" in outcome.notes[0]


def test_the_run_after_that_applies(bench: PaperBench) -> None:
    cut(bench, Stage.COMMIT)
    next_run(bench)
    assert next_run(bench).status is Status.CHANGED
    assert bench.is_whole()


def test_the_log_of_the_cut_run_gets_its_outcome_and_who_recovered_it(bench: PaperBench) -> None:
    cut(bench, Stage.COMMIT)
    path = log_of(bench.directory / "log", "leaf1")
    next_run(bench)
    records = journal.read(path)
    assert log_of(bench.directory / "log", "leaf1") == path
    assert journal.first(records, "recovery")
    assert records[-1]["status"] == "undone"


@pytest.mark.parametrize("days", [1, -1], ids=["a day later", "the wall clock went back"])
def test_a_change_that_outlived_its_timer_is_a_humans(
    bench: PaperBench, monkeypatch: pytest.MonkeyPatch, days: int
) -> None:
    """Undoing then could take back what somebody did since."""
    bench.world.edit("leaf1", broken_timer=True)
    cut(bench, Stage.COMMIT)
    changed = bench.state()
    now = journal.utc_now() + timedelta(days=days)
    monkeypatch.setattr(journal, "utc_now", lambda: now)
    outcome = next_run(bench)
    assert outcome.status is Status.NEEDS_HUMAN
    assert outcome.by_hand.startswith("undo ")
    assert bench.state() == changed, "nothing was touched"


def test_a_timer_that_fired_meanwhile_leaves_only_tidying(bench: PaperBench) -> None:
    before = bench.state()
    cut(bench, Stage.COMMIT)
    bench.pass_time(1000)
    outcome = next_run(bench)
    assert (outcome.status, outcome.stages) == (Status.UNDONE, (Stage.TIDY,))
    assert bench.state() == before


def test_a_run_cut_before_its_commit_is_tidied_up(bench: PaperBench) -> None:
    before = bench.state()
    cut(bench, Stage.ARM)
    assert bench.left_behind() == ["lock", "timer"]
    assert next_run(bench).status is Status.FAILED_BEFORE_CHANGE
    assert bench.left_behind() == []
    assert bench.state() == before


def test_a_run_cut_after_its_confirmation_was_confirmed(bench: PaperBench) -> None:
    cut(bench, Stage.CONFIRM)
    assert next_run(bench).status is Status.CHANGED
    assert bench.is_whole()


def test_a_log_that_cant_be_understood_keeps_the_device_closed(bench: PaperBench) -> None:
    cut(bench, Stage.COMMIT)
    path = log_of(bench.directory / "log", "leaf1")
    lines = path.read_text().splitlines()
    lines[0] = json.dumps({**json.loads(lines[0]), "plan": {"steps": "none"}})
    path.write_text("\n".join(lines) + "\n")
    changed = bench.state()
    assert next_run(bench).status is Status.REFUSED
    assert next_run(bench).status is Status.REFUSED
    assert bench.state() == changed
