"""Selectors -> port GUIDs. A name that selects nothing is an error: in OpenSM it would be silence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fabric_drift.intent.faults import Faults
from fabric_drift.intent.infiniband.document import Document, Members
from fabric_drift.intent.infiniband.plan import PlannedNode
from fabric_drift.intent.ranges import expand


@dataclass(frozen=True, slots=True)
class Directory:
    """Who has which port GUID."""

    seats: Mapping[str, Mapping[int, tuple[str, ...]]]
    """Host -> rail -> port GUIDs."""
    ports: frozenset[str]
    nodes: Mapping[str, PlannedNode]
    managers: tuple[str, ...]


def directory(document: Document, nodes: Mapping[str, PlannedNode]) -> Directory:
    """The plan by host and rail. HCAs that ``rails`` doesn't name sit on rail 0."""
    seats: dict[str, dict[int, tuple[str, ...]]] = {}
    for node in nodes.values():
        if node.kind == "ca":
            rail = document.rails.get(node.hca, 0)
            of_host = seats.setdefault(node.host, {})
            of_host[rail] = (*of_host.get(rail, ()), *(port.guid for port in node.ports.values()))
    ports = frozenset(guid for rails in seats.values() for guids in rails.values() for guid in guids)
    return Directory(seats, ports, nodes, tuple(manager.guid for manager in document.managers.values()))


def resolve(
    selectors: Iterable[Members], default: str, where: tuple[str | int, ...], book: Directory, faults: Faults
) -> dict[str, str]:
    """Port GUID -> membership. A port that is named with two memberships is an error."""
    found: dict[str, str] = {}
    for index, selector in enumerate(selectors):
        path = (*where, index)
        for guid in _guids(selector, path, book, faults):
            membership = selector.membership or default
            if found.setdefault(guid, membership) != membership:
                faults.add("FD-INT-062", path, f"{guid} is {found[guid]} and {membership} in one partition")
    return found


def _guids(selector: Members, path: tuple[str | int, ...], book: Directory, faults: Faults) -> list[str]:
    guids, is_told = [*(book.managers if selector.managers else ())], False
    for index, text in enumerate(selector.hosts):
        for host in hosts(text, (*path, "hosts", index), faults):
            rails = book.seats.get(host)
            if rails is None:
                faults.add("FD-INT-060", (*path, "hosts", index), f"the plan has no host {host}")
                is_told = True
                continue
            guids += [guid for rail in selector.rails or sorted(rails) for guid in rails.get(rail, ())]
    for index, guid in enumerate(selector.guids):
        if guid in book.nodes and guid not in book.ports:
            remedy = f"Write the port GUID, {', '.join(port.guid for port in book.nodes[guid].ports.values())}"
            problem = f"{guid} is the node GUID of {book.nodes[guid].description}: OpenSM would not find a member"
            faults.add("FD-INT-067", (*path, "guids", index), problem, remedy)
        elif guid not in book.ports:
            faults.add("FD-INT-060", (*path, "guids", index), f"the plan has no port with the GUID {guid}")
        guids.append(guid)
    if not guids and not is_told:
        faults.add("FD-INT-060", path, "this selects no port")
    return guids


def hosts(text: str, path: tuple[str | int, ...], faults: Faults) -> tuple[str, ...]:
    """Names of a range."""
    try:
        return expand(text)
    except ValueError as error:
        faults.add("FD-INT-011", path, str(error))
        return ()
