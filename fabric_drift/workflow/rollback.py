"""Taking confirmed runs of a device back, from the run log: the same stages, the same proof, the other way round."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path as FilePath
from typing import Any

from fabric_drift.change import Kind, Plan, Stage, Step
from fabric_drift.errors import FabricDriftError, Refused
from fabric_drift.platform import Disruption
from fabric_drift.workflow import consent, journal, plan_json
from fabric_drift.workflow.bring_back import bring_back, until_as_before
from fabric_drift.workflow.check import named
from fabric_drift.workflow.expectations import NOT_CONTACTED, Device
from fabric_drift.workflow.fingerprint import digest
from fabric_drift.workflow.guarded import until_committed
from fabric_drift.workflow.observe import Observation, changing, fault, observe
from fabric_drift.workflow.outcome import Outcome, Part, Status
from fabric_drift.workflow.recover import recovered
from fabric_drift.workflow.scene import Scene
from fabric_drift.workflow.stages import LogLost, Run, procedure_hash
from fabric_drift.workflow.vitals import as_json, vitals, with_counters_of, worsened

OTHER_WAY = {Kind.ADD: Kind.REMOVE, Kind.REMOVE: Kind.ADD, Kind.CHANGE: Kind.CHANGE}
IN_TIME = 0.8
"""Share of the deadline after which it is too late to confirm: the timer could fire while we do."""


@dataclass(frozen=True, slots=True)
class Past:
    """A run that changed the device and wasn't taken back. Hashes by layer, without the saved one."""

    run_id: str
    part: str
    plan: Plan
    before: Mapping[str, str]
    after: Mapping[str, str]


def rollback(scene: Scene, device: str, *, run_log: FilePath, since: str, part: Part | None = None) -> Outcome:
    """Takes the newest run of a device back where it isn't older than ``since`` (beginning of a run id).

    ``part``: only if it is of this part; runs are taken back in the reverse of their order. Never raises for what
    happens to the device; raises IntentError for a device that the intent doesn't know.
    """
    consent.known(scene.consent.allow)
    return asyncio.run(_rollback(scene, named(scene.expectations, device), run_log, since, part))


def past(run_log: FilePath, device: str, since: str) -> list[Past]:
    """Runs that can be taken back, newest first. Raises Refused for a log that can't be used."""
    changed = []
    for path in journal.runs(run_log, device):
        records = journal.read(path)
        if journal.first(records, "outcome").get("status") == Status.CHANGED.value:
            changed.append((str(records[0]["at"]), path, records))
    taken = {journal.first(records, "run").get("takes_back") for _, _, records in changed}
    return [
        _past(path, journal.first(records, "run"), records)
        for _, path, records in sorted(changed, reverse=True, key=lambda item: item[0])
        if path.stem >= since and path.stem not in taken and not journal.first(records, "run").get("takes_back")
    ]


def _past(path: FilePath, start: Mapping[str, Any], records: list[dict[str, Any]]) -> Past:
    try:
        proven = next(r["hashes"] for r in reversed(records) if r["event"] in ("confirmed", "after") and "hashes" in r)
        plan = plan_json.from_json(start["plan"])
        before, after = _steady(journal.first(records, "before")["hashes"]), _steady(proven)
    except (KeyError, ValueError, TypeError, StopIteration) as error:
        raise Refused(
            f"the run log can't be used: {error}", where=str(path), remedy="Change it by hand", code="FD-CHG-011"
        ) from error
    if not start["plan"].get("whole"):
        raise Refused("secrets were left out of it", where=str(path), remedy="Change it by hand", code="FD-CHG-011")
    return Past(path.stem, str(start["part"]), plan, before, after)


def _steady(hashes: Mapping[str, str]) -> dict[str, str]:
    return {layer: value for layer, value in hashes.items() if layer != "saved"}


def inverse(plan: Plan) -> Plan:
    """The way back. Raises Refused where a step has no inverse of its own."""
    for step in plan.steps:
        if not step.undo:
            raise Refused(
                f"{step.title}: only the whole saved configuration brings it back",
                where=plan.device,
                remedy="Restore it by hand, with the device drained",
                code="FD-CHG-012",
            )
    steps = tuple(_inverse(step) for step in reversed(plan.steps))
    return replace(plan, steps=steps, diff="\n".join(line for step in steps for line in step.forward))


def _inverse(step: Step) -> Step:
    return replace(
        step,
        title=f"take back: {step.title}",
        kind=OTHER_WAY[step.kind],
        forward=step.undo,
        undo=step.forward,
        disruption=max(step.disruption, step.undo_disruption),
        undo_disruption=step.disruption,
    )


async def _rollback(scene: Scene, device: Device, run_log: FilePath, since: str, part: Part | None) -> Outcome:
    if device.lifecycle in NOT_CONTACTED:
        return Outcome(device.name, Status.REFUSED, None, (f"its lifecycle is {device.lifecycle}: not contacted",))
    try:
        with journal.only_one(run_log, device.name):
            cut = journal.unfinished(run_log, device.name)
            if cut:
                return await recovered(scene, device, cut)
            runs = past(run_log, device.name, since)
            if not runs or (part and runs[0].part != part.value):
                return Outcome(device.name, Status.UNCHANGED)
            return await _take_back(scene, device, run_log, runs[0])
    except FabricDriftError as error:
        return Outcome(device.name, Status.REFUSED, None, (error.text(),))
    except OSError as error:
        return Outcome(device.name, Status.REFUSED, None, (f"the run log can't be written: {error.strerror}",))


async def _take_back(scene: Scene, device: Device, run_log: FilePath, old: Past) -> Outcome:
    platform = changing(scene, device)
    now = await observe(scene, device, platform)
    plan = inverse(old.plan)
    refused = [f"{item.problem}. {item.remedy}" for item in consent.missing(plan, device, scene.consent)]
    if _steady(now.hashes()) != old.after:
        refused.append(f"the device isn't as run {old.run_id} left it: change it by hand, or by the intent")
    if refused:
        return Outcome(device.name, Status.REFUSED, plan, tuple(refused))
    run_id = journal.new_run_id(journal.utc_now())
    try:
        procedure = platform.procedure(plan, run_id)
    except FabricDriftError:
        raise
    except Exception as error:  # a platform is foreign code
        raise fault(device.name, error) from error
    log = journal.RunLog(run_log, device.name, run_id)
    try:
        run = Run(scene, device, platform, plan, procedure, log, now.hashes())
        log.write("run", **_start(run, old))
        return await _walk(run, old, now)
    finally:
        log.close()


async def _walk(run: Run, old: Past, now: Observation) -> Outcome:
    reached = await until_committed(run, now)
    if isinstance(reached, Outcome):
        return reached
    committed, problem = reached
    try:
        problem = problem or await _back(run, old, committed.armed_at + IN_TIME * run.procedure.deadline_s)
        if not problem:
            return await _confirmed(run, old, committed.timer_fires_at)
    except Exception as error:  # noqa: BLE001  the log, or a fault of ours: a change mustn't stay unproven
        problem = str(error) if isinstance(error, LogLost) else fault(run.device.name, error).text()
    return await bring_back(run, committed.timer_fires_at, problem)


def _start(run: Run, old: Past) -> dict[str, Any]:
    plan = plan_json.as_json(run.plan)
    return {
        "run": run.procedure.run_id,
        "device": run.device.name,
        "platform": run.platform.name,
        "who": run.scene.who,
        "revision": run.scene.revision,
        "takes_back": old.run_id,
        "part": old.part,
        "allow": sorted(run.scene.consent.allow),
        "plan_hash": digest(plan),
        "procedure_hash": procedure_hash(run.procedure),
        "deadline_s": run.procedure.deadline_s,
        "plan": plan,
        "hashes": run.before,
        "by_hand": run.procedure.by_hand,
    }


async def _back(run: Run, old: Past, too_late_at: float) -> str:
    """Why the device isn't as it was before the old run, in time; "" when it is."""
    clock, patience = run.scene.clock, run.scene.patience
    ends = min(clock.now() + patience.settle, too_late_at)
    while True:
        problem = await _missing(run, old)
        if not problem:
            return "" if clock.now() < too_late_at else "the proof took too long to confirm in time"
        if clock.now() >= ends:
            return problem
        await clock.sleep(patience.poll)


async def _missing(run: Run, old: Past) -> str:
    """Raises LogLost."""
    assert run.health is not None
    try:
        hashes = run.hashes_of(await run.scene.access.read(run.device, run.platform))
    except FabricDriftError as error:
        return error.text()
    health = await vitals(run.scene, run.device)
    now = _steady(hashes)
    wrong = [
        f"layer {name} isn't as before run {old.run_id}"
        for name in sorted(old.before)
        if now.get(name) != old.before[name]
    ]
    wrong += worsened(run.health, health)
    run.tell("after", hashes=hashes, health=as_json(health), problems=wrong)
    if run.plan.disruption >= Disruption.LOSSLESS_GAP:  # drops were agreed to; the next look must show that they ended
        run.health = with_counters_of(run.health, health)
    return wrong[0] if wrong else ""


async def _confirmed(run: Run, old: Past, timer_fires_at: float) -> Outcome:
    """Raises LogLost where nothing was sent yet."""
    run.begin(Stage.CONFIRM)
    end = await run.on_new_connection(Stage.CONFIRM)
    lost = end.lost
    if lost:  # it may not have arrived
        end = await run.on_new_connection(Stage.CONFIRM)
    if not end.ok and not lost:
        return await bring_back(
            run, timer_fires_at, f"confirm: {end.problem}", kept=partial(_confirmed_all_the_same, run, old, end.problem)
        )
    clock, patience = run.scene.clock, run.scene.patience
    while not end.ok and clock.now() < timer_fires_at + patience.poll:  # nobody knows: the timer decides
        await clock.sleep(patience.poll)
    problem = await _after_all(run, old)
    if not problem:
        return run.end(Status.CHANGED)
    if not await until_as_before(run, patience.poll):
        return run.end(Status.UNDONE, "undone by the device itself while it was being confirmed")
    return run.end(Status.NEEDS_HUMAN, problem)


async def _confirmed_all_the_same(run: Run, old: Past, problem: str) -> Outcome | None:
    """It said no, and yet it is as before the old run, saved too: the confirmation failed behind its last step."""
    if await _after_all(run, old) or not await _is_saved(run):
        return None
    await run.repair(Stage.TIDY)
    run.notes.append(f"confirm: {problem}; the device had confirmed it all the same")
    return run.end(Status.CHANGED)


async def _is_saved(run: Run) -> bool:
    """Whether the saved layer, where there is one, has followed."""
    try:
        now = run.hashes_of(await run.scene.access.read(run.device, run.platform))
    except FabricDriftError:
        return False
    return "saved" not in run.before or now.get("saved") != run.before["saved"]


async def _after_all(run: Run, old: Past) -> str:
    """The last look. By now a log that can't be written changes nothing."""
    try:
        return await _missing(run, old)
    except LogLost as error:
        return str(error)
