"""Which NICs a host has, from lists that need no shell: keyed by PCI address, because names shift.

``ls -l`` of three sysfs folders gives links whose target holds the PCI address::

    lrwxrwxrwx 1 root root 0 Nov 29 16:46 enp24s0np0 -> ../../devices/.../0000:18:00.0/net/enp24s0np0
    lrwxrwxrwx 1 root root 0 Nov 29 16:46 mlx5_0 -> ../../devices/.../0000:18:00.0/infiniband/mlx5_0
    lrwxrwxrwx 1 root root 0 Nov 29 16:46 0000:18:00.0 -> ../../../../devices/.../0000:18:00.0

Names go into later commands, so a name that isn't plain is never used (``Hardware.refused``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from fabric_drift.platform import Output

IDENTITY = (
    "grep -H . /proc/sys/kernel/hostname /proc/sys/kernel/osrelease /etc/os-release"
    " /sys/class/dmi/id/product_name /sys/module/mlx5_core/version"
)
IP_LINK = "ip -j -d link show"
RDMA_LINK = "rdma -j link show"
LIST_NETDEVS = "ls -l /sys/class/net"
LIST_RDMA = "ls -l /sys/class/infiniband"
LIST_MLX5 = "ls -l /sys/bus/pci/drivers/mlx5_core"

NETDEV = r"[A-Za-z0-9_][A-Za-z0-9._-]{0,14}"
RDMA_DEVICE = r"[A-Za-z0-9_][A-Za-z0-9._-]{0,62}"
PCI = r"[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]"

_LINK = re.compile(r"^l\S{9,10} .* (?P<name>\S+) -> (?P<target>\S+)$")
_PCI = re.compile(PCI)
_NETDEV = re.compile(NETDEV)
_RDMA_DEVICE = re.compile(RDMA_DEVICE)


@dataclass(frozen=True, slots=True)
class MlxNic:
    """One PCI function bound to mlx5_core. ``netdev``/``rdma_device`` are "" where there is none."""

    pci: str
    netdev: str = ""
    rdma_device: str = ""
    several_rdma: bool = False


@dataclass(frozen=True, slots=True)
class Hardware:
    """The NICs of a host. ``others``: PCI address -> netdev of NICs of other drivers.

    ``doubled``: PCI addresses with several netdevs (representors), of which none was chosen.
    ``refused``: names that may not go into a command.
    """

    mlx5: tuple[MlxNic, ...] = ()
    others: Mapping[str, str] = field(default_factory=dict)
    doubled: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


def links(text: str) -> Iterator[tuple[str, str]]:
    """(name, target) of every symbolic link in an ``ls -l`` listing."""
    for line in text.splitlines():
        found = _LINK.match(line.rstrip()) if len(line) < 1024 else None  # noqa: PLR2004 - longer than any sysfs path
        if found:
            yield found["name"], found["target"]


def pci_of(target: str, folder: str) -> str:
    """PCI address of ``.../0000:18:00.0/net/enp24s0np0`` for folder ``net``; "" for other paths.

    Only a device right below the PCI function counts: a virtio or USB device in between is no NIC port.
    """
    parts = target.split("/")
    if len(parts) >= 3 and parts[-2] == folder and _PCI.fullmatch(parts[-3]):  # noqa: PLR2004 - pci/folder/name
        return parts[-3]
    return ""


def discover(outputs: Mapping[str, Output]) -> Hardware:
    """Find the NICs that the lists of the first round name."""
    refused: list[str] = []
    netdevs = _by_pci(outputs, LIST_NETDEVS, "net", _NETDEV, refused)
    rdma = _by_pci(outputs, LIST_RDMA, "infiniband", _RDMA_DEVICE, refused)
    bound = sorted({name for name, _ in links(_stdout(outputs, LIST_MLX5)) if _PCI.fullmatch(name)})
    doubled = tuple(sorted(pci for pci, names in netdevs.items() if len(names) > 1))
    return Hardware(
        mlx5=tuple(_nic(pci, netdevs.get(pci, []), rdma.get(pci, [])) for pci in bound),
        others={pci: names[0] for pci, names in sorted(netdevs.items()) if pci not in bound and len(names) == 1},
        doubled=doubled,
        refused=tuple(sorted(refused)),
    )


def _stdout(outputs: Mapping[str, Output], command: str) -> str:
    output = outputs.get(command)
    return output.stdout if output else ""


def _by_pci(
    outputs: Mapping[str, Output], command: str, folder: str, plain: re.Pattern[str], refused: list[str]
) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, target in links(_stdout(outputs, command)):
        pci = pci_of(target, folder)
        if pci and not plain.fullmatch(name):
            refused.append(name)
        elif pci:
            found.setdefault(pci, []).append(name)
    return found


def _nic(pci: str, netdevs: list[str], rdma_devices: list[str]) -> MlxNic:
    return MlxNic(pci, _only(netdevs), _only(rdma_devices), len(rdma_devices) > 1)


def _only(names: list[str]) -> str:
    return names[0] if len(names) == 1 else ""
