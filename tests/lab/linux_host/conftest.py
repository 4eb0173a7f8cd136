"""A host with two rails, a storage NIC between them on the bus, and a management NIC."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fabric_drift.lab.emulator import Answer, LabDevice, LabPort, Store
from fabric_drift.lab.linux_host import EMULATOR

ROCE_QOS = (Path(__file__).parent / "data" / "roce-qos.conf").read_text()
RAIL1, STORAGE, RAIL2, MANAGEMENT = "0000:18:00.0", "0000:29:00.0", "0000:2a:00.0", "0000:cc:00.0"
HOST = LabDevice(
    "gpu1",
    "linux_host",
    "22.04",
    "HGX-H100",
    (
        LabPort(RAIL1, 400_000, "leaf1", "Ethernet0", alias="enp24s0np0", role="rail1"),
        LabPort(RAIL2, 400_000, "leaf1", "Ethernet8", alias="enp42s0np0", role="rail2"),
        LabPort(STORAGE, 200_000, alias="enp41s0np0", role="storage"),
        LabPort(MANAGEMENT, 10_000, alias="eno1", role="management"),
    ),
)
Run = Callable[[Store, str], Answer]
Block = tuple[str, str, int]


@pytest.fixture
def fresh() -> Store:
    return EMULATOR.start(HOST)


@pytest.fixture
def configured(fresh: Store) -> Store:
    EMULATOR.load(
        fresh,
        {
            f"roce-qos/{RAIL1}.conf": ROCE_QOS,
            f"mlxconfig/{RAIL1}.conf": "CNP_DSCP_P1=48\nROCE_CC_PRIO_MASK_P1=8\n",
            "nccl.conf": "NCCL_IB_GID_INDEX=3\nNCCL_IB_TC=106\n",
        },
    )
    return fresh


@pytest.fixture
def run() -> Run:
    return EMULATOR.run


@pytest.fixture
def sudo() -> Run:
    return lambda store, command: EMULATOR.run(store, f"sudo -n {command}")


@pytest.fixture
def session(shared: Callable[[str], Path]) -> list[Block]:
    """(command, output, exit status) of the real ``dcb`` and ``mlnx_qos`` on a real kernel."""
    name = "dcb_6.1_and_mlnx_qos_26.07_session.txt"
    text = (shared("captures/linux_host") / name).read_bytes().decode().replace("\r\n", "\n")
    blocks: list[Block] = []
    command = ""
    lines: list[str] = []
    for line in text.splitlines(keepends=True):
        if line.startswith("$ "):
            command, lines = line[2:].rstrip("\n"), []
        elif line.startswith("[rc="):
            blocks.append((command, "".join(lines), int(line[4:-2])))
        else:
            lines.append(line)
    return blocks
