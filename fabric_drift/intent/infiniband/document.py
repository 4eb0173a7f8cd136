"""What a human writes about a subnet: managers, options, partitions, QoS, and where the plan of the cabling is."""

from __future__ import annotations

import re
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from fabric_drift.intent.base import Bytes, DeviceRange, FileName, Model, Name, Switch, Text, fault, named, whole, word
from fabric_drift.intent.infiniband.job import Job, PartitionJob

RATE_CODES = {
    2.5: 2, 10: 3, 30: 4, 5: 5, 20: 6, 40: 7, 60: 8, 80: 9, 120: 10, 14: 11, 56: 12, 112: 13, 168: 14, 25: 15,
    100: 16, 200: 17, 300: 18, 28: 19, 50: 20, 400: 21, 600: 22,
}  # fmt: skip
"""Gb/s -> rate code of PathRecord and MCMemberRecord (InfiniBand Architecture Specification, volume 1, 15.2.5)."""
LARGEST_PKEY = 0x7FFE
MTU_CODES = {256: 1, 512: 2, 1024: 3, 2048: 4, 4096: 5}
"""Bytes -> MTU code (the same specification)."""


def _guid(value: Any) -> str:
    if isinstance(value, str) and re.fullmatch(r"(0x)?[0-9a-fA-F]{1,16}", value):
        return f"0x{int(value, 16):016x}"
    raise fault("FD-INT-010", f"{str(value)[:40]!r} is not a GUID like 0x0c42a10300000001")


def _pkey(value: Any) -> int:
    if not isinstance(value, str) or not re.fullmatch(r"0x[0-9a-fA-F]{1,4}", value):
        raise fault("FD-INT-005", f"{str(value)[:40]!r} is not a P_Key like 0x0010")
    number = int(value, 16)
    if not 1 <= number <= LARGEST_PKEY:
        raise fault("FD-INT-007", f"{value} is outside 0x1 to 0x7ffe; bit 15 is the membership, 0x7fff the default")
    return number


def _rate(value: Any) -> int:
    found = re.fullmatch(r"([0-9]{1,3}(?:\.5)?) ?Gb/s", str(value))
    if not found or float(found[1]) not in RATE_CODES:
        rates = ", ".join(f"{rate:g}" for rate in sorted(RATE_CODES))
        raise fault("FD-INT-006", f"{str(value)[:40]!r} is not an InfiniBand rate: one of {rates} Gb/s")
    return RATE_CODES[float(found[1])]


def _mtu(value: int) -> int:
    if value not in MTU_CODES:
        sizes = ", ".join(str(size) for size in sorted(MTU_CODES))
        raise fault("FD-INT-007", f"{value} bytes is not an MTU of InfiniBand: one of {sizes}")
    return value


_HEX = WithJsonSchema({"type": "string", "pattern": "^0x[0-9a-fA-F]{1,16}$"})
Guid: TypeAlias = Annotated[str, BeforeValidator(_guid), _HEX]
Pkey: TypeAlias = Annotated[int, BeforeValidator(_pkey), _HEX]
Mtu: TypeAlias = Annotated[Bytes, AfterValidator(_mtu)]
NumberRange: TypeAlias = Annotated[
    str, *named(r"(?:0x[0-9a-fA-F]{1,16}|[0-9]{1,20})(?:-(?:0x[0-9a-fA-F]{1,16}|[0-9]{1,20}))?", "a number or a range")
]
RateCode: TypeAlias = Annotated[int, BeforeValidator(_rate), WithJsonSchema({"type": "string"})]
ServiceLevel: TypeAlias = Annotated[int, *whole(0, 15, "a service level")]
Lane: TypeAlias = Annotated[int, *whole(0, 15, "a virtual lane; 15 drops")]
Weight: TypeAlias = Annotated[
    str, *named(r"(?:[0-9]|1[0-4]):(?:[0-9]{1,2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])", "VL:weight")
]
Membership: TypeAlias = Annotated[str, *word("full", "limited", "both")]
Seats: TypeAlias = Annotated[int, *whole(1, 64, "a rail")]


class Manager(Model):
    """An SM node."""

    guid: Guid
    """PORT GUID of the HCA that its OpenSM is bound to."""
    priority: Annotated[int, *whole(0, 15, "a priority of a subnet manager")]
    lifecycle: Annotated[str, *word("planned", "active", "drained", "maintenance", "spare")] = "active"
    options: dict[Name, str | int | bool] = Field(default_factory=dict)
    """Options of this node alone."""
    hardware: Switch = True
    """Off: nobody asks this node for the live subnet, so it is not checked; of a UFM also not who is master."""


class Members(Model):
    """Ports: of hosts (all rails, or some), of switches' port 0, of the SM nodes, or by port GUID."""

    hosts: tuple[DeviceRange, ...] = ()
    rails: tuple[Seats, ...] = ()
    """Default: all rails of the hosts."""
    managers: Switch = False
    """The SM nodes."""
    guids: tuple[Guid, ...] = ()
    """Ports that no host of the plan has."""
    membership: Membership | None = None
    """Default: the partition's."""


class Ipoib(Model):
    """The broadcast group of a partition. OpenSM's own defaults are 2048 bytes and 10 Gb/s, so both are asked for."""

    mtu: Mtu
    rate: RateCode
    service_level: ServiceLevel = 0


class Partition(Model):
    """A tenant, or a service that ports may have beside their tenant (``shared``)."""

    pkey: Pkey
    membership: Membership = "full"
    members: tuple[Members, ...]
    index0: Switch = False
    """Put this P_Key first in the tables of its members."""
    ipoib: Ipoib | None = None
    shared: Switch = False
    """Its members may be in other partitions too."""
    job: PartitionJob | None = None
    """What jobs in this partition use."""


class DefaultPartition(Model):
    """0x7fff. Ports that aren't named are limited members: they reach the subnet manager and nobody else."""

    membership: Membership = "limited"
    ipoib: Ipoib | None = None
    full: tuple[Members, ...] = (Members(managers=True),)
    """Full members: they can talk to everybody. SM nodes, storage, management."""


class PortClass(Model):
    """QoS of one class of ports."""

    sl2vl: tuple[Lane, ...]
    """The virtual lane of each of the 16 service levels."""
    high: tuple[Weight, ...] = ()
    """High-priority arbitration, VL:weight in order."""
    low: tuple[Weight, ...] = ()


class Ulp(Model):
    """Service level of what asks the SA for a path. NCCL and MPI don't ask: see ``job``."""

    ulp: Annotated[str, *word("any", "ipoib", "sdp", "rds", "iser", "srp")]
    partition: Name | None = None
    service_level: ServiceLevel


class QosLevel(Model):
    """What the SA answers to a path that a rule of ``matches`` gave this level."""

    service_level: ServiceLevel
    mtu: Mtu | None = None
    """Largest MTU of the path."""
    rate: RateCode | None = None
    """Largest rate of the path."""
    packet_life: Annotated[int, *whole(0, 63, "a lifetime code, 4.096 us * 2^n")] | None = None
    partition: Name | None = None
    """The only partition that the level is for."""


class QosMatch(Model):
    """A rule: everything that it says must hold. The first rule that matches decides, before any of ``ulps``."""

    level: Name
    partition: Name | None = None
    source: Name | None = None
    """Group that asks."""
    destination: Name | None = None
    qos_class: tuple[NumberRange, ...] = ()
    service_id: tuple[NumberRange, ...] = ()


class Qos(Model):
    """Quality of service. Without it every service level of a partition is overridden to 0."""

    max_vls: Annotated[int, *whole(1, 15, "a number of virtual lanes")] = 15
    hca: PortClass
    switch: PortClass
    default_service_level: ServiceLevel = 0
    ulps: tuple[Ulp, ...] = ()
    groups: dict[Name, tuple[Members, ...]] = Field(default_factory=dict)
    """Ports that ``matches`` speak of."""
    levels: dict[Name, QosLevel] = Field(default_factory=dict)
    """Beside DEFAULT, which has ``default_service_level``."""
    matches: tuple[QosMatch, ...] = ()


class RoutingIntent(Model):
    """Who computes the forwarding tables."""

    engine: Name
    roots: Name | None = None
    """Switch role whose members are the roots."""
    compute: tuple[Members, ...] = ()
    """Ports of compute nodes, which ftree spreads first (cn_guid_file)."""
    io: tuple[Members, ...] = ()
    """Ports of nodes that hang above the leaves, which ftree lets be reached (io_guid_file)."""
    no_fallback: Switch = False
    """Rather no routing than minhop. The subnet doesn't come up when the engine fails."""


class LinkIntent(Model):
    """What every link must come up with."""

    width: Annotated[str, *word("1x", "2x", "4x", "8x", "12x")] | None = None
    """Default: the plan's own; a plan that was taken from a fabric with a bad lane would make it the truth."""
    speed: Annotated[str, *word("SDR", "DDR", "QDR", "FDR", "EDR", "HDR", "NDR")] | None = None
    """Default: the plan's own, where it has one."""


class Document(Model):
    """One subnet."""

    name: Name
    flavour: Annotated[str, *word("upstream-3.3", "nvidia-5", "ufm")]
    """Whose OpenSM. NDR and newer switches need NVIDIA's. ufm: NVIDIA's, and UFM owns its files (read over REST)."""
    releases: tuple[Text, ...] = ()
    """Default: any release that the flavour's platform can read."""
    subnet_prefix: Guid = "0xfe80000000000000"
    managers: dict[Name, Manager]
    """SM nodes by host name; the highest priority is the intended master."""
    plan: FileName
    """The cabling as planned, checked by a human: output of ``ibnetdiscover``, a ``.topo`` file, or a CSV of cables."""
    plan_guids: FileName | None = None
    """CSV with the GUIDs of the names of a ``.topo`` or CSV plan: name, kind, node_guid, port, port_guid."""
    switches: dict[Name, tuple[DeviceRange, ...]] = Field(default_factory=dict)
    """Switch role -> names (node descriptions)."""
    rails: dict[Name, Seats]
    """HCA, as it is called in node descriptions (``gpu001 mlx5_0``), -> rail."""
    link: LinkIntent = Field(default_factory=LinkIntent)
    away: tuple[DeviceRange, ...] = ()
    """Hosts that need not be there now: planned, spare or in maintenance."""
    routing: RoutingIntent
    options: dict[Name, str | int | bool] = Field(default_factory=dict)
    """Further options of OpenSM, by their own names."""
    keys: dict[Annotated[str, *word("m_key", "sm_key", "sa_key")], Name] = Field(default_factory=dict)
    """Key -> variable of the vault that holds it. A key that isn't here stays at its open default."""
    default_partition: DefaultPartition = Field(default_factory=DefaultPartition)
    partitions: dict[Name, Partition] = Field(default_factory=dict)
    owners: dict[
        Name, tuple[Annotated[str, *named(r"0x[0-9a-fA-F]{1,4}-0x[0-9a-fA-F]{1,4}", "a span of P_Keys")], ...]
    ] = Field(default_factory=dict)
    """Who else writes partitions (ib-kubernetes, ...) -> P_Keys that are theirs."""
    qos: Qos | None = None
    job: Job | None = None
    """Environment of jobs on the hosts; default: unmanaged."""


def json_schema() -> dict[str, Any]:
    """JSON Schema of a file below ``infiniband/``."""
    schema = Document.model_json_schema()
    schema.pop("required", None)
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "fabric_drift InfiniBand intent"
    return schema
