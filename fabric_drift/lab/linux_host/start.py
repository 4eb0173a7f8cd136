"""The store of a host as it comes: drivers loaded, nothing configured."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from fabric_drift.lab.emulator import LabDevice, LabPort, Store
from fabric_drift.lab.linux_host import defaults
from fabric_drift.lab.linux_host.defaults import CONNECTX6, CONNECTX7, INTEL, Model

KERNEL = "5.15.0-122-generic"
OS_RELEASE = """\
PRETTY_NAME="Ubuntu {release} LTS"
NAME="Ubuntu"
VERSION_ID="{release}"
ID=ubuntu
ID_LIKE=debian
"""


def start(device: LabDevice) -> Store:
    """A fresh host: trust pcp, PFC off, vendor ETS, MTU 1500, the OS owns DCB."""
    nics = {port.name: _nic(device, index, port) for index, port in enumerate(device.ports)}
    _name_rdma_devices(nics, dict(device.options.get("rdma_devices", {})))
    return {
        "emulator": "linux_host",
        "hostname": device.name,
        "release": device.release.removeprefix("Ubuntu "),
        "kernel": str(device.options.get("kernel", KERNEL)),
        "ofed": str(device.options.get("mlnx_ofed", "24.10")),
        "hardware": device.hardware,
        "nics": nics,
        "files": {"/etc/os-release": OS_RELEASE.format(release=device.release.removeprefix("Ubuntu "))},
        "services": dict(defaults.SERVICES),
        "missing_commands": [],
        "flaps": {},
    }


def _model(port: LabPort) -> Model:
    if port.role == "management" or port.alias.startswith("eno"):
        return INTEL
    return CONNECTX6 if port.role == "storage" else CONNECTX7


def _nic(device: LabDevice, index: int, port: LabPort) -> dict[str, Any]:
    model = _model(port)
    tail = sha256(f"{device.name} {port.name}".encode()).hexdigest()[:6]
    mac = ":".join(("b8", "3f", "d2", tail[:2], tail[2:4], tail[4:]))
    nic: dict[str, Any] = {
        "pci": port.name,
        "netdev": port.alias,
        "ifindex": index + 2,
        "driver": model.driver,
        "hca_type": model.hca_type,
        "psid": model.psid,
        "firmware": model.firmware,
        "device_type": model.device_type,
        "part": model.part,
        "mac": mac,
        "ip": f"10.{index}.0.{sum(map(ord, device.name)) % 200 + 10}",
        "admin_up": True,
        "mtu_bytes": 1500,
        "speed_mbps": port.speed_mbps,
        "fec": "RS",
        "peer_device": port.peer_device,
        "peer_port": port.peer_port,
        "role": port.role,
        "pause": {"rx": True, "tx": True},
    }
    if model.driver == "mlx5_core":
        nic |= {
            "guid": f"b83f:d203:00{tail[:2]}:{tail[2:]}",
            "rdma": "",
            "dcb": defaults.dcb(),
            "ecn": defaults.ecn(),
            "traffic_class": None,
            "rdma_cm": {"folder": False, "mode": "RoCE v2", "tos": 0},
            "firmware_parameters": {
                name: {"default": value, "current": value, "next": value} for name, value in defaults.FIRMWARE.items()
            },
            "registers": {"PPCC": {"value": 0}},
        }
    return nic


def _name_rdma_devices(nics: dict[str, Any], given: dict[str, str]) -> None:
    """Names as given, else mlx5_N in the order of PCI addresses, as the kernel finds them."""
    mlx5 = sorted(pci for pci, nic in nics.items() if nic["driver"] == "mlx5_core")
    for number, pci in enumerate(mlx5):
        nics[pci]["rdma"] = given.get(pci, f"mlx5_{number}")
