"""Two sides -> the shapes of their difference. Devices that change alike are looked at once."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fabric_drift.platform import Platform
from fabric_drift.review.changes import Change, all_said, changes, reversed_change
from fabric_drift.review.model import Kind, NativeDiff, RowChange, Shape
from fabric_drift.review.native import essence, native_diffs
from fabric_drift.review.rows import Row, rows
from fabric_drift.review.side import Native, Planned, Side, native
from fabric_drift.review.steps import Step, steps
from fabric_drift.state.device import DeviceState
from fabric_drift.state.tree import is_subtree
from fabric_drift.state.values import UNSAID, is_said

FindPlatform = Callable[[str], Platform]


@dataclass(frozen=True, slots=True)
class DeviceChange:
    """What changes on one device. ``device`` as the head has it, or the base where it goes."""

    device: Planned
    kind: Kind
    changes: tuple[Change, ...]
    rows: tuple[Row, ...]

    @property
    def key(self) -> str:
        """Equal for devices that are shown, approved and counted together."""
        device = self.device
        where = (self.kind.value, device.platform, device.hardware, device.asic, tuple(device.releases))
        return repr((where, [row.key for row in self.rows]))


def device_changes(base: Side, head: Side) -> Iterator[DeviceChange]:
    """The devices that change, in the order of their names. One whose platform changes goes and comes."""
    for name in sorted(base.devices.keys() | head.devices.keys()):
        before, after = base.devices.get(name), head.devices.get(name)
        if before and after and before.platform == after.platform:
            found = changes(base.expected(name), head.expected(name))
            if found:
                yield DeviceChange(after, Kind.CHANGED, found, rows(found))
            continue
        if before:
            gone = tuple(reversed_change(change) for change in all_said(base.expected(name)))
            yield DeviceChange(before, Kind.REMOVED, gone, rows(gone))
        if after:
            new = all_said(head.expected(name))
            yield DeviceChange(after, Kind.ADDED, new, rows(new))


def shapes(base: Side, head: Side, find_platform: FindPlatform) -> tuple[Shape, ...]:
    """Every shape, the one with most devices first."""
    alike: dict[str, list[DeviceChange]] = defaultdict(list)
    for change in device_changes(base, head):
        alike[change.key].append(change)
    looked_at = [_looked_at(group, base, head, find_platform(group[0].device.platform)) for group in alike.values()]
    merged: dict[str, list[_LookedAt]] = defaultdict(list)
    for one in looked_at:
        merged[one.key].append(one)
    found = (_shape(key, same, base, head) for key, same in merged.items())
    return tuple(sorted(found, key=lambda shape: (-len(shape.devices), shape.devices)))


@dataclass(frozen=True, slots=True)
class _LookedAt:
    """Devices of one hardware and release set that change alike, with what their first one shows."""

    group: tuple[DeviceChange, ...]
    native: tuple[NativeDiff, ...]
    steps: tuple[Step, ...]
    problem: str = ""

    @property
    def key(self) -> str:
        """Equal where nobody would see a difference: same facts, same native lines, same evidence."""
        first = self.group[0]
        lines = [(diff.names, essence(diff.lines)) for diff in self.native]
        where = (first.kind.value, first.device.platform)
        return repr((where, [row.key for row in first.rows], lines, self.steps, self.problem))


def _looked_at(group: list[DeviceChange], base: Side, head: Side, platform: Platform) -> _LookedAt:
    first = group[0]
    if first.kind is Kind.REMOVED:  # a device that leaves the intent is left alone: nothing is written to it
        return _LookedAt(tuple(group), (), ())
    name = first.device.name
    after = native(head, name, platform)
    if after.problem:
        return _LookedAt(tuple(group), (), (), after.problem)
    # What the base couldn't express is no fault of this change: the difference then shows all of the head.
    before = native(base, name, platform) if first.kind is Kind.CHANGED else Native(DeviceState(), {})
    # Steps are of localised states: a fact that the platform doesn't have is nothing to write.
    written = changes(before.state, after.state) if before.files else all_said(after.state)
    planned = steps(written, platform.capabilities, first.device, on_hosts=is_host(after.state))
    return _LookedAt(tuple(group), native_diffs(before.files, after.files), planned)


def _shape(key: str, same: list[_LookedAt], base: Side, head: Side) -> Shape:
    group = sorted((change for one in same for change in one.group), key=lambda change: change.device.name)
    first = same[0].group[0]
    return Shape(
        id=hashlib.sha256(key.encode()).hexdigest()[:12],
        kind=first.kind,
        platform=first.device.platform,
        hardware=tuple(sorted({change.device.hardware for change in group if change.device.hardware})),
        releases=tuple(sorted({release for change in group for release in change.device.releases})),
        roles=tuple(sorted({change.device.role for change in group})),
        devices=tuple(change.device.name for change in group),
        changes=tuple(_row_change(index, group, base, head) for index in range(len(first.rows))),
        native=same[0].native,
        steps=same[0].steps,
        problem=same[0].problem,
    )


def is_host(state: DeviceState) -> bool:
    """Whether the state is that of a host: it has a job environment or NIC ports."""
    if is_said(state.job):
        return True
    ports = state.ports.values() if is_subtree(state.ports) else ()  # type: ignore[union-attr]
    return any(is_said(port.nic) for port in ports)


def _row_change(index: int, group: list[DeviceChange], base: Side, head: Side) -> RowChange:
    row = group[0].rows[index]
    side = base if row.after is UNSAID else head
    found = {source for path in row.paths[:1] for source in side.sources(group[0].device.name, path)}
    count = sum(len(change.rows[index].ports) for change in group)
    return RowChange(row, count, tuple(sorted(found, key=lambda source: (source.file, source.line))))
