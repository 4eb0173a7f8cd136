"""What the forwarding tables do: every way from every switch to every HCA is walked once.

For one destination the next hops form a tree or hold a circle, so the walk of all switches is linear in their number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fabric_drift.state.infiniband import Routing
from fabric_drift.state.values import Unobserved

NO_EXIT = 255
CIRCLE = "runs in a circle"
FOLLOWS = "is sent to a switch that breaks the way"
BUSY = 2
"""Destinations on the busiest uplink from which an unused one beside it is worth a word."""


@dataclass(frozen=True, slots=True)
class Topology:
    """Switches, cables and addresses, as the reader found them."""

    tables: Mapping[str, bytes]
    """Switch GUID -> its linear forwarding table."""
    peers: Mapping[str, Mapping[int, str]]
    """Switch GUID -> port -> node GUID at the other end."""
    hcas: Mapping[str, tuple[int, str, int]]
    """Port key -> (LID, GUID of its switch, port of that switch)."""
    unseen: frozenset[str] = field(default_factory=frozenset)
    """Port keys of switches behind which nobody answered."""
    lids_per_port: int = 1


def ranks(topology: Topology) -> dict[str, int]:
    """0 for switches with HCAs (leaves), else the distance from the nearest one."""
    level = {switch: 0 for _, switch, _ in topology.hcas.values()}
    frontier = list(level)
    for switch in frontier:
        for peer in topology.peers.get(switch, {}).values():
            if peer in topology.peers and peer not in level:
                level[peer] = level[switch] + 1
                frontier.append(peer)
    return level


def walk(topology: Topology) -> Routing | Unobserved:
    """Broken ways, ways that go up after down, and uplinks that nobody uses.

    Unobserved where a way leads through a node that didn't answer, or that node is a switch: then it has ways of its
    own. A silent HCA is on nobody else's way.
    """
    if switch := _silent_switch(topology):
        return Unobserved(f"a switch behind {switch} did not answer")
    level = ranks(topology)
    broken: dict[str, str] = {}
    down_up: dict[str, str] = {}
    used: dict[str, dict[int, int]] = {switch: {} for switch in topology.tables}
    for key, (lid, switch, port) in sorted(topology.hcas.items()):
        exits = _exits(topology, lid, used)
        if hidden := _hidden(topology, exits):
            return Unobserved(f"the way to {key} leads behind {hidden}, where nobody answered")
        _judge(key, (switch, port), exits, topology, level, broken, down_up)
    return Routing(broken, down_up, _idle(topology, level, used))


def _silent_switch(topology: Topology) -> str:
    """The first port behind which nobody answered, though more LIDs are sent there than an HCA has; "" without one."""
    for key in sorted(topology.unseen):
        switch, _, port = key.partition("/")
        if switch in topology.tables and topology.tables[switch].count(int(port)) > topology.lids_per_port:
            return key
    return ""


def _hidden(topology: Topology, exits: Mapping[str, int]) -> str:
    """The first port with an unknown node behind it that a way takes; "" without one."""
    if not topology.unseen:
        return ""
    return min(topology.unseen & {f"{switch}/{port}" for switch, port in exits.items()}, default="")


def _exits(topology: Topology, lid: int, used: dict[str, dict[int, int]]) -> dict[str, int]:
    exits: dict[str, int] = {}
    for switch, table in topology.tables.items():
        port = table[lid] if lid < len(table) else NO_EXIT
        exits[switch] = port
        counted = used[switch]
        counted[port] = counted.get(port, 0) + 1
    return exits


def _judge(  # noqa: PLR0917 - one pass, many tables
    key: str,
    home: tuple[str, int],
    exits: Mapping[str, int],
    topology: Topology,
    level: Mapping[str, int],
    broken: dict[str, str],
    down_up: dict[str, str],
) -> None:
    """States of switches for one destination: arrived (may the way still climb?) or broken."""
    fate: dict[str, str] = {home[0]: "" if exits.get(home[0]) == home[1] else f"leaves by port {exits.get(home[0])}"}
    climbs: dict[str, bool] = {home[0]: False}
    for start in topology.tables:
        path, end = _followed(start, exits, topology, fate)
        for switch in reversed(path):
            if end:
                fate[switch] = FOLLOWS if fate[switch] == CIRCLE and end != CIRCLE else fate[switch]
                continue
            fate[switch] = ""
            following = topology.peers[switch][exits[switch]]
            up = level.get(following, 0) > level.get(switch, 0)
            climbs[switch] = up or climbs[following]
            if not up and climbs[following]:
                down_up[switch] = f"to {key}: down to {following}, then up again"
    own = {switch: reason for switch, reason in fate.items() if reason and reason != FOLLOWS}
    broken.update((f"{switch} to {key}", reason) for switch, reason in own.items())


def _followed(start: str, exits: Mapping[str, int], topology: Topology, fate: dict[str, str]) -> tuple[list[str], str]:
    """The switches from ``start`` to the first whose fate is known, and that fate; "" = the packet arrives."""
    path: list[str] = []
    here = start
    while here not in fate:
        path.append(here)
        fate[here] = CIRCLE  # until it is known better
        following = topology.peers[here].get(exits[here], "")
        if following not in exits:
            fate[here] = f"leaves by port {exits[here]}, where no switch is"
            break
        here = following
    return path, fate[here]


def _idle(topology: Topology, level: Mapping[str, int], used: Mapping[str, Mapping[int, int]]) -> dict[str, str]:
    idle: dict[str, str] = {}
    for switch, peers in topology.peers.items():
        uplinks = [port for port, peer in peers.items() if level.get(peer, -1) > level.get(switch, 0)]
        counts = {port: used.get(switch, {}).get(port, 0) for port in uplinks}
        if counts and max(counts.values()) > BUSY * len(counts):
            for port, count in counts.items():
                if count == 0:
                    idle[f"{switch}/{port}"] = f"no HCA is reached through it, {max(counts.values())} through another"
    return idle
