"""Two sides -> a review. Pure: no Git, no file, no device."""

from __future__ import annotations

from fabric_drift.registry import platform
from fabric_drift.review.model import Kind, Review
from fabric_drift.review.risk import concerns, rollout
from fabric_drift.review.shapes import FindPlatform, shapes
from fabric_drift.review.side import Side


def compare(base: Side, head: Side, *, intent: str = "intent", find_platform: FindPlatform = platform) -> Review:
    """What it means to go from ``base`` to ``head``; raises Unsupported for a platform that nobody knows."""
    found = shapes(base, head, find_platform)
    changed = sum(len(shape.devices) for shape in found if shape.kind is not Kind.REMOVED)
    return Review(
        intent=intent,
        base=base.label,
        head=head.label,
        shapes=found,
        unchanged=len(head.devices) - changed,
        rollout=rollout(found),
        concerns=concerns(found),
    )
