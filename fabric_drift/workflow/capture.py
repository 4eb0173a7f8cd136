"""capture: what the devices say, scrubbed, in files; a later check of the files equals a check now."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath

from fabric_drift.registry import platform as registered
from fabric_drift.transport import captures
from fabric_drift.workflow.check import Progress, selected
from fabric_drift.workflow.expectations import NOT_CONTACTED, Device, Expectations
from fabric_drift.workflow.sources import PlatformOf, Source


@dataclass(frozen=True, slots=True)
class CaptureResult:
    """Names of captured devices, and why the others weren't."""

    captured: tuple[str, ...]
    failed: tuple[tuple[str, str], ...]


def capture(
    expectations: Expectations,
    source: Source,
    directory: FilePath,
    *,
    only: Sequence[str] = (),
    platform: PlatformOf = registered,
    progress: Progress = lambda _: None,
) -> CaptureResult:
    """Writes ``directory/<device>/``. Failures are recorded too, so that the offline check tells them as well."""
    devices = [d for d in selected(expectations, only) if d.lifecycle not in NOT_CONTACTED]
    return asyncio.run(_captured(source, devices, directory, platform, progress))


async def _captured(
    source: Source, devices: Sequence[Device], directory: FilePath, platform: PlatformOf, progress: Progress
) -> CaptureResult:
    captured, failed = [], []
    async for recording in source.recordings(devices, platform):
        captures.write(directory, recording)
        if recording.failure is None:
            captured.append(recording.device)
        else:
            failed.append((recording.device, recording.failure.text()))
        progress(recording.device)
    return CaptureResult(tuple(sorted(captured)), tuple(sorted(failed)))
