from __future__ import annotations

import asyncio
import json
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import asyncssh
import pytest

from fabric_drift.lab import control, fabrics
from fabric_drift.lab.control import LabError
from fabric_drift.lab.directory import LabDirectory
from fabric_drift.lab.emulators import has_emulator
from tests.lab.conftest import Lab, sonic_switches, start_lab, within

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def eos_lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    if not has_emulator("eos"):
        pytest.skip("this build of the lab has no EOS emulator")
    running = start_lab(
        tmp_path_factory.mktemp("eos"), tuple(device for device in fabrics.pod1() if device.name == "leaf3")
    )
    yield running
    assert control.stop(running.directory)


def test_a_command_gives_its_output_and_its_exit_code(lab: Lab) -> None:
    result = lab.run("leaf1", "hostname")

    assert (result.stdout, result.stderr, result.exit_status) == (b"leaf1\n", b"", 0)


def test_a_failing_command_says_why_on_stderr_only(lab: Lab) -> None:
    result = lab.run("leaf1", "cat /etc/shadow")

    assert result.stdout == b""
    assert result.stderr == b"cat: /etc/shadow: No such file or directory\n"
    assert result.exit_status == 1


def test_an_unknown_command_exits_with_127(lab: Lab) -> None:
    assert lab.run("leaf1", "frobnicate").exit_status == 127


def test_thirty_multiplexed_commands_keep_their_own_exit_codes(lab: Lab) -> None:
    async def main() -> list[int | None]:
        async with lab.connect("leaf1") as connection:
            results = await asyncio.gather(
                *(connection.run("hostname" if number % 2 else "frobnicate") for number in range(30))
            )
        return [result.exit_status for result in results]

    assert within(30, main()) == [127, 0] * 15


def test_openssh_gets_exit_codes_and_whole_output_over_a_control_connection(lab: Lab, tmp_path: Path) -> None:
    ssh = shutil.which("ssh")
    if ssh is None:
        pytest.skip("no OpenSSH client on this machine")
    options = {
        "UserKnownHostsFile": lab.directory.known_hosts_file,
        "StrictHostKeyChecking": "yes",
        "IdentitiesOnly": "yes",
        "ControlMaster": "auto",
        "ControlPersist": "20",
        "ControlPath": tmp_path / "c",
    }
    command = [ssh, "-F", "none", "-i", str(lab.directory.user_key("admin")), "-p", str(lab.port("leaf1"))]
    for name, value in options.items():
        command += ["-o", f"{name}={value}"]
    command.append("admin@127.0.0.1")

    dump = r"sonic-db-dump -n ASIC_DB -k ASIC_STATE\:\* -y"
    first, second, third = (
        subprocess.run([*command, text], capture_output=True, check=False, timeout=30)
        for text in ("hostname", "frobnicate", dump)
    )
    subprocess.run([*command, "-O", "exit"], capture_output=True, check=False, timeout=30)

    assert (first.stdout, first.returncode) == (b"leaf1\n", 0)
    assert second.returncode == 127
    assert third.returncode == 0
    assert len(json.loads(third.stdout)) > 400


def test_both_users_get_in_by_key_and_by_password(lab: Lab) -> None:
    password = lab.directory.password_file.read_text(encoding="utf-8").strip()

    async def main(user: str) -> int | None:
        async with lab.connect("leaf1", user, client_keys=None, password=password) as connection:
            return (await connection.run("hostname")).exit_status

    assert [within(10, main(user)) for user in ("admin", "drift")] == [0, 0]
    assert lab.run("leaf1", "hostname", "drift").exit_status == 0


@pytest.mark.parametrize(
    "options",
    [
        {"client_keys": None, "password": "wrong"},
        {"username": "nobody"},
        {"client_keys": [asyncssh.generate_private_key("ssh-ed25519")]},
    ],
)
def test_strangers_stay_outside(lab: Lab, options: dict[str, object]) -> None:
    async def main() -> None:
        async with lab.connect("leaf1", "admin", **options):
            pytest.fail("a stranger got in")

    with pytest.raises(asyncssh.PermissionDenied):
        within(10, main())


def test_the_key_of_one_user_is_not_the_key_of_the_other(lab: Lab) -> None:
    async def main() -> None:
        async with lab.connect("leaf1", "admin", client_keys=[str(lab.directory.user_key("drift"))]):
            pytest.fail("drift got in as admin")

    with pytest.raises(asyncssh.PermissionDenied):
        within(10, main())


def test_keys_passwords_and_logs_are_for_their_owner_only(lab: Lab) -> None:
    lab.run("leaf1", "hostname")
    root = lab.directory.root
    files = [path for path in root.rglob("*") if path.is_file()]

    assert lab.directory.user_key("drift") in files
    assert {path.name: oct(stat.S_IMODE(path.stat().st_mode)) for path in files} == {
        path.name: "0o600" for path in files
    }


def test_every_command_is_logged_with_its_user(lab: Lab) -> None:
    lab.run("leaf2", "hostname", "drift")

    assert json.loads(lab.log("leaf2").splitlines()[-1]) == {"user": "drift", "command": "hostname", "exit_status": 0}


def test_the_inventory_reaches_every_device_as_the_restricted_user(lab: Lab) -> None:
    inventory = lab.directory.inventory_file.read_text(encoding="utf-8")

    for device in sonic_switches():
        assert f"{device.name}:\n          ansible_port: {lab.port(device.name)}" in inventory
    assert "ansible_user: drift" in inventory
    assert "fabric_drift_platform: sonic" in inventory


def test_a_person_at_the_prompt_gets_answers_until_exit(lab: Lab) -> None:
    async def main() -> tuple[str, int | None]:
        async with lab.connect("leaf1") as connection:
            result = await connection.run(input="hostname\nexit\n", term_type="xterm")
        return str(result.stdout), result.exit_status

    output, status = within(10, main())

    assert output.count("admin@leaf1:~$ ") == 2
    assert "\nleaf1" in output.replace("\r", "")
    assert status == 0


def test_netmiko_gets_through_the_interactive_shell(lab: Lab) -> None:
    netmiko = pytest.importorskip("netmiko")
    connection = netmiko.ConnectHandler(
        device_type="linux",
        host="127.0.0.1",
        port=lab.port("leaf1"),
        username="admin",
        use_keys=True,
        key_file=str(lab.directory.user_key("admin")),
        ssh_config_file=None,
    )
    try:
        assert "Ethernet0    3,4" in connection.send_command("show pfc priority")
    finally:
        connection.disconnect()


@pytest.mark.parametrize("user", ["admin", "drift"])
def test_netmiko_reads_an_emulated_eos_switch(eos_lab: Lab, user: str) -> None:
    netmiko = pytest.importorskip("netmiko")
    connection = netmiko.ConnectHandler(
        device_type="arista_eos",
        host="127.0.0.1",
        port=eos_lab.port("leaf3"),
        username=user,
        use_keys=True,
        key_file=str(eos_lab.directory.user_key(user)),
        ssh_config_file=None,
    )
    try:
        connection.enable()
        assert connection.find_prompt() == "leaf3#"
        assert json.loads(connection.send_command("show hostname | json"))["hostname"] == "leaf3"
    finally:
        connection.disconnect()


def test_what_a_device_was_told_survives_a_restart_with_the_same_ports_and_host_keys(tmp_path: Path) -> None:
    lab = start_lab(tmp_path / "lab", sonic_switches()[:1])
    ports = lab.directory.read_fabric()[1]
    known_hosts = lab.directory.known_hosts_file.read_text(encoding="utf-8")
    lab.text("spine1", "config interface mtu Ethernet0 4444")
    assert control.stop(lab.directory)

    control.start(lab.directory)
    try:
        assert lab.text("spine1", 'sonic-db-cli CONFIG_DB hget "PORT|Ethernet0" mtu') == "4444\n"
        assert lab.directory.read_fabric()[1] == ports
        assert lab.directory.known_hosts_file.read_text(encoding="utf-8") == known_hosts
    finally:
        control.stop(lab.directory)


def test_down_ends_the_daemon_and_closes_its_ports(tmp_path: Path) -> None:
    lab = start_lab(tmp_path / "lab", sonic_switches()[:1])
    pid = control.daemon_pid(lab.directory)

    assert pid
    assert control.stop(lab.directory)
    assert control.daemon_pid(lab.directory) is None
    assert control.stop(lab.directory) is False
    with pytest.raises(ConnectionRefusedError):
        lab.run("spine1", "hostname")


def test_a_directory_has_one_daemon_only(lab: Lab) -> None:
    with pytest.raises(LabError, match="already serves"):
        control.start(LabDirectory(lab.directory.root))


def test_orders_to_a_lab_that_is_down_say_how_to_start_it(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="fabric-drift lab up"):
        control.order(LabDirectory(tmp_path), {"do": "status"})


def test_pod1_comes_up_in_a_directory_with_a_long_name(tmp_path: Path) -> None:
    lab = start_lab(tmp_path / "a_long_name" / ("x" * 90), fabrics.pod1())
    try:
        answers = [lab.run(device.name, "hostname") for device in fabrics.pod1()]
        assert not [answer for answer in answers if answer.exit_status is None]
    finally:
        control.stop(lab.directory)
