"""Cables by names, put into nodes by GUID: what plans as CSV and as ``.topo`` have in common.

Neither says a GUID, so a second file does: a CSV with the columns name, kind, node_guid, port, port_guid; one row per
port of an HCA, one per switch (without port and port_guid). Names are node descriptions: ``gpu001 mlx5_0``.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fabric_drift.errors import IntentError
from fabric_drift.intent.faults import make
from fabric_drift.intent.infiniband.plan import PlannedNode, PlannedPort
from fabric_drift.intent.nodes import has_control_characters

COLUMNS = ("name", "kind", "node_guid", "port", "port_guid")
KINDS = ("ca", "switch", "router")
LARGEST_PORT = 254
CODE = "FD-INT-064"
_GUID = re.compile(r"0x[0-9a-fA-F]{1,16}")


@dataclass(frozen=True, slots=True)
class NamedCable:
    """A cable as it is written."""

    ends: tuple[tuple[str, int], tuple[str, int]]
    """(node, port), twice."""
    width: str
    speed: str
    line: int


@dataclass(slots=True)
class Names:
    """Nodes of the second file, and the port GUIDs of HCAs."""

    nodes: dict[str, PlannedNode]
    """By name."""
    guids: dict[tuple[str, int], str]
    file: str
    taken: set[str] = field(default_factory=set)
    """Port GUIDs so far."""


def rows(text: str, required: Sequence[str], file: str, errors: list[IntentError]) -> Iterator[tuple[int, list[str]]]:
    """(line, cells in the order of ``required``) of a CSV with a header; # starts a note."""
    reader = csv.reader(text.splitlines(), strict=True)
    header: list[str] = []
    try:
        for written in reader:
            cells = [cell.strip() for cell in written]
            if not any(cells) or cells[0].startswith("#"):
                continue
            where = f"{file}:{reader.line_num}"
            if not header:
                header = cells
                if sorted(header) != sorted(required):
                    errors.append(
                        make("FD-INT-012", f"the header must have the columns {', '.join(required)}", where=where)
                    )
                    return
            elif len(cells) != len(header):
                errors.append(make("FD-INT-012", f"{len(cells)} cells under {len(header)} columns", where=where))
            elif any(has_control_characters(cell) for cell in cells):
                errors.append(make("FD-INT-008", "a control character", where=where))
            else:
                yield reader.line_num, [cells[header.index(name)] for name in required]
    except csv.Error as error:
        errors.append(make("FD-INT-012", f"no CSV ({error})", where=f"{file}:{reader.line_num}"))


def read_names(path: Path, errors: list[IntentError]) -> Names:
    """The second file. Faults go to ``errors``."""
    names = Names({}, {}, str(path))
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        errors.append(
            make("FD-INT-015", f"the GUIDs of the plan can't be read ({type(error).__name__})", where=str(path))
        )
        return names
    owners: dict[str, str] = {}
    for line, cells in rows(text, COLUMNS, str(path), errors):
        problem = _row(names, owners, line, *cells)
        if problem:
            errors.append(make(CODE, problem, where=f"{path}:{line}", remedy="Correct the row"))
    return names


def _row(  # noqa: PLR0917 - the cells of a row
    names: Names, owners: dict[str, str], line: int, name: str, kind: str, node_guid: str, port: str, port_guid: str
) -> str:
    """What is wrong with one row, or nothing."""
    if not name or kind not in KINDS or not _GUID.fullmatch(node_guid):
        return f"a row needs a name, one of {', '.join(KINDS)} and a node GUID like 0x0c42a10300000000"
    guid = f"0x{int(node_guid, 16):016x}"
    node = names.nodes.setdefault(name, PlannedNode(kind, guid, name, line))
    if (node.kind, node.guid) != (kind, guid):
        return f"{name} is {node.kind} {node.guid} in line {node.line}"
    if owners.setdefault(guid, name) != name:
        return f"{guid} is the node GUID of {owners[guid]} too"
    if kind != "ca":
        return "" if not port and not port_guid and node.line == line else f"{name} needs one row, without a port"
    number = port_number(port)
    if number is None or not _GUID.fullmatch(port_guid):
        return f"{name} needs a port of 1 to {LARGEST_PORT} and its port GUID"
    if (name, number) in names.guids:
        return f"port {number} of {name} is written twice"
    names.guids[name, number] = guid = f"0x{int(port_guid, 16):016x}"
    owner = owners.setdefault(guid, name)  # an HCA's port may have its node's GUID, never another's
    if owner != name or guid in names.taken:
        return f"{port_guid} is a GUID of {owner} too"
    names.taken.add(guid)
    return ""


def port_number(text: str) -> int | None:
    """A port that can have a cable, or None."""
    return int(text) if re.fullmatch("[1-9][0-9]{0,2}", text) and int(text) <= LARGEST_PORT else None


def cabled(cables: Iterable[NamedCable], names: Names, file: str, errors: list[IntentError]) -> dict[str, PlannedNode]:
    """Nodes by GUID with their ports. A cable may be written once from each end. Faults go to ``errors``."""
    for cable in cables:
        where = f"{file}:{cable.line}"
        problem = next((text for end in cable.ends if (text := _unknown(end, names))), "")
        if cable.ends[0] == cable.ends[1]:
            problem = f"the cable of {_shown(cable.ends[0])} ends where it starts"
        if problem:
            errors.append(make(CODE, problem, where=where, remedy=f"Correct it here or in {names.file}"))
            continue
        for near, far in (cable.ends, cable.ends[::-1]):
            _plug(near, far, cable, names, where, errors)
    return {node.guid: node for node in names.nodes.values()}


def _unknown(end: tuple[str, int], names: Names) -> str:
    node = names.nodes.get(end[0])
    if node is None:
        return f"no node is called {end[0]}"
    return f"{_shown(end)} has no port GUID" if node.kind == "ca" and end not in names.guids else ""


def _plug(  # noqa: PLR0917 - one end of a cable
    near: tuple[str, int], far: tuple[str, int], cable: NamedCable, names: Names, where: str, errors: list[IntentError]
) -> None:
    node, peer = names.nodes[near[0]], f"{names.nodes[far[0]].guid}/{far[1]}"
    known = node.ports.get(near[1])
    guid = names.guids[near] if node.kind == "ca" else node.guid
    port = PlannedPort(near[1], guid, peer, cable.width, cable.speed, cable.line)
    if known is None:
        node.ports[near[1]] = port
    elif (known.peer, known.width, known.speed) != (peer, cable.width, cable.speed):
        problem = f"{_shown(near)} has another cable in line {known.line}"
        errors.append(make(CODE, problem, where=where, remedy="Keep one of the two"))


def _shown(end: tuple[str, int]) -> str:
    return f"port {end[1]} of {end[0]}"
