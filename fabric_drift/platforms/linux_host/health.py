"""What must not get worse on a host: links and who is at their other end.

Drops of lossless traffic towards a host are counted by the switch port that faces it.
"""

from __future__ import annotations

from collections.abc import Mapping

from fabric_drift.change import Health
from fabric_drift.finding import Layer
from fabric_drift.platform import Command, Output
from fabric_drift.platforms.linux_host.answers import unseen
from fabric_drift.platforms.linux_host.commands import NEIGHBOURS
from fabric_drift.platforms.linux_host.discovery import IP_LINK, LIST_MLX5, LIST_NETDEVS, discover
from fabric_drift.platforms.linux_host.links import read_links
from fabric_drift.platforms.linux_host.owner import read_neighbours
from fabric_drift.state.device import Neighbour

COMMANDS = (
    Command(IP_LINK, layer=Layer.RUNNING),
    Command(LIST_NETDEVS, layer=Layer.RUNNING),
    Command(LIST_MLX5, layer=Layer.RUNNING),
    Command(NEIGHBOURS, privileged=True, layer=Layer.RUNNING, optional=True),
)


def health(outputs: Mapping[str, Output]) -> Health:
    """Ports by PCI address, of all NICs. A host without lldpd has no neighbours, before and after."""
    reasons = [reason.reason for text in (IP_LINK, LIST_NETDEVS) if (reason := unseen(text, outputs.get(text)))]
    if reasons:
        return Health(unreadable=tuple(reasons))
    links, problems = read_links(outputs[IP_LINK].stdout)
    if problems:
        return Health(unreadable=tuple(f"`{IP_LINK}`: {problem.reason}" for problem in problems))
    hardware = discover(outputs)
    netdevs = {nic.netdev: nic.pci for nic in hardware.mlx5 if nic.netdev}
    netdevs |= {netdev: pci for pci, netdev in hardware.others.items()}
    neighbours, _ = read_neighbours(outputs)
    known = neighbours if isinstance(neighbours, Mapping) else {}
    return Health(
        ports_up=frozenset(pci for netdev, pci in netdevs.items() if netdev in links and links[netdev].oper_up is True),
        neighbours=frozenset(
            f"{netdevs[netdev]} {found.device} {found.port}"
            for netdev, found in known.items()
            if netdev in netdevs and isinstance(found, Neighbour)
        ),
    )
