"""The platform of the world: facts are the MTU and the PFC priorities of ports; one step per port."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fabric_drift.change import Action, Health, Kind, Phase, Plan, Procedure, Refusal, Stage, Step
from fabric_drift.errors import Unsupported
from fabric_drift.finding import Layer, Source
from fabric_drift.platform import Command, Disruption, Output, Reading, Rendered, Target
from fabric_drift.state import ABSENT, UNSAID, DeviceState, Identity, Path, Pfc, Port, PortQos, Unobserved
from fabric_drift.state.tree import children, is_subtree
from fabric_drift.workflow.expectations import Expectations
from fabric_drift.workflow.topology import Topology, topology
from tests.faults.world import LINKS

READS = {
    Layer.SAVED: Command("show saved", layer=Layer.SAVED),
    Layer.RUNNING: Command("show running", layer=Layer.RUNNING),
    Layer.HARDWARE: Command("show hardware", layer=Layer.HARDWARE),
}
IDENTITY = Command("show identity")
HEALTH = Command("show health")


@dataclass(frozen=True)
class PaperDevice:
    name: str
    role: str = "leaf"
    platform: str = "paper"
    releases: tuple[str, ...] = ("1.2",)
    hardware: str = "paper"
    asic: str = ""
    lifecycle: str = "active"


@dataclass(frozen=True)
class PaperLink:
    a_device: str
    a_port: str
    b_device: str
    b_port: str


def port(values: Mapping[str, Any]) -> Port:
    pfc = Pfc(priorities=tuple(values["pfc"])) if "pfc" in values else UNSAID
    return Port(mtu_bytes=values.get("mtu", UNSAID), qos=PortQos(pfc=pfc) if pfc is not UNSAID else UNSAID)


@dataclass
class Paper:
    name: str = "paper"
    title: str = "Paper OS"
    releases: tuple[str, ...] = ("1.2",)
    layers: tuple[Layer, ...] = tuple(READS)
    capabilities: tuple[Any, ...] = ()
    object_fields: tuple[Path, ...] = ()
    command_families: tuple[Command, ...] = (IDENTITY, HEALTH, *READS.values())
    disruption: Disruption = Disruption.NONE
    deadline_s: int = 300
    kind: Kind = Kind.ADD

    def commands(self, outputs: Mapping[str, Output]) -> tuple[Command, ...]:
        return () if outputs else (IDENTITY, *READS.values())

    def parse(self, outputs: Mapping[str, Output]) -> Reading:
        who = _json(outputs, IDENTITY)
        identity: Any = Unobserved("garbled")
        if isinstance(who, dict) and {"hostname", "release"} <= who.keys():
            identity = Identity(hostname=who["hostname"], release=who["release"])
        states = {}
        for layer, command in READS.items():
            content = _json(outputs, command)
            ports: Any = Unobserved("garbled")
            if isinstance(content, dict):
                ports = {name: port(values) for name, values in content["ports"].items()}
            states[layer] = DeviceState(identity=identity, ports=ports)
        return Reading(states)

    def localise(self, expected: DeviceState, target: Target) -> DeviceState:
        if target.hardware == "impossible":
            raise Unsupported("can't", where=target.device, code="FD-PAP-001")
        return expected

    def render(self, expected: DeviceState, target: Target) -> tuple[Rendered, ...]:
        return (Rendered("paper.json", f"{target.device} {expected.ports!r}\n"),)

    def plan(self, reading: Reading, expected: DeviceState, target: Target) -> Plan:
        running = reading.states[Layer.RUNNING].ports
        if not is_subtree(running):
            refusal = Refusal(("ports",), "can't be seen", "Look at the device")
            return Plan(target.device, self.name, "", refusals=(refusal,))
        there = dict(children(running))
        steps = tuple(
            step
            for name, wanted in children(expected.ports)
            if (step := self._step(name, wanted, there.get(name, ABSENT)))
        )
        return Plan(target.device, self.name, "paper_patch" if steps else "", steps, deadline_s=self.deadline_s)

    def _step(self, name: str, wanted: Port, found: Any) -> Step | None:
        if found is ABSENT or found == wanted:
            return None
        return Step(
            title=f"port of {name}",
            paths=_paths(name, wanted, found),
            phase=Phase.PFC,
            kind=self.kind,
            forward=(json.dumps({name: _values(wanted)}),),
            undo=(json.dumps({name: _values(found)}),),
            disruption=self.disruption,
            evidence="the world's own rules",
        )

    def procedure(self, plan: Plan, run_id: str) -> Procedure:
        document: dict[str, Any] = {}
        for step in plan.steps:
            document |= json.loads(step.forward[0])
        text = json.dumps(document)

        def act(command: str, stdin: str = "") -> tuple[Action, ...]:
            return (Action(command, stdin, refused_by=("^% ",), must_show="^ok$"),)

        return Procedure(
            run_id=run_id,
            channel="exec",
            stages={
                Stage.PREFLIGHT: act(f"preflight {plan.device}"),
                Stage.LOCK: act(f"lock {run_id}"),
                Stage.SAVE: act(f"save {run_id}"),
                Stage.REHEARSE: act(f"rehearse {run_id}", text),
                Stage.ARM: act(f"arm {run_id} {plan.deadline_s}"),
                Stage.COMMIT: act(f"commit {run_id}", text),
                Stage.CONFIRM: act(f"confirm {run_id}"),
                Stage.UNDO: act(f"undo {run_id}"),
                Stage.TIDY: act(f"tidy {run_id}"),
            },
            deadline_s=plan.deadline_s,
            by_hand=f"undo {run_id}",
        )

    def health_commands(self) -> tuple[Command, ...]:
        return (HEALTH,)

    def health(self, outputs: Mapping[str, Output]) -> Health:
        content = _json(outputs, HEALTH)
        if not isinstance(content, dict):
            return Health(unreadable=("show health is garbled",))
        return Health(ports_up=frozenset(content["up"]), lossless_drops={"Ethernet0/3": content["drops"]})


def _values(one: Port) -> dict[str, Any]:
    pfc = one.qos.pfc.priorities if isinstance(one.qos, PortQos) and isinstance(one.qos.pfc, Pfc) else ()
    return {"mtu": one.mtu_bytes, "pfc": list(pfc) if isinstance(pfc, tuple) else []}


def _paths(name: str, wanted: Port, found: Port) -> tuple[Path, ...]:
    paths: list[Path] = []
    if wanted.mtu_bytes != found.mtu_bytes:
        paths.append(("ports", name, "mtu_bytes"))
    if wanted.qos != found.qos:
        paths.append(("ports", name, "qos", "pfc", "priorities"))
    return tuple(paths)


def _json(outputs: Mapping[str, Output], command: Command) -> Any:
    output = outputs.get(command.text)
    if output is None or not output.whole:
        return None
    try:
        return json.loads(output.stdout)
    except ValueError:
        return None


WANTED = {"Ethernet0": {"mtu": 9100, "pfc": [3, 4]}, "Ethernet8": {"mtu": 9100, "pfc": [3, 4]}}


def paper_expectations(
    *devices: PaperDevice, wanted: Mapping[str, Any] = WANTED, links: Any = LINKS, fingerprint: str = "one"
) -> Expectations:
    known = devices or (PaperDevice("leaf1"), PaperDevice("spine1", "spine"), PaperDevice("gpu1", "gpu_host"))
    state = DeviceState(ports={name: port(values) for name, values in wanted.items()})

    def shape() -> Topology:
        return topology(
            [device.name for device in known if device.role == "gpu_host"], {}, [PaperLink(*link) for link in links]
        )

    return Expectations(
        "paperland",
        {device.name: device for device in known},
        lambda _: state,
        lambda _, path: (Source("intent/paper/fabric.yml", 1 + len(path)),),
        topology=shape,
        fingerprint=lambda: fingerprint,
    )
