"""The whole intent as it is written, all files of its directory merged; and its JSON Schema."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from fabric_drift.intent.base import DeviceRange, FileName, Model, Name, Text, whole
from fabric_drift.intent.classes import TrafficClass
from fabric_drift.intent.ecn import EcnRule
from fabric_drift.intent.hardware import Hardware
from fabric_drift.intent.nic import Job, NicProfile
from fabric_drift.intent.settings import Settings
from fabric_drift.intent.topology import DeviceEntry, LinkEntry, Role

LISTS = frozenset({"ecn", "links", "cable_plans"})
"""Top-level lists: the only ones that several files may continue."""


class Document(Model):
    """One fabric."""

    name: Name
    """Name of the fabric."""
    rdma_mtu: Annotated[int, *whole(256, 4096, "an RDMA MTU in bytes")] = 4096
    """Payload of one RDMA packet; what the MTU chain must carry, plus 60 bytes of headers."""
    classes: dict[Name, TrafficClass]
    """Traffic classes of the path."""
    settings: Settings = Field(default_factory=Settings)
    """What holds for every managed port."""
    roles: dict[Name, Role]
    """Device roles."""
    port_roles: dict[Name, Settings]
    """Port roles; a port without one is left alone."""
    ecn: tuple[EcnRule, ...] = ()
    """ECN marking, by class, ASIC, speed and port role."""
    hardware: dict[Name, Hardware]
    """Switch and host models."""
    nic_profiles: dict[Name, NicProfile] = Field(default_factory=dict)
    """NIC families and firmware."""
    job: Job | None = None
    """Environment of RDMA jobs; default: unmanaged."""
    releases: dict[Name, tuple[Text, ...]] = Field(default_factory=dict)
    """Allowed OS releases per platform."""
    devices: dict[DeviceRange, DeviceEntry]
    """Devices; ranges stand for alike ones."""
    links: tuple[LinkEntry, ...] = ()
    """Cables written in YAML."""
    cable_plans: tuple[FileName, ...] = ()
    """CSV files with further cables."""


def json_schema() -> dict[str, Any]:
    """JSON Schema of one intent file, for editors. Files share a directory, so no top-level key is required."""
    schema = Document.model_json_schema(by_alias=True)
    schema.pop("required", None)
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "fabric_drift intent"
    return schema
