"""The fabric ``ibpod`` of the lab: a simulated subnet whose SM nodes are devices with SSH."""

from __future__ import annotations

from fabric_drift.lab.directory import LabDirectory
from fabric_drift.lab.emulator import LabDevice
from fabric_drift.lab.infiniband.fabric import Size
from fabric_drift.lab.infiniband.lab import InfinibandLab, opened

FOLDER = "infiniband"
RELEASE = "3.3.23"
HARDWARE = "upstream-3.3"
LARGEST_OF_SMALL_SPINES = 2048
LARGEST_OF_SMALL_LEAVES = 512


def large(hcas: int) -> Size:
    """A fabric of at least ``hcas`` HCAs on 8 rails."""
    hosts = max(1, -(-hcas // 8))
    spines = 2 if hcas <= LARGEST_OF_SMALL_SPINES else 8
    return Size(hosts=hosts, rails=8, spines=spines, hosts_per_leaf=32 if hosts <= LARGEST_OF_SMALL_LEAVES else 64)


def up(directory: LabDirectory, hcas: int = 0) -> tuple[LabDevice, ...]:
    """Starts the simulated subnet unless it runs; its SM nodes. Raises InfinibandLabError."""
    folder = directory.root / FOLDER
    lab = InfinibandLab(folder, large(hcas) if hcas else Size())
    if not lab.runs:
        try:
            lab.up()
        except BaseException:
            lab.down()
            raise
    options = {"lab": str(folder)}
    return tuple(LabDevice(name, "opensm", RELEASE, HARDWARE, (), options=options) for name in lab.sm_nodes)


def down(directory: LabDirectory) -> None:
    """Stops the simulated subnet of this lab, if there is one."""
    try:
        opened(directory.root / FOLDER).down()
    except FileNotFoundError:
        return
