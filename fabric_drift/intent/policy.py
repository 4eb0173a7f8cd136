"""What a port does with each traffic class, after inheritance: the numbers, PFC, scheduling."""

from __future__ import annotations

from dataclasses import dataclass

from fabric_drift.intent.classes import CnpClass, DefaultClass, OtherClass, RdmaClass, TrafficClass
from fabric_drift.intent.fabric import Device, Fabric, PortIntent
from fabric_drift.intent.layers import Resolved, resolve
from fabric_drift.intent.nic import NicProfile


@dataclass(frozen=True, slots=True)
class PortClass:
    """One class on one port. ``dscps``: those of the NIC families that the port classifies; () for the default."""

    name: str
    kind: str
    lossless: bool
    dscps: tuple[int, ...]
    pcps: tuple[int, ...]
    priority: int
    traffic_class: int
    queue: int
    priority_group: int
    pfc_priority: int
    nic_traffic_class: int
    nic_receive_buffer: int | None
    scheduling: int | str


@dataclass(frozen=True, slots=True, eq=False)
class Policy:
    """One distinct policy; shared by all ports that have it, wherever it is written."""

    resolved: Resolved
    """Of the first port that has the policy: for its values. Where a port got them from, its own view says."""
    classes: tuple[PortClass, ...]
    port_role: str
    profile_name: str
    profile: NicProfile | None
    families: tuple[str, ...]

    @property
    def default(self) -> PortClass:
        """The class of everything unlisted."""
        return next(item for item in self.classes if item.kind == "default")

    @property
    def pfc_priorities(self) -> tuple[int, ...]:
        """PFC priorities on the wire, sorted. A NIC's PFC priority is the priority itself."""
        lossless = [item for item in self.classes if item.lossless]
        numbers = {item.priority if self.profile else item.pfc_priority for item in lossless}
        return tuple(sorted(numbers))

    @property
    def rdma_priorities(self) -> tuple[int, ...]:
        """Priorities of the RDMA classes, sorted."""
        return tuple(sorted({item.priority for item in self.classes if item.kind == "rdma"}))


def policy_of(fabric: Fabric, device: Device, port: str, intent: PortIntent) -> Policy:
    """The policy of one port; one object per distinct policy of the fabric."""
    resolved = resolve(fabric, device, port, intent)
    key = ("policy of", id(resolved), device.is_host)
    known: Policy | None = fabric.memo.get(key)
    if known is None:
        values = tuple(sorted((path, repr(value)) for path, (value, _) in resolved.decided.items()))
        content = ("policy", values, intent.role, device.is_host)
        if content not in fabric.memo:
            fabric.memo[content] = _policy(fabric, resolved, intent.role, is_host=device.is_host)
        known = fabric.memo[key] = fabric.memo[content]
    return known


def families(fabric: Fabric) -> tuple[str, ...]:
    """NIC families of the fabric, sorted."""
    return tuple(sorted({profile.family for profile in fabric.document.nic_profiles.values()}))


def _policy(fabric: Fabric, resolved: Resolved, port_role: str, *, is_host: bool) -> Policy:
    document = fabric.document
    profile_name = resolved.get("nic", default="") if is_host else ""
    profile = document.nic_profiles.get(profile_name)
    classified = (profile.family,) if profile else resolved.get("nic_families", default=families(fabric))
    carried = resolved.get("carries", default=tuple(document.classes))
    default_group = _default_group(document.classes, resolved)
    classes = tuple(
        _port_class(name, entry, resolved, classified, default_group)
        for name, entry in sorted(document.classes.items())
        if name in carried or entry.kind == "default"
    )
    return Policy(resolved, classes, port_role, profile_name, profile, tuple(classified))


def _default_group(classes: dict[str, TrafficClass], resolved: Resolved) -> int:
    name, entry = next((name, entry) for name, entry in classes.items() if entry.kind == "default")
    own = entry.priority if entry.priority_group is None else entry.priority_group
    return int(resolved.get("class_overrides", name, "priority_group", default=own))


def _port_class(
    name: str, entry: TrafficClass, resolved: Resolved, classified: tuple[str, ...], default_group: int
) -> PortClass:
    lossless = isinstance(entry, RdmaClass | OtherClass) and entry.lossless

    def number(key: str, default: int) -> int:
        own = getattr(entry, key)
        said = resolved.get("class_overrides", name, key)
        return int(said if said is not None else default if own is None else own)

    buffer = resolved.get("class_overrides", name, "nic_receive_buffer", default=entry.nic_receive_buffer)
    return PortClass(
        name=name,
        kind=entry.kind,
        lossless=lossless,
        dscps=dscps_of(entry, classified),
        pcps=entry.pcp or (entry.priority,),
        priority=entry.priority,
        traffic_class=number("traffic_class", entry.priority),
        queue=number("queue", entry.priority),
        priority_group=number("priority_group", entry.priority if lossless else default_group),
        pfc_priority=number("pfc_priority", entry.priority),
        nic_traffic_class=number("nic_traffic_class", entry.priority),
        nic_receive_buffer=buffer,
        scheduling=resolved.get("class_overrides", name, "scheduling", default=entry.scheduling),
    )


def dscps_of(entry: TrafficClass, classified: tuple[str, ...]) -> tuple[int, ...]:
    """DSCPs of a class for a set of NIC families, in the order written; its general ones where none is named."""
    if isinstance(entry, DefaultClass):
        return ()
    marked: RdmaClass | CnpClass | OtherClass = entry
    sets = [marked.dscp_by_nic.get(family, marked.dscp) for family in classified] or [marked.dscp]
    return tuple(dict.fromkeys(dscp for numbers in sets for dscp in numbers))


def marked_class(policy: Policy) -> str | None:
    """Name of the class whose DSCP the NIC's defaults mark, or None where it isn't clear or not carried."""
    assert policy.profile is not None
    marked = {item.name: item.kind for item in policy.classes if item.dscps}
    named = policy.profile.marks_class
    if named is not None:
        return named if named in marked else None
    rdma = [name for name, kind in marked.items() if kind == "rdma"]
    return rdma[0] if len(rdma) == 1 else None
