"""Hardware models: the ASIC, the ports there are, the vendor's buffer table; for hosts the NICs by rail."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import Discriminator, Field, Tag, model_validator

from fabric_drift.intent.base import (
    AlphaExponent,
    Bytes,
    Metres,
    Model,
    Name,
    PortName,
    SpeedMbps,
    Text,
    fault,
    named,
    whole,
    word,
)
from fabric_drift.intent.settings import Settings

PciAddress: TypeAlias = Annotated[
    str, *named(r"[0-9a-f]{4}:[0-9a-f]{2}:[01][0-9a-f]\.[0-7]", "a PCI address like 0000:1a:00.0 (quoted)")
]
Guid: TypeAlias = Annotated[str, *named(r"0x[0-9a-f]{16}", "a GUID like 0x506b4b0300a1b2c3")]


class HeadroomRow(Model):
    """One row of the vendor's table: lossless buffers of a speed up to a cable length."""

    speed: SpeedMbps
    cable: Metres
    """The row holds for cables up to this length; the next longer row is taken, never the nearest."""
    xoff: Bytes
    """Headroom above the pause point."""
    xon: Bytes | None = None
    xon_offset: Bytes | None = None
    size: Bytes | None = None
    """Reserved region of the group."""


class GroupBuffer(Model):
    """Share of a pool: a static limit or alpha, not both."""

    pool: Name | None = None
    reserved: Bytes | None = None
    """Bytes kept for this one alone (egress)."""
    static: Bytes | None = None
    alpha: AlphaExponent | None = None
    """Dynamic limit: alpha times the free pool; a power of two such as 1/8."""

    @model_validator(mode="after")
    def _one_limit(self) -> Self:
        if self.static is not None and self.alpha is not None:
            raise fault("FD-INT-047", "static and alpha are both given")
        return self


class PoolEntry(Model):
    """A shared buffer pool, by the name it has on the device."""

    direction: Annotated[str, *word("ingress", "egress")]
    mode: Annotated[str, *word("static", "dynamic")]
    size: Bytes | None = None
    """Default: the device's own size."""
    shared_headroom: Bytes | None = None
    """Headroom pool that all lossless groups share; default: unmanaged."""


class Buffers(Model):
    """Buffers of a switch model. ``source`` cites where the numbers come from."""

    model: Annotated[str, *word("static", "dynamic")]
    """static: rows are programmed as given; dynamic: the device computes them from speed and cable."""
    source: Text
    """The vendor's table or document, with its version."""
    headroom: tuple[HeadroomRow, ...] = ()
    """Empty only with the dynamic model."""
    lossless: GroupBuffer = Field(default_factory=GroupBuffer)
    """Lossless priority groups."""
    lossy: GroupBuffer | None = None
    """Lossy priority groups; default: unmanaged."""
    egress_lossless: GroupBuffer | None = None
    """Queues of lossless classes; default: unmanaged."""
    egress_lossy: GroupBuffer | None = None
    """Queues of lossy classes; default: unmanaged."""
    pools: dict[Name, PoolEntry] | None = None
    """All pools of the device; default: unmanaged."""

    @model_validator(mode="after")
    def _coherent(self) -> Self:
        if self.model == "static" and not self.headroom:
            raise fault("FD-INT-036", "the static model needs rows under headroom")
        keys = [(row.speed, row.cable) for row in self.headroom]
        if len(set(keys)) < len(keys):
            raise fault("FD-INT-024", "two headroom rows have the same speed and cable")
        groups = (self.lossless, self.lossy, self.egress_lossless, self.egress_lossy)
        for pool in (group.pool for group in groups if group and group.pool):
            if self.pools is not None and pool not in self.pools:
                raise fault("FD-INT-047", f"the pool {pool!r} is not under pools")
        return self


def _managed(value: Any) -> str:
    return "unmanaged" if isinstance(value, str) else "table"


BuffersField: TypeAlias = Annotated[
    Annotated[Literal["unmanaged"], Tag("unmanaged")] | Annotated[Buffers, Tag("table")], Discriminator(_managed)
]


class SwitchHardware(Model):
    """A switch model."""

    kind: Literal["switch"]
    asic: Name
    """As the network OS calls it: broadcom, mellanox."""
    chip: Name | None = None
    """The chip itself (tomahawk5): ECN rules may be keyed by it as well."""
    ports: tuple[PortName, ...] = ()
    """Every port name there is, as ranges; default: not checked."""
    buffers: BuffersField | None = None
    """Lossless buffers, or the word unmanaged."""
    settings: Settings = Field(default_factory=Settings)


class Rail(Model):
    """One NIC port of a host, found by its PCI address or GUID: names like mlx5_3 shift."""

    rail: Annotated[int, *whole(0, 1023, "a rail number")]
    plane: Name | None = None
    pci: PciAddress | None = None
    guid: Guid | None = None
    netdev: Name | None = None
    """Expected interface name; default: unmanaged."""
    rdma_device: Name | None = None
    """Expected RDMA device name; needed where the job lists NCCL_IB_HCA."""

    @model_validator(mode="after")
    def _one_selector(self) -> Self:
        if (self.pci is None) == (self.guid is None):
            raise fault("FD-INT-004", "a rail needs one of pci and guid")
        return self

    @property
    def key(self) -> str:
        """Key of the port in a state."""
        return self.pci if self.pci is not None else f"guid:{self.guid}"

    @property
    def selector(self) -> str:
        """How port lists and cable plans call it: rail:1, or rail:1/a with planes."""
        return f"rail:{self.rail}/{self.plane}" if self.plane else f"rail:{self.rail}"


class HostHardware(Model):
    """A host model. NICs that are not a rail are not managed."""

    kind: Literal["host"]
    rails: tuple[Rail, ...] = ()
    unmanaged: dict[PciAddress, Text] = Field(default_factory=dict)
    """NICs that are left alone, with what they are for."""
    settings: Settings = Field(default_factory=Settings)


Hardware: TypeAlias = Annotated[SwitchHardware | HostHardware, Field(discriminator="kind")]
