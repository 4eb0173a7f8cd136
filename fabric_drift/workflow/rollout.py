"""A whole approved change: wave after wave, and at the first failure no further one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath

from fabric_drift.workflow.apply import apply_one
from fabric_drift.workflow.outcome import Approval, Outcome, Part, Status, Wave
from fabric_drift.workflow.scene import Scene

STOP, SKIP = "stop", "skip"


@dataclass(frozen=True, slots=True)
class Turn:
    """How one device ended in one part."""

    part: Part
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Rollout:
    """Every turn that was planned, in the order of the waves."""

    turns: tuple[Turn, ...]

    def devices(self, *statuses: Status) -> tuple[str, ...]:
        """Names of devices with a turn that ended so, in their order."""
        return tuple(dict.fromkeys(t.outcome.device for t in self.turns if t.outcome.status in statuses))

    @property
    def ok(self) -> bool:
        """Whether every turn ended as intended."""
        return all(turn.outcome.ok for turn in self.turns)


def rollout(
    scene: Scene,
    waves: Sequence[Wave],
    approvals: Mapping[str, Approval],
    *,
    run_log: FilePath,
    on_stale: str = STOP,
    progress: Callable[[Outcome], None] = lambda _: None,
) -> Rollout:
    """Applies the waves of a preview. ``on_stale``: what a device that has moved since its approval means.

    ``stop``: the same as any failure. ``skip``: the other devices of its part go on; later parts don't start,
    since they build on this one everywhere.
    """
    if on_stale not in (STOP, SKIP):
        raise ValueError(f"on_stale is {STOP} or {SKIP}, not {on_stale!r}")
    return asyncio.run(_rollout(scene, waves, approvals, run_log, on_stale, progress))


async def _rollout(  # noqa: PLR0917  what rollout was given
    scene: Scene,
    waves: Sequence[Wave],
    approvals: Mapping[str, Approval],
    run_log: FilePath,
    on_stale: str,
    progress: Callable[[Outcome], None],
) -> Rollout:
    turns: list[Turn] = []
    stopped, skipped_in = False, None
    for wave in waves:
        if stopped or skipped_in not in (None, wave.part):
            outcomes = [Outcome(name, Status.NOT_ATTEMPTED) for name in wave.devices]
        else:
            outcomes = await _wave(scene, wave, approvals, run_log)
            bad = [outcome for outcome in outcomes if not outcome.ok]
            if bad and on_stale == SKIP and all(outcome.is_stale for outcome in bad):
                skipped_in = wave.part
            elif bad:
                stopped = True
        for outcome in outcomes:
            progress(outcome)
        turns += [Turn(wave.part, outcome) for outcome in outcomes]
    return Rollout(tuple(turns))


async def _wave(scene: Scene, wave: Wave, approvals: Mapping[str, Approval], run_log: FilePath) -> list[Outcome]:
    applied = (
        apply_one(scene, name, run_log=run_log, part=wave.part, approval=approvals.get(name)) for name in wave.devices
    )
    return list(await asyncio.gather(*applied))
