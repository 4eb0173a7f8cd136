"""The intent, resolved: every device and link by its own name. What ``expect`` and everyone else reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from fabric_drift.intent.document import Document
from fabric_drift.intent.hardware import Rail
from fabric_drift.intent.nodes import Node
from fabric_drift.intent.settings import Settings

TreePath: TypeAlias = tuple[str | int, ...]
"""A path in the written intent: ("port_roles", "uplink", "mtu")."""


@dataclass(frozen=True, slots=True)
class Link:
    """One cable. On hosts, ports are PCI addresses or GUIDs, as in states."""

    a_device: str
    a_port: str
    b_device: str
    b_port: str
    speed_mbps: int
    cable_m: int
    plane: str
    rail: int | None
    fec: str
    file: str
    line: int

    @property
    def speed(self) -> int:
        """Speed in Mb/s."""
        return self.speed_mbps

    @property
    def where(self) -> str:
        """``file:line`` of the row."""
        return f"{self.file}:{self.line}"

    def far(self, device: str, port: str) -> tuple[str, str]:
        """Device and port of the other end."""
        if (device, port) == (self.a_device, self.a_port):
            return self.b_device, self.b_port
        return self.a_device, self.a_port


@dataclass(frozen=True, slots=True)
class PortIntent:
    """A managed port. Shared by all devices of one entry."""

    role: str
    settings: Settings
    path: TreePath
    """Where it is written."""
    rail: Rail | None = None
    """On hosts: the NIC."""
    port_channel: str = ""
    """The LAG whose role the port took."""


@dataclass(frozen=True, slots=True)
class Device:
    """A device as intended."""

    name: str
    role: str
    platform: str
    releases: tuple[str, ...]
    hardware: str
    asic: str
    chip: str
    is_host: bool
    lifecycle: str
    redundancy_group: str
    plane: str
    ports: Mapping[str, PortIntent]
    settings: Settings
    entry: str
    """Key under ``devices``; a range stands for many."""


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class Fabric:
    """A valid intent. Compared by identity: two loads are two fabrics."""

    name: str
    devices: Mapping[str, Device]
    links: tuple[Link, ...]
    document: Document
    root: Node
    """The written tree, with file and line of every value."""
    links_of: Mapping[str, Mapping[str, Link]]
    """Device -> port -> its cable."""
    memo: dict[Any, Any] = field(default_factory=dict, repr=False)
    """Results that many ports share, by what decides them."""
