from __future__ import annotations

import pytest

from fabric_drift.lab import fabrics
from fabric_drift.lab.emulator import LabDevice
from fabric_drift.lab.spec import fabric_from_plain, fabric_to_plain


def ends(devices: tuple[LabDevice, ...]) -> dict[tuple[str, str], tuple[str, str]]:
    return {
        (device.name, port.name): (port.peer_device, port.peer_port)
        for device in devices
        for port in device.ports
        if port.peer_device
    }


def test_pod1_is_two_spines_four_leaves_and_eight_hosts() -> None:
    pod = {device.name: device for device in fabrics.pod1()}

    assert [(d.name, d.emulator, d.release, d.hardware, len(d.ports)) for d in pod.values() if d.name[0] != "g"] == [
        ("spine1", "sonic", "202511", "Mellanox-SN5600", 18),
        ("spine2", "eos", "4.32.2F", "DCS-7060DX5-64S", 18),
        ("leaf1", "sonic", "202505", "Arista-7060X6-64PE", 26),
        ("leaf2", "sonic", "202411", "Arista-7060X6-64PE", 26),
        ("leaf3", "eos", "4.30.5M", "DCS-7060DX5-64S", 26),
        ("leaf4", "eos", "4.34.1F", "DCS-7060DX5-64S", 26),
    ]
    assert [name for name in pod if name[0] == "g"] == [f"gpu{number}" for number in range(1, 9)]
    assert [port.name for port in pod["leaf1"].ports][:2] == ["Ethernet0", "Ethernet8"]
    assert pod["leaf4"].ports[-1].name == "Ethernet26/1"


@pytest.mark.parametrize(
    ("here", "there"),
    [
        # rail r of host h: leaf ceil(r/2), port index (h-1)*2 + (r-1)%2
        (("gpu1", "0000:18:00.0"), ("leaf1", "Ethernet0")),
        (("gpu1", "0000:2a:00.0"), ("leaf1", "Ethernet8")),
        (("gpu8", "0000:5d:00.0"), ("leaf2", "Ethernet120")),
        (("gpu3", "0000:9a:00.0"), ("leaf3", "Ethernet5/1")),
        (("gpu8", "0000:db:00.0"), ("leaf4", "Ethernet16/1")),
        # leaf l: 16+k to spine1 (l-1)*4+k, 20+k to spine2
        (("leaf1", "Ethernet128"), ("spine1", "Ethernet0")),
        (("leaf2", "Ethernet152"), ("spine1", "Ethernet56")),
        (("leaf1", "Ethernet160"), ("spine2", "Ethernet1/1")),
        (("leaf4", "Ethernet24/1"), ("spine2", "Ethernet16/1")),
    ],
)
def test_pod1_is_cabled_as_planned(here: tuple[str, str], there: tuple[str, str]) -> None:
    links = ends(fabrics.pod1())

    assert links[here] == there
    assert links[there] == here


def test_pod1_leaves_storage_management_and_spare_ports_alone() -> None:
    links = ends(fabrics.pod1())

    assert len(links) == 2 * (8 * 8 + 4 * 8)
    unused = {("gpu1", "0000:29:00.0"), ("gpu1", "0000:cc:00.0"), ("leaf1", "Ethernet192"), ("leaf1", "Ethernet200")}
    assert not unused & links.keys()


def test_the_storage_nic_shifts_the_names_of_rdma_devices() -> None:
    gpu1 = next(device for device in fabrics.pod1() if device.name == "gpu1")

    assert gpu1.options["rdma_devices"]["0000:29:00.0"] == "mlx5_1"
    assert gpu1.options["rdma_devices"]["0000:2a:00.0"] == "mlx5_2"
    assert gpu1.options["rdma_devices"]["0000:db:00.0"] == "mlx5_8"


@pytest.mark.parametrize(("leaves", "spines", "hosts", "ports"), [(32, 8, 0, 64), (16, 4, 40, 64), (1, 0, 2, 16)])
def test_generated_links_agree_at_both_ends_and_use_a_port_once(
    leaves: int, spines: int, hosts: int, ports: int
) -> None:
    devices = fabrics.leafspine(leaves, spines, hosts, ports)
    links = ends(devices)

    assert len(devices) == leaves + spines + hosts
    assert all(links[there] == here for here, there in links.items())
    per_spine = ports // 2 // spines if spines else 0
    assert len(links) == 2 * (hosts * 8 + leaves * spines * per_spine)


def test_rails_of_a_group_go_to_one_leaf_each() -> None:
    links = ends(fabrics.leafspine(16, 4, 4, 64))

    for host, first in (("gpu1", 1), ("gpu2", 9), ("gpu3", 1)):
        assert [links[host, pci][0] for pci in fabrics.RAIL_PCI] == [f"leaf{first + rail}" for rail in range(8)]


def test_the_same_size_is_the_same_fabric() -> None:
    assert fabrics.leafspine(8, 2, 4, 32) == fabrics.leafspine(8, 2, 4, 32)


@pytest.mark.parametrize("size", [(0, 1, 0, 64), (2, 65, 0, 64), (2, 2, 200, 8), (1, -1, 0, 4)])
def test_sizes_that_cannot_be_cabled_are_refused(size: tuple[int, int, int, int]) -> None:
    with pytest.raises(ValueError):
        fabrics.leafspine(*size)


def test_a_fabric_survives_being_written_down() -> None:
    assert fabric_from_plain(fabric_to_plain(fabrics.pod1())) == fabrics.pod1()
