"""Changes of one device -> rows that look the same on every device with the same change.

A row has no port names and no names of neighbours in it; keys of a map that change alike are one row.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from fabric_drift.review.changes import PORTS, Change
from fabric_drift.state.tree import facts, is_subtree, plain
from fabric_drift.state.values import Path, is_said

ANY = "*"
OWN_NAMES = frozenset({"hostname", "netdev", "rdma_device", "guid"})
NEIGHBOUR = "neighbour"


@dataclass(frozen=True, slots=True)
class OwnName:
    """Stands for a value that is another one on every port or device."""

    def __str__(self) -> str:
        return "(its own)"


@dataclass(frozen=True, slots=True)
class Row:
    """``paths``: where the row comes from, on one device; ``ports``: the ports that it is about."""

    pattern: Path
    before: Any
    after: Any
    ports: tuple[str, ...]
    paths: tuple[Path, ...]

    @property
    def key(self) -> str:
        """Equal for rows that say the same of other ports."""
        return repr((self.pattern, _frozen(self.before), _frozen(self.after), bool(self.ports)))


def rows(changes: Iterable[Change]) -> tuple[Row, ...]:
    """The rows of one device, sorted by pattern."""
    per_port: dict[str, list[Change]] = defaultdict(list)
    for change in changes:
        pattern = _pattern(change.path)
        per_port[repr((pattern, _frozen_at(pattern, change.before), _frozen_at(pattern, change.after)))].append(change)
    single = [_row(found) for found in per_port.values()]
    return tuple(sorted(_merged_keys(single), key=lambda row: (row.pattern, row.key)))


def _pattern(path: Path) -> Path:
    return (PORTS, ANY, *path[2:]) if path[0] == PORTS and len(path) > 1 else path


def _row(found: list[Change]) -> Row:
    first = found[0]
    pattern = _pattern(first.path)
    ports = tuple(dict.fromkeys(change.path[1] for change in found if change.path[0] == PORTS))
    paths = tuple(change.path for change in found)
    return Row(pattern, _nameless(pattern, first.before), _nameless(pattern, first.after), ports, paths)


def _nameless(pattern: Path, value: Any) -> Any:
    """``value`` without the names that differ on every port; subtrees keep theirs (see ``_frozen_at``)."""
    return OwnName() if _is_own_name(pattern) and is_said(value) else value


def _is_own_name(pattern: Path) -> bool:
    return pattern[-1] in OWN_NAMES or (len(pattern) > 1 and NEIGHBOUR in pattern[-2:])


def _frozen_at(pattern: Path, value: Any) -> Any:
    if not is_subtree(value):
        return _frozen(_nameless(pattern, value))
    return tuple((path, repr(_nameless((*pattern, *path), fact))) for path, fact in facts(value))


def _frozen(value: Any) -> Any:
    if is_subtree(value) and not isinstance(value, OwnName):
        return tuple((path, repr(_nameless(path, fact))) for path, fact in facts(value))
    return repr(value if isinstance(value, OwnName) else plain(value))


def _merged_keys(single: list[Row]) -> Iterator[Row]:
    """Rows of a map whose keys change alike, as one: ``dscp_to_tc/[24-31]``."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in single:
        mergeable = row.pattern[-1].isdigit()
        place = row.pattern[:-1] if mergeable else row.pattern
        groups[repr((place, mergeable, _frozen(row.before), _frozen(row.after), row.ports))].append(row)
    for group in groups.values():
        if len(group) == 1:
            yield group[0]
            continue
        first = group[0]
        keys = ranges(int(row.pattern[-1]) for row in group)
        paths = tuple(path for row in group for path in row.paths)
        yield Row((*first.pattern[:-1], f"[{keys}]"), first.before, first.after, first.ports, paths)


def ranges(numbers: Iterable[int]) -> str:
    """``24-26,30`` for 24, 25, 26 and 30."""
    parts: list[list[int]] = []
    for number in sorted(set(numbers)):
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ",".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)
