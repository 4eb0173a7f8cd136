"""Contradictions that OpenSM would settle by itself, silently, in some other way than was meant."""

from __future__ import annotations

from collections import Counter

from fabric_drift.intent.faults import Faults
from fabric_drift.intent.infiniband.checks_qos import qos
from fabric_drift.intent.infiniband.fabric import IbFabric

NEEDS_NVIDIA = frozenset({"NDR", "XDR"})


def check(fabric: IbFabric, faults: Faults) -> None:
    """All contradictions."""
    _managers(fabric, faults)
    _tenants(fabric, faults)
    _pkeys(fabric, faults)
    _routing(fabric, faults)
    qos(fabric, faults)
    _flavour(fabric, faults)


def _managers(fabric: IbFabric, faults: Faults) -> None:
    known = {port.guid: node for _, node, port in fabric.hca_ports()}
    for name, device in fabric.devices.items():
        if device.guid in fabric.nodes and device.guid not in known:
            faults.add("FD-INT-067", ("managers", name, "guid"), f"{device.guid} is a node GUID, not a port GUID")
        elif device.guid not in known:
            faults.add("FD-INT-060", ("managers", name, "guid"), f"the plan has no port with the GUID {device.guid}")
    twice = [number for number, count in Counter(d.priority for d in fabric.devices.values()).items() if count > 1]
    for device in fabric.devices.values():
        if device.priority in twice:
            problem = f"priority {device.priority} is used twice: the lower GUID would decide"
            faults.add("FD-INT-065", ("managers",), problem, "Give every manager a priority of its own")
            return


def _tenants(fabric: IbFabric, faults: Faults) -> None:
    owner: dict[str, str] = {}
    for name, partition in fabric.partitions.items():
        if fabric.document.partitions[name].shared:
            continue
        for guid in partition.members:
            if owner.setdefault(guid, name) != name:
                problem = f"{guid} is in {owner[guid]} and in {name}: two tenants on one port"
                remedy = "Take it out of one, or mark the partition as shared"
                faults.add("FD-INT-062", ("partitions", name), problem, remedy)
                break


def _pkeys(fabric: IbFabric, faults: Faults) -> None:
    seen: dict[int, str] = {}
    for name, partition in fabric.partitions.items():
        if seen.setdefault(partition.pkey, name) != name:
            problem = f"{partition.pkey:#06x} is the P_Key of {seen[partition.pkey]} too: OpenSM would merge them"
            faults.add("FD-INT-061", ("partitions", name, "pkey"), problem)
        for first, last in fabric.others:
            if first <= partition.pkey <= last:
                problem = f"{partition.pkey:#06x} is in a span that somebody else owns ({first:#06x}-{last:#06x})"
                faults.add("FD-INT-061", ("partitions", name, "pkey"), problem)
    index0: dict[str, str] = {}
    for name, partition in fabric.partitions.items():
        for guid in partition.members if fabric.document.partitions[name].index0 else ():
            if index0.setdefault(guid, name) != name:
                faults.add("FD-INT-061", ("partitions", name, "index0"), f"{guid} has two partitions for index 0")
                break


def _routing(fabric: IbFabric, faults: Faults) -> None:
    routing = fabric.document.routing
    if routing.engine == "ftree" and fabric.document.options.get("lmc", 0) != 0:
        faults.add("FD-INT-066", ("options", "lmc"), "ftree needs lmc 0: OpenSM would take minhop")
    if routing.roots is not None and not fabric.roots:
        faults.add("FD-INT-066", ("routing", "roots"), f"no switch of the plan has the role {routing.roots}")
    for kind in fabric.routed:
        if routing.engine != "ftree":
            problem = f"{routing.engine} takes no notice of {kind} nodes: only ftree does"
            faults.add("FD-INT-066", ("routing", kind), problem)
    for guid in sorted({*fabric.routed.get("compute", ())} & {*fabric.routed.get("io", ())})[:1]:
        faults.add("FD-INT-066", ("routing", "io"), f"{guid} is a compute node and an I/O node")


def _flavour(fabric: IbFabric, faults: Faults) -> None:
    if fabric.document.flavour == "upstream-3.3":
        for node in fabric.nodes.values():
            for port in node.ports.values():
                if port.speed in NEEDS_NVIDIA or fabric.document.link.speed in NEEDS_NVIDIA:
                    problem = "the upstream OpenSM is not adequate for NDR switches (opensm issue 38)"
                    faults.add("FD-INT-066", ("flavour",), problem, "Use NVIDIA's OpenSM or UFM")
                    return
