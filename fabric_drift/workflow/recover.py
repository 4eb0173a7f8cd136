"""A run that was cut: what its log says, what the device says, and the way to an end. Never a change on top."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path as FilePath
from typing import Any

from fabric_drift.change import Stage
from fabric_drift.errors import FabricDriftError
from fabric_drift.workflow import journal, plan_json
from fabric_drift.workflow import vitals as health
from fabric_drift.workflow.bring_back import bring_back, tidy
from fabric_drift.workflow.expectations import Device
from fabric_drift.workflow.observe import changing, fault
from fabric_drift.workflow.outcome import Outcome, Status
from fabric_drift.workflow.scene import Scene
from fabric_drift.workflow.stages import Run

SINCE_COMMIT = frozenset((Stage.COMMIT.value, Stage.CONFIRM.value, Stage.UNDO.value))


async def recovered(scene: Scene, device: Device, cut: Sequence[FilePath]) -> Outcome:
    """The outcome of the newest run that was cut; older ones only get their records closed with it.

    Raises our errors where its log can't be used; then the device stays closed to changes until a human looks.
    """
    outcome = await _recovered(scene, device, cut[-1])
    for path in cut[:-1]:
        _close(path, device, outcome)
    return outcome


async def _recovered(scene: Scene, device: Device, path: FilePath) -> Outcome:
    records = journal.read(path)
    start = journal.first(records, "run")
    log = journal.RunLog(path.parent.parent, device.name, path.stem)
    try:
        run = _run(scene, device, start, records, log)
        run.notes.append(f"an earlier run ({path.stem}) was cut; it was brought to its end, nothing was applied on top")
        run.try_to_tell("recovery", who=scene.who)
        stages = set(journal.begun(records))
        if not stages & SINCE_COMMIT:
            if stages <= {Stage.PREFLIGHT.value}:
                return run.end(Status.FAILED_BEFORE_CHANGE, "cut before anything was changed")
            return await tidy(run, Status.FAILED_BEFORE_CHANGE, "cut before anything was committed")
        return await _after_commit(run, records, stages)
    finally:
        log.close()


def _run(
    scene: Scene, device: Device, start: Mapping[str, Any], records: list[dict[str, Any]], log: journal.RunLog
) -> Run:
    try:
        platform = changing(scene, device)
        plan = plan_json.from_json(start["plan"])
        procedure = platform.procedure(plan, log.path.stem)
        before = journal.first(records, "before")
        hashes = dict(before.get("hashes") or start["hashes"])
        vitals = health.from_json(before["health"]) if before else None
    except FabricDriftError:
        raise
    except Exception as error:
        raise fault(device.name, error) from error
    return Run(scene, device, platform, plan, procedure, log, hashes, vitals)


async def _after_commit(run: Run, records: list[dict[str, Any]], stages: set[str]) -> Outcome:
    """Something may have been changed: as before, or undone in time, or a human."""
    differs = await run.differs()
    if not differs:
        run.notes.append("the device is as before")
        await run.repair(Stage.TIDY)
        return run.end(Status.UNDONE, "cut after the commit began")
    left = _seconds_left(run, records)
    if Stage.CONFIRM.value in stages and Stage.UNDO.value not in stages:
        return await _perhaps_confirmed(run, records, left, differs)
    if left <= 0:
        return run.end(
            Status.NEEDS_HUMAN,
            "cut after the commit began; its timer is over, and the device isn't as before:",
            *differs,
        )
    return await bring_back(run, run.scene.clock.now() + left, "cut after the commit began")


async def _perhaps_confirmed(run: Run, records: list[dict[str, Any]], left: float, differs: Sequence[str]) -> Outcome:
    """Cut while confirming: when the timer is over, a device that is as proven was confirmed."""
    proven = next((r["hashes"] for r in reversed(records) if r.get("event") == "after" and "hashes" in r), None)
    if left > 0:
        await run.scene.clock.sleep(left + run.scene.patience.poll)
        differs = await run.differs()
        if not differs:
            await run.repair(Stage.TIDY)
            return run.end(Status.UNDONE, "cut while confirming; undone by the device itself")
    recording = await run.scene.access.read(run.device, run.platform)
    if recording.failure is None and proven is not None:
        now = run.hashes_of(recording)
        if all(now.get(layer) == proven[layer] for layer in proven if layer != "saved"):
            await run.repair(Stage.TIDY)
            run.notes.append("cut while confirming; the device kept the proven change beyond its timer")
            return run.end(Status.CHANGED)
    return run.end(Status.NEEDS_HUMAN, "cut while confirming:", *differs)


def _seconds_left(run: Run, records: list[dict[str, Any]]) -> float:
    """Of the timer, by the wall clock; 0 where the clock can't be believed."""
    try:
        begun = next(
            datetime.fromisoformat(record["at"])
            for record in records
            if record.get("event") == "begin" and record.get("stage") == Stage.COMMIT.value
        )
    except (StopIteration, KeyError, ValueError, TypeError):
        return 0.0
    passed = journal.utc_now() - begun
    if passed < timedelta(0):
        return 0.0
    return max(0.0, run.procedure.deadline_s - passed.total_seconds())


def _close(path: FilePath, device: Device, outcome: Outcome) -> None:
    log = journal.RunLog(path.parent.parent, device.name, path.stem)
    try:
        log.write("outcome", status=outcome.status.value, problems=["closed with a later run"], notes=[])
    finally:
        log.close()
