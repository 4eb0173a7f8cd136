"""The plan of the cabling: text of ``ibnetdiscover``, read strictly, every cable from both ends."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from fabric_drift.errors import IntentError
from fabric_drift.intent.faults import make

_NODE = re.compile(r'(Ca|Switch|Rt)\t([0-9]{1,3}) "([HSR])-([0-9a-f]{16})"[ \t]*# "([^"]{0,64})".*')
_EXTERNAL = r"(?:\[ext [0-9]+\])?"
_PORT = re.compile(
    rf"\[([0-9]{{1,3}})\]{_EXTERNAL}(?:\(([0-9a-f]{{1,16}})\))?[ \t]+"
    rf'"[HSR]-([0-9a-f]{{16}})"\[([0-9]{{1,3}})\]{_EXTERNAL}(.*)'
)
_WIDTH = re.compile(r"\b(1x|2x|4x|8x|12x)(SDR|DDR|QDR|FDR10|FDR|EDR|HDR|NDR|XDR)\b")
_IGNORED = re.compile(r"(?:(?:vendid|devid|sysimgguid|switchguid|caguid|rtguid)=.*|#.*|DR path .*)?")


@dataclass(frozen=True, slots=True)
class PlannedPort:
    """One end of a planned cable."""

    number: int
    guid: str
    """Port GUID on HCAs; the node's on switches."""
    peer: str
    """Key of the other end."""
    width: str
    speed: str
    line: int


@dataclass(slots=True)
class PlannedNode:
    """A node of the plan."""

    kind: str
    """ca | switch | router"""
    guid: str
    description: str
    line: int
    ports: dict[int, PlannedPort] = field(default_factory=dict)

    @property
    def host(self) -> str:
        """First word of the description: the host's name on HCAs."""
        return self.description.partition(" ")[0]

    @property
    def hca(self) -> str:
        """The rest of it: the HCA's name on its host."""
        return self.description.partition(" ")[2].strip()


def read_plan(path: Path, errors: list[IntentError]) -> dict[str, PlannedNode]:
    """Nodes by GUID. Faults go to ``errors``; after any, the plan must not be used."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        errors.append(make("FD-INT-015", f"the plan can't be read ({type(error).__name__})", where=str(path)))
        return {}
    nodes: dict[str, PlannedNode] = {}
    here: PlannedNode | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        node, port = _NODE.fullmatch(line), _PORT.fullmatch(line)
        where = f"{path}:{number}"
        if node:
            kinds = {"Ca": "ca", "Switch": "switch", "Rt": "router"}
            here = PlannedNode(kinds[node[1]], f"0x{node[4]}", node[5].strip(), number)
            if here.guid in nodes:
                errors.append(make("FD-INT-064", f"node {here.guid} is written twice", where=where))
            nodes[here.guid] = here
        elif port and here:
            _add(here, port, number, errors, where)
        elif not _IGNORED.fullmatch(line.strip()):
            errors.append(make("FD-INT-064", f"{line[:60]!r} is no line of ibnetdiscover", where=where))
    _check_ends(nodes, str(path), errors)
    return nodes


def _add(node: PlannedNode, found: re.Match[str], line: int, errors: list[IntentError], where: str) -> None:
    number = int(found[1])
    if number in node.ports:
        errors.append(make("FD-INT-064", f"port {number} of {node.description} is written twice", where=where))
    width = _WIDTH.search(found[5])
    guid = f"0x{int(found[2], 16):016x}" if found[2] else node.guid
    if node.kind == "ca" and not found[2]:
        errors.append(make("FD-INT-064", f"port {number} of {node.description} has no port GUID", where=where))
    node.ports[number] = PlannedPort(
        number, guid, f"0x{found[3]}/{int(found[4])}", width[1] if width else "", width[2] if width else "", line
    )


def _check_ends(nodes: dict[str, PlannedNode], path: str, errors: list[IntentError]) -> None:
    for node in nodes.values():
        for port in node.ports.values():
            guid, _, number = port.peer.partition("/")
            other = nodes[guid].ports.get(int(number)) if guid in nodes else None
            if other is None or other.peer != f"{node.guid}/{port.number}":
                problem = f"the other end of port {port.number} of {node.description} doesn't say the same"
                errors.append(make("FD-INT-064", problem, where=f"{path}:{port.line}"))
