"""Ways in which a fabric goes wrong without its subnet manager: Sets from elsewhere, cables, rogue managers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from fabric_drift.lab.infiniband.fabric import Cable, Node
from fabric_drift.lab.infiniband.lab import InfinibandLab
from fabric_drift.lab.infiniband.node import SmNode
from fabric_drift.lab.infiniband.simulator import InfinibandLabError

INJECTOR = Path(__file__).with_name("injector.py")
PKEYS, SL2VL, VLARB, LFT = 0x16, 0x17, 0x18, 0x19
ROGUE_PKEY = 0x8666
HOLE = 20
"""A pkey index far behind those that a subnet manager fills."""


@dataclass(frozen=True, slots=True)
class Write:
    """Bytes of one attribute of one port, to be written by SMP."""

    lid: int
    attribute: int
    modifier: int
    first: int
    data: bytes


def inject(lab: InfinibandLab, write: Write) -> Write:
    """Writes from the first SM node; what undoes it. Raises InfinibandLabError."""
    node = next(iter(lab.sm_nodes.values()))
    node.path("/usr/local/libexec/injector.py").write_text(INJECTOR.read_text())
    words = f"{write.lid} {write.attribute} {write.modifier} {write.first} {write.data.hex()}"
    answer = node.run(f"python3 /usr/local/libexec/injector.py {words}")
    if answer.exit_status:
        raise InfinibandLabError(f"injecting {words}: {answer.stderr.strip()[-200:]}")
    return replace(write, data=bytes.fromhex(answer.stdout.strip()))


def pkey(lab: InfinibandLab, name: str, index: int, value: int, *, port: int = 1) -> Write:
    """One slot of a P_Key table."""
    where = lid(lab, lab.fabric.node(name))
    return Write(where, PKEYS, (port << 16) | index // 32, index % 32 * 2, value.to_bytes(2, "big"))


def sl2vl(lab: InfinibandLab, name: str, entry: int, out: int, row: str) -> Write:
    """One row of an SL-to-VL table: 16 hexadecimal digits."""
    return Write(lid(lab, lab.fabric.node(name)), SL2VL, (entry << 8) | out, 0, bytes.fromhex(row))


def vlarb(lab: InfinibandLab, name: str, block: int, port: int, pairs: str) -> Write:
    """The first entries of a VL arbitration table. ``block``: 1 = low, 3 = high."""
    return Write(lid(lab, lab.fabric.node(name)), VLARB, (block << 16) | port, 0, bytes.fromhex(pairs))


def lft(lab: InfinibandLab, name: str, destination: str, port: int) -> Write:
    """The exit of a switch for one HCA."""
    number = lid(lab, lab.fabric.node(destination))
    return Write(lid(lab, lab.fabric.node(name)), LFT, number // 64, number % 64, bytes([port]))


def lid(lab: InfinibandLab, node: Node) -> int:
    """The LID that the subnet manager gave, from its own cache file. Raises InfinibandLabError."""
    for sm in lab.sm_nodes.values():
        cache = sm.directory / "cache" / "guid2lid"
        for line in cache.read_text().splitlines() if cache.exists() else ():
            guid, low, *_ = line.split() or ("0", "0")
            if int(guid, 16) == node.port_guid:
                return int(low, 16)
    raise InfinibandLabError(f"{node.name} has no LID")


def cable_of(lab: InfinibandLab, name: str, port: int = 0) -> Cable:
    """The cable in ``port`` of a node, or its only one. Raises KeyError."""
    node = lab.fabric.node(name)
    for own, _, _, cable in lab.fabric.cables_of(node):
        if port in (0, own):
            return cable
    raise KeyError(f"{name} has no cable in port {port}")


def unlink(lab: InfinibandLab, cable: Cable) -> None:
    """Pulls a cable."""
    lab.simulator.tell(f'Unlink "{cable.a.id}"[{cable.a_port}]')


def relink(lab: InfinibandLab, cable: Cable) -> None:
    """Puts it back."""
    lab.simulator.tell(f'ReLink "{cable.a.id}"[{cable.a_port}]')


def swap(lab: InfinibandLab, one: Cable, other: Cable) -> None:
    """Exchanges the far ends of two cables of HCAs."""
    unlink(lab, one)
    unlink(lab, other)
    lab.simulator.tell(f'Link "{one.a.id}"[{one.a_port}] "{other.b.id}"[{other.b_port}]')
    lab.simulator.tell(f'Link "{other.a.id}"[{other.a_port}] "{one.b.id}"[{one.b_port}]')


ROGUE_CONF = """guid {guid}
sm_priority {priority}
sminfo_polling_timeout 1000
polling_retry_number 2
sweep_interval 2
log_file /var/log/opensm.log
force_log_flush TRUE
console off
ignore_other_sm {ignore}
"""


def rogue_manager(lab: InfinibandLab, name: str, priority: int, *, ignore_others: bool = False) -> SmNode:
    """Starts a manager on an HCA, with no partitions and routes of its own. Returns when it knows its state."""
    node = lab.rogue(name)
    node.prepare()
    conf = ROGUE_CONF.format(guid=f"{node.port_guid:#018x}", priority=priority, ignore=str(ignore_others).upper())
    node.path("/etc/opensm/opensm.conf").write_text(conf)
    since = len(node.log)
    node.systemctl("start")
    node.wait_for("Entering", since=since)
    return node


def _rogue_sm(lab: InfinibandLab, node: Node) -> str:
    rogue_manager(lab, node.name, priority=15)
    return f"{node.name}: a subnet manager of priority 15"


def _no_rogue_sm(lab: InfinibandLab, node: Node) -> str:
    lab.rogue(node.name).stop()
    return f"{node.name}: its subnet manager ended"


def silence(lab: InfinibandLab, name: str, percent: int = 100) -> None:
    """A node loses so many of the packets that it is sent; 0 heals it."""
    node = lab.fabric.node(name)
    for port in range(1, node.ports + 1):
        lab.simulator.tell(f'Error "{node.id}"[{port}] {percent}')


def count_errors(lab: InfinibandLab, name: str, port: int, counter: str, value: int) -> None:
    """Sets an error counter (``SymbolErrorCounter``, ``LinkDownedCounter``, ...)."""
    node = lab.fabric.node(name)
    lab.simulator.tell(f'PerformanceSet "{node.id}"[{port}] PortCounters.{counter}={value}')


def _silence(lab: InfinibandLab, node: Node) -> str:
    silence(lab, node.name)
    return f"{node.name}: answers nobody"


def _rogue_pkey(lab: InfinibandLab, node: Node) -> str:
    inject(lab, pkey(lab, node.name, HOLE, ROGUE_PKEY))
    return f"{node.name}: pkey {ROGUE_PKEY:#06x} at index {HOLE}"


def _lost_pkey(lab: InfinibandLab, node: Node) -> str:
    inject(lab, pkey(lab, node.name, 1, 0))
    return f"{node.name}: pkey at index 1 cleared"


def _rogue_sl2vl(lab: InfinibandLab, node: Node) -> str:
    switch = node.kind == "Switch"
    inject(lab, sl2vl(lab, node.name, 1 if switch else 0, 2 if switch else 0, "0" * 16))
    return f"{node.name}: every SL on VL 0"


def _rogue_lft(lab: InfinibandLab, node: Node) -> str:
    first = next(item for item in lab.fabric.nodes if item.kind == "Ca")
    inject(lab, lft(lab, node.name, first.name, node.ports))
    return f"{node.name}: packets for {first.name} leave by port {node.ports}"


def _unlink(lab: InfinibandLab, node: Node) -> str:
    unlink(lab, cable_of(lab, node.name))
    return f"{node.name}: cable pulled"


def _relink(lab: InfinibandLab, node: Node) -> str:
    relink(lab, cable_of(lab, node.name))
    return f"{node.name}: cable put back"


KINDS: dict[str, Callable[[InfinibandLab, Node], str]] = {
    "rogue-pkey": _rogue_pkey,
    "lost-pkey": _lost_pkey,
    "rogue-sl2vl": _rogue_sl2vl,
    "rogue-lft": _rogue_lft,
    "unlink": _unlink,
    "relink": _relink,
    "rogue-sm": _rogue_sm,
    "no-rogue-sm": _no_rogue_sm,
    "silence": _silence,
}


def make(lab: InfinibandLab, kind: str, name: str) -> str:
    """One drift at the node of that description; what was done. Raises InfinibandLabError and KeyError."""
    if kind not in KINDS:
        raise InfinibandLabError(f"{kind!r} is not one of {', '.join(KINDS)}")
    return KINDS[kind](lab, lab.fabric.node(name))
