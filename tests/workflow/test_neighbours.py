"""Who is at the other end, whatever LLDP calls it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from fabric_drift.change import Health, Plan, Procedure
from fabric_drift.finding import Layer, Verdict
from fabric_drift.platform import Command, Output, Reading, Target
from fabric_drift.result import DeviceResult, DeviceStatus
from fabric_drift.state import ABSENT, DeviceState, Identity, Neighbour, Nic, Port, Unobserved
from fabric_drift.transport import Recording
from fabric_drift.workflow.judge import Judge
from fabric_drift.workflow.neighbours import same_device
from fabric_drift.workflow.observe import Observation, observe
from fabric_drift.workflow.proof import shortfalls
from fabric_drift.workflow.scene import Scene
from tests.workflow.toy import IDENTITY, Toy, ToyDevice, expectations

WANTED = Neighbour("gpu1", "0000:18:00.0")
GPU_PORT = Port(nic=Nic(netdev="enp24s0np0"))


@dataclass
class Told(Toy):
    """A device whose one port has the neighbour given, and which calls its ports as given."""

    seen: Any = ABSENT
    aliases: Mapping[str, str] | None = None

    def parse(self, outputs: Mapping[str, Output]) -> Reading:
        name = outputs[IDENTITY.text].stdout
        ports = {"Ethernet0": Port(neighbour=self.seen)} if name == "leaf1" else {}
        state = DeviceState(identity=Identity(hostname=name, release="1.2"), ports=ports)
        return Reading({Layer.RUNNING: state}, aliases=self.aliases or {})


def checked(seen: Any, aliases: Mapping[str, str] | None = None) -> DeviceResult:
    """The result of leaf1 after its peer was read too, which gave these other names of its ports."""
    states = {
        "leaf1": DeviceState(ports={"Ethernet0": Port(neighbour=WANTED)}),
        "gpu1": DeviceState(ports={"0000:18:00.0": GPU_PORT, "0000:2a:00.0": Port(), "Ethernet8": Port()}),
    }
    base = expectations(ToyDevice("leaf1"), ToyDevice("gpu1"))
    judge = Judge(replace(base, expect=states.__getitem__))
    first = judge.judge(Recording("leaf1", "toy", {IDENTITY.text: Output("leaf1")}), Told(seen=seen))
    judge.judge(Recording("gpu1", "toy", {IDENTITY.text: Output("gpu1")}), Told(aliases=aliases))
    return judge.settled(first)


@pytest.mark.parametrize("name", ["gpu1", "GPU1", "gpu1.pod1.example.net", "gpu1."])
@pytest.mark.parametrize("port", ["0000:18:00.0", "enp24s0np0"])
def test_a_neighbour_by_another_spelling_or_by_its_netdev_is_the_right_one(name: str, port: str) -> None:
    result = checked(Neighbour(name, port))
    assert (result.findings, result.status, result.facts[Verdict.UNOBSERVED]) == ((), DeviceStatus.CHECKED, 0)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("leaf1", "LEAF1", True),
        ("leaf1.a.net", "leaf1", True),
        ("leaf1.a.net", "leaf1.b.net", False),
        ("leaf1", "leaf10", False),
        ("leaf1", "", False),
    ],
)
def test_names_with_and_without_a_domain(one: str, other: str, *, same: bool) -> None:
    assert same_device(one, other) is same


def test_a_port_that_only_the_peer_can_name_is_settled_when_it_was_read() -> None:
    result = checked(Neighbour("gpu1", "A0:88:c2:00:00:01"), aliases={"a0:88:c2:00:00:01": "0000:18:00.0"})
    assert (result.findings, result.status) == ((), DeviceStatus.CHECKED)
    assert result.facts[Verdict.MATCH] == 3  # release, device and port


def test_the_alias_of_another_port_is_drift_to_that_port() -> None:
    (finding,) = checked(Neighbour("gpu1", "etp2"), aliases={"etp2": "Ethernet8"}).findings
    assert (finding.verdict, finding.path[-1], finding.actual) == (Verdict.DRIFT, "port", "Ethernet8")


def test_another_port_of_the_right_device_is_drift() -> None:
    (finding,) = checked(Neighbour("gpu1", "0000:2a:00.0")).findings
    assert (finding.verdict, finding.path[-1], finding.actual) == (Verdict.DRIFT, "port", "0000:2a:00.0")


def test_a_name_that_nobody_knows_is_unobserved_with_the_name() -> None:
    result = checked(Neighbour("gpu1", "p17"))
    (finding,) = result.findings
    assert (finding.verdict, result.status) == (Verdict.UNOBSERVED, DeviceStatus.INCOMPLETE)
    assert "'p17'" in finding.actual.reason


def test_another_device_is_one_finding_whatever_its_port_is_called() -> None:
    (finding,) = checked(Neighbour("gpu2", "p17")).findings
    assert (finding.verdict, finding.path[-1], finding.actual) == (Verdict.DRIFT, "device", "gpu2")


def test_silence_is_unobserved() -> None:
    (finding,) = checked(Unobserved("LLDP knows no neighbour on the port")).findings
    assert (finding.verdict, finding.path[-1]) == (Verdict.UNOBSERVED, "neighbour")


class Changing(Told):
    """One that can be changed, with nothing to do now."""

    def plan(self, reading: Reading, expected: DeviceState, target: Target) -> Plan:
        del reading, expected
        return Plan(target.device, self.name, "")

    def procedure(self, plan: Plan, run_id: str) -> Procedure:
        raise NotImplementedError

    def health_commands(self) -> tuple[Command, ...]:
        return ()

    def health(self, outputs: Mapping[str, Output]) -> Health:
        raise NotImplementedError(outputs)


@dataclass
class OneAnswer:
    """The way to leaf1."""

    async def read(self, device: ToyDevice, platform: Told) -> Recording:
        del platform
        return Recording(device.name, "toy", {IDENTITY.text: Output("leaf1")})


def looked(seen: Any) -> Observation:
    """leaf1 as a change sees it before and after."""
    states = {
        "leaf1": DeviceState(ports={"Ethernet0": Port(neighbour=WANTED)}),
        "gpu1": DeviceState(ports={"0000:18:00.0": GPU_PORT, "0000:2a:00.0": Port()}),
    }
    known = replace(expectations(ToyDevice("leaf1"), ToyDevice("gpu1")), expect=states.__getitem__)
    platform: Any = Changing(seen=seen)
    scene = Scene(known, OneAnswer(), platform=lambda _: platform)  # type: ignore[arg-type]
    return asyncio.run(observe(scene, known.devices["leaf1"], platform))


def proven(seen: Any) -> tuple[str, ...]:
    """Why a change that has brought the port up isn't proven."""
    before, after = looked(Unobserved("the link is down")), looked(seen)
    return shortfalls(before, after, before.plan)


@pytest.mark.parametrize("name", ["gpu1", "GPU1.pod1.example.net"])
@pytest.mark.parametrize("port", ["0000:18:00.0", "enp24s0np0", "a0:88:c2:00:00:01"])
def test_a_change_is_proven_whatever_the_right_neighbour_calls_itself_and_its_port(name: str, port: str) -> None:
    assert proven(Neighbour(name, port)) == ()


@pytest.mark.parametrize("seen", [Neighbour("gpu2", "enp24s0np0"), Neighbour("gpu1", "0000:2a:00.0")])
def test_a_change_that_brings_up_a_link_to_somebody_else_is_not_proven(seen: Neighbour) -> None:
    assert any("neighbour" in line for line in proven(seen))
