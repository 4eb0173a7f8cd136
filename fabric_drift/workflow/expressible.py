"""What the intent asks and a platform can't do, told once with the devices it concerns; no device is asked."""

from __future__ import annotations

from dataclasses import dataclass, field

from fabric_drift.errors import FabricDriftError, IntentError, IntentErrors, Unsupported
from fabric_drift.platform import Platform
from fabric_drift.registry import platform as registered
from fabric_drift.workflow.expectations import Device, Expectations
from fabric_drift.workflow.identity import release_allowed
from fabric_drift.workflow.paths import resolve
from fabric_drift.workflow.render import target
from fabric_drift.workflow.sources import PlatformOf


@dataclass(slots=True)
class _Problem:
    error: FabricDriftError
    line: str
    devices: dict[str, None] = field(default_factory=dict)


def inexpressible(expectations: Expectations, platform: PlatformOf = registered) -> tuple[str, ...]:
    """One message for each thing that some device can't do, on any of the releases that the intent allows it."""
    problems: dict[tuple[str, ...], _Problem] = {}
    for device in expectations.devices.values():
        for error in _errors(expectations, device, platform(device.platform)):
            line = _line(expectations, device, error)
            key = (line, error.what if not line else "", error.problem, error.code)
            problems.setdefault(key, _Problem(error, line)).devices[device.name] = None
    return tuple(_message(problem) for problem in problems.values())


def _errors(expectations: Expectations, device: Device, platform: Platform) -> list[FabricDriftError]:
    errors: list[FabricDriftError] = []
    for release in device.releases or ("",):
        if release and not release_allowed(release, platform.releases):
            errors.append(_unknown_release(release, platform))
            continue
        try:
            platform.localise(expectations.expect(device.name), target(expectations, device, release))
        except IntentErrors:
            raise
        except FabricDriftError as error:
            errors.append(error)
    return errors


def _unknown_release(release: str, platform: Platform) -> Unsupported:
    return Unsupported(
        f"release {release} isn't one that {platform.name} is known to read",
        what="releases",
        remedy=f"Allow some of {', '.join(platform.releases)}",
        code="FD-PLT-003",
    )


def _line(expectations: Expectations, device: Device, error: FabricDriftError) -> str:
    """The line of the intent that asked for it, where the error names a fact that the intent has."""
    try:
        path, _ = resolve(expectations.expect(device.name), error.what, device.name)
    except IntentError:
        return ""  # the platform speaks of something that it derived itself
    sources = expectations.sources(device.name, path) if path else ()
    return str(sources[-1]) if sources else ""  # the last one decides


def _message(problem: _Problem) -> str:
    told = problem.error
    devices = ", ".join(problem.devices)
    return Unsupported(
        f"{told.problem} ({devices})",
        where=problem.line or told.where,
        what=told.what,
        remedy=told.remedy,
        code=told.code,
    ).text()
