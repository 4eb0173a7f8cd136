"""The exit code of a check; the one place that decides what outranks what."""

from __future__ import annotations

from fabric_drift.finding import Severity
from fabric_drift.result import CheckResult, DeviceStatus

IN_SYNC, INTERNAL, USAGE, INCOMPLETE, DRIFT = 0, 1, 2, 3, 4


def exit_code(
    result: CheckResult, *, fail_on: Severity = Severity.LOW, detailed: bool = False, exit_zero: bool = False
) -> int:
    """0 in sync, 1 internal error, 3 incomplete, 4 drift at or above ``fail_on`` (2, usage, is decided before).

    Drift outranks an internal error, which outranks incomplete. ``detailed``: terraform's 0 none, 1 error or
    incomplete, 2 drift. ``exit_zero``: 0 for drift and incomplete; a fault of ours still shows.
    """
    broken = result.statuses[DeviceStatus.INTERNAL_ERROR] > 0
    if exit_zero:
        return INTERNAL if broken else IN_SYNC
    if result.drift(fail_on):
        return 2 if detailed else DRIFT
    if broken:
        return INTERNAL
    if result.incomplete:
        return 1 if detailed else INCOMPLETE
    return IN_SYNC
