"""Nodes that answer with recorded bytes, read by the reader of SM nodes itself."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import yaml

from fabric_drift.platforms import opensm
from fabric_drift.platforms.opensm import subnet
from fabric_drift.platforms.opensm.subnet import SubnetReading

DATA = Path(__file__).parent / "data" / "recorded"
PROGRAMS = Path(opensm.__file__).parent
WHAT = {"ports", "pkeys", "sl2vl", "vlarb", "lft", "sms", "errors"}

Chunks = Mapping[int, str]
Nodes = dict[str, dict[str, Any]]


def program(name: str) -> ModuleType:
    """A module of the reader, imported as on an SM node: by its plain name, from its folder."""
    sys.path.insert(0, str(PROGRAMS))
    try:
        return __import__(name)
    finally:
        sys.path.remove(str(PROGRAMS))


def subnet_bytes() -> Nodes:
    """Name -> route, LID, and "attribute/modifier" -> 64 bytes."""
    found: Nodes = yaml.safe_load((DATA / "subnet_bytes.yml").read_text())
    for node in found.values():
        for kind in ("answers", "counters"):
            node[kind] = {name: laid_out(chunks) for name, chunks in node[kind].items()}
    return found


def laid_out(chunks: Chunks, over: bytes = bytes(64)) -> bytes:
    """The chunks, laid over other bytes."""
    data = bytearray(over)
    for first, text in chunks.items():
        part = bytes.fromhex(str(text))
        data[first : first + len(part)] = part
    return bytes(data)


def key(text: str) -> tuple[int, int]:
    attribute, _, modifier = text.partition("/")
    return int(attribute, 0), int(modifier, 0)


class RecordedFabric:
    """Answers as ``ib_mad.Fabric`` does; what isn't recorded isn't answered."""

    def __init__(self, nodes: Nodes) -> None:
        self.sent = self.silent = 0
        self.pace = program("ib_pace").Pace(0, lambda: None, 0)
        self.answers = {
            (tuple(node["route"]), *key(name)): data
            for node in nodes.values()
            for name, data in node["answers"].items()
        }
        self.counters = {
            (node["lid"], *key(name)): data for node in nodes.values() for name, data in node["counters"].items()
        }

    def get(self, target: Any, attribute: int, modifier: int = 0) -> bytes | None:
        route = tuple(target.route.path[index + 1] for index in range(target.route.count))
        return self.counted(self.answers.get((route, attribute, modifier)))

    def performance(self, lid: int, attribute: int, port: int) -> bytes | None:
        return self.counted(self.counters.get((lid, attribute, port)))

    def counted(self, answer: bytes | None) -> bytes | None:
        self.sent += 1
        self.silent += answer is None
        return answer


def read(nodes: Nodes, m_key: str = "the vault") -> SubnetReading:
    """What the reader makes of the answers, and the platform of what it prints."""
    reader = program("ib_subnet").Reader(RecordedFabric(nodes), WHAT)
    reader.measured("ports", reader.discover)
    reader.read_ports()
    reader.read_rest()
    return subnet.parse(json.dumps(reader.document(m_key)))
