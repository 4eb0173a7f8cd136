"""A review in JSON, version 1, as types; ``fabric-drift schema --of review`` is generated from them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from fabric_drift.platform import Disruption
from fabric_drift.report.document import Count, SourceDocument
from fabric_drift.report.schema import Says
from fabric_drift.report.schema import json_schema as schema_of
from fabric_drift.review.model import Kind

Disturbs = Annotated[str, Says(one_of=tuple(str(level) for level in Disruption))]
Value = Annotated[
    Any,
    Says(
        'A value, or {"absent": true}, {"not_applicable": reason}, {"unsaid": true} where nothing is managed, '
        '{"own_name": true} where each port has another.'
    ),
]


class ConcernDocument(TypedDict):
    """Something that a reviewer must not miss, and on which devices."""

    text: str
    devices: list[str]


class RolloutDocument(TypedDict):
    """One step of the rollout over all shapes."""

    title: str
    devices: list[str]
    shapes: Annotated[list[str], Says("Ids of shapes.")]
    disruption: Disturbs


class ProofDocument(TypedDict):
    """Why a disruption is what it is said to be."""

    facts: list[str]
    disruption: Disturbs
    known: Annotated[bool, Says("Whether the platform's table has a row for it.")]
    written: Annotated[bool, Says("Whether anything is written to the device for it.")]
    how: str
    proof: Annotated[str, Says("documentation, source, schema, kernel, emulator or device.")]
    source: str


class StepDocument(TypedDict):
    """One step of the devices of a shape."""

    title: str
    phase: str
    removes: bool
    on_hosts: bool
    disruption: Disturbs
    evidence: list[ProofDocument]


class ChangeDocument(TypedDict):
    """One fact that changes, with ``*`` for the port, and the lines of the intent that decide."""

    fact: list[str]
    before: Value
    after: Value
    ports: list[str]
    port_count: Annotated[int, Says("Over all devices of the shape.", minimum=0)]
    sources: list[SourceDocument]


class NativeDocument(TypedDict):
    """Difference of native files of the first device; ``files`` differ alike."""

    device: str
    files: list[str]
    diff: list[str]


class ShapeDocument(TypedDict):
    """Devices that change alike."""

    id: Annotated[str, Says("Stable: same change, same id.")]
    kind: Annotated[str, Says(one_of=tuple(kind.value for kind in Kind))]
    platform: str
    hardware: list[str]
    releases: list[str]
    roles: list[str]
    devices: list[str]
    disruption: Disturbs
    problem: Annotated[str, Says("What the platform can't express; then there are no steps.")]
    changes: list[ChangeDocument]
    steps: list[StepDocument]
    native: list[NativeDocument]


class ReviewDocument(TypedDict):
    """The whole review."""

    schema: Literal["fabric-drift/review"]
    version: Literal[1]
    intent: str
    base: str
    head: str
    headline: str
    changed_devices: Count
    unchanged_devices: Count
    disruption: Disturbs
    known_disruption: Annotated[str, Says("The worst for which there is evidence.", tuple(map(str, Disruption)))]
    problems: list[ConcernDocument]
    concerns: list[ConcernDocument]
    rollout: list[RolloutDocument]
    shapes: list[ShapeDocument]


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a review."""
    return schema_of(ReviewDocument, "Review of fabric-drift, version 1")
