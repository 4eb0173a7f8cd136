"""Taking confirmed runs back from the run log: as before and proven, or refused, or undone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fabric_drift.change import Kind, Stage
from fabric_drift.platform import Disruption
from fabric_drift.workflow import journal
from fabric_drift.workflow.apply import apply
from fabric_drift.workflow.outcome import Consent, Outcome, Part, Status
from fabric_drift.workflow.rollback import rollback
from fabric_drift.workflow.scene import Patience, Scene
from tests.faults.access import WorldAccess, WorldClock
from tests.faults.accidents import FIRST, AccidentalAccess, Stagehand
from tests.faults.accidents import Accident as AtAction
from tests.faults.paper import Paper, paper_expectations
from tests.faults.world import PORTS, World

CONSENT = frozenset(("in_place", "traffic_loss"))
CHANGED = {"Ethernet0": {"mtu": 9100, "pfc": [3, 4]}, "Ethernet8": {"mtu": 9100, "pfc": [3, 4]}}


@dataclass(frozen=True)
class Accident:
    stage: Stage
    what: str
    when: str = "before"
    times: int = 1


class Bench:
    """leaf1 of the world, changed by one confirmed run."""

    def __init__(self, folder: Path, platform: Paper) -> None:
        self.platform = platform
        self.hand = Stagehand()
        self.world = World.fresh(folder / "world.json")
        self.log = folder / "runs"
        self.access = AccidentalAccess(WorldAccess(self.world), self.hand, "leaf1")
        done = apply(self.scene(), "leaf1", run_log=self.log)
        assert (done.status, self.running) == (Status.CHANGED, CHANGED), done.problems

    @property
    def running(self) -> Any:
        return self.world.device("leaf1")["running"]

    def scene(self, allow: frozenset[str] = CONSENT) -> Scene:
        return Scene(
            paper_expectations(),
            self.access,
            platform=lambda _: self.platform,
            consent=Consent(allow),
            clock=WorldClock(self.world),
            patience=Patience(),
        )

    def back(self, *accidents: Accident, since: str = "", part: Part | None = None, **more: Any) -> Outcome:
        self.hand.accidents = [
            AtAction(one.stage, self.storm if one.what == "storm" else one.what, one.when, FIRST, one.times)
            for one in accidents
        ]
        with pytest.MonkeyPatch.context() as patch:
            self.hand.on_stage(patch)
            return rollback(self.scene(**more), "leaf1", run_log=self.log, since=since, part=part)

    def storm(self) -> None:
        self.world.edit("spine1", drops=7)

    def whole(self) -> bool:
        """Nothing of ours is left on the device."""
        device = self.world.device("leaf1")
        return not device["lock"] and not device["timer"] and not device["backup"]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path, Paper())


def test_a_device_is_as_it_was_before_the_run_and_saved_so(bench: Bench) -> None:
    done = bench.back()
    assert (done.status, bench.running, bench.world.device("leaf1")["saved"]) == (Status.CHANGED, PORTS, PORTS)
    assert bench.whole()


def test_a_second_rollback_changes_nothing(bench: Bench) -> None:
    bench.back()
    assert (bench.back().status, bench.running) == (Status.UNCHANGED, PORTS)


def test_an_older_run_than_asked_for_stays(bench: Bench) -> None:
    assert (bench.back(since="9").status, bench.running) == (Status.UNCHANGED, CHANGED)


def test_a_run_of_another_part_stays(bench: Bench) -> None:
    assert bench.back(part=Part.REMOVE_FROM_HOSTS).status is Status.UNCHANGED


def test_a_device_that_was_changed_since_is_refused(bench: Bench) -> None:
    by_hand = {**CHANGED, "Ethernet0": {"mtu": 1500, "pfc": [3, 4]}}
    bench.world.edit("leaf1", running=by_hand)
    done = bench.back()
    assert (done.status, bench.running) == (Status.REFUSED, by_hand)
    assert "isn't as run" in done.problems[0]


def test_a_price_that_was_not_allowed_is_refused(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Paper(disruption=Disruption.TRAFFIC_LOSS, kind=Kind.CHANGE))
    assert (bench.back(allow=frozenset()).status, bench.running) == (Status.REFUSED, CHANGED)


def test_a_run_log_that_can_not_be_read_is_refused(bench: Bench) -> None:
    (path,) = journal.runs(bench.log, "leaf1")
    path.write_text(path.read_text().replace('"paths"', '"pads"'))
    assert (bench.back().status, bench.running) == (Status.REFUSED, CHANGED)


@pytest.mark.parametrize(
    ("accident", "status", "running"),
    [
        (Accident(Stage.LOCK, "refuse"), Status.REFUSED, CHANGED),
        (Accident(Stage.REHEARSE, "refuse"), Status.FAILED_BEFORE_CHANGE, CHANGED),
        (Accident(Stage.COMMIT, "refuse"), Status.UNDONE, CHANGED),
        (Accident(Stage.COMMIT, "drop", "before"), Status.UNDONE, CHANGED),
        (Accident(Stage.COMMIT, "drop", "after"), Status.UNDONE, CHANGED),
        (Accident(Stage.COMMIT, "storm", "after"), Status.UNDONE, CHANGED),
        (Accident(Stage.COMMIT, "hang", "after"), Status.UNDONE, CHANGED),
        (Accident(Stage.CONFIRM, "drop", "before"), Status.CHANGED, PORTS),
        (Accident(Stage.CONFIRM, "drop", "before", times=9), Status.UNDONE, CHANGED),
        (Accident(Stage.CONFIRM, "drop", "after"), Status.CHANGED, PORTS),
        (Accident(Stage.CONFIRM, "refuse"), Status.UNDONE, CHANGED),
    ],
    ids=lambda value: f"{value.stage.value}-{value.what}-{value.when}" if isinstance(value, Accident) else "",
)
def test_a_bad_day_ends_in_one_of_the_two_states(
    bench: Bench, accident: Accident, status: Status, running: Any
) -> None:
    done = bench.back(accident)
    assert (done.status, bench.running) == (status, running), done.problems
    assert bench.whole()


def test_a_device_that_can_not_be_undone_asks_for_a_human(bench: Bench) -> None:
    bench.world.edit("leaf1", broken_undo=True, broken_timer=True)
    done = bench.back(Accident(Stage.COMMIT, "storm", "after"))
    assert (done.status, done.by_hand) == (Status.NEEDS_HUMAN, f"undo {done.run_id}")
