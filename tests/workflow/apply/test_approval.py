"""An approved plan and what makes it stale; the plan file."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from fabric_drift.errors import IntentError
from fabric_drift.workflow import plan_file
from fabric_drift.workflow.apply import apply
from fabric_drift.workflow.approval import moved
from fabric_drift.workflow.fingerprint import of_files
from fabric_drift.workflow.outcome import Approval, Part, Status
from fabric_drift.workflow.preview import preview
from tests.faults.bench import PaperBench

THEN = Approval("i", "r", {Part.ADD_ON_SWITCHES: ("a",), Part.REMOVE_FROM_SWITCHES: ("b",)})


def approval_of(bench: PaperBench) -> Approval:
    approval = preview(bench.scene(), only=["leaf1"]).devices[0].approval
    assert approval is not None
    return approval


def test_nothing_moved_is_nothing_to_say() -> None:
    assert moved(THEN, THEN, Part.ADD_ON_SWITCHES) == ""
    assert moved(THEN, THEN, None) == ""


def test_a_part_that_is_done_doesnt_make_the_next_one_stale() -> None:
    done = replace(THEN, steps={Part.REMOVE_FROM_SWITCHES: ("b",)})
    assert moved(THEN, done, Part.REMOVE_FROM_SWITCHES) == ""


@pytest.mark.parametrize(
    "now",
    [
        replace(THEN, intent="j"),
        replace(THEN, rendered="s"),
        replace(THEN, steps={}),
        replace(THEN, steps={**THEN.steps, Part.ADD_ON_SWITCHES: ("a", "c")}),
        replace(THEN, steps={**THEN.steps, Part.REMOVE_FROM_SWITCHES: ("c",)}),
        replace(THEN, steps={**THEN.steps, Part.ADD_ON_HOSTS: ("new",)}),
    ],
)
def test_whatever_moves_makes_it_stale(now: Approval) -> None:
    assert moved(THEN, now, Part.ADD_ON_SWITCHES)


def test_a_plan_file_gives_back_what_was_written_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    (tmp_path / "bench").mkdir()
    bench = PaperBench(tmp_path / "bench")
    file = tmp_path / "plan.json"
    result = preview(bench.scene())
    plan_file.write(file, result)
    assert plan_file.read(file) == {item.device: item.approval for item in result.devices}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert sorted(tmp_path.iterdir()) == [tmp_path / "bench", file]


def test_the_same_preview_gives_the_same_bytes(tmp_path: Path) -> None:
    bench = PaperBench(tmp_path)
    assert plan_file.as_json(preview(bench.scene())) == plan_file.as_json(preview(bench.scene()))


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"schema": 2, "devices": {}}', '{"schema": 1, "devices": {"leaf1": {"intent": "i"}}}',
             '{"schema": 1, "devices": {"leaf1": {"intent": "i", "rendered": "r", "steps": {"no_such_part": []}}}}']
)  # fmt: skip
def test_a_file_that_isnt_a_plan_is_refused_as_a_whole(text: str, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    file.write_text(text)
    with pytest.raises(IntentError, match=r"plan\.json: isn't a plan file .* \[FD-CHG-002\]"):
        plan_file.read(file)


def test_an_approved_change_is_applied_as_approved(tmp_path: Path) -> None:
    bench = PaperBench(tmp_path)
    outcome = apply(bench.scene(), "leaf1", run_log=tmp_path / "log", approval=approval_of(bench))
    assert outcome.status is Status.CHANGED
    assert bench.is_whole()


def test_a_device_that_was_changed_by_hand_since_is_refused_untouched(tmp_path: Path) -> None:
    bench = PaperBench(tmp_path)
    approval = approval_of(bench)
    bench.edit_by_hand()
    before = bench.state()
    outcome = apply(bench.scene(), "leaf1", run_log=tmp_path / "log", approval=approval)
    assert outcome.status is Status.REFUSED
    assert outcome.is_stale
    assert "changed since the approval" in outcome.problems[0]
    assert bench.state() == before


def test_a_device_that_got_as_intended_since_is_unchanged(tmp_path: Path) -> None:
    bench = PaperBench(tmp_path)
    approval = approval_of(bench)
    apply(bench.scene(), "leaf1", run_log=tmp_path / "log")
    assert apply(bench.scene(), "leaf1", run_log=tmp_path / "log", approval=approval).status is Status.UNCHANGED


def test_the_fingerprint_of_an_intent_moves_with_every_byte_and_name(tmp_path: Path) -> None:
    def written(**files: str) -> str:
        for old in tmp_path.iterdir():
            old.unlink()
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        return of_files(tmp_path)

    assert written(a="x", b="y") == written(b="y", a="x")
    assert len({written(a="x"), written(a="z"), written(b="x"), written(a="x", b="")}) == 4


def test_a_preview_is_json_able_without_loss(tmp_path: Path) -> None:
    approval = approval_of(PaperBench(tmp_path))
    plain = json.loads(json.dumps(plan_file.approval_as_json(approval)))
    assert plan_file.approval_from_json(plain) == approval
