"""The native difference of one device, and when two of them are the same."""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fabric_drift.review.model import NativeDiff

CONTEXT_LINES = 3


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a change stands, with the unchanged lines around it."""

    header: str
    above: tuple[str, ...]
    below: tuple[str, ...]


def native_diffs(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[NativeDiff, ...]:
    """The differences of two sets of files (name -> text); files that differ alike are one."""
    alike: dict[tuple[str, ...], list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
    for file in sorted(before.keys() | after.keys()):
        lines = tuple(folded(before.get(file, "").splitlines(), after.get(file, "").splitlines()))
        if lines:
            alike[essence(lines)].append((file, lines))
    return tuple(NativeDiff(tuple(file for file, _ in same), same[0][1]) for same in alike.values())


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
