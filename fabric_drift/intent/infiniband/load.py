"""``load``: the files below ``infiniband/`` -> a valid IbFabric, or every error at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from fabric_drift.errors import IntentError
from fabric_drift.intent.faults import Faults, from_validation, make, raise_all
from fabric_drift.intent.infiniband import checks
from fabric_drift.intent.infiniband.document import Document, json_schema
from fabric_drift.intent.infiniband.fabric import IbFabric, ResolvedPartition, SmDevice
from fabric_drift.intent.infiniband.job_hosts import job_hosts
from fabric_drift.intent.infiniband.members import directory, hosts, resolve
from fabric_drift.intent.infiniband.plan import PlannedNode
from fabric_drift.intent.infiniband.plan_files import read_plan
from fabric_drift.intent.merge import read_directory
from fabric_drift.intent.nodes import Node, plain

FOLDER = "infiniband"


def load(folder: Path) -> IbFabric:
    """The subnet that ``folder`` describes. Raises IntentErrors, one IntentError per fault."""
    errors: list[IntentError] = []
    root = read_directory(folder, errors)
    document = _validated(root, errors)
    raise_all(errors)
    assert document is not None
    guids = folder / document.plan_guids if document.plan_guids else None
    nodes = read_plan(folder / document.plan, errors, guids)
    raise_all(errors)
    if not nodes:
        raise_all([make("FD-INT-064", "the plan holds no node", where=str(folder / document.plan))])
    faults = Faults(root)
    fabric = _resolved(document, root, nodes, faults)
    faults.stop()
    checks.check(fabric, faults)
    faults.stop()
    return fabric


def _validated(root: Node, errors: list[IntentError]) -> Document | None:
    if errors and not root.value:
        return None
    try:
        return Document.model_validate(plain(root))
    except ValidationError as error:
        errors += from_validation(error, root, frozenset(_keys(json_schema())))
        return None


def _keys(schema: Any) -> set[str]:
    if isinstance(schema, dict):
        found = set(schema.get("properties", {}))
        return found.union(*(_keys(part) for part in schema.values()))
    return set().union(*(_keys(part) for part in schema)) if isinstance(schema, list) else set()


def _resolved(document: Document, root: Node, nodes: dict[str, PlannedNode], faults: Faults) -> IbFabric:
    book = directory(document, nodes)
    partitions = {
        name: ResolvedPartition(
            name, part.pkey, resolve(part.members, part.membership, ("partitions", name, "members"), book, faults)
        )
        for name, part in document.partitions.items()
    }
    full = resolve(document.default_partition.full, "full", ("default_partition", "full"), book, faults)
    devices = {
        name: SmDevice(name, document.releases, document.flavour, manager.lifecycle, manager.guid, manager.priority)
        for name, manager in document.managers.items()
    }
    if not devices:
        faults.add("FD-INT-065", ("managers",), "a subnet without a manager")
    away = frozenset(name for index, text in enumerate(document.away) for name in hosts(text, ("away", index), faults))
    roots = _roots(document, nodes, faults)
    groups = {
        name: tuple(sorted(resolve(members, "full", ("qos", "groups", name), book, faults)))
        for name, members in (document.qos.groups if document.qos else {}).items()
    }
    routed = {
        kind: tuple(sorted(resolve(members, "full", ("routing", kind), book, faults)))
        for kind, members in (("compute", document.routing.compute), ("io", document.routing.io)) if members
    }  # fmt: skip
    users = job_hosts(document, nodes, partitions, away, faults)
    return IbFabric(document, root, devices, nodes, partitions, frozenset(full), roots, away, users, groups, routed)


def _roots(document: Document, nodes: dict[str, PlannedNode], faults: Faults) -> tuple[str, ...]:
    role = document.routing.roots
    if role is None:
        return ()
    if role not in document.switches:
        faults.add("FD-INT-020", ("routing", "roots"), f"no switch role is called {role}")
        return ()
    names = {
        name for index, text in enumerate(document.switches[role])
        for name in hosts(text, ("switches", role, index), faults)
    }  # fmt: skip
    found = {node.description: node.guid for node in nodes.values() if node.kind == "switch"}
    for name in sorted(names - found.keys()):
        faults.add("FD-INT-060", ("switches", role), f"the plan has no switch {name}")
    return tuple(sorted(found[name] for name in names & found.keys()))
