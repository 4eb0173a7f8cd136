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
from fabric_drift.workflow.play_rollback import rollback_host
from fabric_drift.workflow.rollback import rollback
from fabric_drift.workflow.scene import Patience, Scene
from tests.faults.access import WorldAccess, WorldClock
from tests.faults.accidents import FIRST, AccidentalAccess, Stagehand
from tests.faults.accidents import Accident as AtAction
from tests.faults.paper import Paper, paper_expectations
from tests.faults.world import PORTS, World

INTENT = Path(__file__).parents[2] / "intent" / "pod1"
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


def test_a_device_that_says_no_when_it_has_confirmed_is_read_and_is_taken_back(bench: Bench) -> None:
    done = bench.back(Accident(Stage.CONFIRM, "refuse", "after"))
    assert (done.status, bench.running, bench.world.device("leaf1")["saved"]) == (Status.CHANGED, PORTS, PORTS)
    assert "had confirmed it all the same" in " ".join(done.notes)


def test_a_device_that_says_no_and_has_confirmed_nothing_is_as_before_the_rollback(bench: Bench) -> None:
    done = bench.back(Accident(Stage.CONFIRM, "refuse"))
    assert (done.status, bench.running, bench.whole()) == (Status.UNDONE, CHANGED, True)


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


def cut(bench: Bench) -> str:
    """A run of the playbook that is killed when it has committed a change; its id."""

    def kill() -> None:
        raise KeyboardInterrupt

    bench.world.edit("leaf1", running=PORTS, saved=PORTS)
    bench.hand.accidents = [AtAction(Stage.COMMIT, kill, "after", FIRST)]
    with pytest.MonkeyPatch.context() as patch:
        bench.hand.on_stage(patch)
        with pytest.raises(KeyboardInterrupt):
            apply(bench.scene(), "leaf1", run_log=bench.log)
    (path,) = journal.unfinished(bench.log, "leaf1")
    return path.stem


def test_a_run_that_was_cut_is_brought_to_its_end_and_nothing_is_taken_back_on_top(bench: Bench) -> None:
    run_id = cut(bench)
    done = bench.back(since="9")
    assert (done.status, bench.running, bench.whole()) == (Status.UNDONE, PORTS, True)
    assert run_id in " ".join(done.notes)
    assert journal.unfinished(bench.log, "leaf1") == []


def test_the_play_is_told_of_a_run_that_was_cut_whenever_it_began(bench: Bench) -> None:
    run_id = cut(bench)
    told = in_check_mode(bench, since="99")
    assert told["runs"] == [{"run_id": run_id, "part": "", "cut": True}]
    assert (told["changed"], f"run {run_id} was cut" in told["message"]) == (True, True)


def test_without_one_the_play_is_told_of_the_runs_alone(bench: Bench) -> None:
    (path,) = journal.runs(bench.log, "leaf1")
    assert in_check_mode(bench, since="")["runs"] == [{"run_id": path.stem, "part": ""}]
    assert in_check_mode(bench, since="99") | {"runs": []} == in_check_mode(bench, since="99")


def in_check_mode(bench: Bench, since: str) -> dict[str, Any]:
    """What ``fabric_rollback`` says of leaf1 without touching it."""
    fabric = [f"spine{n}" for n in (1, 2)] + [f"leaf{n}" for n in range(1, 5)] + [f"gpu{n}" for n in range(1, 9)]
    variables = {name: {"ansible_host": "192.0.2.1"} for name in fabric}
    arguments = {"intent": INTENT, "run_log": bench.log, "since": since, "check_mode": True}
    return rollback_host("leaf1", variables, fabric, arguments)
