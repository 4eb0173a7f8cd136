"""A small fabric and a platform with a table of capabilities, so that a review can be read in a test."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from fabric_drift.errors import Unsupported
from fabric_drift.finding import Layer, Source
from fabric_drift.platform import Capability, Command, Disruption, Operation, Output, Reading, Rendered, Target
from fabric_drift.review.side import Side
from fabric_drift.state.device import DeviceState, Neighbour, Pfc, Port, PortQos, QosMaps
from fabric_drift.state.tree import facts, plain
from fabric_drift.state.values import UNSAID, Path


@dataclass(frozen=True)
class Device:
    name: str
    role: str = "leaf"
    platform: str = "toy"
    releases: tuple[str, ...] = ("4.32.2F",)
    hardware: str = "box"
    asic: str = ""


@dataclass
class Toy:
    """Renders JSON; has no DCBX; can't do PFC priority 7; has evidence for MTU and PFC only."""

    name: str = "toy"
    title: str = "Toy"
    releases: tuple[str, ...] = ("4.32",)
    layers: tuple[Layer, ...] = (Layer.RUNNING,)
    object_fields: tuple[Path, ...] = ()
    command_families: tuple[Command, ...] = ()
    capabilities: tuple[Capability, ...] = (
        Capability(
            "ports/*/mtu_bytes", Operation.WRITE, disruption=Disruption.PORT_FLAP, how="mtu N", source="manual 1"
        ),
        Capability(
            "ports/*/mtu_bytes", Operation.WRITE, hardware=("fragile",), disruption=Disruption.RELOAD, source="bug"
        ),
        Capability("ports/*/qos/pfc", Operation.WRITE, disruption=Disruption.LOSSLESS_GAP, source="manual 2"),
    )

    def commands(self, outputs: Mapping[str, Output]) -> tuple[Command, ...]:
        return ()

    def parse(self, outputs: Mapping[str, Output]) -> Reading:
        return Reading({})

    def localise(self, expected: DeviceState, target: Target) -> DeviceState:
        if any(path[-2:] == ("pfc", "priorities") and 7 in value for path, value in facts(expected)):
            raise Unsupported(
                "priority 7 has no PFC", where=target.device, remedy="Use another priority", code="FD-T-1"
            )
        if not isinstance(expected.ports, Mapping):
            return expected
        without = {name: replace(port.qos, dcbx=UNSAID) for name, port in expected.ports.items()}  # type: ignore[type-var]
        ports = {name: replace(port, qos=without[name]) for name, port in expected.ports.items()}
        return replace(expected, ports=ports)

    def render(self, expected: DeviceState, target: Target) -> tuple[Rendered, ...]:
        return (Rendered("toy.json", json.dumps(plain(expected), indent=1)),)


QOS = PortQos(
    trust="dscp",
    maps=QosMaps(dscp_to_tc=dict.fromkeys(range(8), 0) | {4: 3}),
    pfc=Pfc(priorities=(3,)),
)


def state(qos: PortQos = QOS, *, ports: int = 2, mtu_bytes: int = 9100, peer: str = "spine") -> DeviceState:
    """A device with ``ports`` ports, every one with a neighbour of its own."""
    return DeviceState(
        ports={
            f"Ethernet{number}": Port(mtu_bytes=mtu_bytes, qos=qos, neighbour=Neighbour(f"{peer}{number}", "Ethernet1"))
            for number in range(ports)
        }
    )


def pfc(*priorities: int) -> PortQos:
    return replace(QOS, pfc=Pfc(priorities=priorities))


def side(label: str, states: Mapping[str, DeviceState], devices: Mapping[str, Device] | None = None) -> Side:
    """A side whose facts all come from line 7 of one file."""
    known = devices or {name: Device(name) for name in states}
    return Side(label, known, states.__getitem__, lambda _name, _path: (Source("intent/fabric.yml", 7),))


def toy(_name: str) -> Toy:
    return Toy()
