"""The round trip over the lab's emulated host, which knows nothing of this platform."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from fabric_drift.diff import diff
from fabric_drift.finding import Layer
from fabric_drift.lab.emulator import LabDevice, LabPort
from fabric_drift.platform import Output, Reading
from fabric_drift.platforms.linux_host import PLATFORM
from fabric_drift.state.device import DeviceState
from fabric_drift.state.values import Unobserved, is_said
from tests.platforms.linux_host.policies import DESIGNS, HOSTS, RAILS, host
from tests.platforms.linux_host.test_round_trip import TARGET, localised

emulated: Any = pytest.importorskip("fabric_drift.lab.linux_host", reason="the lab's host emulator isn't here yet")
GPU1 = LabDevice(
    "gpu1",
    "linux_host",
    "Ubuntu 22.04",
    "HGX-H100",
    (
        LabPort(RAILS[0], 400_000, "leaf1", "Ethernet0", "enp24s0np0", "rail1"),
        LabPort("0000:29:00.0", 200_000, alias="enp41s0np0", role="storage"),
        LabPort(RAILS[1], 400_000, "leaf1", "Ethernet8", "enp42s0np0", "rail2"),
        LabPort("0000:cc:00.0", 1_000, alias="eno1", role="management"),
    ),
)


def read(store: Any) -> Reading:
    have: dict[str, Output] = {}
    while asked := PLATFORM.commands(have):
        for command in asked:
            answer = emulated.EMULATOR.run(store, command.wire, user="drift")
            have[command.text] = Output(answer.stdout, answer.stderr, answer.exit_status)
    return PLATFORM.parse(have)


def booted(wanted: DeviceState) -> Any:
    store = emulated.EMULATOR.start(GPU1)
    emulated.EMULATOR.load(store, {file.name: file.text for file in PLATFORM.render(wanted, TARGET)})
    return store


@given(HOSTS)
@settings(max_examples=settings().max_examples // 5, deadline=None)
def test_a_host_that_booted_with_the_rendered_files_is_as_expected(state: DeviceState) -> None:
    wanted = localised(state)
    reading = read(booted(wanted))
    found = diff(wanted, reading.states)
    assert reading.unparsed == ()
    assert found.unread == ()
    dead = [item for _, item in found.differences if item.path[2:] != ("nic", "dcb_owner")]
    assert dead == []


@pytest.mark.parametrize("name", sorted(DESIGNS))
def test_every_design_point_round_trips(name: str) -> None:
    wanted = PLATFORM.localise(host(DESIGNS[name]), TARGET)
    found = diff(wanted, read(booted(wanted)).states)
    assert found.differences == []
    assert found.unread == ()


def test_a_fresh_host_leaves_no_line_unparsed_and_saves_nothing() -> None:
    reading = read(emulated.EMULATOR.start(GPU1))
    assert reading.unparsed == ()
    ports: Any = reading.states[Layer.SAVED].ports
    assert isinstance(ports[RAILS[0]].qos, Unobserved)


def test_neighbours_of_the_cabling_are_seen() -> None:
    ports: Any = read(emulated.EMULATOR.start(GPU1)).states[Layer.RUNNING].ports
    assert (ports[RAILS[0]].neighbour.device, ports[RAILS[0]].neighbour.port) == ("leaf1", "Ethernet0")
    assert is_said(ports[RAILS[0]].nic.guid)
