"""From a commit to its confirmation: nothing is confirmed that wasn't proven over new connections."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from fabric_drift.change import Stage
from fabric_drift.errors import FabricDriftError
from fabric_drift.platform import Disruption
from fabric_drift.workflow.bring_back import bring_back, until_as_before
from fabric_drift.workflow.observe import Observation, observe
from fabric_drift.workflow.outcome import Outcome, Status
from fabric_drift.workflow.proof import effects, shortfalls, unsaved
from fabric_drift.workflow.stages import Run
from fabric_drift.workflow.vitals import Vitals, as_json, vitals, with_counters_of, worsened

IN_TIME = 0.8
"""Share of the deadline after which it is too late to confirm: the timer could fire while we do."""


@dataclass(frozen=True, slots=True)
class Committed:
    """A change that isn't proven yet. Times on the run's clock.

    The timer was armed at or after ``armed_at`` (with the commit, where that arms it), so it has fired by
    ``timer_fires_at``.
    """

    before: Observation
    armed_at: float
    timer_fires_at: float


@dataclass(slots=True)
class _Baseline:
    """Health before the change. Where drops were agreed to, they must have ended: none since the last look."""

    health: Vitals
    drops_are_agreed: bool
    looked: bool = False

    def worse(self, now: Vitals) -> tuple[str, ...]:
        if not self.drops_are_agreed:
            return worsened(self.health, now)
        found = worsened(self.health, now) if self.looked else ("whether drops have ended isn't known yet",)
        self.health, self.looked = with_counters_of(self.health, now), True
        return found


async def confirm(run: Run, committed: Committed) -> Outcome:
    """Proves, confirms, and reads once more; or brings the device back."""
    too_late_at = committed.armed_at + IN_TIME * run.procedure.deadline_s
    ends = min(run.scene.clock.now() + run.scene.patience.settle, too_late_at)
    after, problems = await _proven(run, committed, ends)
    if after is None:
        return await bring_back(run, committed.timer_fires_at, *problems)
    if run.scene.clock.now() >= too_late_at:
        return await bring_back(run, committed.timer_fires_at, "the proof took too long to confirm in time")
    run.begin(Stage.CONFIRM)
    problem, lost = await _confirmed(run)
    if problem and not lost:
        return await bring_back(
            run,
            committed.timer_fires_at,
            problem,
            kept=partial(_confirmed_all_the_same, run, committed, after, problem),
        )
    if problem:
        return await _in_doubt(run, committed, after, problem)
    return await _changed(run, committed)


async def _proven(run: Run, committed: Committed, ends: float) -> tuple[Observation | None, tuple[str, ...]]:
    """The device as it was proven; or None and what is wrong when the time is over."""
    assert run.health is not None
    baseline = _Baseline(run.health, run.plan.disruption >= Disruption.LOSSLESS_GAP)
    while True:
        after, problems = await _looked(run, committed, baseline)
        if after is not None and not problems:
            return after, ()
        if run.scene.clock.now() >= ends:
            return None, problems
        await run.scene.clock.sleep(run.scene.patience.poll)


async def _looked(run: Run, committed: Committed, baseline: _Baseline) -> tuple[Observation | None, tuple[str, ...]]:
    try:
        after = await observe(run.scene, run.device, run.platform)
    except FabricDriftError as error:
        run.tell("after", problems=[error.text()])
        return None, (error.text(),)
    missing = shortfalls(committed.before, after, run.plan)
    health = await vitals(run.scene, run.device)
    problems = (*missing, *baseline.worse(health))
    run.tell("after", hashes=after.hashes(), health=as_json(health), problems=list(problems))
    return after, problems


async def _confirmed(run: Run) -> tuple[str, bool]:
    """(why it isn't confirmed or "", whether the device may have confirmed all the same)."""
    lost = False
    end = await run.on_new_connection(Stage.CONFIRM)
    if end.lost:  # it may not have arrived
        lost = True
        end = await run.on_new_connection(Stage.CONFIRM)
    return ("", False) if end.ok else (f"confirm: {end.problem}", lost)


async def _confirmed_all_the_same(run: Run, committed: Committed, after: Observation, problem: str) -> Outcome | None:
    """It said no, and yet it runs and has saved what was proven: the confirmation failed behind its last step.

    Its timer is over by now, or was disarmed by the undo, which leaves a confirmed change alone.
    """
    try:
        now = await observe(run.scene, run.device, run.platform)
    except FabricDriftError:
        return None
    proven = now.hashes().keys() == after.hashes().keys() and not shortfalls(committed.before, now, run.plan)
    if not proven or unsaved(committed.before, now, run.plan):
        return None
    end = await run.repair(Stage.TIDY)
    run.notes += [f"{problem}; the device had confirmed the change all the same"]
    run.notes += [] if end.ok else [f"not tidied up: {end.problem}"]
    return run.end(Status.CHANGED)


async def _in_doubt(run: Run, committed: Committed, after: Observation, problem: str) -> Outcome:
    """Nobody knows whether the confirmation arrived: the timer decides, and then the device is read."""
    clock, patience = run.scene.clock, run.scene.patience
    while clock.now() < committed.timer_fires_at + patience.poll:
        await clock.sleep(patience.poll)
    differs = await until_as_before(run, patience.poll)
    if not differs:
        run.notes.append("undone by the device itself")
        await run.repair(Stage.TIDY)
        return run.end(Status.UNDONE, problem)
    try:
        now = await observe(run.scene, run.device, run.platform)
    except FabricDriftError as error:
        return run.end(Status.NEEDS_HUMAN, problem, error.text())
    if now.hashes().keys() == after.hashes().keys() and not shortfalls(committed.before, now, run.plan):
        run.notes += [
            f"{problem}; the device kept the change beyond its timer",
            *unsaved(committed.before, now, run.plan),
        ]
        await run.repair(Stage.TIDY)
        return run.end(Status.CHANGED)
    return run.end(Status.NEEDS_HUMAN, problem, *differs)


async def _changed(run: Run, committed: Committed) -> Outcome:
    """Confirmed. Read once more: a timer may have fired in between, and the saved configuration must follow."""
    clock, patience = run.scene.clock, run.scene.patience
    ends = clock.now() + patience.settle
    while True:
        problems: tuple[str, ...]
        try:
            now = await observe(run.scene, run.device, run.platform)
            problems = shortfalls(committed.before, now, run.plan)
            if not problems:
                run.notes += unsaved(committed.before, now, run.plan)
                moved = effects(committed.before, now)
                run.try_to_tell(
                    "confirmed", hashes=now.hashes(), moved=[[path, *values] for path, values in moved.items()]
                )
                return run.end(Status.CHANGED)
        except FabricDriftError as error:
            problems = (error.text(),)
        if clock.now() >= ends:
            break
        await clock.sleep(patience.poll)
    if not await until_as_before(run, patience.poll):
        return run.end(Status.UNDONE, "undone by the device itself while it was being confirmed")
    return run.end(Status.NEEDS_HUMAN, "confirmed, and no longer as it was proven:", *problems)
