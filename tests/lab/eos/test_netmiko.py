"""The real netmiko (arista_eos) through the daemon: every stage of a real procedure, line by line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace

import netmiko
import pytest

from fabric_drift.change import Procedure, Stage
from fabric_drift.lab import control, fabrics
from fabric_drift.platform import Output, Target
from fabric_drift.platforms.eos import PLATFORM
from fabric_drift.platforms.eos.reading import EosReading
from fabric_drift.state import UNSAID, DeviceState, Identity
from tests.lab.conftest import Lab, start_lab
from tests.platforms.eos.pod import leaf

pytestmark = pytest.mark.lab
BEFORE = (Stage.PREFLIGHT, Stage.LOCK, Stage.SAVE, Stage.REHEARSE, Stage.ARM, Stage.COMMIT)
LEAVES = ("leaf3", "leaf4")  # 4.30: the timer is a state of the session; 4.34: it is told at the top


@pytest.fixture(scope="module")
def eos_lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    devices = tuple(device for device in fabrics.pod1() if device.name in LEAVES)
    running = start_lab(tmp_path_factory.mktemp("lab"), devices)
    yield running
    assert control.stop(running.directory)


def connect(lab: Lab, device: str) -> netmiko.BaseConnection:
    shell = netmiko.ConnectHandler(
        device_type="arista_eos",
        host="127.0.0.1",
        port=lab.port(device),
        username="admin",
        use_keys=True,
        key_file=str(lab.directory.user_key("admin")),
        ssh_strict=True,
        system_host_keys=False,
        alt_host_keys=True,
        alt_key_file=str(lab.directory.known_hosts_file),
        fast_cli=True,
    )
    shell.enable()
    return shell


def walk(shell: netmiko.BaseConnection, procedure: Procedure, *stages: Stage) -> None:
    """Every action of the stages; asserts that none is refused."""
    for stage in stages:
        for action in procedure.stages[stage]:
            text = str(shell.send_command(action.command, expect_string=r"leaf\d(\(config[^)]*\))?#"))
            assert not any(re.search(pattern, text, re.MULTILINE) for pattern in action.refused_by), (
                stage,
                action,
                text,
            )
            assert re.search(action.must_show, text, re.MULTILINE), (stage, action, text)


def read(lab: Lab, device: str) -> EosReading:
    answers = {item.text: Output(lab.text(device, item.text)) for item in PLATFORM.commands({})}
    reading = PLATFORM.parse(answers)
    assert isinstance(reading, EosReading)
    return reading


def expected(device: str) -> DeviceState:
    state = PLATFORM.localise(leaf(ports=20), Target(device, "4.30.5M"))
    ports = {name: replace(port, neighbour=UNSAID, speed_mbps=UNSAID) for name, port in state.ports.items()}  # type: ignore[union-attr]
    return replace(state, ports=ports, identity=Identity(hostname=device))


def make(lab: Lab, device: str, run_id: str) -> Procedure:
    plan = PLATFORM.plan(read(lab, device), expected(device), Target(device, "4.30.5M"))
    return PLATFORM.procedure(plan, run_id)


@pytest.mark.parametrize("device", LEAVES)
def test_a_change_goes_through_netmiko_and_its_timer_undoes_it_when_we_die(eos_lab: Lab, device: str) -> None:
    before = eos_lab.text(device, "show running-config")
    procedure = make(eos_lab, device, "dies")
    shell = connect(eos_lab, device)
    walk(shell, procedure, *BEFORE)
    shell.disconnect()
    assert eos_lab.text(device, "show running-config") != before
    fired = eos_lab.order(do="clock", advance=procedure.deadline_s + 1)["fired"]
    assert [item["device"] for item in fired] == [device]
    assert eos_lab.text(device, "show running-config") == before
    again = connect(eos_lab, device)
    walk(again, procedure, Stage.UNDO, Stage.TIDY)
    again.disconnect()


@pytest.mark.parametrize("device", LEAVES)
def test_a_confirmed_change_stays_and_a_second_run_is_empty(eos_lab: Lab, device: str) -> None:
    procedure = make(eos_lab, device, "stays")
    shell = connect(eos_lab, device)
    walk(shell, procedure, *BEFORE)
    shell.disconnect()
    again = connect(eos_lab, device)  # the post-check comes over a new connection, and so does the confirmation
    walk(again, procedure, Stage.CONFIRM)
    again.disconnect()
    assert eos_lab.order(do="clock", advance=procedure.deadline_s + 1)["fired"] == []
    reading = read(eos_lab, device)
    assert PLATFORM.plan(reading, expected(device), Target(device, "4.30.5M")).steps == ()
    sessions = json.loads(eos_lab.text(device, "show configuration sessions | json"))
    assert "pending" not in json.dumps(sessions)


def test_the_restricted_account_configures_nothing_over_a_shell(eos_lab: Lab) -> None:
    shell = netmiko.ConnectHandler(
        device_type="arista_eos",
        host="127.0.0.1",
        port=eos_lab.port("leaf3"),
        username="drift",
        use_keys=True,
        key_file=str(eos_lab.directory.user_key("drift")),
        fast_cli=True,
    )
    shell.enable()
    said = str(shell.send_command("configure session x", expect_string=r"#"))
    shell.disconnect()
    assert "Authorization denied" in said
