from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator

import asyncssh
import pytest

from fabric_drift.lab.control import LabError
from fabric_drift.lab.faults import Fault, UnknownFaultError, parse_fault, spoil
from tests.lab.conftest import Lab, within

pytestmark = pytest.mark.lab
DEVICE = "leaf1"
DUMP = "sonic-cfggen -d --print-data"


@pytest.fixture(autouse=True)
def _healthy_afterwards(lab: Lab) -> Iterator[None]:
    yield
    lab.order(do="fault", device=DEVICE, fault="none")
    assert lab.run(DEVICE, "hostname").stdout == b"leaf1\n"


def set_fault(lab: Lab, text: str) -> None:
    assert lab.order(do="fault", device=DEVICE, fault=text)


def test_refuse_closes_the_port_and_no_other(lab: Lab) -> None:
    set_fault(lab, "refuse")

    with pytest.raises(ConnectionRefusedError):
        lab.run(DEVICE, "hostname")
    assert lab.run("leaf2", "hostname").exit_status == 0


def test_hang_takes_the_command_and_never_answers(lab: Lab) -> None:
    set_fault(lab, "hang")

    async def main() -> None:
        async with lab.connect(DEVICE) as connection:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(connection.run("hostname"), 0.5)

    within(10, main())


def test_drop_cuts_the_connection_at_the_nth_command(lab: Lab) -> None:
    set_fault(lab, "drop:3")

    async def main() -> list[object]:
        answers: list[object] = []
        async with lab.connect(DEVICE) as connection:
            for _ in range(3):
                try:
                    answers.append((await connection.run("hostname")).exit_status)
                except (asyncssh.Error, OSError) as error:
                    answers.append(type(error).__name__)
        return answers

    first, second, third = within(10, main())

    assert (first, second) == (0, 0)
    assert third != 0


def test_truncate_sends_half_and_calls_it_success(lab: Lab) -> None:
    whole = lab.text(DEVICE, DUMP)
    set_fault(lab, "truncate")
    result = lab.run(DEVICE, DUMP)

    assert result.stdout == whole[: len(whole) // 2].encode()
    assert result.exit_status == 0


def test_interleave_puts_a_console_message_into_the_output(lab: Lab) -> None:
    whole = lab.text(DEVICE, DUMP)
    set_fault(lab, "interleave")
    mixed = lab.text(DEVICE, DUMP)

    assert "Message from syslogd" in mixed
    assert mixed.replace("\r\nMessage from syslogd@console: link flap detected, 3 events in 10 s\r\n", "") == whole


def test_garble_damages_bytes_but_keeps_the_length(lab: Lab) -> None:
    whole = lab.text(DEVICE, DUMP)
    set_fault(lab, "garble")
    damaged = lab.text(DEVICE, DUMP)

    assert len(damaged) == len(whole)
    assert damaged != whole
    with pytest.raises(ValueError):
        json.loads(damaged)


def test_wrong_hostname_renames_the_device_and_not_its_neighbours(lab: Lab) -> None:
    set_fault(lab, "wrong-hostname")

    assert lab.text(DEVICE, "hostname") == "leaf1-not\n"
    config = json.loads(lab.text(DEVICE, DUMP))
    assert config["DEVICE_METADATA"]["localhost"]["hostname"] == "leaf1-not"
    assert config["DEVICE_NEIGHBOR"]["Ethernet128"]["name"] == "spine1"


def test_changed_host_key_is_noticed_by_a_client_that_looks(lab: Lab) -> None:
    set_fault(lab, "changed-host-key")

    with pytest.raises(asyncssh.HostKeyNotVerifiable):
        lab.run(DEVICE, "hostname")


def test_slow_waits_before_it_answers(lab: Lab) -> None:
    set_fault(lab, "slow:0.4")
    began = time.monotonic()

    assert lab.text(DEVICE, "hostname") == "leaf1\n"
    assert time.monotonic() - began > 0.4


def test_big_sends_as_many_megabytes_as_asked(lab: Lab) -> None:
    set_fault(lab, "big:3")

    assert len(lab.text(DEVICE, "hostname")) == pytest.approx(3_000_000, rel=0.01)


def test_non_utf8_puts_raw_bytes_into_the_output(lab: Lab) -> None:
    set_fault(lab, "non-utf8")

    assert lab.run(DEVICE, "hostname").stdout == b"lea\xff\xfef1\n"


def test_sudo_refuses_the_commands_of_the_pattern_and_no_other(lab: Lab) -> None:
    set_fault(lab, "sudo-refused:ASIC_DB")
    refused = lab.run(DEVICE, r"sudo -n sonic-db-dump -n ASIC_DB -k \* -y")
    allowed = lab.run(DEVICE, f"sudo -n {DUMP}")

    assert (refused.stdout, refused.stderr, refused.exit_status) == (b"", b"sudo: a password is required\n", 1)
    assert allowed.exit_status == 0
    assert "ASIC_DB" in lab.log(DEVICE, "refused.log")


def test_status_shows_the_fault(lab: Lab) -> None:
    set_fault(lab, "slow:0.1")

    assert {row["device"]: row["fault"] for row in lab.order(do="status")}[DEVICE] == "slow:0.1"


@pytest.mark.parametrize("text", ["nonsense", "slow", "slow:x", "sudo-refused", "sudo-refused:(", "hang:3", "drop:-1"])
def test_faults_that_are_none_are_refused(lab: Lab, text: str) -> None:
    with pytest.raises(UnknownFaultError):
        parse_fault(text)
    with pytest.raises(LabError):
        lab.order(do="fault", device=DEVICE, fault=text)


def test_faults_of_the_text_leave_no_output_as_it_is() -> None:
    assert {kind: spoil(Fault(kind), "", "leaf1") for kind in ("truncate", "garble", "wrong-hostname")} == {
        "truncate": "",
        "garble": "",
        "wrong-hostname": "",
    }
