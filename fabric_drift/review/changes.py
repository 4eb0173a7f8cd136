"""Two expected states of one device -> the facts that change, both ways round.

A check asks "is what I want there?"; a review also asks "what did I want before and no longer do?". So the
states are compared in both directions, and what only the second one sees is what leaves the managed scope.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fabric_drift.diff import Comparison, DiffMemo
from fabric_drift.state.device import DeviceState
from fabric_drift.state.tree import children, facts, is_subtree
from fabric_drift.state.values import ABSENT, UNSAID, NotApplicable, Path

PORTS = "ports"
OPEN_PARENTS = (PORTS, "firmware_parameters")


@dataclass(frozen=True, slots=True)
class Change:
    """One fact, or one whole subtree that appears or goes. UNSAID: not managed on that side."""

    path: Path
    before: Any
    after: Any


def changes(before: DeviceState, after: DeviceState) -> tuple[Change, ...]:
    """Every fact that differs between two expected states, sorted by path."""
    if before == after:
        return ()
    memo = DiffMemo()
    found: dict[Path, Change] = {}
    for change in _seen_from(memo.compare(after, before), after):
        found[change.path] = Change(change.path, change.after, change.before)
    for change in _seen_from(memo.compare(before, after), before):
        found.setdefault(change.path, change)
    return tuple(found[path] for path in sorted(found) if not _below_another(path, found))


def _seen_from(comparison: Comparison, here: DeviceState) -> Iterator[Change]:
    """(path, value here, value over there) of everything that ``here`` has and the other side has not so."""
    for item in comparison.differences:
        other = UNSAID if _is_key_of_open(item.path, item.actual) else item.actual
        yield Change(item.path, item.expected, other)
    for path in comparison.unsaid:
        yield Change(path, value_at(here, path), UNSAID)


def _is_key_of_open(path: Path, other: Any) -> bool:
    """A port or parameter that the other side doesn't name isn't absent there: it is unmanaged."""
    return other is ABSENT and len(path) > 1 and path[-2] in OPEN_PARENTS


def _below_another(path: Path, found: Mapping[Path, Change]) -> bool:
    return any(path[:length] in found for length in range(1, len(path)))


def value_at(value: Any, path: Path) -> Any:
    """The value or subtree at ``path``; UNSAID where nothing is said."""
    for part in path:
        if not is_subtree(value):
            return UNSAID
        value = dict(children(value)).get(part, UNSAID)
    return value


def expanded(change: Change) -> Iterator[Change]:
    """``change`` as changes of single facts: a subtree that appears or goes is all that it says."""
    if not (is_subtree(change.before) or is_subtree(change.after)):
        yield change
        return
    before, after = _facts_of(change.before), _facts_of(change.after)
    missing_before = UNSAID if is_subtree(change.before) else change.before
    missing_after = UNSAID if is_subtree(change.after) else change.after
    for path in sorted(before.keys() | after.keys()):
        yield Change((*change.path, *path), before.get(path, missing_before), after.get(path, missing_after))


def _facts_of(value: Any) -> dict[Path, Any]:
    return dict(facts(value)) if is_subtree(value) else {}


def all_said(state: DeviceState) -> tuple[Change, ...]:
    """What a device brings into the intent, as one change per port and per other part of its state."""
    found: list[Change] = []
    for name, value in children(state):
        if name == PORTS and is_subtree(value):
            found += [Change((PORTS, port), UNSAID, below) for port, below in children(value)]
        elif value is not UNSAID:
            found.append(Change((name,), UNSAID, value))
    return tuple(sorted(found, key=lambda change: change.path))


def reversed_change(change: Change) -> Change:
    """The change that takes ``change`` back."""
    return Change(change.path, change.after, change.before)


def is_gone(value: Any) -> bool:
    """Whether the intent asks for nothing here."""
    return value is ABSENT or value is UNSAID or isinstance(value, NotApplicable)
