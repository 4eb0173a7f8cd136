"""A review for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from fabric_drift.report.harmless import clean
from fabric_drift.report.ranges import compress
from fabric_drift.review import words
from fabric_drift.review.model import Review, Shape
from fabric_drift.review.risk import headline
from fabric_drift.state.values import ABSENT, UNSAID


def text(review: Review) -> str:
    """The whole review, every line of every diff."""
    return "\n".join(_lines(review)) + "\n"


def _lines(review: Review) -> Iterator[str]:
    yield clean(f"review of {review.intent}: {review.base} -> {review.head}")
    yield headline(review)
    for problem in review.problems:
        yield f"! can't be rendered: {clean(problem.text)} [{clean(compress(problem.devices))}]"
    for concern in review.concerns:
        yield f"! {concern.text} [{clean(compress(concern.devices))}]"
    if review.rollout:
        yield ""
        yield "rollout, in this order:"
    for number, step in enumerate(review.rollout, 1):
        devices = words.count(len(step.devices), "device")
        yield f"  {number}. {step.title}: {devices}, disruption {step.disruption}"
    for shape in review.shapes:
        yield ""
        yield from _shape(shape)


def _shape(shape: Shape) -> Iterator[str]:
    devices = clean(compress(shape.devices))
    yield f"{words.MARKS[shape.kind]} {words.title(shape)}: {devices} ({words.kinds(shape)}) [shape {shape.id}]"
    for change in shape.changes:
        row = change.row
        places = words.where(change)
        mark = _mark(row.before, row.after)
        from_line = words.sources(change)
        yield (
            f"  {mark} {words.fact(row.pattern)}: {words.value(row.before)} -> {words.value(row.after)}"
            f"{f' on {places}' if places else ''}{f'  ({from_line})' if from_line else ''}"
        )
    for step in shape.steps:
        yield f"  {step.title}: disruption {step.disruption}"
        for proof in step.proofs:
            facts = clean(", ".join(proof.facts))
            yield f"    {words.level(proof)}: {facts} ({words.proof(proof)})"
    for diff in shape.native:
        yield f"  {words.files(diff, shape.devices[0])}:"
        yield from (f"    {clean(line)}" for line in diff.lines)


def _mark(before: object, after: object) -> str:
    if before is UNSAID or before is ABSENT:
        return "+"
    return "-" if after is UNSAID or after is ABSENT else "~"
