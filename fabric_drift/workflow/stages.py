"""Stages of one procedure on one device, each in the run log before it starts and after it ends."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from fabric_drift.change import Plan, Procedure, Stage
from fabric_drift.errors import FabricDriftError
from fabric_drift.transport.recording import Recording
from fabric_drift.workflow.access import ControlSession
from fabric_drift.workflow.approval import facts_of
from fabric_drift.workflow.expectations import Device
from fabric_drift.workflow.fingerprint import digest
from fabric_drift.workflow.journal import RunLog
from fabric_drift.workflow.judge import refuse_silence
from fabric_drift.workflow.observe import ChangingPlatform, fault
from fabric_drift.workflow.outcome import Outcome, Status
from fabric_drift.workflow.scene import Scene
from fabric_drift.workflow.target import identified
from fabric_drift.workflow.vitals import Vitals, vitals, with_counters_of, worsened
from fabric_drift.workflow.walk import StageEnd, walk


class LogLost(Exception):
    """The run log can't be written, so no further step may be taken."""


@dataclass(slots=True)
class Run:
    """One device's run while it is under way. ``before``: hashes of its layers, from before anything was sent."""

    scene: Scene
    device: Device
    platform: ChangingPlatform
    plan: Plan
    procedure: Procedure
    log: RunLog
    before: dict[str, str]
    health: Vitals | None = None
    """Before the change; None: not asked yet, or not known any more."""
    stages: list[Stage] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    log_is_lost: bool = False

    def tell(self, event: str, **details: Any) -> None:
        """A record that must be on disk before the run goes on. Raises LogLost."""
        try:
            self.log.write(event, **details)
        except OSError as error:
            self.log_is_lost = True
            raise LogLost(f"the run log can't be written: {error.strerror or error}") from error

    def try_to_tell(self, event: str, **details: Any) -> None:
        """A record of what must be done whether it can be logged or not: putting a device right."""
        try:
            self.tell(event, **details)
        except LogLost as error:
            if str(error) not in self.notes:
                self.notes.append(str(error))

    def begin(self, stage: Stage) -> None:
        """Says that a stage begins. Raises LogLost; then nothing of it may be sent."""
        self.tell("begin", stage=stage.value)
        self.stages.append(stage)

    async def finish(self, session: ControlSession, stage: Stage) -> StageEnd:
        """Runs a stage that was begun. Raises LogLost after it."""
        end = await walk(session, stage, self.procedure.stages.get(stage, ()))
        self.tell("end", **_told(end))
        return end

    async def repair(self, stage: Stage) -> StageEnd:
        """Runs UNDO or TIDY over a new connection, logged or not: a device is put right whatever the disk says."""
        self.try_to_tell("begin", stage=stage.value)
        self.stages.append(stage)
        return await self.on_new_connection(stage)

    async def on_new_connection(self, stage: Stage) -> StageEnd:
        """Runs a stage that was begun. A connection that can't be made counts as lost."""
        try:
            async with self.connected() as session:
                end = await walk(session, stage, self.procedure.stages.get(stage, ()))
        except FabricDriftError as error:
            end = StageEnd(stage, error.text(), lost=True)
        self.try_to_tell("end", **_told(end))
        return end

    def connected(self) -> Any:
        """A new session that may write."""
        return self.scene.access.control(self.device, self.procedure.channel, self.procedure.netmiko_type)

    async def differs(self) -> tuple[str, ...]:
        """In what the device isn't as before, over new connections; () when it is. Unreadable counts."""
        recording = await self.scene.access.read(self.device, self.platform)
        try:
            now = self.hashes_of(recording)
        except FabricDriftError as error:
            return (error.text(),)
        layers = sorted(self.before.keys() | now.keys())
        found = [f"layer {layer} isn't as before" for layer in layers if self.before.get(layer) != now.get(layer)]
        if not found and self.health is not None:
            after = await vitals(self.scene, self.device)
            found = list(worsened(with_counters_of(self.health, after), after))
        self.try_to_tell("compared", hashes=now, as_before=not found, problems=found)
        return tuple(found)

    def hashes_of(self, recording: Recording) -> dict[str, str]:
        """Layer -> hash of the right device's facts. Raises our errors."""
        if recording.failure is not None:
            raise recording.failure
        refuse_silence(self.device.name, recording.outputs)
        try:
            reading = self.platform.parse(recording.outputs)
            identified(self.device, self.scene.expectations.expect(self.device.name), reading, self.platform)
            return {layer: digest(facts) for layer, facts in facts_of(reading.states).items()}
        except FabricDriftError:
            raise
        except Exception as error:  # a platform is foreign code
            raise fault(self.device.name, error) from error

    def end(self, status: Status, *problems: str) -> Outcome:
        """The outcome, and its record."""
        by_hand = self.procedure.by_hand if status is Status.NEEDS_HUMAN else ""
        self.try_to_tell("outcome", status=status.value, problems=list(problems), notes=self.notes, by_hand=by_hand)
        return Outcome(
            device=self.device.name,
            status=status,
            plan=self.plan,
            problems=problems,
            by_hand=by_hand,
            stages=tuple(self.stages),
            run_id=self.procedure.run_id,
            log=str(self.log.path),
            notes=tuple(self.notes),
        )


def _told(end: StageEnd) -> dict[str, Any]:
    return {
        "stage": end.stage.value,
        "ok": end.ok,
        "problem": end.problem,
        "lost": end.lost,
        "actions": list(end.actions),
    }


def procedure_hash(procedure: Procedure) -> str:
    """Of every command and input of a procedure, for the run log."""
    stages = {
        stage.value: [[action.command, action.stdin] for action in actions]
        for stage, actions in procedure.stages.items()
    }
    return hashlib.sha256(json.dumps(stages, sort_keys=True).encode()).hexdigest()
