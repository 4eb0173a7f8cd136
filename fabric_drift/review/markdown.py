"""A review as one comment on a pull request: bounded in size, safe to post, easy to find again.

Everything that comes from the intent is escaped: the author of a pull request isn't trusted.
"""

from __future__ import annotations

import html
from collections.abc import Iterator

from fabric_drift.report.markup import code, escaped, fenced
from fabric_drift.report.ranges import compress
from fabric_drift.review import words
from fabric_drift.review.model import NativeDiff, Review, Shape
from fabric_drift.review.risk import headline

MARKER = "<!-- fabric-drift review -->"
"""First line of the document: a CI job finds its earlier comment by it and replaces that."""
MAX_CHARACTERS = 60_000
"""GitHub refuses comments above 65,536 characters."""
MAX_DIFF_LINES = 80
MAX_ROWS = 60


def markdown(review: Review, max_characters: int = MAX_CHARACTERS) -> str:
    """The review as Markdown, at most ``max_characters`` long; what was left out is said."""
    head = "\n".join(_head(review)) + "\n"
    parts = ["\n".join(_shape(shape)) + "\n" for shape in review.shapes]
    note = "\n_{} more of {} shapes left out: this document is limited to {} characters. The JSON output has all._\n"
    room = max_characters - len(head) - len(note) - 24
    kept: list[str] = []
    for part in parts:
        if len(part) <= room:
            room -= len(part)
            kept.append(part)
    left_out = len(parts) - len(kept)
    tail = note.format(left_out, len(parts), max_characters) if left_out else ""
    return (head + "".join(kept) + tail)[:max_characters]


def _head(review: Review) -> Iterator[str]:
    yield MARKER
    yield f"### {code(review.intent)}: {headline(review)}"
    yield ""
    yield f"{code(review.base)} → {code(review.head)}"
    if review.problems or review.concerns:
        yield ""
    for problem in review.problems:
        yield f"- **can't be rendered:** {escaped(problem.text)} ({code(compress(problem.devices))})"
    for concern in review.concerns:
        yield f"- {concern.text} ({code(compress(concern.devices))})"
    if review.rollout:
        yield ""
        yield "| step | devices | disruption |"
        yield "|---|---|---|"
    for number, step in enumerate(review.rollout, 1):
        devices = f"{len(step.devices)}: {code(compress(step.devices))}"
        yield f"| {number}. {step.title} | {devices} | {step.disruption} |"


def _shape(shape: Shape) -> Iterator[str]:
    yield ""
    devices = code(compress(shape.devices))
    yield f"#### {words.MARKS[shape.kind]} {words.title(shape)}: {devices} ({code(words.kinds(shape))})"
    yield ""
    yield "| fact | before | after | ports | intent |"
    yield "|---|---|---|---|---|"
    for change in shape.changes[:MAX_ROWS]:
        row = change.row
        cells = (
            code(words.fact(row.pattern)),
            escaped(words.value(row.before)),
            escaped(words.value(row.after)),
            str(change.port_count or ""),
            code(words.sources(change)),
        )
        yield f"| {' | '.join(cells)} |"
    if len(shape.changes) > MAX_ROWS:
        yield f"\n_{len(shape.changes) - MAX_ROWS} more facts left out; the JSON output has all._"
    yield from _evidence(shape)
    for diff in shape.native:
        yield from _native(shape, diff)


def _evidence(shape: Shape) -> Iterator[str]:
    if not shape.steps:
        return
    yield ""
    for step in shape.steps:
        yield f"- {step.title}:"
        for proof in step.proofs:
            facts = code(", ".join(proof.facts))
            yield f"  - **{words.level(proof)}**: {facts} ({escaped(words.proof(proof))})"


def _native(shape: Shape, diff: NativeDiff) -> Iterator[str]:
    yield ""
    title = html.escape(words.files(diff, shape.devices[0]))
    yield f"<details><summary><code>{title}</code></summary>"
    yield ""
    yield from fenced(diff.lines[:MAX_DIFF_LINES], "diff")
    if len(diff.lines) > MAX_DIFF_LINES:
        yield ""
        yield f"_{len(diff.lines) - MAX_DIFF_LINES} more lines left out; the text output has all._"
    yield ""
    yield "</details>"
