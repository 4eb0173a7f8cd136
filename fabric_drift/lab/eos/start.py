"""The store of a switch as it comes: ports with addresses, and no word about QoS."""

from __future__ import annotations

from typing import Any

from fabric_drift.lab.emulator import LabDevice, LabPort, Store
from fabric_drift.lab.eos import tree


def _interface(index: int, port: LabPort) -> tree.Section:
    lines = {"switchport": "no switchport", "ip address": f"ip address 10.{index // 128}.{index % 128 * 2}.0/31"}
    if port.peer_device:
        text = f"description {port.peer_device} {port.peer_port}"
        lines = {"description": text, **lines}
    return {"lines": lines, "sections": {}}


def start(device: LabDevice) -> Store:
    """An unconfigured switch of the fabric. Running and startup configuration are the same."""
    running = tree.empty()
    running["lines"] = {
        "hostname": f"hostname {device.name}",
        "spanning-tree mode": "spanning-tree mode mstp",
        "service routing protocols model": "service routing protocols model multi-agent",
        "ip routing": "ip routing",
    }
    for index, port in enumerate(device.ports):
        running["sections"][f"interface {port.name}"] = _interface(index, port)
    running["sections"]["interface Management1"] = {
        "lines": {"ip address": "ip address 192.0.2.1/24"},
        "sections": {},
    }
    return {
        "emulator": "eos",
        "release": device.release,
        "hardware": device.hardware,
        "ports": {port.name: _port(port) for port in device.ports},
        "running": running,
        "startup": _copy(running),
        "sessions": {},
        "session_trees": {},
        "flash": {},
        "flaps": {},
        "stuck": {},
    }


def _port(port: LabPort) -> dict[str, Any]:
    return {
        "speed_mbps": port.speed_mbps,
        "peer_device": port.peer_device,
        "peer_port": port.peer_port,
        "pfc_frames": {"rx": 0, "tx": 0},
        "ecn_marked": {},
    }


def _copy(section: tree.Section) -> tree.Section:
    return {
        "lines": dict(section["lines"]),
        "sections": {header: _copy(child) for header, child in section["sections"].items()},
    }
