from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from fabric_drift.lab.directory import write_atomically
from fabric_drift.lab.restricted import only_reads, refusal
from tests.lab.conftest import Lab

pytestmark = pytest.mark.lab
READ = r"sudo -n sonic-db-dump -n APPL_DB -k PORT_TABLE\:\* -y"


@pytest.fixture
def allow(lab: Lab) -> Iterator[None]:
    file = lab.directory.allow_file("sonic")
    listed = "sudo -n sonic-cfggen -d --print-data"
    plain = {"exact": [listed], "patterns": [r"cat /usr/share/sonic/device/[\w.-]+/x\.ini"]}
    write_atomically(file, json.dumps(plain))
    yield
    file.unlink()


@pytest.mark.parametrize("command", ["hostname", "show pfc priority", "sudo -n sonic-cfggen -d --print-data", READ])
def test_without_a_list_the_restricted_user_may_read(lab: Lab, command: str) -> None:
    assert lab.run("leaf1", command, "drift").exit_status == 0


@pytest.mark.parametrize(
    "command",
    [
        "config save -y",
        "config interface mtu Ethernet0 1500",
        'sonic-db-cli CONFIG_DB hset "PORT|Ethernet0" mtu 1500',
        "sudo -n sonic-db-cli CONFIG_DB del PORT|Ethernet0",
        "ecnconfig -p AZURE_LOSSLESS -gmin 1",
        "pfcwd stop",
        'sonic-cfggen -a "{}" --write-to-db',
        "show version; config save -y",
        "show version\nconfig save -y",
        "cat $(config save -y)",
    ],
)
def test_without_a_list_the_restricted_user_changes_nothing(lab: Lab, command: str) -> None:
    before = lab.text("leaf1", "sonic-cfggen -d --print-data")
    result = lab.run("leaf1", command, "drift")

    assert result.exit_status not in (0, None)
    assert result.stdout == b""
    assert lab.text("leaf1", "sonic-cfggen -d --print-data") == before
    assert json.loads(lab.log("leaf1", "refused.log").splitlines()[-1])["command"] == command


@pytest.mark.usefixtures("allow")
def test_with_a_list_only_its_commands_run(lab: Lab) -> None:
    assert lab.run("leaf2", "sudo -n sonic-cfggen -d --print-data", "drift").exit_status == 0
    assert lab.run("leaf2", "cat /usr/share/sonic/device/abc/x.ini", "drift").exit_status == 1
    assert lab.run("leaf2", "hostname", "drift").exit_status == 126
    assert lab.run("leaf2", "cat /usr/share/sonic/device/a b/x.ini", "drift").exit_status == 126
    assert lab.run("leaf2", "sonic-cfggen -d --print-data", "drift").exit_status == 126
    assert lab.run("leaf2", "sudo -n cat /usr/share/sonic/device/abc/x.ini", "drift").exit_status == 1
    assert lab.run("leaf2", READ, "drift").stderr == b"sudo: a password is required\n"


@pytest.mark.usefixtures("allow")
def test_the_list_does_not_bind_the_administrator(lab: Lab) -> None:
    assert lab.run("leaf2", "hostname").exit_status == 0


def test_a_damaged_list_lets_nothing_pass(lab: Lab) -> None:
    file = lab.directory.allow_file("sonic")
    write_atomically(file, "not json")
    try:
        assert lab.run("leaf2", "hostname", "drift").exit_status == 70
    finally:
        file.unlink()


def test_devices_refuse_in_their_own_words() -> None:
    assert refusal("eos", "configure").stdout == "% Authorization denied for command 'configure'\n"
    assert refusal("linux_host", "sudo -n dcb pfc set").stderr == "sudo: a password is required\n"
    assert refusal("linux_host", "reboot now").stderr == "-rbash: reboot: restricted\n"


@pytest.mark.parametrize(
    ("emulator", "command", "expected"),
    [
        ("eos", "show running-config | json", True),
        ("eos", "configure", False),
        ("eos", "write memory", False),
        ("linux_host", "sudo -n dcb -j pfc show dev enp24s0np0", True),
        ("linux_host", "sudo -n dcb pfc set dev enp24s0np0 prio-pfc 3:on", False),
        ("linux_host", "ip link set enp24s0np0 mtu 9000", False),
        ("linux_host", "mlnx_qos -i enp24s0np0 --trust dscp", False),
        ("linux_host", "mlxconfig -d 0000:18:00.0 -y set X=1", False),
        ("linux_host", "mlxconfig -d 0000:18:00.0 -e q", True),
    ],
)
def test_the_default_lists_know_what_reads(emulator: str, command: str, expected: bool) -> None:
    assert only_reads(emulator, command) is expected
