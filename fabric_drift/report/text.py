"""The report for a terminal: grouped findings, then problems, then two lines that sum up."""

from __future__ import annotations

from collections.abc import Iterator

from fabric_drift.finding import Finding, Severity, Verdict
from fabric_drift.report.groups import Group, grouped
from fabric_drift.report.harmless import clean, value_text
from fabric_drift.report.summary import devices_line, findings_line
from fabric_drift.result import READ, CheckResult, DeviceStatus

QUIET = frozenset((Verdict.WAIVED, Verdict.INFORMATION))
"""Counted always, shown when asked for."""
EVIDENCE_LINES = 3
COMMAND_CHARACTERS = 80
COLOURS = {
    Severity.CRITICAL: "1;31",
    Severity.HIGH: "31",
    Severity.MEDIUM: "33",
    Severity.LOW: "36",
    Severity.INFO: "2",
}


def text(result: CheckResult, *, colour: bool = False, verbose: bool = False) -> str:
    """The report, lines ended. ``verbose`` adds waived findings, foreign ports, notes and refused commands."""
    blocks = [_group(group, colour=colour) for group in grouped(_shown(result, verbose=verbose))]
    problems = [f"! {clean(device.problem)}" for device in result.devices if _is_problem(device.status)]
    details = list(_details(result)) if verbose else []
    warnings = [f"warning: {clean(warning)}" for warning in result.warnings]
    last = [findings_line(result), devices_line(result)]
    lines = [line for block in blocks for line in (*block, "")]
    lines += [*problems, ""] if problems else []
    lines += [*details, ""] if details else []
    return "".join(f"{line}\n" for line in (*lines, *warnings, *last))


def _is_problem(status: DeviceStatus) -> bool:
    return status not in READ and status is not DeviceStatus.EXPECTED_DOWN


def _shown(result: CheckResult, *, verbose: bool) -> Iterator[Finding]:
    """A device that was not read is told once, by its problem."""
    for device in result.devices:
        for finding in device.findings:
            if finding.verdict is not Verdict.ERROR and (verbose or finding.verdict not in QUIET):
                yield finding


def _group(group: Group, *, colour: bool) -> Iterator[str]:
    first = group.first
    change = f"{value_text(first.expected)} -> {value_text(first.actual)}"
    if first.verdict in (Verdict.UNOBSERVED, Verdict.INFORMATION):
        change = value_text(first.actual)
    severity = first.severity.name.lower()
    head = f"{group.mark} {clean(group.fact)} [{group.layers}]  {change}  {severity} {first.rule}"
    yield f"\x1b[{COLOURS[first.severity]}m{head}\x1b[0m" if colour else head
    yield f"    {clean(first.message)}"
    yield from (f"    {clean(place)}" for place in group.places())
    if first.sources:
        yield f"    asked by {', '.join(clean(str(source)) for source in first.sources)}"
    for evidence in group.evidence[:EVIDENCE_LINES]:
        place = f":{evidence.line_number}" if evidence.line_number else ""
        said = " / ".join(clean(line.strip()) for line in evidence.lines[:EVIDENCE_LINES])
        yield f"    {clean(first.device)} said ({_short(evidence.command)}{place}) {said}".rstrip()


def _short(command: str) -> str:
    """Enough of a command to recognise it; JSON has all of it."""
    shown = clean(command)
    return shown if len(shown) <= COMMAND_CHARACTERS else f"{shown[:COMMAND_CHARACTERS]}..."


def _details(result: CheckResult) -> Iterator[str]:
    for device in result.devices:
        if device.status is DeviceStatus.EXPECTED_DOWN:
            yield f"{device.name}: {device.lifecycle}, not expected to answer"
        yield from (f"{device.name}: note: {clean(note)}" for note in device.notes)
        yield from (f"{device.name}: no whole answer: {clean(command)}" for command in device.refused)
