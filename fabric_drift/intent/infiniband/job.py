"""What jobs on the hosts of a subnet have to say for themselves: service level, P_Key and HCAs.

NCCL and MPI ask no subnet manager for a path, so what the SA would tell them must be in their environment.
``NCCL_IB_PKEY`` is an *index* into the P_Key table of the port (NCCL, net_ib: ``pkey_index`` of ibv_modify_qp; its
issue 1323), ``UCX_IB_PKEY`` the 15-bit key itself. OpenSM promises an index only for ``index0``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from fabric_drift.intent.base import DeviceRange, Model, Name, Text, whole, word
from fabric_drift.intent.nic import ParameterName

if TYPE_CHECKING:
    from fabric_drift.intent.infiniband.document import Document
    from fabric_drift.intent.infiniband.fabric import ResolvedPartition
    from fabric_drift.intent.infiniband.plan import PlannedNode

PLATFORM = "linux_host"
ROLE = "gpu_host"
VARIABLES = ("NCCL_IB_HCA", "NCCL_IB_PKEY", "NCCL_IB_SL", "UCX_IB_PKEY", "UCX_IB_SL", "UCX_NET_DEVICES")
NEEDS_INDEX = "NCCL_IB_PKEY"
LARGEST_INDEX = 127
"""Highest index of a P_Key table of 128 (ConnectX; ib-kubernetes, pull request 49)."""


class PartitionJob(Model):
    """What jobs in this partition use."""

    service_level: Annotated[int, *whole(0, 15, "a service level")] | None = None
    """Default: of the ``any`` rule of this partition under qos.ulps, else qos.default_service_level."""
    pkey_index: Annotated[int, *whole(0, LARGEST_INDEX, "an index of a P_Key table")] | None = None
    """Where the hardware must hold this P_Key; a table that differs is drift. Default: 0 with index0."""


class Job(Model):
    """Environment of jobs on the hosts, as files of the host set it."""

    hosts: tuple[DeviceRange, ...]
    """Hosts whose environment is managed. Each must be in one partition that isn't shared."""
    derived: tuple[Annotated[str, *word(*VARIABLES)], ...] = ("NCCL_IB_HCA", "NCCL_IB_SL")
    """Variables computed from the host's partition and from the plan."""
    environment: dict[ParameterName, Text] = Field(default_factory=dict)
    """Further variables, as they are (NCCL_IB_TIMEOUT, ...)."""
    releases: tuple[Text, ...] = ("22.04",)
    """Allowed releases of the hosts' operating system."""
    hardware: Name | None = None
    """Model of the hosts, where it matters."""


@dataclass(frozen=True, slots=True)
class JobHost:
    """A host whose jobs use the subnet, as a check asks for a device."""

    name: str
    releases: tuple[str, ...]
    hardware: str
    lifecycle: str
    partition: str
    environment: Mapping[str, str]
    role: str = ROLE
    platform: str = PLATFORM
    asic: str = ""
    is_host: bool = True


def service_level(document: Document, partition: str) -> int:
    """Service level of jobs in a partition."""
    part, qos = document.partitions[partition], document.qos
    if part.job is not None and part.job.service_level is not None:
        return part.job.service_level
    if qos is None:
        return 0
    rules = (rule.service_level for rule in qos.ulps if rule.ulp == "any" and rule.partition == partition)
    return next(rules, qos.default_service_level)


def pkey_index(document: Document, partition: str) -> int | None:
    """Index of the partition's P_Key on its members, where the intent says one."""
    part = document.partitions[partition]
    if part.index0:
        return 0
    return part.job.pkey_index if part.job else None


def environment(
    document: Document, partition: ResolvedPartition, seats: list[tuple[PlannedNode, int]]
) -> dict[str, str]:
    """Variables of a host, sorted. ``seats``: its HCAs in the partition with the port, by rail.

    ``=`` before NCCL's list: names are whole, mlx5_1 is not mlx5_10.
    """
    assert document.job is not None
    names = list(dict.fromkeys(node.hca for node, _ in seats))
    level = str(service_level(document, partition.name))
    known = {
        "NCCL_IB_HCA": "=" + ",".join(names),
        "NCCL_IB_PKEY": str(pkey_index(document, partition.name)),
        "NCCL_IB_SL": level,
        "UCX_IB_PKEY": f"0x{partition.pkey:04x}",
        "UCX_IB_SL": level,
        "UCX_NET_DEVICES": ",".join(f"{node.hca}:{port}" for node, port in seats),
    }
    derived = {name: known[name] for name in document.job.derived}
    return dict(sorted((derived | document.job.environment).items()))
