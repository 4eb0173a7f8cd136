"""A rail-optimised fat tree of any size: which nodes there are and how they are cabled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import count

LARGEST_SWITCH = 254
"""Port numbers of a switch are one byte in a MAD; 255 means something else."""
FIRST_HCA_GUID = 0x0C42A10300000000
FIRST_SWITCH_GUID = 0xB8CEF60300100000
HCA_GUID_STEP = 0x10  # ibsim makes port GUIDs by adding the port number
SWITCH_GUID_STEP = 0x100


@dataclass(frozen=True, slots=True)
class Node:
    """An HCA with one port, or a switch. ``id`` is its name in net files."""

    kind: str
    """Ca | Switch"""
    guid: int
    name: str
    """The node description: ``gpu001 mlx5_0``, ``leaf-r1-1``, ``spine-1``."""
    ports: int

    @property
    def id(self) -> str:
        """``H-...`` or ``S-...``, as ibsim and ibnetdiscover write it."""
        return f"{'H' if self.kind == 'Ca' else 'S'}-{self.guid:016x}"

    @property
    def port_guid(self) -> int:
        """GUID of an HCA's port 1; a switch has its node GUID there."""
        return self.guid + 1 if self.kind == "Ca" else self.guid


@dataclass(frozen=True, slots=True)
class Cable:
    """``a`` port of one node to ``b`` port of another; ``width`` as ``4x``."""

    a: Node
    a_port: int
    b: Node
    b_port: int
    width: str = "4x"
    speed: str = "HDR"


@dataclass(frozen=True, slots=True)
class Fabric:
    """All of it, switches first."""

    nodes: tuple[Node, ...]
    cables: tuple[Cable, ...]

    def node(self, name: str) -> Node:
        """The node of this description. Raises KeyError."""
        for node in self.nodes:
            if node.name == name:
                return node
        raise KeyError(name)

    def cables_of(self, node: Node) -> Iterator[tuple[int, Node, int, Cable]]:
        """(own port, peer, peer's port, cable) of every cable of ``node``."""
        for cable in self.cables:
            if cable.a == node:
                yield cable.a_port, cable.b, cable.b_port, cable
            if cable.b == node:
                yield cable.b_port, cable.a, cable.a_port, cable


@dataclass(frozen=True, slots=True)
class Size:
    """How large a fabric is. ``hosts`` have one HCA per rail; SM nodes have one HCA and hang on rail 1, 2, ..."""

    hosts: int = 6
    rails: int = 4
    spines: int = 2
    hosts_per_leaf: int = 32
    uplinks_per_spine: int = 1
    sm_nodes: int = 2

    @property
    def leaves_per_rail(self) -> int:
        """Leaves that one rail needs."""
        return -(-self.hosts // self.hosts_per_leaf)


@cache
def rail_fat_tree(size: Size) -> Fabric:
    """Rail r of host h goes to leaf (r, block of h); every leaf goes to every spine.

    Raises ValueError when a switch would need more than 254 ports.
    """
    spine_ports = size.rails * size.leaves_per_rail * size.uplinks_per_spine
    leaf_ports = size.hosts_per_leaf + 1 + size.spines * size.uplinks_per_spine
    if max(spine_ports, leaf_ports) > LARGEST_SWITCH:
        raise ValueError(
            f"a switch would need {max(spine_ports, leaf_ports)} ports, and a switch has at most {LARGEST_SWITCH}: "
            "raise hosts_per_leaf or take fewer hosts"
        )
    guids = count(FIRST_SWITCH_GUID, SWITCH_GUID_STEP)
    spines = [Node("Switch", next(guids), f"spine-{number + 1}", spine_ports) for number in range(size.spines)]
    leaves = [
        [
            Node("Switch", next(guids), f"leaf-r{rail + 1}-{block + 1}", leaf_ports)
            for block in range(size.leaves_per_rail)
        ]
        for rail in range(size.rails)
    ]
    hcas, cables = _hosts(size, leaves)
    cables += _uplinks(size, leaves, spines)
    return Fabric((*spines, *(leaf for rail in leaves for leaf in rail), *hcas), tuple(cables))


def _hosts(size: Size, leaves: list[list[Node]]) -> tuple[list[Node], list[Cable]]:
    hcas: list[Node] = []
    cables: list[Cable] = []
    digits = max(3, len(str(size.hosts)))
    for host in range(size.hosts):
        block, slot = divmod(host, size.hosts_per_leaf)
        for rail in range(size.rails):
            hca = _hca(len(hcas), f"gpu{host + 1:0{digits}} mlx5_{rail}")
            hcas.append(hca)
            cables.append(Cable(hca, 1, leaves[rail][block], slot + 1))
    for number in range(size.sm_nodes):
        hca = _hca(len(hcas), f"sm{number + 1} mlx5_0")
        hcas.append(hca)
        cables.append(Cable(hca, 1, leaves[number % size.rails][number // size.rails], size.hosts_per_leaf + 1))
    return hcas, cables


def _hca(index: int, name: str) -> Node:
    return Node("Ca", FIRST_HCA_GUID + HCA_GUID_STEP * index, name, 1)


def _uplinks(size: Size, leaves: list[list[Node]], spines: list[Node]) -> list[Cable]:
    every_leaf = [leaf for rail in leaves for leaf in rail]
    return [
        Cable(
            leaf,
            size.hosts_per_leaf + 2 + spine_index * size.uplinks_per_spine + lane,
            spine,
            leaf_index * size.uplinks_per_spine + lane + 1,
        )
        for leaf_index, leaf in enumerate(every_leaf)
        for spine_index, spine in enumerate(spines)
        for lane in range(size.uplinks_per_spine)
    ]
