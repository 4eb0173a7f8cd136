"""Builds what a switch answers, and asks the platform what it understood."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fabric_drift.finding import Layer
from fabric_drift.platform import Output, Reading
from fabric_drift.platforms.eos import PLATFORM
from fabric_drift.state import DeviceState, Port, PortQos

DATA = Path(__file__).parent / "data"


def data(name: str) -> str:
    """A file of ``data/``."""
    return (DATA / name).read_text()


def answers(running: str, saved: str | None = None, ports: Mapping[str, object] | None = None) -> dict[str, Output]:
    """A whole set of answers; every port is connected at 400G unless ``ports`` says otherwise."""
    statuses = (
        ports if ports is not None else {"Ethernet1/1": {"linkStatus": "connected", "bandwidth": 400_000_000_000}}
    )
    rows = [{"port": "Ethernet1/1", "neighborDevice": "gpu1", "neighborPort": "enp24s0np0", "ttl": 120}]
    return {
        "show hostname | json": Output(json.dumps({"hostname": "leaf9", "fqdn": "leaf9.example"})),
        "show version | json": Output(json.dumps({"version": "4.32.2F", "modelName": "DCS-7060DX5-64S"})),
        "show running-config": Output(running),
        "show startup-config": Output(running if saved is None else saved),
        "show interfaces status | json": Output(json.dumps({"interfaceStatuses": statuses})),
        "show lldp neighbors | json": Output(json.dumps({"lldpNeighbors": rows})),
    }


def read(running: str) -> Reading:
    """The reading of a running configuration."""
    return PLATFORM.parse(answers(running))


def state(running: str) -> DeviceState:
    """What the running layer of ``running`` says."""
    return read(running).states[Layer.RUNNING]


def port(running: str, name: str = "Ethernet1/1") -> Port:
    """One port of the running layer."""
    ports = state(running).ports
    assert isinstance(ports, Mapping)
    found = ports[name]
    assert isinstance(found, Port)
    return found


def qos(running: str, name: str = "Ethernet1/1") -> PortQos:
    """The policy of one port of the running layer."""
    found = port(running, name).qos
    assert isinstance(found, PortQos)
    return found


def fact(subtree: Any, *path: str | int) -> Any:
    """The fact at ``path`` below ``subtree``; fails where something on the way isn't there."""
    for part in path:
        subtree = subtree[part] if isinstance(subtree, Mapping) else getattr(subtree, str(part))
    return subtree


def config(*lines: str, profile: str = "", top: str = "") -> str:
    """A whole configuration of one port with ``lines`` under its interface."""
    body = "".join(f"   {line}\n" for line in lines)
    attached = "   service-profile P\n" if profile else ""
    section = f"qos profile P\n{profile}!\n" if profile else ""
    return f"{section}interface Ethernet1/1\n{attached}{body}!\n{top}end\n"
