"""What is asked of the subnet manager's own copy, and which paths across partitions it is asked for.

In a large subnet not everything: tables that few ports have are asked, because a write to one port makes it one of few.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from ib_belief import Beliefs  # type: ignore[import-not-found]

ALL_HCAS, RARE = 1024, 4
"""HCA ports up to which each one's P_Keys are asked; above, for tables that at most so many ports have."""
LFT_BLOCKS = 4096
"""Blocks of forwarding tables up to which they are asked."""
PATHS = 512
"""Paths that are asked for in one run, and two of every P_Key table at least: OpenSM computes each one."""


class Doubts:
    """Asks the SA of the master that ``reader`` found."""

    def __init__(self, reader: Any) -> None:
        self.reader = reader
        self.master = next((sm["lid"] for sm in reader.sms if sm["state"] == "master"), 0)
        self.sa: Any = Beliefs(reader.fabric, self.master) if self.master else None
        self.lids = {node["guid"]: node["lid"] for node in reader.nodes if node["kind"] == "switch"}
        hcas = [node for node in reader.nodes if node["kind"] == "ca"]
        self.hcas = [f"{node['guid']}/{port}" for node in hcas for port in range(1, node["ports"] + 1)]

    def lid(self, name: Any) -> Any:
        """The LID under which a port is asked about: a switch's external ports have that of port 0."""
        return self.lids.get(name.partition("/")[0]) or self.reader.ports[name]["lid"]

    def rare(self, kind: Any) -> Any:
        """Ports whose table few others have."""
        having = {name: facts[kind] for name, facts in self.reader.ports.items() if kind in facts and self.lid(name)}
        shared = Counter(having.values())
        return [name for name, table in having.items() if shared[table] <= RARE]

    def ask(self) -> Any:
        """Everything; nothing without a master."""
        if self.sa:
            for part in (self.pkeys, self.lanes, self.weights, self.forwarding):
                part()

    def pkeys(self) -> Any:
        """P_Key tables of HCA ports, as many blocks as the port uses."""
        tables = self.reader.tables["pkeys"]
        asked = [n for n in self.hcas if self.reader.ports.get(n, {}).get("lid") and "pkeys" in self.reader.ports[n]]
        few = set(self.rare("pkeys"))
        for name in asked:
            if len(asked) <= ALL_HCAS or name in few:
                blocks = max(1, -(-len(tables[self.reader.ports[name]["pkeys"]]) // 128))
                value = self.sa.pkeys(self.lid(name), int(name.partition("/")[2]), blocks)
                if value is not None:
                    self.reader.beliefs[name] = value

    def lanes(self) -> Any:
        """Rows of SL-to-VL tables that few ports have, or that aren't like the others of their port."""
        few = set(self.rare("sl2vl"))
        for name, facts in self.reader.ports.items():
            guid, _, port = name.partition("/")
            is_switch = guid in self.lids
            usual = [self.usual_input(facts, int(port))] if is_switch else [0]
            wanted = [int(p) for p in facts.get("sl2vl_other", ())] + (usual if name in few else [])
            for entry in wanted:
                row = self.sa.lanes(self.lid(name), entry, int(port) if is_switch else 0)
                if row is not None:
                    self.reader.believed_lanes.setdefault(name, {})[str(entry) if is_switch else ""] = row

    def usual_input(self, facts: Any, out: Any) -> Any:
        """An in-port whose row is the one of most."""
        return next(p for p in range(1, 255) if p != out and str(p) not in facts.get("sl2vl_other", ()))

    def weights(self) -> Any:
        """VL arbitration that few ports have."""
        for name in self.rare("vlarb"):
            high, low = self.reader.ports[name]["vlarb_caps"]
            port = int(name.partition("/")[2])
            entries = ((1, low), (2, low - 32), (3, high), (4, high - 32))  # 32 entries in a block
            parts = [self.sa.weights(self.lid(name), port, block) if left > 0 else "" for block, left in entries]
            if None not in parts:
                lows, highs = parts[0] + parts[1], parts[2] + parts[3]
                self.reader.believed_weights[name] = f"{lows[: low * 4]}:{highs[: high * 4]}"

    def forwarding(self) -> Any:
        """Forwarding tables, whole, unless there are too many."""
        blocks = {guid: len(table) // 128 for guid, table in self.reader.lfts.items()}
        self.reader.lfts_too_many = sum(blocks.values()) > LFT_BLOCKS
        for guid, count in () if self.reader.lfts_too_many else blocks.items():
            parts = [self.sa.forwarding(self.lids[guid], block) for block in range(count)]
            if None not in parts:
                text = "".join(parts)
                self.reader.believed_lfts[guid] = "" if text == self.reader.lfts[guid] else text

    def paths(self) -> Any:
        """From one port of every P_Key table to one of others, and to a port that it must reach.

        Whether a path should be there is not decided here: who shares no partition may have none.
        """
        groups: dict[int, list[str]] = {}
        for name in sorted(self.hcas):
            facts = self.reader.ports.get(name, {})
            if facts.get("lid") and "pkeys" in facts and facts["lid"] != self.master:
                groups.setdefault(facts["pkeys"], []).append(name)
        first = [group[0] for group in groups.values()]
        others = min(len(first) - 1, max(1, PATHS // max(1, len(first)) - 2))
        manager = next((n for n in self.hcas if self.reader.ports.get(n, {}).get("lid") == self.master), None)
        for index, group in enumerate(groups.values() if self.sa else ()):
            targets = [*group[1:2], *([manager] if manager else [])]
            targets += [first[(index + step) % len(first)] for step in range(1, others + 1)]
            for target in targets:
                pkey = self.sa.path(self.lid(group[0]), self.lid(target))
                self.reader.paths.append([group[0], target, None if pkey is None else f"{pkey:04x}"])
