"""The run log tells the truth about a run, whenever it was cut."""

from __future__ import annotations

import json
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from fabric_drift.errors import Refused
from fabric_drift.workflow import journal
from fabric_drift.workflow.apply import apply
from fabric_drift.workflow.outcome import Status
from tests.faults.accidents import log_of
from tests.faults.bench import PaperBench


def test_a_run_is_told_from_who_and_why_to_its_outcome(tmp_path: Path) -> None:
    bench = PaperBench(tmp_path)
    outcome = apply(bench.scene(), "leaf1", run_log=tmp_path / "log")
    records = journal.read(Path(outcome.log))
    assert [record["event"] for record in records[:2]] == ["run", "begin"]
    start = records[0]
    assert start["device"] == "leaf1"
    assert start["plan"]["steps"][0]["paths"] == [["ports", "Ethernet0", "qos", "pfc", "priorities"]]
    assert start["replaced"][0] == [["ports", "Ethernet0", "qos", "pfc", "priorities"], [3]]
    assert {"who", "revision", "intent", "plan_hash", "procedure_hash", "deadline_s", "hashes"} <= start.keys()
    stages = ["preflight", "lock", "save", "rehearse", "arm", "commit", "confirm"]
    assert journal.begun(records) == stages
    assert [record["stage"] for record in records if record["event"] == "end"] == stages
    before, after = journal.first(records, "before"), journal.first(records, "after")
    assert before["hashes"]["running"] != after["hashes"]["running"]
    assert before["health"]["neighbours"].keys() == {"gpu1", "spine1"}
    assert records[-1] == {**records[-1], "event": "outcome", "status": "changed"}


def test_only_the_owner_reads_the_log(tmp_path: Path) -> None:
    bench = PaperBench(tmp_path)
    outcome = apply(bench.scene(), "leaf1", run_log=tmp_path / "log")
    assert stat.S_IMODE(Path(outcome.log).stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "log").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "log" / "leaf1").stat().st_mode) == 0o700


def test_input_of_a_device_is_logged_as_a_hash(tmp_path: Path) -> None:
    bench = PaperBench(tmp_path)
    outcome = apply(bench.scene(), "leaf1", run_log=tmp_path / "log")
    commit = next(r for r in journal.read(Path(outcome.log)) if r["event"] == "end" and r["stage"] == "commit")
    assert "stdin" not in commit["actions"][0]
    assert len(commit["actions"][0]["stdin_sha256"]) == 64


def test_a_record_that_was_cut_doesnt_hide_those_after_it(tmp_path: Path) -> None:
    log = journal.RunLog(tmp_path, "leaf1", "r1")
    log.write("run")
    log.close()
    with log.path.open("a") as file:
        file.write('{"schema": 1, "event": "beg')
    again = journal.RunLog(tmp_path, "leaf1", "r1")
    again.write("outcome", status="undone")
    again.close()
    assert [record["event"] for record in journal.read(log.path)] == ["run", "outcome"]


def test_a_run_without_an_outcome_is_unfinished(tmp_path: Path) -> None:
    for run, events in (("r1", ("run", "outcome")), ("r2", ("run", "begin")), ("r3", ())):
        log = journal.RunLog(tmp_path, "leaf1", run)
        for event in events:
            log.write(event)
        log.close()
    assert [path.stem for path in journal.unfinished(tmp_path, "leaf1")] == ["r2"]


def test_two_runs_on_one_machine_exclude_each_other(tmp_path: Path) -> None:
    with (
        journal.only_one(tmp_path, "leaf1"),
        pytest.raises(Refused, match="another run on this machine"),
        journal.only_one(tmp_path, "leaf1"),
    ):
        pass
    with journal.only_one(tmp_path, "leaf1"), journal.only_one(tmp_path, "leaf2"):
        pass


def test_a_log_that_cant_be_made_refuses_the_run(tmp_path: Path) -> None:
    bench = PaperBench(tmp_path)
    (tmp_path / "log").write_text("a file is in the way")
    before = bench.state()
    outcome = apply(bench.scene(), "leaf1", run_log=tmp_path / "log")
    assert outcome.status is Status.REFUSED
    assert "the run log can't be written" in outcome.problems[0]
    assert bench.state() == before


def test_a_name_that_leads_out_of_the_log_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused):
        journal.RunLog(tmp_path, "../leaf1", "r1")


def test_run_ids_sort_by_time_and_fit_into_names_on_devices() -> None:
    early = journal.new_run_id(datetime(2026, 11, 29, 19, 5, 7, tzinfo=UTC))
    late = journal.new_run_id(datetime(2026, 11, 29, 19, 5, 8, tzinfo=UTC))
    assert early.startswith("261129190507")
    assert len(early) == 16
    assert early.isalnum()
    assert early < late


def test_an_unchanged_device_has_no_log(tmp_path: Path) -> None:
    bench = PaperBench(tmp_path)
    apply(bench.scene(), "leaf1", run_log=tmp_path / "log")
    first = log_of(tmp_path / "log", "leaf1")
    assert apply(bench.scene(), "leaf1", run_log=tmp_path / "log").status is Status.UNCHANGED
    assert log_of(tmp_path / "log", "leaf1") == first


def test_every_record_is_one_line_of_json(tmp_path: Path) -> None:
    bench = PaperBench(tmp_path)
    outcome = apply(bench.scene(), "leaf1", run_log=tmp_path / "log")
    assert all(json.loads(line)["schema"] == 1 for line in Path(outcome.log).read_text().splitlines())
