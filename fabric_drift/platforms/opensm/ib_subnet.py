"""Walks a live subnet from here and asks for what was wanted. Only Gets; standard library and the modules beside it.

Everything is asked of the devices by SMP and directed route, error counters by LID; with ``beliefs`` and ``paths``, the
subnet manager's own copy is asked for too.
"""

from __future__ import annotations

import time
from typing import Any

import ib_counters  # type: ignore[import-not-found]
from ib_doubts import Doubts  # type: ignore[import-not-found]
from ib_mad import (  # type: ignore[import-not-found]
    LFT,
    NODE_DESC,
    NODE_INFO,
    PKEYS,
    PORT_INFO,
    SL2VL,
    SM_INFO,
    SWITCH_INFO,
    VLARB,
    by_route,
    guid,
    node_facts,
    number,
    port_facts,
)

WHAT = ("ports", "pkeys", "sl2vl", "vlarb", "lft", "sms", "errors", "beliefs", "paths")
SL2VL_BUDGET = 200_000
"""MADs up to which every in-port of a switch is asked for its SL-to-VL row; above, one per out-port."""


class Reader:
    """Walks the subnet from here, then asks what was wanted."""

    def __init__(self, fabric: Any, what: Any) -> None:
        self.fabric, self.what = fabric, what
        self.nodes: list[Any] = []
        self.ports: dict[str, Any] = {}
        self.links: dict[str, str] = {}
        self.unanswered: list[Any] = []
        self.tables: dict[str, list[str]] = {"pkeys": [], "sl2vl": [], "vlarb": []}
        self.known_tables: dict[Any, int] = {}
        self.lfts: dict[str, str] = {}
        self.sms: list[Any] = []
        self.beliefs: dict[str, str] = {}
        self.believed_lanes: dict[str, dict[str, str]] = {}
        self.believed_weights: dict[str, str] = {}
        self.believed_lfts: dict[str, str] = {}
        self.lfts_too_many = False
        self.paths: list[Any] = []
        self.targets: dict[str, Any] = {}
        self.sampled = False
        self.seconds: dict[str, float] = {}
        self.count: dict[str, int] = {}

    def measured(self, what: Any, action: Any, *arguments: Any) -> Any:
        """Runs a part and adds what it cost."""
        started, sent = time.monotonic(), self.fabric.sent
        action(*arguments)
        self.seconds[what] = round(self.seconds.get(what, 0.0) + time.monotonic() - started, 6)
        self.count[what] = self.count.get(what, 0) + self.fabric.sent - sent

    def no_answer(self, name: Any, what: Any) -> Any:
        """Unobserved, never absent."""
        self.unanswered.append([name, what])

    def is_up(self, name: Any) -> Any:
        """Whether a port answered and has a link."""
        return self.ports.get(name, {}).get("physical") == "up"

    def discover(self) -> Any:
        """Breadth first by directed route: works whatever the forwarding tables say."""
        seen = {}
        queue: list[Any] = [((), None)]
        for hops, behind in queue:
            target = by_route(hops)
            info = self.fabric.get(target, NODE_INFO)
            if info is None:
                self.no_answer(behind or "here", "node")
                continue
            node = node_facts(info, hops)
            here = f"{node['guid']}/{info[36]}"
            if behind:
                self.links[behind], self.links[here] = here, behind
            if node["guid"] in seen:
                continue
            seen[node["guid"]] = node
            self.targets[node["guid"]] = target
            self.nodes.append(node)
            self.describe(node, target, info[36])
            queue += [
                ((*hops, port), f"{node['guid']}/{port}")
                for port in self.exits(node, bool(hops))
                if f"{node['guid']}/{port}" not in self.links
            ]

    def describe(self, node: Any, target: Any, entry: Any) -> Any:
        """Name and ports of a node."""
        text = self.fabric.get(target, NODE_DESC)
        node["description"] = None if text is None else text.split(b"\0")[0].decode("utf-8", "replace")
        is_switch = node["kind"] == "switch"
        first, numbers = (0, range(node["ports"] + 1)) if is_switch else (entry, range(1, node["ports"] + 1))
        if is_switch:
            info = self.fabric.get(target, SWITCH_INFO)
            if info is None:
                self.no_answer(node["guid"], "switch")
            else:
                node["life_time"], node["lft_top"], node["lft_cap"] = (
                    info[11] >> 3,
                    number(info, 6, 2),
                    number(info, 0, 2),
                )
        for port in numbers:
            name = f"{node['guid']}/{port}"
            answer = self.fabric.get(target, PORT_INFO, port)
            if answer is None:
                self.no_answer(name, "port")
            else:
                self.ports[name] = port_facts(answer)
        node["lid"] = self.ports.get(f"{node['guid']}/{first}", {}).get("lid", 0)
        base = self.ports.get(f"{node['guid']}/{first}")
        if is_switch and base:  # only port 0 of a switch has a LID; its external ports are asked through it
            for port in numbers:
                facts = self.ports.get(f"{node['guid']}/{port}")
                if facts:
                    facts["sm_lid"], facts["prefix"] = base["sm_lid"], base["prefix"]

    def exits(self, node: Any, forwarded: Any) -> Any:
        """Ports behind which there may be another node: a CA forwards nothing, except from here."""
        if node["kind"] != "switch" and forwarded:
            return []
        first = self.nodes[0] is node and node["kind"] != "switch"
        numbers = range(1, node["ports"] + 1)
        up = [p for p in numbers if self.is_up(f"{node['guid']}/{p}")]
        return up[:1] if first else up

    def table(self, kind: Any, value: Any) -> Any:
        """Index of a table; equal tables are written once."""
        key = (kind, value)
        if key not in self.known_tables:
            self.known_tables[key] = len(self.tables[kind])
            self.tables[kind].append(value)
        return self.known_tables[key]

    def blocks(self, target: Any, attribute: Any, modifiers: Any, name: Any, what: Any) -> Any:
        """The blocks as one hex text, or None and a note."""
        parts = []
        for modifier in modifiers:
            part = self.fabric.get(target, attribute, modifier)
            if part is None:
                self.no_answer(name, what)
                return None
            parts.append(part.hex())
        return "".join(parts)

    def read_pkeys(self, node: Any, port: Any, name: Any, target: Any) -> Any:
        """All blocks: holes are normal, so a block of zeros doesn't end the table."""
        count = -(-(node["partition_cap"] or 32) // 32)
        if node["kind"] == "switch" and port:
            count = 1  # PartitionEnforcementCap isn't in every simulator; edge tables of one block are the rule
        value = self.blocks(target, PKEYS, [(port << 16) | block for block in range(count)], name, "pkeys")
        if value is not None:
            self.ports[name]["pkeys"] = self.table("pkeys", value.rstrip("0") + "0" * (-len(value.rstrip("0")) % 4))

    def read_sl2vl(self, node: Any, port: Any, name: Any, target: Any) -> Any:
        """A CA has one row; a switch one per (in, out). Rows that differ from the first are told apart."""
        if node["kind"] != "switch":
            inputs = [0]
        else:
            inputs = [1 if port != 1 else 2] if self.sampled else [p for p in range(node["ports"] + 1) if p != port]
        rows = {}
        for number_in in inputs:
            row = self.fabric.get(target, SL2VL, (number_in << 8) | (port if node["kind"] == "switch" else 0))
            if row is None:
                self.no_answer(name, "sl2vl")
                return
            rows[number_in] = row[:8].hex()
        external = [row for number_in, row in rows.items() if number_in or node["kind"] != "switch"]
        if external:
            usual = max(sorted(set(external)), key=external.count)
            other = {str(p): row for p, row in rows.items() if row != usual and (p or node["kind"] == "ca")}
            self.ports[name].update(sl2vl=self.table("sl2vl", usual), sl2vl_other=other)

    def read_vlarb(self, _node: Any, port: Any, name: Any, target: Any) -> Any:
        """Low blocks, then high ones, as many as the port has."""
        high, low = self.ports[name]["vlarb_caps"]
        wanted = [block for block, needed in ((1, low), (2, low - 32), (3, high), (4, high - 32)) if needed > 0]
        value = {}
        for block in wanted:
            part = self.fabric.get(target, VLARB, (block << 16) | port)
            if part is None:
                self.no_answer(name, "vlarb")
                return
            value[block] = part.hex()
        lows, highs = value.get(1, "") + value.get(2, ""), value.get(3, "") + value.get(4, "")
        self.ports[name]["vlarb"] = self.table("vlarb", f"{lows[: low * 4]}:{highs[: high * 4]}")

    def read_ports(self) -> Any:
        """The tables of every port whose link is up."""
        rows = sum(node["ports"] ** 2 for node in self.nodes if node["kind"] == "switch")
        self.sampled = rows > SL2VL_BUDGET
        wanted = [(w, getattr(self, f"read_{w}")) for w in ("pkeys", "sl2vl", "vlarb") if w in self.what]
        for node in self.nodes:
            target = self.targets[node["guid"]]  # by LID, a wrong forwarding table would let another node answer
            for port in range(node["kind"] != "switch", node["ports"] + 1):
                name = f"{node['guid']}/{port}"
                facts = self.ports.get(name)
                if facts and (port == 0 or facts["physical"] == "up"):
                    for what, read in wanted:
                        if port or what == "pkeys":
                            self.measured(what, read, node, port, name, target)

    def read_lfts(self) -> Any:
        """Linear forwarding tables, up to the top that the SM set."""
        for node in self.nodes:
            if node["kind"] == "switch" and "lft_top" in node:
                blocks = range(node["lft_top"] // 64 + 1)
                value = self.blocks(self.targets[node["guid"]], LFT, blocks, node["guid"], "lft")
                if value is not None:
                    self.lfts[node["guid"]] = value

    def read_sms(self) -> Any:
        """SMInfo of every port that says a subnet manager runs behind it."""
        states = {0: "inactive", 1: "discovering", 2: "standby", 3: "master"}
        for node in self.nodes:
            for port in range(node["ports"] + 1):
                facts = self.ports.get(f"{node['guid']}/{port}")
                if not facts or not facts["is_sm"]:
                    continue
                info = self.fabric.get(self.targets[node["guid"]], SM_INFO)
                if info is None:
                    self.no_answer(f"{node['guid']}/{port}", "sm")
                    continue
                self.sms.append(
                    {"guid": guid(number(info, 0, 8)), "lid": facts["lid"], "priority": info[20] >> 4,
                     "state": states.get(info[20] & 15, "?"), "activity": number(info, 16, 4)}
                )  # fmt: skip

    def read_rest(self) -> Any:
        """What is asked of nodes and of the subnet manager, after the ports. Beliefs are of what was read before."""
        parts: list[Any] = [("lft", self.read_lfts), ("sms", self.read_sms)]
        parts.append(("errors", lambda: ib_counters.read(self)))
        parts += [("beliefs", lambda: Doubts(self).ask()), ("paths", lambda: Doubts(self).paths())]
        for part, read in parts:
            if part in self.what:
                self.measured(part, read)

    def document(self, m_key: Any = "none") -> Any:
        """All that was read. ``m_key``: where the M_Key came from, never the key."""
        pace = self.fabric.pace
        return {
            "schema": 2, "what": sorted(self.what), "mads": self.fabric.sent, "silent": self.fabric.silent,
            "nodes": self.nodes, "ports": self.ports, "links": self.links, "tables": self.tables,
            "lfts": self.lfts, "sms": self.sms, "sl2vl_sampled": self.sampled, "unanswered": self.unanswered,
            "beliefs": self.beliefs, "believed_lanes": self.believed_lanes, "believed_weights": self.believed_weights,
            "believed_lfts": self.believed_lfts, "lfts_too_many": self.lfts_too_many, "paths": self.paths,
            "m_key": m_key, "paused_s": round(pace.paused_s, 3), "sweeping": pace.sweeping, "blind": pace.blind,
            "seconds": {name: round(value, 3) for name, value in self.seconds.items()}, "count": self.count,
        }  # fmt: skip
