"""apply: one part of one device's plan, by the stages of design law 6, to one of the ends of ``Status``."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path as FilePath
from typing import Any

from fabric_drift.change import Plan, Refusal
from fabric_drift.errors import FabricDriftError
from fabric_drift.workflow import plan_json
from fabric_drift.workflow.approval import moved
from fabric_drift.workflow.check import named
from fabric_drift.workflow.consent import known
from fabric_drift.workflow.expectations import NOT_CONTACTED, Device
from fabric_drift.workflow.fingerprint import digest
from fabric_drift.workflow.guarded import guarded
from fabric_drift.workflow.journal import RunLog, new_run_id, only_one, unfinished, utc_now
from fabric_drift.workflow.observe import ChangingPlatform, Observation, changing, fault, observe
from fabric_drift.workflow.outcome import Approval, Outcome, Part, Status
from fabric_drift.workflow.preview import Planned, planned
from fabric_drift.workflow.recover import recovered
from fabric_drift.workflow.scene import Scene
from fabric_drift.workflow.stages import Run, procedure_hash


def apply(
    scene: Scene, device: str, *, run_log: FilePath, part: Part | None = None, approval: Approval | None = None
) -> Outcome:
    """Reads, plans, refuses or walks the stages; never raises for what happens to the device.

    ``part``: only these steps; None: all, for a device alone (a change by hand that is put right). ``approval``:
    of the preview; where anything has moved since, the device is refused. ``run_log``: directory, made 0700.
    Raises IntentError for a device that the intent doesn't know.

    A run of before that was cut is brought to its end first; then that is the outcome, and nothing is applied on
    top of it.
    """
    return asyncio.run(apply_one(scene, device, run_log=run_log, part=part, approval=approval))


async def apply_one(
    scene: Scene, name: str, *, run_log: FilePath, part: Part | None = None, approval: Approval | None = None
) -> Outcome:
    """``apply`` for a caller with an event loop."""
    known(scene.consent.allow)
    device = named(scene.expectations, name)
    if device.lifecycle in NOT_CONTACTED:
        return _refused(device, f"{name}: its lifecycle is {device.lifecycle}: it isn't contacted")
    try:
        with only_one(run_log, name):
            cut = unfinished(run_log, name)
            if cut:
                return await recovered(scene, device, cut)
            return await _apply(scene, device, run_log, part, approval)
    except FabricDriftError as error:
        return _refused(device, error.text())
    except OSError as error:
        return _refused(device, f"{name}: the run log can't be written: {error.strerror}: {error.filename}")


@dataclass(frozen=True, slots=True)
class _Change:
    """What is about to be done to one device."""

    device: Device
    platform: ChangingPlatform
    before: Observation
    plan: Plan
    part: Part | None
    found: Planned


async def _apply(
    scene: Scene, device: Device, run_log: FilePath, part: Part | None, approval: Approval | None
) -> Outcome:
    platform = changing(scene, device)
    before = await observe(scene, device, platform)
    found = planned(scene, device, before)
    plan = before.plan if part is None else found.parts.get(part, replace(before.plan, steps=()))
    if found.refusals:
        return _refused(device, *(_told(device, refusal) for refusal in found.refusals), plan=plan)
    if not plan.steps:
        return Outcome(device.name, Status.UNCHANGED, plan)
    stale = moved(approval, found.approval, part) if approval else ""
    if stale:
        refused = _refused(device, f"{device.name}: {stale}. Preview again, and approve that. [FD-CHG-007]", plan=plan)
        return replace(refused, is_stale=True)
    return await _run(scene, _Change(device, platform, before, plan, part, found), run_log)


async def _run(scene: Scene, change: _Change, run_log: FilePath) -> Outcome:
    run_id = new_run_id(utc_now())
    name = change.device.name
    try:
        procedure = change.platform.procedure(change.plan, run_id)
    except FabricDriftError:
        raise
    except Exception as error:  # a platform is foreign code
        raise fault(name, error) from error
    log = RunLog(run_log, name, run_id)
    try:
        run = Run(scene, change.device, change.platform, change.plan, procedure, log, change.before.hashes())
        log.write("run", **_start(scene, change, run))
        return await guarded(run, change.before)
    finally:
        log.close()


def _start(scene: Scene, change: _Change, run: Run) -> dict[str, Any]:
    plan = plan_json.as_json(change.plan)
    return {
        "run": run.procedure.run_id,
        "device": change.device.name,
        "platform": change.platform.name,
        "who": scene.who,
        "revision": scene.revision,
        "intent": change.found.approval.intent,
        "rendered": change.found.approval.rendered,
        "part": change.part.value if change.part else "",
        "allow": sorted(scene.consent.allow),
        "plan_hash": digest(plan),
        "procedure_hash": procedure_hash(run.procedure),
        "deadline_s": run.procedure.deadline_s,
        "plan": plan,
        "replaced": change.found.replaced(change.plan),
        "hashes": run.before,
        "by_hand": run.procedure.by_hand,
    }


def _told(device: Device, refusal: Refusal) -> str:
    place = "/".join(refusal.path)
    return f"{device.name}: {place}: {refusal.problem}. {refusal.remedy}. [FD-CHG-008]"


def _refused(device: Device, *problems: str, plan: Plan | None = None) -> Outcome:
    return Outcome(device.name, Status.REFUSED, plan, problems)
