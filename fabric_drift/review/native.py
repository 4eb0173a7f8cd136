"""The native difference of one device between two sides, and when two of them are the same."""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from fabric_drift.errors import Unsupported
from fabric_drift.platform import Platform
from fabric_drift.review.model import NativeDiff
from fabric_drift.review.side import Planned, Side, target_of

CONTEXT_LINES = 3


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a change stands, with the unchanged lines around it."""

    header: str
    above: tuple[str, ...]
    below: tuple[str, ...]


def native_diffs(
    name: str, base: Side, head: Side, platform: Platform, *, is_new: bool
) -> tuple[tuple[NativeDiff, ...], tuple[str, ...]]:
    """The native difference of device ``name``, and why there is none."""
    try:
        before = {} if is_new else _rendered(base, base.devices[name], platform)
    except Unsupported:
        before = {}  # what the base couldn't express is no fault of this change: the diff shows all of the head
    try:
        after = _rendered(head, head.devices[name], platform)
    except Unsupported as error:
        return (), (error.text(),)
    alike: dict[tuple[str, ...], list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
    for file in sorted(before.keys() | after.keys()):
        lines = tuple(folded(before.get(file, "").splitlines(), after.get(file, "").splitlines()))
        if lines:
            alike[essence(lines)].append((file, lines))
    return tuple(NativeDiff(tuple(file for file, _ in same), same[0][1]) for same in alike.values()), ()


def folded(before: list[str], after: list[str]) -> Iterator[str]:
    """A unified diff in which the same change is shown at its first place only, with how often it comes again."""
    changes: dict[tuple[str, ...], list[_Place]] = defaultdict(list)
    opcodes = [code[1:] for code in difflib.SequenceMatcher(None, before, after).get_opcodes() if code[0] != "equal"]
    edges = [0, *(edge for start, end, _, _ in opcodes for edge in (start, end)), len(before)]
    for number, (start, end, new_start, new_end) in enumerate(opcodes):
        lines = (*(f"-{line}" for line in before[start:end]), *(f"+{line}" for line in after[new_start:new_end]))
        same_before, same_after = edges[2 * number], edges[2 * number + 3]
        above = tuple(f" {line}" for line in before[max(same_before, start - CONTEXT_LINES) : start])
        below = tuple(f" {line}" for line in before[end : min(same_after, end + CONTEXT_LINES)])
        header = f"@@ -{start + 1},{end - start} +{new_start + 1},{new_end - new_start} @@"
        changes[lines].append(_Place(header, above, below))
    for lines, places in changes.items():
        first = places[0]
        yield first.header + (f" and {len(places) - 1} times more" if len(places) > 1 else "")
        yield from (*first.above, *lines, *first.below)


def essence(lines: tuple[str, ...]) -> tuple[str, ...]:
    """What a folded diff changes, without where."""
    return tuple(line for line in lines if line.startswith(("-", "+")))


def _rendered(side: Side, device: Planned, platform: Platform) -> dict[str, str]:
    state = side.expected(device.name)
    target = target_of(device, state)
    return {item.name: item.text for item in platform.render(platform.localise(state, target), target)}
