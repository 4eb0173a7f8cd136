"""The exit code table of the documentation, row by row."""

from __future__ import annotations

import pytest

from fabric_drift.finding import Finding, Severity, Verdict
from fabric_drift.result import CheckResult, DeviceResult, DeviceStatus
from fabric_drift.workflow import exit_code

STATUSES = {
    "fine": DeviceStatus.CHECKED,
    "down as expected": DeviceStatus.EXPECTED_DOWN,
    "unseen": DeviceStatus.INCOMPLETE,
    "unreachable": DeviceStatus.UNREACHABLE,
    "unauthorised": DeviceStatus.UNAUTHORISED,
    "wrong": DeviceStatus.WRONG_DEVICE,
    "unparsed": DeviceStatus.UNPARSED,
    "unsupported": DeviceStatus.UNSUPPORTED,
    "broken": DeviceStatus.INTERNAL_ERROR,
}


def result(*names: str, drift: Severity | None = None) -> CheckResult:
    found = () if drift is None else (Finding("d", (), None, Verdict.DRIFT, 1, 2, severity=drift),)
    waived = Finding("d", (), None, Verdict.WAIVED, 1, 2, severity=Severity.CRITICAL)
    devices = [DeviceResult(name, "toy", STATUSES[name], findings=(waived, *found)) for name in names]
    return CheckResult("f", tuple(devices))


@pytest.mark.parametrize(
    ("names", "drift", "code", "detailed", "zero"),
    [
        (["fine"], None, 0, 0, 0),
        (["fine", "down as expected"], None, 0, 0, 0),
        (["fine", "unseen"], None, 3, 1, 0),
        (["unreachable"], None, 3, 1, 0),
        (["unauthorised"], None, 3, 1, 0),
        (["wrong"], None, 3, 1, 0),
        (["unparsed"], None, 3, 1, 0),
        (["unsupported"], None, 3, 1, 0),
        (["fine"], Severity.LOW, 4, 2, 0),
        (["fine", "unreachable"], Severity.LOW, 4, 2, 0),
        (["fine"], Severity.INFO, 0, 0, 0),
        (["broken"], None, 1, 1, 1),
        (["broken", "unseen"], None, 1, 1, 1),
        (["broken", "fine"], Severity.HIGH, 4, 2, 1),
    ],
)
def test_the_exit_code_follows_the_table(
    names: list[str], drift: Severity | None, code: int, detailed: int, zero: int
) -> None:
    found = result(*names, drift=drift)
    assert (exit_code(found), exit_code(found, detailed=True), exit_code(found, exit_zero=True)) == (
        code, detailed, zero,
    )  # fmt: skip


@pytest.mark.parametrize(("fail_on", "code"), [(Severity.MEDIUM, 4), (Severity.HIGH, 0)])
def test_drift_below_the_threshold_does_not_fail(fail_on: Severity, code: int) -> None:
    assert exit_code(result("fine", drift=Severity.MEDIUM), fail_on=fail_on) == code
