"""Values, rows and steps in words: one wording for all formats."""

from __future__ import annotations

from typing import Any

from fabric_drift.report.harmless import clean
from fabric_drift.review.model import Kind, NativeDiff, RowChange, Shape
from fabric_drift.review.rows import OwnName, ranges
from fabric_drift.review.steps import Proof
from fabric_drift.state.tree import facts, is_subtree
from fabric_drift.state.values import ABSENT, UNSAID, NotApplicable, Path

MARKS = {Kind.ADDED: "+", Kind.CHANGED: "~", Kind.REMOVED: "-"}
SUMMARY_CHARACTERS = 160


def value(item: Any) -> str:
    """A value as people read it."""
    if item is UNSAID:
        return "not managed"
    if item is ABSENT:
        return "none"
    if isinstance(item, NotApplicable):
        return clean(f"no effect ({item.reason})")
    if isinstance(item, OwnName):
        return str(item)
    if is_subtree(item):
        return summary(item)
    if isinstance(item, bool):
        return "yes" if item else "no"
    if isinstance(item, tuple):
        return clean(", ".join(_pair(part) for part in item)) or "empty"
    return clean(str(item))


def _pair(part: Any) -> str:
    return f"{part[0]}: {part[1]}" if isinstance(part, tuple) and len(part) == 2 else str(part)  # noqa: PLR2004


def summary(subtree: Any) -> str:
    """A whole subtree: all that it says where that fits on a line, else how much it is."""
    found = list(facts(subtree))
    text = "; ".join(f"{clean('/'.join(path))} {value(fact)}" for path, fact in found)
    return (text or "empty") if len(text) <= SUMMARY_CHARACTERS else count(len(found), "fact")


def fact(path: Path) -> str:
    """``ports/*/qos/pfc/priorities`` as ``qos/pfc/priorities``; the ports stand beside it."""
    parts = path[2:] if path[:2] == ("ports", "*") else path
    return clean("/".join(parts)) or "the port"


def where(change: RowChange) -> str:
    """On how many ports."""
    if not change.port_count:
        return ""
    return f"{change.port_count} port{'s' if change.port_count > 1 else ''}"


def sources(change: RowChange) -> str:
    """The deciding lines: ``intent/pod1/fabric.yml:10,12``."""
    lines = {source.file: "" for source in change.sources}
    for file in lines:
        lines[file] = ranges(source.line for source in change.sources if source.file == file)
    return clean(", ".join(f"{file}:{numbers}" for file, numbers in lines.items()))


def proof(item: Proof) -> str:
    """Why a disruption is what it is said to be."""
    row = item.capability
    if row is None:
        return "no row in the table of the platform"
    return clean("; ".join(part for part in (row.how, f"{row.proof}: {row.source}") if part))


def count(number: int, noun: str) -> str:
    """``1 device``, ``2 devices``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def title(shape: Shape) -> str:
    """How many devices of a shape do what."""
    verb = {Kind.ADDED: "new", Kind.CHANGED: "changed", Kind.REMOVED: "leaving the intent"}[shape.kind]
    return f"{count(len(shape.devices), 'device')} {verb}"


def kinds(shape: Shape) -> str:
    """Platform and hardware of a shape."""
    return clean(", ".join((shape.platform, *shape.hardware)))


def files(diff: NativeDiff, device: str) -> str:
    """What a native difference is of."""
    more = len(diff.names) - 1
    alike = f", and {count(more, 'file')} more with the same difference" if more else ""
    return clean(f"{diff.names[0]} of {device}{alike}")


def level(item: Proof) -> str:
    """How much the writing of some facts disturbs."""
    return str(item.disruption) if item.is_written else "not written"
