"""The way back after a change that failed, from wherever it failed, verified by reading the device."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from fabric_drift.change import Stage
from fabric_drift.workflow.outcome import Outcome, Status
from fabric_drift.workflow.stages import Run


async def tidy(run: Run, status: Status, *problems: str) -> Outcome:
    """Nothing was committed: cleans up, and proves that nothing has changed."""
    end = await run.repair(Stage.TIDY)
    if not end.ok:
        end = await run.repair(Stage.TIDY) if end.lost else end
    if not end.ok:
        run.notes.append(f"not tidied up: {end.problem}")
    differs = await until_as_before(run, run.scene.patience.settle)
    if differs:
        return run.end(Status.NEEDS_HUMAN, *problems, "nothing was committed, and still:", *differs)
    return run.end(status, *problems)


async def _nothing_kept() -> Outcome | None:
    return None


async def bring_back(
    run: Run, timer_fires_at: float, *problems: str, kept: Callable[[], Awaitable[Outcome | None]] = _nothing_kept
) -> Outcome:
    """Undoes now; where that can't be done or proven, waits for the device's own timer; then asks a human.

    ``timer_fires_at``: on the run's clock. ``kept``: asked before a human is, where the device may have confirmed the
    change although it said no: the outcome of one that has, else None.
    """
    told = list(problems)
    undone = await _undo(run, told)
    patience = run.scene.patience
    wait = patience.settle if undone else timer_fires_at + patience.after_timer - run.scene.clock.now()
    differs = await until_as_before(run, max(wait, patience.poll))
    if differs:
        return await kept() or run.end(Status.NEEDS_HUMAN, *told, *differs)
    if not undone:
        run.notes.append("undone by the device itself")
        end = await run.repair(Stage.TIDY)
        if not end.ok:
            run.notes.append(f"not tidied up: {end.problem}")
    return run.end(Status.UNDONE, *told)


async def _undo(run: Run, told: list[str]) -> bool:
    for attempt in range(run.scene.patience.undo_attempts):
        if attempt:
            await run.scene.clock.sleep(run.scene.patience.poll)
        end = await run.repair(Stage.UNDO)
        if end.ok:
            return True
        told.append(f"undo: {end.problem}")
        if not end.lost:
            return False
    return False


async def until_as_before(run: Run, seconds: float) -> tuple[str, ...]:
    """Reads until the device is as before, at least once and at most for ``seconds``; what differs at the end."""
    clock = run.scene.clock
    ends = clock.now() + seconds
    while True:
        differs = await run.differs()
        if not differs or clock.now() >= ends:
            return differs
        await clock.sleep(run.scene.patience.poll)
