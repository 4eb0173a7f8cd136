"""Who is whose neighbour, and who must not change together: what the order needs of an intent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Topology:
    """``facing``: device -> neighbour -> the neighbour's ports that face the device."""

    hosts: frozenset[str] = frozenset()
    facing: Mapping[str, Mapping[str, frozenset[str]]] = field(default_factory=dict)
    groups: Mapping[str, str] = field(default_factory=dict)
    """Device -> redundancy group; a device without one is missing."""
