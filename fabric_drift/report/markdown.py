"""The report for a comment or a wiki: verdict first, one table row per group, evidence folded away."""

from __future__ import annotations

from collections.abc import Iterator

from fabric_drift.finding import Verdict
from fabric_drift.report.groups import Group, grouped
from fabric_drift.report.harmless import markdown as escaped
from fabric_drift.report.harmless import value_text
from fabric_drift.report.summary import devices_line, findings_line
from fabric_drift.report.text import QUIET
from fabric_drift.result import READ, CheckResult, DeviceStatus

HEAD = ("| | severity | fact | layer | expected | actual | where | rule |", "|---|---|---|---|---|---|---|---|")
EVIDENCE_LINES = 5


def markdown(result: CheckResult, *, verbose: bool = False) -> str:
    """GitHub-flavoured Markdown. Everything that a device said is escaped."""
    shown = [f for f in result.findings if f.verdict is not Verdict.ERROR and (verbose or f.verdict not in QUIET)]
    groups = grouped(shown)
    lines = [f"# Fabric {escaped(result.fabric)}: {_verdict(result)}", ""]
    lines += [f"- {escaped(findings_line(result))}", f"- {escaped(devices_line(result))}"]
    lines += [f"- warning: {escaped(warning)}" for warning in result.warnings]
    if groups:
        lines += ["", *HEAD, *(_row(group) for group in groups), "", *_evidence(groups)]
    problems = [device for device in result.devices if device.status not in READ]
    unchecked = [device for device in problems if device.status is not DeviceStatus.EXPECTED_DOWN]
    if unchecked:
        lines += ["", "## Not checked", ""]
        lines += [f"- **{escaped(d.name)}** ({escaped(d.status.value)}): {escaped(d.problem)}" for d in unchecked]
    return "\n".join(lines).rstrip() + "\n"


def _verdict(result: CheckResult) -> str:
    if result.drift():
        return "drift"
    return "incomplete" if result.incomplete else "in sync"


def _row(group: Group) -> str:
    first = group.first
    cells = (
        group.mark,
        first.severity.name.lower(),
        group.fact,
        group.layers,
        value_text(first.expected),
        value_text(first.actual),
        "; ".join(group.places()),
        first.rule,
    )
    return "| " + " | ".join(escaped(cell) for cell in cells) + " |"


def _evidence(groups: list[Group]) -> Iterator[str]:
    yield "<details><summary>Evidence</summary>"
    yield ""
    for group in groups:
        first = group.first
        asked = ", ".join(escaped(str(source)) for source in first.sources) or "-"
        yield f"- {escaped(first.device)} {escaped(group.fact)}: {escaped(first.message)}; asked by {asked}"
        for item in group.evidence:
            place = f":{item.line_number}" if item.line_number else ""
            said = " / ".join(escaped(line.strip()) for line in item.lines[:EVIDENCE_LINES])
            yield f"  - {escaped(item.command)}{place}: {said}"
    yield ""
    yield "</details>"
