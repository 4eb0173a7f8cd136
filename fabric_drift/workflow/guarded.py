"""The guarded walk of design law 6: every stage in its order, the way back from each, and one of a few ends."""

from __future__ import annotations

from fabric_drift.change import Stage
from fabric_drift.errors import FabricDriftError
from fabric_drift.workflow.access import ControlSession
from fabric_drift.workflow.bring_back import bring_back, tidy
from fabric_drift.workflow.confirm import Committed, confirm
from fabric_drift.workflow.observe import Observation, fault, observe
from fabric_drift.workflow.outcome import Outcome, Status
from fabric_drift.workflow.stages import LogLost, Run
from fabric_drift.workflow.vitals import as_json, vitals


async def guarded(run: Run, before: Observation) -> Outcome:
    """Walks the run to its end. ``before``: what the plan was made from."""
    reached = await until_committed(run, before)
    if isinstance(reached, Outcome):
        return reached
    committed, problem = reached
    try:
        if problem:
            return await bring_back(run, committed.timer_fires_at, problem)
        return await confirm(run, committed)
    except LogLost as error:
        return await bring_back(run, committed.timer_fires_at, str(error))
    except Exception as error:  # noqa: BLE001  a fault of ours must not leave a change unproven
        return await bring_back(run, committed.timer_fires_at, fault(run.device.name, error).text())


async def until_committed(run: Run, before: Observation) -> Outcome | tuple[Committed, str]:
    """An outcome where nothing was committed; else the commit, and why it failed ("": it didn't)."""
    try:
        async with run.connected() as session:
            return await _until_committed(run, before, session)
    except FabricDriftError as error:  # only connecting raises: no stage was begun
        return run.end(Status.REFUSED, error.text())


async def _until_committed(run: Run, before: Observation, session: ControlSession) -> Outcome | tuple[Committed, str]:
    armed_at = run.scene.clock.now()
    try:
        refused = await _locked(run, session) or await _moved(run, before)
        if refused:
            return refused
        for stage in (Stage.SAVE, Stage.REHEARSE, Stage.ARM):
            armed_at = run.scene.clock.now()
            run.begin(stage)
            end = await run.finish(session, stage)
            if not end.ok:
                return await tidy(run, Status.FAILED_BEFORE_CHANGE, f"{stage.value}: {end.problem}")
        run.begin(Stage.COMMIT)
    except LogLost as error:
        return await tidy(run, Status.FAILED_BEFORE_CHANGE, str(error))
    except Exception as error:  # noqa: BLE001  whatever it is, nothing was committed yet
        return await tidy(run, Status.FAILED_BEFORE_CHANGE, fault(run.device.name, error).text())
    problem = await _commit(run, session)
    return Committed(before, armed_at, run.scene.clock.now() + run.procedure.deadline_s), problem


async def _commit(run: Run, session: ControlSession) -> str:
    try:
        end = await run.finish(session, Stage.COMMIT)
    except LogLost as error:
        return str(error)
    except Exception as error:  # noqa: BLE001  the device may have taken it
        return fault(run.device.name, error).text()
    return "" if end.ok else f"commit: {end.problem}"


async def _locked(run: Run, session: ControlSession) -> Outcome | None:
    """Preflight and lock. A lock that was refused at once is somebody else's, and isn't touched."""
    for stage in (Stage.PREFLIGHT, Stage.LOCK):
        run.begin(stage)
        end = await run.finish(session, stage)
        if end.ok:
            continue
        problem = f"{stage.value}: {end.problem}"
        if stage is Stage.PREFLIGHT or (not end.lost and len(end.actions) == 1):
            return run.end(Status.REFUSED, problem)
        return await tidy(run, Status.FAILED_BEFORE_CHANGE, problem)
    return None


async def _moved(run: Run, before: Observation) -> Outcome | None:
    """Under the lock the device must still be what was planned for, and its health must be readable."""
    try:
        now = await observe(run.scene, run.device, run.platform)
    except FabricDriftError as error:
        return await tidy(run, Status.REFUSED, error.text())
    run.before = now.hashes()
    if now.hashes() != before.hashes():
        return await tidy(run, Status.REFUSED, "the device changed while it was being planned for: preview again")
    health = await vitals(run.scene, run.device)
    if health.blind():
        return await tidy(run, Status.REFUSED, *health.blind())
    run.health = health
    run.tell("before", hashes=run.before, health=as_json(health))
    return None
