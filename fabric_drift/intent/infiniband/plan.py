"""The plan of the cabling: nodes with their GUIDs, every cable from both ends. Where it is written: ``plan_files``."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class PlannedPort:
    """One end of a planned cable."""

    number: int
    guid: str
    """Port GUID on HCAs; the node's on switches."""
    peer: str
    """Key of the other end."""
    width: str
    speed: str
    line: int


@dataclass(slots=True)
class PlannedNode:
    """A node of the plan."""

    kind: str
    """ca | switch | router"""
    guid: str
    description: str
    line: int
    ports: dict[int, PlannedPort] = field(default_factory=dict)

    @property
    def host(self) -> str:
        """First word of the description: the host's name on HCAs."""
        return self.description.partition(" ")[0]

    @property
    def hca(self) -> str:
        """The rest of it: the HCA's name on its host."""
        return self.description.partition(" ")[2].strip()
