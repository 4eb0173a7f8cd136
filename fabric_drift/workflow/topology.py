"""Who is whose neighbour, and who must not change together: what the order needs of an intent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol


class Link(Protocol):
    """One cable."""

    @property
    def a_device(self) -> str: ...  # noqa: D102
    @property
    def a_port(self) -> str: ...  # noqa: D102
    @property
    def b_device(self) -> str: ...  # noqa: D102
    @property
    def b_port(self) -> str: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Topology:
    """``facing``: device -> neighbour -> the neighbour's ports that face the device."""

    hosts: frozenset[str] = frozenset()
    facing: Mapping[str, Mapping[str, frozenset[str]]] = field(default_factory=dict)
    groups: Mapping[str, str] = field(default_factory=dict)
    """Device -> redundancy group; a device without one is missing."""

    def neighbours(self, device: str) -> Mapping[str, frozenset[str]]:
        """The device's neighbours with their ports that face it."""
        return self.facing.get(device, {})

    def levels(self) -> dict[str, int]:
        """Cables between a device and the nearest host; devices without a way to a host are missing."""
        level = dict.fromkeys(self.hosts, 0)
        edge = set(self.hosts)
        while edge:
            edge = {far for near in edge for far in self.neighbours(near)} - level.keys()
            level |= dict.fromkeys(edge, max(level.values()) + 1)
        return level


def topology(hosts: Iterable[str], groups: Mapping[str, str], links: Iterable[Link]) -> Topology:
    """The topology of an intent.

    Switches without a written group that have the same neighbours stand in for each other, so they are
    taken for one group: better slow than both at once.
    """
    facing: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for link in links:
        facing[link.a_device][link.b_device].add(link.b_port)
        facing[link.b_device][link.a_device].add(link.a_port)
    ends = frozenset(hosts)
    return Topology(
        hosts=ends,
        facing={a: {b: frozenset(ports) for b, ports in sorted(far.items())} for a, far in facing.items()},
        groups={**_twins(ends, facing), **{device: group for device, group in groups.items() if group}},
    )


def _twins(hosts: frozenset[str], facing: Mapping[str, Mapping[str, set[str]]]) -> dict[str, str]:
    alike: dict[frozenset[str], list[str]] = defaultdict(list)
    for device in sorted(facing.keys() - hosts):
        alike[frozenset(facing[device])].append(device)
    return {device: f"same neighbours as {twins[0]}" for twins in alike.values() if len(twins) > 1 for device in twins}
