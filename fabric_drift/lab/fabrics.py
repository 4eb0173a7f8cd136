"""The fabrics of the lab: pod1, and leaf-spine fabrics of any size. Deterministic: same size, same fabric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from fabric_drift.lab.emulator import LabDevice, LabPort

SPEED_MBPS = 400_000
RAILS = 8
RAIL_PCI = (
    "0000:18:00.0",
    "0000:2a:00.0",
    "0000:3a:00.0",
    "0000:5d:00.0",
    "0000:9a:00.0",
    "0000:ab:00.0",
    "0000:ba:00.0",
    "0000:db:00.0",
)
RAIL_NETDEVS = (
    "enp24s0np0",
    "enp42s0np0",
    "enp58s0np0",
    "enp93s0np0",
    "enp154s0np0",
    "enp171s0np0",
    "enp186s0np0",
    "enp219s0np0",
)
# The storage NIC sits between the first two rails on the PCI bus, so mlx5_1 isn't a rail.
STORAGE_PCI, STORAGE_NETDEV = "0000:29:00.0", "enp41s0np0"
MANAGEMENT_PCI, MANAGEMENT_NETDEV = "0000:cc:00.0", "eno1"
RDMA_DEVICES = {
    RAIL_PCI[0]: "mlx5_0",
    STORAGE_PCI: "mlx5_1",
    **{pci: f"mlx5_{index}" for index, pci in enumerate(RAIL_PCI[1:], 2)},
}


@dataclass(frozen=True, slots=True)
class Model:
    """What a generated switch is made of."""

    emulator: str
    release: str
    hardware: str
    asic: str = ""


SN5600 = Model("sonic", "202511", "Mellanox-SN5600", "mellanox")
SONIC_7060X6 = Model("sonic", "202505", "Arista-7060X6-64PE", "broadcom")
EOS_7060DX5 = Model("eos", "4.32.2F", "DCS-7060DX5-64S")
HOST = Model("linux_host", "22.04", "HGX-H100")


@dataclass(slots=True)
class _Draft:
    """A device while its cables are being plugged."""

    name: str
    model: Model
    ports: list[LabPort]
    used: int = 0
    options: dict[str, object] = field(default_factory=dict)

    def device(self) -> LabDevice:
        model = self.model
        return LabDevice(
            name=self.name,
            emulator=model.emulator,
            release=model.release,
            hardware=model.hardware,
            ports=tuple(self.ports),
            asic=model.asic,
            options=self.options,
        )


def port_name(emulator: str, index: int) -> str:
    """Native name of the switch port at ``index`` (from 0): eight lanes per port on SONiC, cages on EOS."""
    return f"Ethernet{index * 8}" if emulator == "sonic" else f"Ethernet{index + 1}/1"


def _switch(name: str, model: Model, port_count: int) -> _Draft:
    ports = [
        LabPort(
            name=port_name(model.emulator, index),
            speed_mbps=SPEED_MBPS,
            alias=f"etp{index + 1}" if model.asic == "mellanox" else f"Ethernet{index + 1}/1",
        )
        for index in range(port_count)
    ]
    return _Draft(name, model, ports)


def _host(name: str) -> _Draft:
    rails = [
        LabPort(pci, SPEED_MBPS, alias=netdev, role=f"rail{rail}")
        for rail, (pci, netdev) in enumerate(zip(RAIL_PCI, RAIL_NETDEVS, strict=True), 1)
    ]
    others = [
        LabPort(STORAGE_PCI, 200_000, alias=STORAGE_NETDEV, role="storage"),
        LabPort(MANAGEMENT_PCI, 10_000, alias=MANAGEMENT_NETDEV, role="management"),
    ]
    options = {"kernel": "5.15.0-122-generic", "mlnx_ofed": "24.10", "rdma_devices": dict(RDMA_DEVICES)}
    return _Draft(name, HOST, rails + others, options=dict(options))


def _cable(one: _Draft, one_index: int, other: _Draft, other_index: int, roles: tuple[str, str] = ("", "")) -> None:
    ends = ((one, one_index, other, other_index, roles[0]), (other, other_index, one, one_index, roles[1]))
    names = {id(one): one.ports[one_index].name, id(other): other.ports[other_index].name}
    for here, index, there, _, role in ends:
        port = here.ports[index]
        here.ports[index] = replace(port, peer_device=there.name, peer_port=names[id(there)], role=role or port.role)


def pod1() -> tuple[LabDevice, ...]:
    """2 spines, 4 leaves, 8 hosts with 8 rails: SONiC and EOS mixed, several releases each."""
    spines = (_switch("spine1", SN5600, 18), _switch("spine2", EOS_7060DX5, 18))
    leaf_models = (
        SONIC_7060X6,
        replace(SONIC_7060X6, release="202411"),
        replace(EOS_7060DX5, release="4.30.5M"),
        replace(EOS_7060DX5, release="4.34.1F"),
    )
    leaves = tuple(_switch(f"leaf{number}", model, 26) for number, model in enumerate(leaf_models, 1))
    hosts = tuple(_host(f"gpu{number}") for number in range(1, 9))
    for host_index, host in enumerate(hosts):
        for rail in range(RAILS):
            _cable(host, rail, leaves[rail // 2], host_index * 2 + rail % 2, ("", "downlink"))
    for leaf_index, leaf in enumerate(leaves):
        for spine_index, spine in enumerate(spines):
            for link in range(4):
                _cable(leaf, 16 + spine_index * 4 + link, spine, leaf_index * 4 + link, ("uplink", "downlink"))
    return tuple(draft.device() for draft in (*spines, *leaves, *hosts))


def leafspine(
    leaves: int, spines: int, hosts: int, ports: int, models: Sequence[Model] = (SONIC_7060X6, EOS_7060DX5)
) -> tuple[LabDevice, ...]:
    """A rail-optimised leaf-spine fabric: ``ports`` per leaf, half of them uplinks, models taken in turn.

    Leaves stand in groups of up to eight; rail r of every host of a group goes to leaf r * size // 8 of it.
    Raises ValueError for sizes that can't be cabled.
    """
    _check_size(leaves, spines, hosts, ports)
    per_spine = max(1, ports // 2 // spines) if spines else 0
    group = min(RAILS, leaves)
    spine_models = [model if model.asic != "broadcom" else SN5600 for model in models]
    spine_row = [
        _switch(f"spine{n + 1}", spine_models[n % len(models)], max(ports, leaves * per_spine)) for n in range(spines)
    ]
    leaf_row = [_switch(f"leaf{n + 1}", models[n % len(models)], ports) for n in range(leaves)]
    host_row = [_host(f"gpu{n + 1}") for n in range(hosts)]
    for number, host in enumerate(host_row):
        first = number % (leaves // group) * group
        for rail in range(RAILS):
            leaf = leaf_row[first + rail * group // RAILS]
            if leaf.used >= ports - spines * per_spine:
                raise ValueError(f"{leaf.name} has no port left for {host.name}: fewer hosts or more ports")
            _cable(host, rail, leaf, leaf.used, ("", "downlink"))
            leaf.used += 1
    for leaf_index, leaf in enumerate(leaf_row):
        for spine_index, spine in enumerate(spine_row):
            for link in range(per_spine):
                uplink = ports - (spines - spine_index) * per_spine + link
                _cable(leaf, uplink, spine, leaf_index * per_spine + link, ("uplink", "downlink"))
    return tuple(draft.device() for draft in (*spine_row, *leaf_row, *host_row))


def _check_size(leaves: int, spines: int, hosts: int, ports: int) -> None:
    if min(leaves, ports) < 1 or min(spines, hosts) < 0:
        raise ValueError("a fabric needs at least one leaf and one port; spines and hosts can't be negative")
    if spines > ports:
        raise ValueError(f"{ports} ports per leaf can't reach {spines} spines")
