"""A plan as text of ``ibnetdiscover``, read strictly. It says every cable from both ends, and these must agree."""

from __future__ import annotations

import re
from pathlib import Path

from fabric_drift.errors import IntentError
from fabric_drift.intent.faults import make
from fabric_drift.intent.infiniband.plan import PlannedNode, PlannedPort

_NODE = re.compile(r'(Ca|Switch|Rt)\t([0-9]{1,3}) "([HSR])-([0-9a-f]{16})"[ \t]*# "([^"]{0,64})".*')
_EXTERNAL = r"(?:\[ext [0-9]+\])?"
_PORT = re.compile(
    rf"\[([0-9]{{1,3}})\]{_EXTERNAL}(?:\(([0-9a-f]{{1,16}})\))?[ \t]+"
    rf'"[HSR]-([0-9a-f]{{16}})"\[([0-9]{{1,3}})\]{_EXTERNAL}(.*)'
)
_WIDTH = re.compile(r"\b(1x|2x|4x|8x|12x)(SDR|DDR|QDR|FDR10|FDR|EDR|HDR|NDR|XDR)\b")
_IGNORED = re.compile(r"(?:(?:vendid|devid|sysimgguid|switchguid|caguid|rtguid)=.*|#.*|DR path .*)?")


_STARTS = ("vendid=", "Switch\t", "Ca\t", "Rt\t")


def is_discovered(text: str) -> bool:
    """Whether this is text of ibnetdiscover: one line like its own is enough, so that damage is told as damage."""
    return any(line.startswith(_STARTS) for line in text.splitlines())


def read_discovered(text: str, path: Path, errors: list[IntentError]) -> dict[str, PlannedNode]:
    """Nodes by GUID. Faults go to ``errors``."""
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
    width, speed = (_WIDTH.findall(found[5]) or [("", "")])[-1]  # the last: a description may hold such a word too
    guid = f"0x{int(found[2], 16):016x}" if found[2] else node.guid
    if node.kind == "ca" and not found[2]:
        errors.append(make("FD-INT-064", f"port {number} of {node.description} has no port GUID", where=where))
    node.ports[number] = PlannedPort(number, guid, f"0x{found[3]}/{int(found[4])}", width, speed, line)


def _check_ends(nodes: dict[str, PlannedNode], path: str, errors: list[IntentError]) -> None:
    for node in nodes.values():
        for port in node.ports.values():
            guid, _, number = port.peer.partition("/")
            other = nodes[guid].ports.get(int(number)) if guid in nodes else None
            if other is None or other.peer != f"{node.guid}/{port.number}":
                problem = f"the other end of port {port.number} of {node.description} doesn't say the same"
                errors.append(make("FD-INT-064", problem, where=f"{path}:{port.line}"))
