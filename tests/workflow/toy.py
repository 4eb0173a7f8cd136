"""A toy platform: one JSON answer per layer, one file per round. Small enough to see what the workflow does."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fabric_drift.errors import Unsupported
from fabric_drift.finding import Evidence, Layer, Source
from fabric_drift.platform import Command, Output, Reading, Rendered, Target, UnparsedLine
from fabric_drift.state import (
    ABSENT,
    UNSAID,
    DeviceState,
    Identity,
    Neighbour,
    Path,
    Pfc,
    Port,
    PortQos,
    QosMaps,
    Unobserved,
)
from fabric_drift.workflow.expectations import Expectations

IDENTITY = Command("show identity")
RUNNING = Command("show running", layer=Layer.RUNNING)
SAVED = Command("show saved", privileged=True, layer=Layer.SAVED)


@dataclass(frozen=True)
class ToyDevice:
    name: str
    role: str = "leaf"
    platform: str = "toy"
    releases: tuple[str, ...] = ("1.2",)
    hardware: str = "toybox"
    asic: str = ""
    lifecycle: str = "active"


def port(spec: Mapping[str, Any]) -> Port:
    qos = PortQos(
        trust=spec.get("trust", UNSAID),
        pfc=Pfc(priorities=tuple(spec["pfc"])) if "pfc" in spec else UNSAID,
        maps=QosMaps(dscp_to_tc={int(k): v for k, v in spec["dscp"].items()}) if "dscp" in spec else UNSAID,
    )
    neighbour = spec.get("neighbour", UNSAID)
    return Port(
        mtu_bytes=spec.get("mtu", UNSAID),
        qos=qos,
        neighbour=Neighbour(device=neighbour) if isinstance(neighbour, str) else neighbour,
    )


@dataclass
class Toy:
    """Parses {"ports": {...}, "junk": [...]}; says Unobserved where an answer isn't whole or isn't JSON."""

    name: str = "toy"
    title: str = "Toy OS"
    releases: tuple[str, ...] = ("1.2", "1.3")
    layers: tuple[Layer, ...] = (Layer.SAVED, Layer.RUNNING)
    capabilities: tuple[Any, ...] = ()
    object_fields: tuple[Path, ...] = ()
    command_families: tuple[Command, ...] = (IDENTITY, RUNNING, SAVED)
    extra: tuple[Command, ...] = field(default=())

    def commands(self, outputs: Mapping[str, Output]) -> tuple[Command, ...]:
        if not outputs:
            return (IDENTITY, RUNNING)
        return (SAVED, *self.extra) if SAVED.text not in outputs else ()

    def parse(self, outputs: Mapping[str, Output]) -> Reading:
        identity = self._identity(outputs)
        states, unparsed = {}, []
        for layer, command in ((Layer.SAVED, SAVED), (Layer.RUNNING, RUNNING)):
            content, reason = self._json(outputs, command)
            if content is None:
                states[layer] = DeviceState(identity=identity, ports=Unobserved(reason))
                continue
            ports = {name: port(spec) for name, spec in content["ports"].items()}
            states[layer] = DeviceState(identity=identity, ports=ports)
            unparsed += [
                UnparsedLine(layer, command.text, 1, line, "unknown line", tuple(path.split("/")) if path else ())
                for path, line in content.get("junk", {}).items()
            ]
        return Reading(states, tuple(unparsed), evidence=self._evidence)

    def _identity(self, outputs: Mapping[str, Output]) -> Any:
        content, reason = self._json(outputs, IDENTITY)
        if content is None:
            return Unobserved(reason)
        return Identity(hostname=content["hostname"], release=content["release"], hardware="toybox")

    def _json(self, outputs: Mapping[str, Output], command: Command) -> tuple[Any, str]:
        output = outputs.get(command.text, Output(exit_status=None, error="not asked"))
        if not output.whole:
            return None, output.error or output.stderr.strip() or "refused"
        try:
            return json.loads(output.stdout), ""
        except ValueError:
            return None, "the answer isn't JSON"

    def _evidence(self, layer: Layer, path: Path) -> tuple[Evidence, ...]:
        return (Evidence(f"show {layer.value}", ("/".join(path),), 1),)

    def localise(self, expected: DeviceState, target: Target) -> DeviceState:
        if target.hardware == "impossible":
            raise Unsupported("can't", where=target.device, code="FD-TOY-001")
        return expected

    def render(self, expected: DeviceState, target: Target) -> tuple[Rendered, ...]:
        return (Rendered("toy.cfg", f"hostname {target.device}\n"),)


PORTS = {
    "Ethernet0": {"trust": "dscp", "pfc": [3], "mtu": 9100, "dscp": {"26": 3, "0": 0}},
    "Ethernet8": {"trust": "dscp", "pfc": [3], "mtu": 9100, "dscp": {"26": 3, "0": 0}},
}


def expectations(*devices: ToyDevice, ports: Mapping[str, Any] = PORTS) -> Expectations:
    state = DeviceState(ports={name: port(spec) for name, spec in ports.items()})
    return Expectations(
        "toyland",
        {device.name: device for device in devices or (ToyDevice("leaf1"),)},
        lambda _: state,
        lambda _, path: (Source("intent/toy/fabric.yml", 1 + len(path)),),
    )


def answers(
    hostname: str = "leaf1", release: str = "1.2", *, junk: Mapping[str, str] | None = None, **changes: Any
) -> dict[str, Output]:
    """Outputs of a device whose layers are as ``PORTS`` says; ``changes``: running={...} or saved={...} ports."""
    texts: dict[str, dict[str, Any]] = {IDENTITY.text: {"hostname": hostname, "release": release}}
    for name, command in (("running", RUNNING), ("saved", SAVED)):
        texts[command.text] = {"ports": changes.get(name, PORTS)}
    texts[RUNNING.text]["junk"] = dict(junk or {})
    return {text: Output(json.dumps(content)) for text, content in texts.items()}


def changed(**facts: Any) -> dict[str, Any]:
    """``PORTS`` with facts of Ethernet0 changed."""
    return {**PORTS, "Ethernet0": {**PORTS["Ethernet0"], **facts}}


__all__ = ["ABSENT", "Toy", "ToyDevice", "answers", "changed", "expectations"]
