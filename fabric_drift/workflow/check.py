"""check: what differs between the intent and the devices, told with evidence."""

from __future__ import annotations

import asyncio
import fnmatch
from collections.abc import Callable, Sequence
from datetime import date
from difflib import get_close_matches

from fabric_drift.errors import IntentError
from fabric_drift.registry import platform as registered
from fabric_drift.result import CheckResult, DeviceResult
from fabric_drift.workflow.expectations import NOT_CONTACTED, Device, Expectations
from fabric_drift.workflow.judge import Judge
from fabric_drift.workflow.sources import PlatformOf, Source
from fabric_drift.workflow.waivers import Waiver
from fabric_drift.workflow.waivers import warnings as waiver_warnings

Progress = Callable[[str], None]
"""Called with the name of each device that is done."""


def check(
    expectations: Expectations,
    source: Source,
    *,
    only: Sequence[str] = (),
    waivers: Sequence[Waiver] = (),
    today: date | None = None,
    platform: PlatformOf = registered,
    progress: Progress = lambda _: None,
) -> CheckResult:
    """Reads and judges the devices (``only`` those named, else all that may be contacted).

    Raises IntentError for an unknown name in ``only`` and Unsupported for an unknown platform; whatever
    happens to a device is in the result. ``today`` decides which waivers are in force.
    """
    day = today or date.today()  # noqa: DTZ011  waivers end on the user's day
    devices = selected(expectations, only)
    judge = Judge(expectations, waivers, day)
    contacted = [device for device in devices if device.lifecycle not in NOT_CONTACTED]
    results = [judge.away(device) for device in devices if device.lifecycle in NOT_CONTACTED]
    results += map(judge.settled, asyncio.run(_judged(judge, source, contacted, platform, progress)))
    ordered = tuple(sorted(results, key=lambda result: result.name))
    findings = [finding for result in ordered for finding in result.findings]
    complete = len(ordered) == len(expectations.devices)
    return CheckResult(expectations.name, ordered, waiver_warnings(waivers, findings, day) if complete else ())


async def _judged(
    judge: Judge, source: Source, devices: Sequence[Device], platform: PlatformOf, progress: Progress
) -> list[DeviceResult]:
    platforms = {name: platform(name) for name in sorted({device.platform for device in devices})}
    results = []
    async for recording in source.recordings(devices, platforms.__getitem__):
        results.append(judge.judge(recording, platforms[recording.platform]))
        progress(recording.device)
    return results


def selected(expectations: Expectations, only: Sequence[str]) -> list[Device]:
    """The devices of these names or patterns, or all; raises IntentError for one that finds nothing."""
    names = set(expectations.devices)
    found = {pattern: fnmatch.filter(names, pattern) for pattern in only}
    unknown = sorted(pattern for pattern, matches in found.items() if not matches)
    if unknown:
        close = get_close_matches(unknown[0], names, n=3)
        raise IntentError(
            f"the intent knows no device {', '.join(unknown)}",
            remedy=f"Did you mean {', '.join(close)}" if close else "Check the names",
            code="FD-CHK-001",
        )
    chosen = {name for matches in found.values() for name in matches} if only else names
    return [expectations.devices[name] for name in sorted(chosen)]


def named(expectations: Expectations, name: str) -> Device:
    """The one device of this name. Raises IntentError."""
    return selected(expectations, (name,))[0]
