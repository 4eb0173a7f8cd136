"""A review as JSON, as ``document`` has it. Deterministic: same input, same bytes."""

from __future__ import annotations

import json as stdlib_json
from typing import Any

from fabric_drift.review.document import ChangeDocument, ProofDocument, ReviewDocument, ShapeDocument, StepDocument
from fabric_drift.review.model import Review, RowChange, Shape
from fabric_drift.review.risk import headline
from fabric_drift.review.rows import OwnName
from fabric_drift.review.steps import Proof, Step
from fabric_drift.state.tree import plain


def json(review: Review) -> str:
    """The whole review, nothing left out."""
    document: ReviewDocument = {
        "schema": "fabric-drift/review",
        "version": 1,
        "intent": review.intent,
        "base": review.base,
        "head": review.head,
        "headline": headline(review),
        "changed_devices": review.changed_devices,
        "unchanged_devices": review.unchanged,
        "disruption": str(review.disruption),
        "known_disruption": str(review.known_disruption),
        "problems": [{"text": problem.text, "devices": list(problem.devices)} for problem in review.problems],
        "concerns": [{"text": concern.text, "devices": list(concern.devices)} for concern in review.concerns],
        "rollout": [
            {
                "title": step.title,
                "devices": list(step.devices),
                "shapes": list(step.shapes),
                "disruption": str(step.disruption),
            }
            for step in review.rollout
        ],
        "shapes": [_shape(shape) for shape in review.shapes],
    }
    return stdlib_json.dumps(document, indent=2, ensure_ascii=True) + "\n"


def _shape(shape: Shape) -> ShapeDocument:
    return {
        "id": shape.id,
        "kind": shape.kind.value,
        "platform": shape.platform,
        "hardware": list(shape.hardware),
        "releases": list(shape.releases),
        "roles": list(shape.roles),
        "devices": list(shape.devices),
        "disruption": str(shape.disruption),
        "problem": shape.problem,
        "changes": [_change(change) for change in shape.changes],
        "steps": [_step(step) for step in shape.steps],
        "native": [
            {"device": shape.devices[0], "files": list(diff.names), "diff": list(diff.lines)} for diff in shape.native
        ],
    }


def _change(change: RowChange) -> ChangeDocument:
    return {
        "fact": list(change.row.pattern),
        "before": _value(change.row.before),
        "after": _value(change.row.after),
        "ports": list(change.row.ports),
        "port_count": change.port_count,
        "sources": [{"file": source.file, "line": source.line} for source in change.sources],
    }


def _value(value: Any) -> Any:
    return {"own_name": True} if isinstance(value, OwnName) else plain(value)


def _step(step: Step) -> StepDocument:
    return {
        "title": step.title,
        "phase": step.phase,
        "removes": step.removes,
        "on_hosts": step.on_hosts,
        "disruption": str(step.disruption),
        "evidence": [_proof(proof) for proof in step.proofs],
    }


def _proof(proof: Proof) -> ProofDocument:
    row = proof.capability
    return {
        "facts": list(proof.facts),
        "disruption": str(proof.disruption),
        "known": row is not None,
        "written": proof.is_written,
        "how": row.how if row else "",
        "proof": row.proof if row else "",
        "source": row.source if row else "",
    }
