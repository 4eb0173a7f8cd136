"""Classes: one DSCP one class, one number one treatment, shares of 100 %."""

from __future__ import annotations

from itertools import combinations

from fabric_drift.intent.document import Document
from fabric_drift.intent.fabric import Fabric
from fabric_drift.intent.faults import Faults
from fabric_drift.intent.policy import PortClass, dscps_of, families
from fabric_drift.intent.ports import PortView

_SWITCH_NUMBERS = ("traffic_class", "queue", "priority_group", "pfc_priority")
_NIC_NUMBERS = ("priority", "nic_traffic_class", "nic_receive_buffer")
_WHOLE = 100


def check_classes_exist(document: Document, faults: Faults) -> None:
    """Exactly one default class, at most one CNP class."""
    defaults = [name for name, entry in document.classes.items() if entry.kind == "default"]
    if not defaults:
        faults.add("FD-INT-039", ("classes",), "no class has the kind default, so unlisted DSCPs belong nowhere")
    for name in defaults[1:]:
        faults.add("FD-INT-039", ("classes", name), f"{defaults[0]} is already the default class")
    cnps = [name for name, entry in document.classes.items() if entry.kind == "cnp"]
    for name in cnps[1:]:
        faults.add("FD-INT-040", ("classes", name), f"{cnps[0]} is already the CNP class")


def check_dscps(fabric: Fabric, faults: Faults) -> None:
    """No DSCP in two classes of one NIC family."""
    classes = fabric.document.classes
    for (first, one), (second, other) in combinations(sorted(classes.items()), 2):
        for family in families(fabric) or ("",):
            both = set(dscps_of(one, (family,))) & set(dscps_of(other, (family,)))
            if both and faults.once(("dscp", first, second)):
                numbers = ", ".join(str(dscp) for dscp in sorted(both))
                of_family = f" of {family}" if family else ""
                faults.add("FD-INT-030", _later(fabric, first, second), _both(numbers, first, second) + of_family)


def _both(numbers: str, first: str, second: str) -> str:
    return f"DSCP {numbers} is in the classes {first} and {second}"


def _later(fabric: Fabric, first: str, second: str) -> tuple[str, ...]:
    """Where of two classes the one that is written later says its DSCPs."""
    written = list(fabric.document.classes)
    return ("classes", max(first, second, key=written.index), "dscp")


def check_policy(fabric: Fabric, view: PortView, faults: Faults) -> None:
    """One distinct policy: classes that collide on a port, and the sum of its shares."""
    for one, other in combinations(view.policy.classes, 2):
        _check_pair(fabric, view, one, other, faults)
    shares: dict[int, int] = {}
    for item in view.policy.classes:
        number = item.nic_traffic_class if view.device.is_host else item.queue
        if isinstance(item.scheduling, int):
            shares[number] = item.scheduling
    if shares and sum(shares.values()) != _WHOLE and faults.once(("shares", tuple(sorted(shares.values())))):
        names = " + ".join(
            f"{item.name} {item.scheduling} %" for item in view.policy.classes if isinstance(item.scheduling, int)
        )
        problem = f"the shares are {sum(shares.values())} % on ports of role {view.intent.role}: {names}"
        faults.add("FD-INT-032", ("classes",), problem)


def _check_pair(fabric: Fabric, view: PortView, one: PortClass, other: PortClass, faults: Faults) -> None:
    path = _later(fabric, one.name, other.name)
    both = set(one.dscps) & set(other.dscps)
    if both and faults.once(("dscp", one.name, other.name)):
        numbers = ", ".join(str(dscp) for dscp in sorted(both))
        problem = f"{_both(numbers, one.name, other.name)} of different NIC families, and one switch port carries both"
        faults.add("FD-INT-030", path, problem, "Name the families of each port under nic_families")
        return
    pcps = sorted(set(one.pcps) & set(other.pcps))
    if view.resolved.get("trust") == "pcp" and pcps and one.traffic_class != other.traffic_class:
        faults.add("FD-INT-031", (*path[:2], "pcp"), f"{one.name} and {other.name} share the VLAN priority {pcps[0]}")
        return
    field = _collision(one, other, is_host=view.device.is_host)
    if field and faults.once(("collision", one.name, other.name)):
        number = getattr(one, field)
        problem = (
            f"{one.name} and {other.name} share the {field.replace('_', ' ')} {number}"
            f" and want different treatment ({_treatment(one)}; {_treatment(other)})"
        )
        faults.add("FD-INT-031", (*path[:2], "priority"), problem)


def _collision(one: PortClass, other: PortClass, *, is_host: bool) -> str:
    """The first number that two classes share although they are treated differently, or ""."""
    if one.priority == other.priority and _treatment(one) != _treatment(other):
        return "priority"
    for field in _NIC_NUMBERS if is_host else _SWITCH_NUMBERS:
        mine, theirs = getattr(one, field), getattr(other, field)
        if mine is None or mine != theirs:
            continue
        if field == "pfc_priority" and not (one.lossless or other.lossless):
            continue
        shares_scheduler = field in ("queue", "nic_traffic_class")
        if one.lossless != other.lossless or (shares_scheduler and one.scheduling != other.scheduling):
            return field
    return ""


def _treatment(item: PortClass) -> str:
    scheduling = item.scheduling if isinstance(item.scheduling, str) else f"{item.scheduling} %"
    return f"{'lossless' if item.lossless else 'lossy'}, {scheduling}"
