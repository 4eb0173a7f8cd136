"""Traffic classes: what is marked how, and how the whole path treats it.

Priority, traffic class, queue, priority group and PFC priority are five things. Written once as
``priority``, they are the same number; each may be given its own. A lossy class shares the priority
group of the default class, because SONiC gives buffer to no other lossy group (buffers_config.j2).
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from fabric_drift.intent.base import DscpSet, Model, Name, Priority, Scheduling, Switch


class ClassNumbers(Model):
    """Numbers of a class that differ from its priority."""

    traffic_class: Priority | None = None
    """Switch traffic class."""
    queue: Priority | None = None
    """Switch egress queue."""
    priority_group: Priority | None = None
    """Switch ingress priority group."""
    pfc_priority: Priority | None = None
    """Priority in PFC frames on the wire."""
    nic_traffic_class: Priority | None = None
    """ETS traffic class of the NIC."""
    nic_receive_buffer: Priority | None = None
    """Receive buffer of the NIC."""


class ClassOverride(ClassNumbers):
    """What one layer (role, hardware, device, port) says differently about a class."""

    scheduling: Scheduling | None = None
    """strict or a share of the port, such as 70%."""


class _Class(ClassNumbers):
    priority: Priority
    """802.1p priority on the NIC; the other numbers follow it unless they are given."""
    scheduling: Scheduling
    """strict or a share of the port, such as 70%."""
    pcp: tuple[Priority, ...] | None = None
    """VLAN priorities of the class on ports that trust PCP; default: the priority."""


class _Marked(_Class):
    dscp: DscpSet
    """DSCPs of the class: 26, 24-31 or a list of both. NICs and jobs mark with the first one written."""
    dscp_by_nic: dict[Name, DscpSet] = Field(default_factory=dict)
    """DSCPs instead of these for NICs of one family."""


class RdmaClass(_Marked):
    """RDMA data."""

    kind: Literal["rdma"]
    lossless: Switch
    """Whether PFC protects the class."""


class CnpClass(_Marked):
    """Congestion notification packets; never lossless."""

    kind: Literal["cnp"]


class OtherClass(_Marked):
    """Any other marked traffic."""

    kind: Literal["other"]
    lossless: Switch = False
    """Whether PFC protects the class."""


class DefaultClass(_Class):
    """Takes every DSCP that no other class lists."""

    kind: Literal["default"]


TrafficClass: TypeAlias = Annotated[RdmaClass | CnpClass | OtherClass | DefaultClass, Field(discriminator="kind")]
