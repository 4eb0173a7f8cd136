"""The report for a comment or a wiki: verdict first, one table row per group, evidence folded away."""

from __future__ import annotations

from collections.abc import Iterator

from fabric_drift.finding import Verdict
from fabric_drift.report.groups import Group, grouped
from fabric_drift.report.harmless import value_text
from fabric_drift.report.markup import code, escaped
from fabric_drift.report.summary import devices_line, findings_line
from fabric_drift.report.text import QUIET
from fabric_drift.result import READ, CheckResult, DeviceStatus

HEAD = ("| | severity | fact | layer | expected | actual | where | rule |", "|---|---|---|---|---|---|---|---|")
EVIDENCE_LINES = 5


def markdown(result: CheckResult, *, verbose: bool = False) -> str:
    """GitHub-flavoured Markdown. Everything that a device said is code or escaped."""
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
        lines += [f"- {code(d.name)} ({escaped(d.status.value)}): {escaped(d.problem)}" for d in unchecked]
    return "\n".join(lines).rstrip() + "\n"


def _verdict(result: CheckResult) -> str:
    if result.drift():
        return "drift"
    return "incomplete" if result.incomplete else "in sync"


def _row(group: Group) -> str:
    first = group.first
    cells = (
        code(group.mark),
        first.severity.name.lower(),
        code(group.fact),
        group.layers,
        code(value_text(first.expected)),
        code(value_text(first.actual)),
        "; ".join(code(place) for place in group.places()),
        escaped(first.rule),
    )
    return f"| {' | '.join(cells)} |"


def _evidence(groups: list[Group]) -> Iterator[str]:
    yield "<details><summary>Evidence</summary>"
    yield ""
    for group in groups:
        first = group.first
        asked = ", ".join(code(str(source)) for source in first.sources) or "-"
        yield f"- {code(first.device)} {code(group.fact)}: {escaped(first.message)}; asked by {asked}"
        for item in group.evidence:
            place = f":{item.line_number}" if item.line_number else ""
            said = " / ".join(code(line.strip()) for line in item.lines[:EVIDENCE_LINES])
            yield f"  - {code(f'{item.command}{place}')}: {said}".rstrip()
    yield ""
    yield "</details>"
