"""LLDP's words for who is at the other end of a cable, in the intent's words.

Host names come with or without a domain and in any case. A port is called by its name, by an alias (SONiC), by a
netdev or a MAC address (hosts). What the intent knows is translated before the comparison; what only the peer
itself knows (its aliases) is settled when every device was read. What nobody knows is unobserved, not drift.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fabric_drift.platform import Reading
from fabric_drift.state import DeviceState, Neighbour, Path, Port, Unobserved, is_said
from fabric_drift.state.tree import children, is_subtree

Names = Mapping[str, str]
"""Another name of a port, in lower case -> its name in the intent."""


@dataclass(slots=True)
class Peers:
    """What devices call their ports: what the intent says of it, and what they said themselves."""

    expect: Callable[[str], DeviceState]
    known: frozenset[str]
    _intended: dict[str, Names] = field(default_factory=dict)
    _observed: dict[str, Names] = field(default_factory=dict)

    def learn(self, device: str, aliases: Names) -> None:
        """The names that a device gave its ports."""
        self._observed[device] = {alias.lower(): port for alias, port in aliases.items()}

    def intended(self, device: str, text: str) -> str | None:
        """The port of ``device`` that the intent means by ``text``, if it does."""
        if device not in self._intended:
            self._intended[device] = _names(self.expect(device)) if device in self.known else {}
        return self._intended[device].get(text.lower())

    def observed(self, device: str, text: str) -> str | None:
        """The port of ``device`` that it calls ``text`` itself, where it was read."""
        return self._observed.get(device, {}).get(text.lower())


def _names(state: DeviceState) -> Names:
    ports = dict(children(state.ports)) if is_subtree(state.ports) else {}
    netdevs = {port.nic.netdev.lower(): name for name, port in ports.items() if _netdev(port)}
    return netdevs | {name.lower(): name for name in ports}


def _netdev(port: Any) -> bool:
    return is_subtree(port.nic) and is_said(port.nic.netdev)


@dataclass(frozen=True, slots=True)
class Question:
    """A neighbour's port that nobody has translated yet."""

    peer: str
    text: str


def translated(expected: DeviceState, reading: Reading, peers: Peers) -> tuple[Reading, dict[Path, Question]]:
    """The reading with neighbours in the intent's words, and the ports that are left to ask the peers."""
    found: dict[Path, Question] = {}
    if not is_subtree(expected.ports):
        return reading, found
    wanted = {
        name: port.neighbour
        for name, port in children(expected.ports)
        if isinstance(port, Port) and isinstance(port.neighbour, Neighbour)
    }
    states = {layer: _state(wanted, state, peers, found) for layer, state in reading.states.items()}
    return replace(reading, states=states), found


def _state(
    wanted: Mapping[str, Neighbour], state: DeviceState, peers: Peers, found: dict[Path, Question]
) -> DeviceState:
    if not isinstance(state.ports, Mapping):
        return state
    changed = {}
    for name, neighbour in wanted.items():
        port = state.ports.get(name)
        if isinstance(port, Port) and isinstance(port.neighbour, Neighbour) and port.neighbour != neighbour:
            changed[name] = replace(port, neighbour=_one(name, neighbour, port.neighbour, peers, found))
    return replace(state, ports={**state.ports, **changed}) if changed else state


def _one(name: str, wanted: Neighbour, seen: Neighbour, peers: Peers, found: dict[Path, Question]) -> Neighbour:
    device, port = wanted.device, seen.port
    if not (isinstance(device, str) and isinstance(seen.device, str) and same_device(device, seen.device)):
        return seen
    if isinstance(port, str) and isinstance(wanted.port, str):
        known = peers.intended(device, port)
        if known is None:
            found["ports", name, "neighbour", "port"] = Question(device, port)
            return Neighbour(device, Unobserved(f"LLDP says {port!r}, and which port of {device} that is isn't known"))
        port = known
    return Neighbour(device, port)


def same_device(one: str, other: str) -> bool:
    """Host names don't care about case; a domain that only one of them has doesn't matter."""
    one, other = one.lower().rstrip("."), other.lower().rstrip(".")
    shorter, longer = sorted((one, other), key=len)
    return one == other or ("." not in shorter and longer.startswith(f"{shorter}."))
