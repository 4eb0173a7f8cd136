"""Hosts whose jobs use the subnet: which partition each is in, with which HCAs. One host, one tenant."""

from __future__ import annotations

from collections.abc import Mapping

from fabric_drift.intent.faults import Faults
from fabric_drift.intent.infiniband.document import Document
from fabric_drift.intent.infiniband.fabric import ResolvedPartition
from fabric_drift.intent.infiniband.job import NEEDS_INDEX, JobHost, environment, pkey_index
from fabric_drift.intent.infiniband.members import hosts
from fabric_drift.intent.infiniband.plan import PlannedNode

CODE = "FD-INT-068"

Seats = list[tuple[PlannedNode, int]]


def job_hosts(
    document: Document,
    nodes: Mapping[str, PlannedNode],
    partitions: Mapping[str, ResolvedPartition],
    away: frozenset[str],
    faults: Faults,
) -> dict[str, JobHost]:
    """Host -> what a check needs of it; {} where the environment of jobs isn't managed."""
    job = document.job
    if job is None:
        return {}
    tenants = {
        guid: name
        for name, partition in partitions.items() if not document.partitions[name].shared
        for guid in partition.members
    }  # fmt: skip
    hcas = _hcas(document, nodes)
    found: dict[str, JobHost] = {}
    for index, text in enumerate(job.hosts):
        path = ("job", "hosts", index)
        for name in hosts(text, path, faults):
            tenant = _tenant(name, hcas.get(name), tenants, path, faults)
            if tenant is None or name in document.managers:
                continue
            seats = [(node, port) for node, port in hcas[name] if tenants.get(node.ports[port].guid) == tenant]
            variables = environment(document, partitions[tenant], seats)
            lifecycle = "maintenance" if name in away else "active"
            found[name] = JobHost(name, job.releases, job.hardware or "", lifecycle, tenant, variables)
    _check(document, {host.partition for host in found.values()}, faults)
    return found


def _hcas(document: Document, nodes: Mapping[str, PlannedNode]) -> dict[str, Seats]:
    """Host -> its HCAs on rails, by rail."""
    found: dict[str, Seats] = {}
    for node in nodes.values():
        if node.kind == "ca" and node.hca in document.rails:
            found.setdefault(node.host, []).extend((node, port) for port in sorted(node.ports))
    return {
        host: sorted(seats, key=lambda seat: (document.rails[seat[0].hca], seat[0].hca, seat[1]))
        for host, seats in found.items()
    }


def _tenant(
    host: str, seats: Seats | None, tenants: Mapping[str, str], path: tuple[str | int, ...], faults: Faults
) -> str | None:
    if not seats:
        faults.add("FD-INT-060", path, f"the plan has no host {host} with an HCA on a rail")
        return None
    mine = sorted({tenants[node.ports[port].guid] for node, port in seats if node.ports[port].guid in tenants})
    if len(mine) == 1:
        return mine[0]
    if not mine:
        remedy = "Put it into a partition, or take it out of job.hosts"
        faults.add(CODE, path, f"{host} is in no partition of its own: its jobs would reach nobody", remedy)
    else:
        remedy = "Split the host's jobs by hand, and take it out of job.hosts"
        faults.add(CODE, path, f"{host} is in {mine[0]} and in {mine[1]}: one file can't serve both", remedy)
    return None


def _check(document: Document, used: set[str], faults: Faults) -> None:
    """Indexes that nobody promises."""
    assert document.job is not None
    for name, part in document.partitions.items():
        told = part.job.pkey_index if part.job else None
        path = ("partitions", name, "job", "pkey_index")
        if part.index0 and told:
            faults.add(CODE, path, f"index {told}, and index0 puts the P_Key at 0", "Keep one of the two")
        elif told == 0 and not part.index0:
            faults.add(CODE, path, "index 0 without index0: OpenSM puts the default partition there", "Say index0: on")
        elif name in used and NEEDS_INDEX in document.job.derived and pkey_index(document, name) is None:
            problem = f"{NEEDS_INDEX} is an index of the P_Key table, and OpenSM promises none for {name}"
            remedy = "Say index0: on, or job: {pkey_index: N}, which is then watched on the hardware"
            faults.add(CODE, ("partitions", name), problem, remedy)
