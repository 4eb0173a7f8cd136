"""The intent of a subnet, resolved: every port with its GUID, every partition with its members."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from fabric_drift.intent.infiniband.document import Document
from fabric_drift.intent.infiniband.job import JobHost
from fabric_drift.intent.infiniband.plan import PlannedNode, PlannedPort
from fabric_drift.intent.nodes import Node

ROLE = "subnet_manager"
PLATFORM = "opensm"
UFM = "ufm"
"""Flavour and platform of a node whose files UFM owns."""


@dataclass(frozen=True, slots=True)
class SmDevice:
    """An SM node, as a check asks for a device."""

    name: str
    releases: tuple[str, ...]
    hardware: str
    lifecycle: str
    guid: str
    priority: int
    role: str = ROLE
    asic: str = ""
    is_host: bool = True

    @property
    def platform(self) -> str:
        """Who reads it: by its flavour."""
        return UFM if self.hardware == UFM else PLATFORM


@dataclass(frozen=True, slots=True)
class ResolvedPartition:
    """A partition. ``members``: port GUID -> membership."""

    name: str
    pkey: int
    members: Mapping[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class IbFabric:
    """A valid intent of a subnet."""

    document: Document
    root: Node
    devices: Mapping[str, SmDevice]
    nodes: Mapping[str, PlannedNode]
    """By node GUID."""
    partitions: Mapping[str, ResolvedPartition]
    default_full: frozenset[str]
    """Port GUIDs of full members of the default partition."""
    roots: tuple[str, ...]
    away: frozenset[str]
    """Hosts that need not be there."""
    hosts: Mapping[str, JobHost] = field(default_factory=dict)
    """Hosts whose environment of jobs is managed."""
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Group of qos.groups -> sorted port GUIDs."""
    routed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """compute | io -> sorted port GUIDs that the routing engine is told."""

    @property
    def name(self) -> str:
        """Of the subnet."""
        return self.document.name

    @property
    def master(self) -> SmDevice:
        """Highest priority, then lowest GUID: as OpenSM elects."""
        return min(self.devices.values(), key=lambda device: (-device.priority, int(device.guid, 16)))

    @property
    def is_ufm(self) -> bool:
        """Whether UFM writes the partitions."""
        return self.document.flavour == UFM

    @property
    def others(self) -> tuple[tuple[int, int], ...]:
        """Spans of P_Keys that somebody else owns."""
        spans = [text.split("-") for owner in self.document.owners.values() for text in owner]
        return tuple(sorted((int(first, 16), int(last, 16)) for first, last in spans))

    def hca_ports(self) -> Iterator[tuple[str, PlannedNode, PlannedPort]]:
        """(key, node, port) of every planned HCA port."""
        for node in self.nodes.values():
            if node.kind == "ca":
                for port in node.ports.values():
                    yield f"{node.guid}/{port.number}", node, port
