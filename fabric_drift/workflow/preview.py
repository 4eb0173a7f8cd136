"""preview: what would change on which device, how disruptive it is, how it is undone, in which order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fabric_drift.change import Plan, Refusal
from fabric_drift.errors import FabricDriftError
from fabric_drift.state import DeviceState
from fabric_drift.state.tree import plain
from fabric_drift.workflow import consent
from fabric_drift.workflow.approval import approve
from fabric_drift.workflow.check import selected
from fabric_drift.workflow.expectations import NOT_CONTACTED, Device
from fabric_drift.workflow.findings import at
from fabric_drift.workflow.observe import Observation, changing, observe
from fabric_drift.workflow.order import BATCH, parts, waves
from fabric_drift.workflow.outcome import Approval, DevicePreview, Part, PreviewResult, PreviewStatus
from fabric_drift.workflow.scene import Scene

TOGETHER = 32
"""Devices read at the same time."""


@dataclass(frozen=True, slots=True)
class Planned:
    """What may be done on a device, and what was approved when this is approved."""

    running: DeviceState
    parts: Mapping[Part, Plan]
    refusals: tuple[Refusal, ...]
    approval: Approval

    def replaced(self, plan: Plan) -> list[list[Any]]:
        """[path, value] of every fact that the plan replaces: what taking the run back later must lead to."""
        paths = sorted({path for step in plan.steps for path in step.paths})
        return [[list(path), plain(at(self.running, path))] for path in paths]


def preview(
    scene: Scene, *, only: Sequence[str] = (), batch: int = BATCH, progress: Callable[[str], None] = lambda _: None
) -> PreviewResult:
    """Reads the devices and plans; writes nothing, on no device and on no disk.

    Raises IntentError for an unknown name in ``only`` or in the consent; whatever happens to a device is in the
    result.
    """
    consent.known(scene.consent.allow)
    devices = selected(scene.expectations, only)
    found = asyncio.run(_previews(scene, devices, progress))
    plans = {item.device: item.parts for item in found if item.status is PreviewStatus.PLANNED}
    order = waves(plans, scene.expectations.topology(), batch=batch)
    return PreviewResult(scene.expectations.name, tuple(found), order)


async def _previews(scene: Scene, devices: Sequence[Device], progress: Callable[[str], None]) -> list[DevicePreview]:
    room = asyncio.Semaphore(TOGETHER)

    async def one(device: Device) -> DevicePreview:
        async with room:
            found = await preview_one(scene, device)
        progress(device.name)
        return found

    return list(await asyncio.gather(*(one(device) for device in devices)))


async def preview_one(scene: Scene, device: Device) -> DevicePreview:
    """One device; never raises for what happens to it."""
    if device.lifecycle in NOT_CONTACTED:
        return DevicePreview(device.name, device.platform, PreviewStatus.AWAY)
    try:
        platform = changing(scene, device)
        before = await observe(scene, device, platform)
        found = planned(scene, device, before)
    except FabricDriftError as error:
        return DevicePreview(device.name, device.platform, PreviewStatus.FAILED, problems=(error.text(),))
    status = PreviewStatus.PLANNED if before.plan.steps else PreviewStatus.UNCHANGED
    return DevicePreview(
        device.name,
        device.platform,
        PreviewStatus.REFUSED if found.refusals else status,
        plan=before.plan,
        parts=found.parts,
        refusals=found.refusals,
        approval=found.approval,
        notes=tuple(sorted(before.reading.notes)),
    )


def planned(scene: Scene, device: Device, before: Observation) -> Planned:
    """The plan by parts, with everything that forbids it."""
    split = parts(before.plan, is_host=device.name in scene.expectations.topology().hosts)
    approval = approve(scene.expectations.fingerprint(), before.rendered, before.running, split)
    refusals = (*before.plan.refusals, *consent.missing(before.plan, device, scene.consent))
    return Planned(before.running, split, refusals, approval)
