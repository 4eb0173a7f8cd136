"""Two sides -> the shapes of their difference. Devices that change alike are looked at once."""

from __future__ import annotations

import difflib
import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fabric_drift.errors import Unsupported
from fabric_drift.finding import Source
from fabric_drift.platform import Platform
from fabric_drift.review.changes import Change, all_said, changes, reversed_change
from fabric_drift.review.model import Kind, NativeDiff, RowChange, Shape
from fabric_drift.review.rows import Row, rows
from fabric_drift.review.side import Planned, Side, native
from fabric_drift.review.steps import steps
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
    groups: dict[str, list[DeviceChange]] = defaultdict(list)
    for change in device_changes(base, head):
        groups[change.key].append(change)
    found = (_shape(key, group, base, head, find_platform) for key, group in groups.items())
    return tuple(sorted(found, key=lambda shape: (-len(shape.devices), shape.devices)))


def _shape(key: str, group: list[DeviceChange], base: Side, head: Side, find_platform: FindPlatform) -> Shape:
    first = group[0]
    device = first.device
    platform = find_platform(device.platform)
    diffs, problems = _native_diffs(first, base, head, platform)
    table = platform.capabilities
    state = (base if first.kind is Kind.REMOVED else head).expected(device.name)
    # A device that leaves the intent is left alone: nothing is written to it.
    planned = () if first.kind is Kind.REMOVED else steps(first.changes, table, device, on_hosts=is_host(state))
    return Shape(
        id=hashlib.sha256(key.encode()).hexdigest()[:12],
        kind=first.kind,
        platform=device.platform,
        hardware=device.hardware,
        releases=tuple(device.releases),
        roles=tuple(sorted({change.device.role for change in group})),
        devices=tuple(change.device.name for change in group),
        changes=tuple(_row_change(index, group, base, head) for index in range(len(first.rows))),
        native=diffs,
        steps=planned,
        problems=problems,
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
    return RowChange(row, count, tuple(sorted(found, key=_place)))


def _place(source: Source) -> tuple[str, int]:
    return source.file, source.line


def _native_diffs(
    change: DeviceChange, base: Side, head: Side, platform: Platform
) -> tuple[tuple[NativeDiff, ...], tuple[str, ...]]:
    """The native diff of one device, and why there is none."""
    if change.kind is Kind.REMOVED:
        return (), ()
    before, after = {}, {}
    name = change.device.name
    if change.kind is Kind.CHANGED:
        try:
            before = {item.name: item.text for item in native(platform, base.devices[name], base.expected(name))}
        except Unsupported:
            before = {}  # what the base couldn't express is no fault of this change: the diff shows all of the head
    try:
        after = {item.name: item.text for item in native(platform, head.devices[name], head.expected(name))}
    except Unsupported as error:
        return (), (error.text(),)
    return tuple(_diff(file, before.get(file, ""), after.get(file, "")) for file in sorted(before | after)), ()


def _diff(name: str, before: str, after: str) -> NativeDiff:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), f"base/{name}", f"head/{name}", lineterm="")
    return NativeDiff(name, tuple(lines))
