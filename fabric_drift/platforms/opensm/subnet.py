"""The reader's JSON -> ``Subnet``: parsed strictly, shared where ports are alike, unobserved where nobody answered."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fabric_drift.platforms.opensm.believed import believed
from fabric_drift.platforms.opensm.routing import Topology, walk
from fabric_drift.platforms.opensm.tables import arbitration, lanes, pkeys
from fabric_drift.state.infiniband import (
    ERROR_COUNTERS,
    Arbitration,
    FabricPort,
    KnownManager,
    Link,
    SeenManagers,
    SeenPorts,
    Subnet,
)
from fabric_drift.state.values import ABSENT, UNSAID, Unobserved

SCHEMA = 2
MTUS = {1: 256, 2: 512, 3: 1024, 4: 2048, 5: 4096}
"""NeighborMTU (IBA volume 1, 14.2.5.6) -> bytes."""
HIDDEN = "the port hides its M_Key from whoever doesn't know it"
SAMPLED = "only one in-port of each out-port was read"


@dataclass(slots=True)
class SubnetReading:
    """The subnet, other names of its ports, and what a person may want to know."""

    subnet: Subnet
    aliases: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    raw: Mapping[str, Any] = field(default_factory=dict)
    believed: Mapping[str, Any] = field(default_factory=dict)
    """Field of ``Infiniband`` -> the subnet manager's own copy, where its SA gives it."""


def parse(text: str) -> SubnetReading:
    """The document. Raises ValueError for what the reader can't have written."""
    try:
        document = json.loads(text)
        if document["schema"] != SCHEMA:
            raise ValueError(f"schema {document['schema']!r} is not {SCHEMA}: install the programs on the node anew")
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
        self.pkeys = [pkeys(item) for item in tables["pkeys"]]
        self.sl2vl = [lanes(item) for item in tables["sl2vl"]]
        self.vlarb = [arbitration(item) for item in tables["vlarb"]]
        self.limited: dict[tuple[int, int], Arbitration] = {}
        self.errors: dict[tuple[tuple[str, int], ...], dict[str, int]] = {}
        key = document["m_key"]
        asked = "without an M_Key" if key == "none" else f"with the M_Key of {key}"
        self.why = f"the port did not answer, asked {asked}"
        behind = sorted(name for name, what in self.silent.items() if "node" in what)
        self.unseen = f"{len(behind)} nodes did not answer, the first behind {behind[0]}" if behind else ""
        self.managers = {sm["lid"]: sm["guid"] for sm in document["sms"]}

    def build(self) -> SubnetReading:
        """All of it."""
        listed = {key for key, facts in self.document["ports"].items() if self.listed(key, facts)}
        ports: dict[str, Any] = {key: self.port(key, self.document["ports"][key]) for key in sorted(listed)}
        for key, what in self.silent.items():
            if "/" in key and "port" in what:
                ports[key] = Unobserved(self.why)
            if "node" in what and key in ports:
                ports[key] = Unobserved("the node at the other end did not answer")
        seen: Any = dict(sorted(ports.items()))
        if self.unseen:
            dark = dict.fromkeys(self.document["ports"].keys() - listed, ABSENT)
            seen = SeenPorts({**dark, **seen}, self.unseen)
        subnet = Subnet(seen, self.known_managers(), self.routing())
        return SubnetReading(subnet, self.aliases(), tuple(self.notes()), self.document, believed(self.document))

    def notes(self) -> Iterator[str]:
        """What it cost, and what wasn't asked."""
        document = self.document
        cost = ", ".join(f"{count} {part}" for part, count in sorted(document["count"].items()))
        yield f"{document['mads']} MADs sent ({cost}), {document['silent']} without an answer, {len(self.nodes)} nodes"
        if document["sl2vl_sampled"]:
            yield SAMPLED
        if document["lfts_too_many"]:
            yield "the subnet manager was not asked for its copy of the forwarding tables: too many"
        if document["paused_s"]:
            yield f"waited {document['paused_s']} s for sweeps of the subnet manager to end"
        if document["blind"]:
            yield "the subnet manager did not say how busy it is: no sweep was waited for"
        if document["sweeping"]:
            yield "the subnet manager swept while it was read: what differs may have been half written"

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
            arbitration=self.weights(key, facts) if tables else UNSAID,
            operational_vls=UNSAID if is_management else facts["operational_vls"],
            manager=self.managers.get(facts["sm_lid"], f"LID {facts['sm_lid']}, where no manager answers"),
            subnet_prefix=facts["prefix"],
            head_of_queue_life=facts["hoq_life"] if tables and node["kind"] == "switch" else UNSAID,
            vl_stall_count=UNSAID if is_management else facts["vl_stall_count"],
            m_key=self.m_key(facts) if is_management or node["kind"] != "switch" else UNSAID,
            m_key_protection=facts["protect"] if is_management or node["kind"] != "switch" else UNSAID,
            partition_enforcement=_enforcement(facts) if tables and node["kind"] == "switch" else UNSAID,
            errors=self.counters(key, facts) if tables else UNSAID,
        )

    def of_table(self, table: list[Any], facts: Mapping[str, Any], key: str, what: str) -> Any:
        """The shared table of a port; Unobserved where it was asked for and didn't come."""
        if what in facts:
            return table[facts[what]]
        if what in self.silent.get(key, ()):
            missing = Unobserved(self.why)
            return (missing, missing, missing) if what == "pkeys" else missing
        return None

    def description(self, node: Mapping[str, Any]) -> Any:
        """Its words, or why we have none."""
        text = node["description"]
        return Unobserved(self.why) if text is None else str(text)

    def link(self, key: str, facts: Mapping[str, Any]) -> Link:
        """Links that are alike are one object only where their peers are the same."""
        peer = self.document["links"].get(key)
        code = facts["mtu_code"]
        mtu = MTUS.get(code, Unobserved(f"the MTU code {code} is not known"))
        behind = peer or Unobserved("nobody answered behind it")
        return Link(facts["state"], facts["width"], facts["speed"], behind, mtu)

    def weights(self, key: str, facts: Mapping[str, Any]) -> Any:
        """VL arbitration with the limit that PortInfo holds; one object for ports that have the same."""
        found = self.of_table(self.vlarb, facts, key, "vlarb") or UNSAID
        if not isinstance(found, Arbitration):
            return found
        kind = (facts["vlarb"], facts["high_limit"])
        return self.limited.setdefault(kind, replace(found, high_limit=facts["high_limit"]))

    def m_key(self, facts: Mapping[str, Any]) -> Any:
        """A port of protection level 1 shows a zero to strangers."""
        if facts["m_key_set"]:
            return "set"
        return Unobserved(HIDDEN) if facts["protect"] else "open"

    def counters(self, key: str, facts: Mapping[str, Any]) -> Any:
        """All error counters; equal ones are one object."""
        if "errors" not in facts:
            return Unobserved(f"its counters: {self.why}") if "errors" in self.silent.get(key, ()) else UNSAID
        counted: dict[str, int] = facts["errors"]
        return self.errors.setdefault(tuple(sorted(counted.items())), {**dict.fromkeys(ERROR_COUNTERS, 0), **counted})

    def exceptions(self, key: str, facts: Mapping[str, Any]) -> Any:
        """Rows of a switch's SL-to-VL table that aren't like the others."""
        if self.nodes[key.partition("/")[0]]["kind"] != "switch":
            return UNSAID
        if "sl2vl_other" not in facts:
            return Unobserved(self.why) if "sl2vl" in self.silent.get(key, ()) else UNSAID
        if self.document["sl2vl_sampled"]:
            return Unobserved(SAMPLED)
        return {str(entry): lanes(row) for entry, row in sorted(facts["sl2vl_other"].items())}

    def known_managers(self) -> Any:
        """Every manager that answers."""
        if "sms" not in self.what:
            return UNSAID
        found: dict[str, Any] = {sm["guid"]: KnownManager(sm["state"], sm["priority"]) for sm in self.document["sms"]}
        for key, what in self.silent.items():
            if "sm" in what:
                found[self.nodes[key.partition("/")[0]]["port_guid"]] = Unobserved("it runs, and did not answer")
        return SeenManagers(found, self.unseen) if self.unseen else found

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
        unread = sorted(key for key, what in self.silent.items() if what & {"lft", "switch"})
        if unread:
            return Unobserved(f"{len(unread)} forwarding tables were not read, the first of {unread[0]}")
        if not self.document["lfts"]:
            return Unobserved("no forwarding table was read")
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
        unseen = frozenset(key for key, what in self.silent.items() if "node" in what)
        lids = 1 << max((facts["lmc"] for facts in self.document["ports"].values()), default=0)
        return walk(Topology(tables, peers, hcas, unseen, lids))


def _enforcement(facts: Mapping[str, Any]) -> str:
    return {(1, 1): "both", (1, 0): "in", (0, 1): "out"}.get((facts["enforce_in"], facts["enforce_out"]), "off")
