"""One cell of the matrix: a fault on a bench, and what is true at the end."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fabric_drift.change import Stage
from fabric_drift.workflow.apply import apply
from fabric_drift.workflow.outcome import Approval, Outcome, Status
from fabric_drift.workflow.preview import preview
from fabric_drift.workflow.scene import Scene
from fabric_drift.workflow.sources import PlatformOf
from tests.faults.accidents import KILLED, Accident, AccidentalAccess, Overheard, Stagehand
from tests.faults.bench import Bench
from tests.faults.bench import bench as make_bench
from tests.faults.table import FAULTS, Fault

AS_BEFORE = (Status.UNDONE, Status.REFUSED, Status.FAILED_BEFORE_CHANGE)


@dataclass(frozen=True)
class Cell:
    """``problems``: why the end isn't an allowed one, or isn't true."""

    outcome: Outcome
    problems: tuple[str, ...]


def missing(bench: Bench, fault: Fault) -> tuple[str, ...]:
    """What the fault needs and the bench doesn't have."""
    return tuple(need for need in fault.needs if need not in bench.hurts)


def run(bench: Bench, fault: Fault, directory: Path) -> Cell:
    """Runs the fault to its end, in this process or, where it kills, in one of its own."""
    for hurt in fault.hurts:
        bench.hurts[hurt]()
    before = bench.state()
    if fault.kills:
        killed = _in_a_process_of_its_own(bench, fault, directory)
        if killed != KILLED:
            outcome = Outcome(bench.device, Status.UNCHANGED, problems=(f"the process ended with {killed}",))
            return Cell(outcome, ("it wasn't killed: the fault didn't happen",))
        bench.look_again()
        bench.pass_time(fault.then)
        outcome = apply(bench.scene(), bench.device, run_log=directory / "log")
    else:
        outcome, before = under_fault(bench, fault, directory, before)
    return Cell(outcome, tuple(_untrue(bench, fault, outcome, before)))


def under_fault(bench: Bench, fault: Fault, directory: Path, before: object) -> tuple[Outcome, object]:
    """(outcome, the state that "as before" means)."""
    scene = bench.scene()
    approval = _approval(bench, fault)
    if fault.stale == "by hand":
        bench.edit_by_hand()
        before = bench.state()
    if fault.stale == "intent":
        scene = replace(scene, expectations=replace(scene.expectations, fingerprint=lambda: "another"))
    hand = _stagehand(bench, fault)
    if fault.two:
        hand.accidents.append(Accident(Stage.SAVE, lambda: _another(bench, directory), "before", 0))
    outcome = _watched(scene, hand, bench.device, directory / "log", approval)
    left = [accident for accident in hand.accidents if accident.times > 0]
    assert not left, f"the fault didn't happen: {left}"
    if fault.edits_after is Stage.LOCK:
        before = bench.state()
    return outcome, before


def under_stagehand(bench: Bench, accidents: list[Accident], run_log: Path) -> Outcome:
    """A run with these accidents."""
    return _watched(bench.scene(), Stagehand(accidents), bench.device, run_log, None)


def _watched(scene: Scene, hand: Stagehand, device: str, run_log: Path, approval: Approval | None) -> Outcome:
    scene = replace(
        scene,
        access=AccidentalAccess(scene.access, hand, device),
        platform=partial(_overheard, scene.platform, hand),
    )
    with pytest.MonkeyPatch.context() as patch:
        hand.on_stage(patch)
        return apply(scene, device, run_log=run_log, approval=approval)


def _overheard(known: PlatformOf, hand: Stagehand, name: str) -> Any:
    return Overheard(known(name), hand)


def _approval(bench: Bench, fault: Fault) -> Approval | None:
    return preview(bench.scene(), only=[bench.device]).devices[0].approval if fault.stale else None


def _another(bench: Bench, directory: Path) -> None:
    """Somebody on another machine applies at the same time; it must be refused."""
    with ThreadPoolExecutor(1) as other:
        outcome = other.submit(apply, bench.scene(), bench.device, run_log=directory / "other log").result()
    assert outcome.status in (Status.REFUSED, Status.FAILED_BEFORE_CHANGE), outcome


def _stagehand(bench: Bench, fault: Fault) -> Stagehand:
    accidents = [
        Accident(stage, bench.hurts[what[1:]] if what.startswith("!") else what, when, action)
        for stage, what, when, action in fault.accidents
    ]
    if fault.edits_after:
        accidents.append(Accident(fault.edits_after, bench.edit_by_hand, "after"))
    return Stagehand(accidents, dict(fault.unreadable_after), fault.full_log_at)


def _in_a_process_of_its_own(bench: Bench, fault: Fault, directory: Path) -> int:
    words = [sys.executable, "-m", "tests.faults.run", bench.name, fault.name, str(directory)]
    return subprocess.run(words, check=False, timeout=120).returncode


def _untrue(bench: Bench, fault: Fault, outcome: Outcome, before: object) -> list[str]:
    found = []
    if outcome.status not in fault.ends:
        found.append(f"ended {outcome.status.value}: {'; '.join((*outcome.problems, *outcome.notes))}")
    if outcome.status is Status.CHANGED and not bench.is_whole():
        found.append("said changed, but isn't whole")
    if outcome.status in AS_BEFORE and bench.state() != before:
        found.append(f"said {outcome.status.value}, but isn't as before")
    if outcome.status is Status.NEEDS_HUMAN and not outcome.by_hand:
        found.append("needs a human, but doesn't say what to type")
    tells = any("tidied" in note for note in outcome.notes)
    if outcome.status is not Status.NEEDS_HUMAN and not tells:
        found += [f"left behind: {what}" for what in bench.left_behind()]
    return found


def main(name: str, fault_name: str, directory: str) -> None:
    """The process that is going to be killed."""
    bench = make_bench(name, Path(directory))
    fault = next(fault for fault in FAULTS if fault.name == fault_name)
    under_fault(bench, fault, Path(directory), None)


if __name__ == "__main__":
    main(*sys.argv[1:])
