"""Does the device do what was planned, in every layer, and nothing else? Pure: two observations in, sentences out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from fabric_drift.change import Plan
from fabric_drift.diff import DiffMemo, diff, same
from fabric_drift.finding import Layer
from fabric_drift.state import UNSAID, Path, Unobserved
from fabric_drift.state.tree import plain
from fabric_drift.workflow.approval import steady
from fabric_drift.workflow.findings import at
from fabric_drift.workflow.observe import Observation

TOLD = 12


def shortfalls(before: Observation, after: Observation, plan: Plan) -> tuple[str, ...]:
    """Why the change isn't proven; () where it is.

    ``plan`` holds the steps that were applied; steps of ``before`` that weren't may still be open. The saved
    layer isn't looked at: nothing is saved before the change is confirmed.
    """
    touched = {path for step in plan.steps for path in step.paths}
    later = {path for step in before.plan.steps if step not in plan.steps for path in step.paths} - touched
    found = [
        f"still to do: {step.title}" for step in after.plan.steps if _any_related(step.paths, touched, without=later)
    ]
    found += [
        f"{'/'.join(refusal.path)}: {refusal.problem}"
        for refusal in after.plan.refusals
        if refusal not in before.plan.refusals
    ]
    found += _differences(before, after, touched, later)
    known = {(line.layer, line.line) for line in before.reading.unparsed}
    found += [
        f"{line.layer.value}: not understood: {line.line.strip()[:120]!r}"
        for line in after.reading.unparsed
        if line.layer is not Layer.SAVED and (line.layer, line.line) not in known
    ]
    return _bounded(found)


def unsaved(before: Observation, after: Observation, plan: Plan) -> tuple[str, ...]:
    """Changed facts that a restart of the device would take back."""
    touched = {path for step in plan.steps for path in step.paths} | effects(before, after).keys()
    return _bounded(
        [
            f"saved configuration: {text}"
            for (layer, path), text in _open(after).items()
            if layer is Layer.SAVED and _any_related((path,), touched)
        ]
    )


def _differences(before: Observation, after: Observation, touched: set[Path], later: set[Path]) -> Iterator[str]:
    """Facts that the change has moved and that some layer doesn't show, and facts that were right before."""
    old = _open(before)
    touched = touched | effects(before, after).keys()
    for (layer, path), text in _open(after).items():
        mine = _any_related((path,), touched, without=later)
        if layer is not Layer.SAVED and (mine or (layer, path) not in old):
            yield f"{layer.value if layer else 'no layer'}: {text}"


def effects(before: Observation, after: Observation) -> dict[Path, tuple[Any, Any]]:
    """Managed running facts that aren't what they were: path -> (before, after), plain."""
    old, new = dict(steady(before.running)), dict(steady(after.running))
    moved = [path for path in sorted(old.keys() | new.keys()) if not same(old.get(path, UNSAID), new.get(path, UNSAID))]
    return {
        path: (plain(old.get(path, UNSAID)), plain(new.get(path, UNSAID)))
        for path in moved
        if path[:1] != ("ports",) or at(after.expected, path[:2]) is not UNSAID
    }


def _open(observation: Observation) -> dict[tuple[Layer | None, Path], str]:
    """(layer, path) of everything that isn't as expected -> what it is.

    A neighbour that is the right device, by a name of its port that only it knows, is left to the check, which asks it.
    """
    result = diff(observation.expected, observation.reading.states, DiffMemo())
    found: dict[tuple[Layer | None, Path], str] = {
        (layer, item.path): f"{'/'.join(item.path)} is {_short(item.actual)} instead of {_short(item.expected)}"
        for layer, item in result.differences
        if not (item.path in observation.asked and isinstance(item.actual, Unobserved))
    }
    unread = (path for path in result.unread if path not in observation.asked)
    return found | {(None, path): f"{'/'.join(path)} can't be seen" for path in unread}


def _short(value: Any) -> str:
    text = str(plain(value))
    return text if len(text) <= TOLD * 8 else f"{text[: TOLD * 8]}..."


def _any_related(paths: Iterable[Path], touched: Collection[Path], *, without: Collection[Path] = ()) -> bool:
    """Whether a path is one of ``touched``, above or below one. Paths of ``without`` don't count."""
    return any(path not in without and any(_related(path, one) for one in touched) for path in paths)


def _related(one: Path, other: Path) -> bool:
    length = min(len(one), len(other))
    return one[:length] == other[:length]


def _bounded(found: list[str]) -> tuple[str, ...]:
    more = len(found) - TOLD
    return (*found[:TOLD], f"... and {more} more") if more > 0 else tuple(found)
