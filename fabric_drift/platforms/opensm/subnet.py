"""The reader's JSON -> ``Subnet``: parsed strictly, shared where ports are alike, unobserved where nobody answered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fabric_drift.platforms.opensm.routing import Topology, walk
from fabric_drift.state.infiniband import Arbitration, FabricPort, KnownManager, Link, Subnet
from fabric_drift.state.values import UNSAID, Unobserved

SCHEMA = 1
SILENT = "the port did not answer"
SAMPLED = "only one in-port of each out-port was read"


@dataclass(slots=True)
class SubnetReading:
    """The subnet, other names of its ports, and what a person may want to know."""

    subnet: Subnet
    aliases: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    raw: Mapping[str, Any] = field(default_factory=dict)
    believed: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Port key -> P_Keys in the subnet manager's own copy, where its SA gives it."""


def parse(text: str) -> SubnetReading:
    """The document. Raises ValueError for what the reader can't have written."""
    try:
        document = json.loads(text)
        if document["schema"] != SCHEMA:
            raise ValueError(f"schema {document['schema']!r} is not {SCHEMA}")
        return _Builder(document).build()
    except (KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise ValueError(f"not a document of ib_reader: {type(error).__name__}: {error}") from error


class _Builder:
    """One document; tables are decoded once and shared by all ports that have them."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.what = set(document["what"])
        self.nodes = {node["guid"]: node for node in document["nodes"]}
        self.silent: dict[str, set[str]] = {}
        for name, what in document["unanswered"]:
            self.silent.setdefault(str(name), set()).add(str(what))
        tables = document["tables"]
        self.pkeys = [_pkeys(item) for item in tables["pkeys"]]
        self.sl2vl = [_lanes(item) for item in tables["sl2vl"]]
        self.vlarb = [_arbitration(item) for item in tables["vlarb"]]
        self.links: dict[tuple[Any, ...], Link] = {}
        self.managers = {sm["lid"]: sm["guid"] for sm in document["sms"]}

    def build(self) -> SubnetReading:
        """All of it."""
        ports = {key: self.port(key, facts) for key, facts in self.document["ports"].items() if self.listed(key, facts)}
        for key, what in self.silent.items():
            if "/" in key and "port" in what:
                ports[key] = Unobserved(SILENT)  # type: ignore[assignment]
            if "node" in what and key in ports:
                ports[key] = Unobserved("the node at the other end did not answer")  # type: ignore[assignment]
        subnet = Subnet(dict(sorted(ports.items())), self.known_managers(), self.routing())
        sent, silent = self.document["mads"], self.document["silent"]
        notes = [f"{sent} MADs sent, {silent} without an answer, {len(self.nodes)} nodes"]
        notes += [SAMPLED] if self.document["sl2vl_sampled"] else []
        return SubnetReading(subnet, self.aliases(), tuple(notes), self.document, self.believed())

    def believed(self) -> dict[str, Mapping[str, str]]:
        """What the SA says of P_Key tables; equal tables are one object."""
        tables = {text: _pkeys(text)[0] for text in sorted(set(self.document["beliefs"].values()))}
        return {key: tables[text] for key, text in sorted(self.document["beliefs"].items())}

    def listed(self, key: str, facts: Mapping[str, Any]) -> bool:
        """Ports with a link, and port 0 of switches, which stands for the switch itself."""
        return bool(key.endswith("/0") or facts["physical"] == "up")

    def port(self, key: str, facts: Mapping[str, Any]) -> FabricPort:
        """One port."""
        guid, _, number = key.partition("/")
        node = self.nodes[guid]
        is_management = number == "0"
        pkeys, index_0, indexes = self.of_table(self.pkeys, facts, key, "pkeys") or (UNSAID, UNSAID, UNSAID)
        tables = not is_management
        return FabricPort(
            description=self.description(node) if is_management or node["kind"] != "switch" else UNSAID,
            guid=node["port_guid"] if node["kind"] == "ca" and node["ports"] == 1 else UNSAID,
            link=UNSAID if is_management else self.link(key, facts),
            pkeys=pkeys,
            pkey_at_index_0=index_0,
            pkey_indexes=indexes,
            sl2vl=(self.of_table(self.sl2vl, facts, key, "sl2vl") or UNSAID) if tables else UNSAID,
            sl2vl_exceptions=self.exceptions(key, facts) if tables else UNSAID,
            arbitration=(self.of_table(self.vlarb, facts, key, "vlarb") or UNSAID) if tables else UNSAID,
            operational_vls=UNSAID if is_management else facts["operational_vls"],
            manager=self.managers.get(facts["sm_lid"], f"LID {facts['sm_lid']}, where no manager answers"),
            subnet_prefix=facts["prefix"],
            head_of_queue_life=facts["hoq_life"] if tables and node["kind"] == "switch" else UNSAID,
            vl_stall_count=UNSAID if is_management else facts["vl_stall_count"],
        )

    def of_table(self, table: list[Any], facts: Mapping[str, Any], key: str, what: str) -> Any:
        """The shared table of a port; Unobserved where it was asked for and didn't come."""
        if what in facts:
            return table[facts[what]]
        if what in self.silent.get(key, ()):
            missing = Unobserved(SILENT)
            return (missing, missing, missing) if what == "pkeys" else missing
        return None

    def description(self, node: Mapping[str, Any]) -> Any:
        """Its words, or why we have none."""
        text = node["description"]
        return Unobserved(SILENT) if text is None else str(text)

    def link(self, key: str, facts: Mapping[str, Any]) -> Link:
        """Links that are alike are one object only where their peers are the same."""
        peer = self.document["links"].get(key)
        return Link(facts["state"], facts["width"], facts["speed"], peer or Unobserved("nobody answered behind it"))

    def exceptions(self, key: str, facts: Mapping[str, Any]) -> Any:
        """Rows of a switch's SL-to-VL table that aren't like the others."""
        if self.nodes[key.partition("/")[0]]["kind"] != "switch":
            return UNSAID
        if "sl2vl_other" not in facts:
            return Unobserved(SILENT) if "sl2vl" in self.silent.get(key, ()) else UNSAID
        if self.document["sl2vl_sampled"]:
            return Unobserved(SAMPLED)
        return {str(entry): _lanes(row) for entry, row in sorted(facts["sl2vl_other"].items())}

    def known_managers(self) -> Any:
        """Every manager that answers."""
        if "sms" not in self.what:
            return UNSAID
        return {sm["guid"]: KnownManager(sm["state"], sm["priority"]) for sm in self.document["sms"]}

    def aliases(self) -> dict[str, str]:
        """Port GUIDs and descriptions -> port keys."""
        found = {}
        for node in self.nodes.values():
            number = 0 if node["kind"] == "switch" else 1
            found[f"guid:{node['port_guid']}"] = f"{node['guid']}/{number}"
        return found

    def routing(self) -> Any:
        """The walk over all tables; Unobserved where a table is missing."""
        if "lft" not in self.what:
            return UNSAID
        unread = sorted(key for key, what in self.silent.items() if what & {"lft", "switch", "node"})
        if unread:
            return Unobserved(f"{len(unread)} nodes did not answer, the first behind {unread[0]}")
        peers: dict[str, dict[int, str]] = {guid: {} for guid, node in self.nodes.items() if node["kind"] == "switch"}
        hcas = {}
        for key, other in self.document["links"].items():
            guid, _, number = key.partition("/")
            peer, _, peer_number = other.partition("/")
            if guid in peers:
                peers[guid][int(number)] = peer
            elif peer in peers and key in self.document["ports"]:
                hcas[key] = (self.document["ports"][key]["lid"], peer, int(peer_number))
        tables = {guid: bytes.fromhex(table) for guid, table in sorted(self.document["lfts"].items())}
        return walk(Topology(tables, peers, hcas))


def _pkeys(text: str) -> tuple[dict[str, str], str, dict[str, int]]:
    """P_Key -> membership, what is at index 0, and P_Key -> its first index. Bit 15 set = full."""
    keys: dict[str, str] = {}
    indexes: dict[str, int] = {}
    words = [int(text[index : index + 4], 16) for index in range(0, len(text), 4)]
    for index, word in enumerate(words):
        if not word & 0x7FFF:
            continue
        key, membership = f"0x{word & 0x7FFF:04x}", "full" if word & 0x8000 else "limited"
        indexes.setdefault(key, index)
        keys[key] = membership if keys.get(key, membership) == membership else "both"
    first = f"0x{words[0] & 0x7FFF:04x}" if words else "0x0000"
    return dict(sorted(keys.items())), first, dict(sorted(indexes.items()))


def _lanes(text: str) -> tuple[int, ...]:
    """Sixteen nibbles."""
    if len(text) != 16:  # noqa: PLR2004 - eight bytes
        raise ValueError("an SL-to-VL row has 16 nibbles")
    return tuple(int(digit, 16) for digit in text)


def _arbitration(text: str) -> Arbitration:
    low, _, high = text.partition(":")
    return Arbitration(_weights(high), _weights(low))


def _weights(text: str) -> tuple[tuple[int, int], ...]:
    pairs = [bytes.fromhex(text[index : index + 4]) for index in range(0, len(text), 4)]
    return tuple((lane, weight) for lane, weight in pairs if weight)
