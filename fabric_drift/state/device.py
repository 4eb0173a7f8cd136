"""The hinge: what one device is, or should be, in vendor-neutral words and canonical units.

Frozen dataclasses. Shared subtrees are one object: a parser or ``expect`` builds one ``PortQos`` per
distinct policy and lets every port of that policy point to it, so a 64-port switch costs one comparison
and little memory. Every field defaults to ``UNSAID`` (see ``values``). Mapping keys are int (priority,
traffic class, DSCP, queue) or str (port, pool); a subtree may also be ABSENT or Unobserved as a whole.

Traffic class, queue, priority group and PFC priority are four different things: see ``QosMaps``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from fabric_drift.state.values import UNSAID, Missing

if TYPE_CHECKING:
    from fabric_drift.state.infiniband import Infiniband

T = TypeVar("T")
Fact: TypeAlias = T | Missing
IntMap: TypeAlias = Mapping[int, int]
Subtree: TypeAlias = Mapping[int, T]

CLOSED: dict[str, Any] = {"open": False}
OPEN: dict[str, Any] = {"open": True}  # a key that the expected state doesn't have is information, not drift


@dataclass(frozen=True, slots=True)
class QosMaps:
    """Who is mapped to what. Effective values: defaults of the platform are filled in.

    Switches classify DSCP (or PCP) to a traffic class, and a traffic class to an egress queue and to an
    ingress priority group; the PFC priority of a received pause stops a queue, that of a sent pause
    belongs to a priority group. NICs classify DSCP (or PCP) to a priority, a priority to a traffic class
    (ETS) and to a receive buffer; their PFC priority is the priority.
    """

    dscp_to_tc: Fact[IntMap] = UNSAID
    pcp_to_tc: Fact[IntMap] = UNSAID
    tc_to_queue: Fact[IntMap] = UNSAID
    tc_to_priority_group: Fact[IntMap] = UNSAID
    pfc_priority_to_queue: Fact[IntMap] = UNSAID
    pfc_priority_to_priority_group: Fact[IntMap] = UNSAID
    dscp_to_priority: Fact[IntMap] = UNSAID
    priority_to_tc: Fact[IntMap] = UNSAID
    priority_to_buffer: Fact[IntMap] = UNSAID
    tc_to_dscp: Fact[IntMap] = UNSAID
    """Egress rewrite; ABSENT where DSCP leaves as it came."""


@dataclass(frozen=True, slots=True)
class Watchdog:
    """PFC watchdog of a port. ``priorities``: sorted PFC priorities that are watched."""

    priorities: Fact[tuple[int, ...]] = UNSAID
    detect_ms: Fact[int] = UNSAID
    restore_ms: Fact[int] = UNSAID
    poll_ms: Fact[int] = UNSAID
    """Only where the platform has a polling interval per port."""
    action: Fact[str] = UNSAID
    """drop | forward | alert | errdisable"""


@dataclass(frozen=True, slots=True)
class Pfc:
    """Priority flow control of a port. ``priorities``: sorted; () = PFC is there and no priority is on."""

    priorities: Fact[tuple[int, ...]] = UNSAID
    asymmetric: Fact[bool] = UNSAID
    watchdog: Fact[Watchdog] = UNSAID
    """ABSENT: no watchdog on the port."""


@dataclass(frozen=True, slots=True)
class Ecn:
    """ECN marking of one egress queue. The threshold is in exactly one basis.

    Of the others, an expected state says nothing; an actual one says ABSENT where the platform has them.
    """

    kmin_bytes: Fact[int] = UNSAID
    kmax_bytes: Fact[int] = UNSAID
    kmin_ns: Fact[int] = UNSAID
    kmax_ns: Fact[int] = UNSAID
    kmin_fill_percent: Fact[int] = UNSAID
    kmax_fill_percent: Fact[int] = UNSAID
    max_probability_percent: Fact[int] = UNSAID
    weight: Fact[int] = UNSAID
    """Exponent of the moving average, where the platform has one."""
    colours: Fact[tuple[str, ...]] = UNSAID
    """Sorted drop colours that are marked (green, red, yellow), where the platform has colours."""
    colour_thresholds: Fact[Mapping[str, tuple[int, int, int]]] = UNSAID
    """colour -> (kmin_bytes, kmax_bytes, max_probability_percent) where it differs from green's; else ABSENT."""
    wred_drop: Fact[bool] = UNSAID
    """Whether the profile also drops (WRED) packets that can't be marked, where the platform says so."""


@dataclass(frozen=True, slots=True)
class QueueBuffer:
    """What an egress queue may occupy: ``static_bytes`` or ``alpha_exponent`` (alpha = 2^n) of a pool."""

    pool: Fact[str] = UNSAID
    reserved_bytes: Fact[int] = UNSAID
    static_bytes: Fact[int] = UNSAID
    alpha_exponent: Fact[int] = UNSAID


@dataclass(frozen=True, slots=True)
class Queue:
    """One egress queue. Scheduling is one fact of the port (shares only mean something together)."""

    ecn: Fact[Ecn] = UNSAID
    buffer: Fact[QueueBuffer] = UNSAID


@dataclass(frozen=True, slots=True)
class PriorityGroup:
    """Ingress buffer of one priority group.

    ``xoff_bytes`` is headroom above the pause point (not a threshold); ``size_bytes`` the reserved
    region; ``xon_bytes``/``xon_offset_bytes`` as SONiC names them. ``lossless`` says whether pauses
    are sent for it. ``alpha_exponent``: alpha = 2^n of the pool's free space.
    """

    lossless: Fact[bool] = UNSAID
    pool: Fact[str] = UNSAID
    size_bytes: Fact[int] = UNSAID
    xoff_bytes: Fact[int] = UNSAID
    xon_bytes: Fact[int] = UNSAID
    xon_offset_bytes: Fact[int] = UNSAID
    static_bytes: Fact[int] = UNSAID
    alpha_exponent: Fact[int] = UNSAID


@dataclass(frozen=True, slots=True)
class PortQos:
    """The lossless policy of a port; one object per distinct policy."""

    trust: Fact[str] = UNSAID
    """dscp | pcp | none"""
    maps: Fact[QosMaps] = UNSAID
    pfc: Fact[Pfc] = UNSAID
    global_pause: Fact[bool] = UNSAID
    """802.3x pause in either direction; must be off where PFC is on."""
    scheduling: Fact[tuple[tuple[int, int | str], ...]] = UNSAID
    """Sorted (queue or NIC traffic class, "strict" or relative weight); weights divided by their gcd."""
    queues: Fact[Subtree[Queue]] = UNSAID
    priority_groups: Fact[Subtree[PriorityGroup]] = UNSAID
    receive_buffers_bytes: Fact[IntMap] = UNSAID
    """NIC receive buffer -> size."""
    cable_length_m: Fact[int] = UNSAID
    """The length that the device computes headroom from."""
    dcbx: Fact[str] = UNSAID
    """off | ieee | cee | firmware: who negotiates DCB on the port."""
    dcbx_willing: Fact[bool] = UNSAID


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Who is at the other end, as LLDP says (observed) or as the topology says (expected)."""

    device: Fact[str] = UNSAID
    port: Fact[str] = UNSAID


@dataclass(frozen=True, slots=True)
class Dcqcn:
    """DCQCN of one NIC port. Keys of the maps are the kernel's names (rpg_ai_rate, min_time_between_cnps)."""

    notification_priorities: Fact[tuple[int, ...]] = UNSAID
    reaction_priorities: Fact[tuple[int, ...]] = UNSAID
    notification: Fact[Mapping[str, int]] = field(default=UNSAID, metadata=OPEN)
    """NP parameters without CNP marking: min_time_between_cnps (us)."""
    reaction: Fact[Mapping[str, int]] = field(default=UNSAID, metadata=OPEN)
    """RP parameters, in the units of the kernel's files."""


@dataclass(frozen=True, slots=True)
class Nic:
    """What a host's NIC port has beyond a switch port's."""

    netdev: Fact[str] = UNSAID
    rdma_device: Fact[str] = UNSAID
    family: Fact[str] = UNSAID
    """connectx-6, connectx-7, bluefield-3, thor2, ..."""
    firmware: Fact[str] = UNSAID
    guid: Fact[str] = UNSAID
    driver: Fact[str] = UNSAID
    dcb_owner: Fact[str] = UNSAID
    """os | firmware | lldpad | networkmanager: who writes the DCB registers."""
    congestion_control: Fact[str] = UNSAID
    """dcqcn | pcc: what the firmware runs, where it says."""
    rdma_without_pfc: Fact[bool] = UNSAID
    """Whether RDMA was seen to leave in priorities without PFC, in the time that was looked."""
    roce_mode: Fact[str] = UNSAID
    """v1 | v2: default of rdma_cm."""
    rdma_cm_tos: Fact[int] = UNSAID
    traffic_class: Fact[int] = UNSAID
    """Verbs default (sysfs tc/1/traffic_class), 8 bits: DSCP<<2 | ECN."""
    cnp_dscp: Fact[int] = UNSAID
    cnp_priority: Fact[int] = UNSAID
    dcqcn: Fact[Dcqcn] = UNSAID
    firmware_parameters: Fact[Mapping[str, str]] = field(default=UNSAID, metadata=OPEN)
    """mlxconfig parameters; layer ``saved`` = next boot, ``running`` = current."""


@dataclass(frozen=True, slots=True)
class Port:
    """A switch port (native full name) or a NIC port (PCI address, 0000:1a:00.0)."""

    admin_up: Fact[bool] = UNSAID
    oper_up: Fact[bool] = UNSAID
    speed_mbps: Fact[int] = UNSAID
    mtu_bytes: Fact[int] = UNSAID
    """IP MTU: without layer-2 headers."""
    fec: Fact[str] = UNSAID
    """rs | fc | none | auto"""
    qos: Fact[PortQos] = UNSAID
    neighbour: Fact[Neighbour] = UNSAID
    nic: Fact[Nic] = UNSAID


@dataclass(frozen=True, slots=True)
class Pool:
    """A shared buffer pool. ``xoff_bytes``: its shared headroom, ABSENT when there is none."""

    direction: Fact[str] = UNSAID
    """ingress | egress"""
    mode: Fact[str] = UNSAID
    """static | dynamic"""
    size_bytes: Fact[int] = UNSAID
    xoff_bytes: Fact[int] = UNSAID


@dataclass(frozen=True, slots=True)
class DeviceWatchdog:
    """What the PFC watchdog has once per device."""

    poll_ms: Fact[int] = UNSAID
    detect_ms: Fact[int] = UNSAID
    restore_ms: Fact[int] = UNSAID
    action: Fact[str] = UNSAID


@dataclass(frozen=True, slots=True)
class Identity:
    """Who answered. ``hostname`` is compared with the device asked for before anything else."""

    hostname: Fact[str] = UNSAID
    release: Fact[str] = UNSAID
    """As the device says it, e.g. 202411, 4.32.1F, 6.1.0-57-amd64."""
    hardware: Fact[str] = UNSAID
    """HwSKU, model or board."""
    asic: Fact[str] = UNSAID


@dataclass(frozen=True, slots=True)
class DeviceState:
    """One device in one layer, or as intended. Paths of its facts start at the field names below."""

    identity: Fact[Identity] = UNSAID
    ports: Fact[Mapping[str, Port]] = field(default=UNSAID, metadata=OPEN)
    pools: Fact[Mapping[str, Pool]] = UNSAID
    watchdog: Fact[DeviceWatchdog] = UNSAID
    buffer_model: Fact[str] = UNSAID
    """static | dynamic: whether the device computes lossless buffers itself."""
    unreferenced: Fact[Mapping[str, str]] = UNSAID
    """Owned objects nobody points to: "WRED_PROFILE/OLD" -> "unreferenced". Expected: {}."""
    job: Fact[Mapping[str, str]] = UNSAID
    """Environment of RDMA jobs (NCCL_IB_TC, UCX_IB_TRAFFIC_CLASS), as files on the host set it."""
    infiniband: Fact[Infiniband] = UNSAID
    """Only on SM nodes."""
