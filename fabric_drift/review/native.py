"""The native difference of one device between two sides, and when two of them are the same."""

from __future__ import annotations

import difflib
from collections import defaultdict

from fabric_drift.errors import Unsupported
from fabric_drift.platform import Platform
from fabric_drift.review.model import NativeDiff
from fabric_drift.review.side import Planned, Side, target_of

HUNK = "@@"
HEADER_LINES = 2


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
        lines = _diff(file, before.get(file, ""), after.get(file, ""))
        if lines:
            alike[essence(lines)].append((file, lines))
    return tuple(NativeDiff(tuple(file for file, _ in same), same[0][1]) for same in alike.values()), ()


def essence(lines: tuple[str, ...]) -> tuple[str, ...]:
    """A unified diff without what says only where it is: file names and line numbers."""
    return tuple(line for line in lines[HEADER_LINES:] if not line.startswith(HUNK))


def _rendered(side: Side, device: Planned, platform: Platform) -> dict[str, str]:
    state = side.expected(device.name)
    target = target_of(device, state)
    return {item.name: item.text for item in platform.render(platform.localise(state, target), target)}


def _diff(name: str, before: str, after: str) -> tuple[str, ...]:
    old, new = before.splitlines(), after.splitlines()
    return tuple(difflib.unified_diff(old, new, f"base/{name}", f"head/{name}", lineterm=""))
