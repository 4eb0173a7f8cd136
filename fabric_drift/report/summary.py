"""The last lines of every report: what was found, and what was looked at. Unchecked is never silent."""

from __future__ import annotations

from fabric_drift.finding import Verdict
from fabric_drift.report.groups import by_severity
from fabric_drift.result import CheckResult, DeviceStatus

WORDS = {
    DeviceStatus.INCOMPLETE: "incomplete",
    DeviceStatus.UNREACHABLE: "unreachable",
    DeviceStatus.UNAUTHORISED: "unauthorised",
    DeviceStatus.WRONG_DEVICE: "wrong device",
    DeviceStatus.UNPARSED: "not understood",
    DeviceStatus.UNSUPPORTED: "unsupported",
    DeviceStatus.INTERNAL_ERROR: "internal error",
    DeviceStatus.EXPECTED_DOWN: "expected down",
}


def findings_line(result: CheckResult) -> str:
    """``drift: 3 (2 critical, 1 high); 1 waived; 12 facts not seen; 1,204 facts as intended``."""
    drifted = [finding for finding in result.findings if finding.verdict is Verdict.DRIFT]
    severities = ", ".join(f"{count} {severity.name.lower()}" for severity, count in by_severity(drifted).items())
    facts = result.facts
    parts = [f"drift: {len(drifted)}{f' ({severities})' if severities else ''}"]
    if facts[Verdict.WAIVED]:
        parts.append(f"{facts[Verdict.WAIVED]} waived")
    unseen = facts[Verdict.UNOBSERVED] + facts[Verdict.ERROR]
    if unseen:
        parts.append(f"{unseen:,} facts not seen")
    parts.append(f"{facts[Verdict.MATCH]:,} facts as intended")
    if facts[Verdict.INFORMATION]:
        parts.append(f"{facts[Verdict.INFORMATION]} outside the managed scope")
    return "; ".join(parts)


def devices_line(result: CheckResult) -> str:
    """``checked 498 of 500; 2 unreachable``. Only devices of which every fact was seen are checked."""
    statuses = result.statuses
    parts = [f"checked {statuses[DeviceStatus.CHECKED]} of {len(result.devices)}"]
    parts += [f"{statuses[status]} {word}" for status, word in WORDS.items() if statuses[status]]
    return "; ".join(parts)
