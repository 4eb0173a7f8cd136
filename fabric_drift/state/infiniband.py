"""InfiniBand: what one SM node says, and what the subnet behind it is, in vendor-neutral words.

GUIDs are text, ``0x`` and 16 hex digits. A port's key is ``<node GUID>/<port number>``, on HCAs too. P_Keys are
15-bit numbers as text (``0x0010``); full or limited membership is a value of its own, never a sixteenth bit.
Equal subtrees may be one object: a subnet has thousands of ports and a handful of policies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fabric_drift.state.device import OPEN, Fact
from fabric_drift.state.values import UNSAID, Leaf, Missing


class Pkeys(dict[str, str]):
    """P_Key -> full | limited | both. ``others``: spans (first, last) that somebody else owns.

    Only the expected side has ``others``: a key of theirs is neither expected nor drift.
    """

    def __init__(self, keys: Mapping[str, str], others: tuple[tuple[int, int], ...] = ()) -> None:
        super().__init__(keys)
        self.others = others

    def tolerates(self, key: str) -> bool:
        """Whether ``key`` is somebody else's business."""
        return any(first <= int(key, 16) <= last for first, last in self.others)


@dataclass(frozen=True, slots=True)
class Link:
    """The cable in a port and what it came up with. ``peer``: key of the port at the other end."""

    state: Fact[str] = UNSAID
    """active | armed | init | down"""
    width: Fact[str] = UNSAID
    """1x, 2x, 4x, 8x, 12x"""
    speed: Fact[str] = UNSAID
    """SDR, DDR, QDR, FDR, EDR, HDR, NDR"""
    peer: Fact[str] = UNSAID


@dataclass(frozen=True, slots=True)
class Arbitration:
    """VL arbitration of a port: (VL, weight) in order, entries of weight 0 left out."""

    high: Fact[tuple[tuple[int, int], ...]] = UNSAID
    low: Fact[tuple[tuple[int, int], ...]] = UNSAID


@dataclass(frozen=True, slots=True)
class FabricPort:
    """A port of the subnet: an HCA's, a switch's, or port 0 of a switch. A port without a link isn't listed."""

    description: Fact[str] = UNSAID
    """NodeDescription of its node; on HCAs and on port 0 of switches."""
    guid: Fact[str] = UNSAID
    """Port GUID of an HCA's port."""
    link: Fact[Link] = UNSAID
    pkeys: Fact[Mapping[str, str]] = UNSAID
    pkey_at_index_0: Fact[str] = UNSAID
    pkey_indexes: Fact[Mapping[str, int]] = field(default=UNSAID, metadata=OPEN)
    """Where each P_Key is. OpenSM chooses; expected only of keys whose index jobs name."""
    sl2vl: Fact[tuple[int, ...]] = UNSAID
    """Virtual lane of each of the 16 service levels; 15 = dropped."""
    sl2vl_exceptions: Fact[Mapping[str, tuple[int, ...]]] = UNSAID
    """On switches: in-port -> its row, where it isn't ``sl2vl``."""
    arbitration: Fact[Arbitration] = UNSAID
    operational_vls: Fact[int] = UNSAID
    """Code of the specification: 1 = VL 0, 2 = VL 0-1, 3 = VL 0-3, 4 = VL 0-7, 5 = VL 0-14."""
    manager: Fact[str] = UNSAID
    """Port GUID of the subnet manager that the port obeys."""
    subnet_prefix: Fact[str] = UNSAID
    head_of_queue_life: Fact[int] = UNSAID
    vl_stall_count: Fact[int] = UNSAID


@dataclass(frozen=True, slots=True)
class KnownManager:
    """A subnet manager that answers in the subnet."""

    state: Fact[str] = UNSAID
    """master | standby | discovering | inactive"""
    priority: Fact[int] = UNSAID


@dataclass(frozen=True, slots=True)
class Routing:
    """What the forwarding tables do, walked from every switch to every HCA. All are expected to be empty."""

    broken: Fact[Mapping[str, str]] = UNSAID
    """``<switch GUID> to <port key>`` -> why a packet doesn't arrive."""
    down_up: Fact[Mapping[str, str]] = UNSAID
    """Switches on whose way to some HCA a packet climbs after it went down: credits may wait in a circle."""
    idle_uplinks: Fact[Mapping[str, str]] = UNSAID
    """Leaf uplinks that no destination uses, beside uplinks that many use."""


@dataclass(frozen=True, slots=True)
class Subnet:
    """The live subnet. Closed: what is there and wasn't planned is drift."""

    ports: Fact[Mapping[str, FabricPort]] = UNSAID
    managers: Fact[Mapping[str, KnownManager]] = UNSAID
    """Port GUID -> every subnet manager that is alive."""
    routing: Fact[Routing] = UNSAID


@dataclass(frozen=True, slots=True)
class Partition:
    """A partition as the files say it. ``members``: port GUID or ALL, ALL_CAS, ALL_SWITCHES, SELF -> membership."""

    name: Fact[str] = UNSAID
    members: Fact[Mapping[str, str]] = UNSAID
    index0: Fact[bool | str] = UNSAID
    """Whether it comes first in the tables of its members; MIXED where only some of them have it so (UFM)."""
    ipoib: Fact[bool] = UNSAID
    mtu_bytes: Fact[int] = UNSAID
    rate_code: Fact[int] = UNSAID
    """PathRecord rate code of the specification; OpenSM's default is 3 (10 Gb/s)."""
    service_level: Fact[int] = UNSAID


class Partitions(dict[str, Partition]):
    """P_Key -> partition, of a manager that others write too. ``others`` as in ``Pkeys``; only the expected side."""

    def __init__(self, partitions: Mapping[str, Partition], others: tuple[tuple[int, int], ...] = ()) -> None:
        super().__init__(partitions)
        self.others = others

    def tolerates(self, key: str) -> bool:
        """Whether ``key`` is somebody else's business."""
        return any(first <= int(key, 16) <= last for first, last in self.others)


MIXED = "of some members only"
"""``Partition.index0`` where a manager keeps it per member and they differ."""


@dataclass(frozen=True, slots=True)
class Manager:
    """The subnet manager on this node, as it speaks of itself."""

    state: Fact[str] = UNSAID
    """master | standby"""
    priority: Fact[int] = UNSAID
    routing_engine: Fact[str] = UNSAID
    """The one that is at work, not the one that was asked for; only the master has one."""
    complaints: Fact[Mapping[str, str]] = UNSAID
    """What its log says about files or routing that it gave up on: kind -> the line. Expected: {}."""


@dataclass(frozen=True, slots=True)
class Infiniband:
    """One SM node. ``subnet`` is in the state of the intended master only: one subnet is read once."""

    manager: Fact[Manager] = UNSAID
    options: Fact[Mapping[str, Leaf | Missing]] = field(default=UNSAID, metadata=OPEN)
    """Effective options of the SM; keys are words: "default" or "set"."""
    partitions: Fact[Mapping[str, Partition]] = UNSAID
    """P_Key -> partition."""
    qos_policy: Fact[tuple[str, ...]] = UNSAID
    """Lines of the policy file without indents, comments and blank lines, in their order; () = no file."""
    guid_files: Fact[Mapping[str, tuple[str, ...]]] = UNSAID
    """root | compute -> sorted GUIDs."""
    subnet: Fact[Subnet] = UNSAID
    believed_pkeys: Fact[Mapping[str, Mapping[str, str]]] = UNSAID
    """Port key -> P_Keys that the subnet manager believes the port to hold (its SA); only observed."""
