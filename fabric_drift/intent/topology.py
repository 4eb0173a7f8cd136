"""Roles, devices, links. One entry may stand for many: ``leaf[1-1024]``."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import BeforeValidator, Field, WithJsonSchema

from fabric_drift.intent.base import Metres, Model, Name, PortName, SpeedMbps, Text, named, word
from fabric_drift.intent.hardware import Rail
from fabric_drift.intent.settings import Settings

LIFECYCLES = ("planned", "active", "drained", "maintenance", "spare")
MAY_BE_SILENT = frozenset({"planned", "maintenance", "spare"})
"""Lifecycles in which a device need not be there: its neighbours don't expect to see it."""

End: TypeAlias = Annotated[
    str,
    *named(r"[A-Za-z0-9][A-Za-z0-9_.,\[\]/-]{0,127} [A-Za-z0-9][A-Za-z0-9_.,:\[\]/-]{0,127}", "a device and a port"),
]


class Role(Model):
    """What devices of one kind are for."""

    platform: Name | None = None
    """Platform of the devices that don't say their own."""
    settings: Settings = Field(default_factory=Settings)


class PortEntry(Model):
    """A port (or a range) with settings of its own; where only the role is said, the word alone is enough."""

    role: Name
    settings: Settings = Field(default_factory=Settings)


def _port(value: Any) -> Any:
    return value if isinstance(value, dict) else {"role": value}


PortField: TypeAlias = Annotated[
    PortEntry,
    BeforeValidator(_port),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "object", "required": ["role"]}]}),
]


class DeviceEntry(Model):
    """One device, or a range of alike devices."""

    role: Name
    platform: Name | None = None
    """sonic, eos, linux_host, ...; default: the role's."""
    hardware: Name
    releases: tuple[Text, ...] | None = None
    """Allowed OS releases; default: those of the platform."""
    lifecycle: Annotated[str, *word(*LIFECYCLES)] = "active"
    redundancy_group: Name | None = None
    """Devices of one group are never changed together."""
    plane: Name | None = None
    ports: dict[PortName, PortField]
    """Managed ports: name or range -> port role. Ports that aren't here are left alone."""
    port_channels: dict[PortName, tuple[PortName, ...]] = Field(default_factory=dict)
    """Port-channel -> its member ports; its role is given under ports and placed on the members."""
    rails: tuple[Rail, ...] | None = None
    """NICs of these hosts where they differ from the hardware's (GUIDs, an exchanged card)."""
    settings: Settings = Field(default_factory=Settings)


class LinkEntry(Model):
    """Cables. Ranges on both ends are paired in order."""

    a: End
    """``leaf1 Ethernet[128-152/8]``"""
    b: End
    speed: SpeedMbps
    cable: Metres
    fec: Annotated[str, *word("rs", "fc", "none", "auto")] | None = None
    plane: Name | None = None
    rail: int | None = None
