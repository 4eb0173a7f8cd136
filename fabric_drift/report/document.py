"""The JSON report of a check, version 1, as types; ``fabric-drift schema --of check`` is generated from them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from fabric_drift.finding import Layer, Severity, Verdict
from fabric_drift.report.schema import Says, names
from fabric_drift.report.schema import json_schema as schema_of
from fabric_drift.result import DeviceStatus

Count = Annotated[int, Says(minimum=0)]
Status = Annotated[str, Says(one_of=names(DeviceStatus))]
OfVerdict = Annotated[str, Says(one_of=names(Verdict))]
Value = Annotated[
    Any,
    Says(
        'A value, or {"absent": true}, {"unobserved": reason}, {"not_applicable": reason}, {"unsaid": true}, '
        '{"at_most": number}.'
    ),
]


class SourceDocument(TypedDict):
    """The line of the intent that asked."""

    file: str
    line: Count


class EvidenceDocument(TypedDict):
    """What the device answered, and the line number of the first of ``lines``; 0 where an answer has no lines."""

    command: str
    lines: list[str]
    line_number: Count


class FindingDocument(TypedDict):
    """One fact that isn't as intended, or could not be told."""

    id: Annotated[str, Says("Stable over runs: same device, fact, layer and rule, same id.", pattern="^[0-9a-f]{16}$")]
    device: str
    path: list[str]
    fact: str
    layer: Annotated[str | None, Says(one_of=(*names(Layer), None))]
    verdict: OfVerdict
    severity: Annotated[str, Says(one_of=names(Severity))]
    rule: str
    message: str
    expected: Value
    actual: Value
    sources: list[SourceDocument]
    evidence: list[EvidenceDocument]


class DeviceDocument(TypedDict):
    """What became of one device."""

    name: str
    platform: str
    release: str
    lifecycle: str
    status: Status
    problem: str
    facts: Annotated[dict[OfVerdict, Count], Says("Counts of facts, per layer.")]
    notes: list[str]
    refused: Annotated[list[str], Says("Commands without a whole answer, with the reason.")]


class SummaryDocument(TypedDict):
    """The whole run in numbers."""

    devices: Count
    statuses: Annotated[dict[Status, Count], Says("How many devices ended how.")]
    facts: Annotated[dict[OfVerdict, Count], Says("Counts of facts, per layer.")]
    drift: Annotated[int, Says("Findings with verdict drift.", minimum=0)]
    incomplete: Annotated[bool, Says("Some device or fact went unchecked.")]


class CheckHead(TypedDict):
    """Everything but the findings."""

    schema: Literal["fabric-drift/check"]
    version: Literal[1]
    fabric: str
    summary: SummaryDocument
    warnings: list[str]
    devices: list[DeviceDocument]


class CheckDocument(CheckHead):
    """The whole report."""

    findings: list[FindingDocument]


def json_schema() -> dict[str, Any]:
    """The JSON Schema of the report."""
    return schema_of(CheckDocument, "Report of fabric-drift check, version 1")
