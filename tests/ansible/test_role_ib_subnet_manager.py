"""ib_subnet_manager, entry point install: run in a root of its own.

Not on the SM nodes of the lab: they share the machine's root, so accounts and sudo rules would be the machine's own.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from fabric_drift.platforms.opensm import PLATFORM
from fabric_drift.platforms.opensm.commands import FOLDER, PROGRAMS
from fabric_drift.registry import platform
from fabric_drift.transport.account import as_sudoers
from tests.ansible.sandbox import REPO, Sandbox

ROLE = REPO / "roles" / "ib_subnet_manager"
PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGZhYnJpY19kcmlmdF90ZXN0X2tleV8wMDAwMDAw checker"
PLAY = """\
- hosts: localhost
  connection: local
  gather_facts: false
  tasks:
    - ansible.builtin.import_role:
        name: fabric_drift.fabric.ib_subnet_manager
        tasks_from: install
      vars:
        ansible_python_interpreter: "{{ ansible_playbook_python }}"
        ansible_become: false
"""

pytestmark = pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap: apt-get install bubblewrap")


class Node(Sandbox):
    """The SM node that the play is for. Its accounts are its own."""

    def __init__(self, folder: Path) -> None:
        for name in ("etc/sudoers.d", "usr/local/libexec", "home"):
            (folder / "root" / name).mkdir(parents=True)
        etc = folder / "root" / "etc"
        (etc / "passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
        (etc / "group").write_text("root:x:0:\n")
        (etc / "shadow").write_text("root:*:19000:0:99999:7:::\n")
        (etc / "gshadow").write_text("root:*::\n")
        for own in (
            ".pwd.lock",
            "subuid",
            "subgid",
            *(f"{name}-" for name in ("passwd", "group", "shadow", "gshadow")),
        ):
            (etc / own).touch()
        super().__init__(folder)

    def play(self, *words: str, **variables: str) -> tuple[dict[str, int], str]:
        """Counts of the recap, and the output."""
        (self.root / "root" / "play.yml").write_text(PLAY)
        (self.root / "root" / "ansible.cfg").write_text(
            f"[defaults]\ncollections_path = {REPO}/playbooks/collections\npipelining = True\n"
        )
        (self.root / "root" / "variables.yml").write_text(yaml.safe_dump(variables))
        done = self.run("ansible-playbook", "-i", "localhost,", "/root/play.yml", "-e", "@/root/variables.yml", *words)
        recap = re.search(r"^localhost +: (.*)$", done.stdout, re.MULTILINE)
        assert recap, done.stdout + done.stderr
        return {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", recap[1])}, done.stdout + done.stderr

    def text(self, path: str) -> str:
        return (self.root / path).read_text()

    def asked(self, command: str) -> subprocess.CompletedProcess[str]:
        """What the account's key gets for a command, with a sudo that tells what it was asked."""
        environment = {"PATH": f"{self.root}/root/bin:/usr/bin:/bin", "SSH_ORIGINAL_COMMAND": command}
        argv = [sys.executable, str(self.root / FOLDER[1:] / "ib_gate.py")]
        return subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Node:
    found = Node(tmp_path_factory.mktemp("node"))
    counts, output = found.play(ib_subnet_manager_reader_key=PUBLIC_KEY, ib_subnet_manager_keys={"sm_key": "0x5ec2e7"})  # type: ignore[arg-type]
    assert counts["failed"] == 0, output
    assert "5ec2e7" not in output
    sudo = found.root / "root" / "bin" / "sudo"
    sudo.parent.mkdir()
    sudo.write_text('#!/bin/sh\necho "sudo got: $*"\n')
    sudo.chmod(0o755)
    return found


def test_it_installs_the_programs_that_the_platform_calls(node: Node) -> None:
    folder = node.root / FOLDER[1:]
    source = REPO / "fabric_drift/platforms/opensm"
    assert sorted(path.name for path in folder.iterdir()) == sorted(PROGRAMS)
    assert all((folder / name).read_text() == (source / name).read_text() for name in PROGRAMS)
    assert all((folder / name).stat().st_mode & 0o777 == 0o755 for name in PROGRAMS)


def test_keys_of_the_vault_are_for_root_alone(node: Node) -> None:
    keys = node.root / "var/lib/fabric_drift/keys.conf"
    assert keys.read_text() == "sm_key 0x5ec2e7\n"
    assert keys.stat().st_mode & 0o777 == 0o600
    assert keys.parent.stat().st_mode & 0o777 == 0o700


def test_the_account_has_one_key_with_a_forced_command_that_it_can_not_change(node: Node) -> None:
    assert re.search(r"^drift:x:[0-9]+:[0-9]+:.*:/home/drift:/bin/sh$", node.text("etc/passwd"), re.MULTILINE)
    file = node.root / "home/drift/.ssh/authorized_keys"
    assert file.read_text() == f'restrict,command="/usr/bin/python3 {FOLDER}/ib_gate.py" {PUBLIC_KEY}\n'
    assert (file.stat().st_uid, file.stat().st_mode & 0o022) == (0, 0)
    assert (file.parent.stat().st_uid, file.parent.stat().st_mode & 0o022) == (0, 0)


def test_sudo_permits_what_the_platform_asks_for(node: Node) -> None:
    rules = node.root / "etc/sudoers.d/fabric-drift"
    assert rules.read_text() == as_sudoers(platform("opensm"), "drift")
    assert rules.stat().st_mode & 0o777 == 0o440
    assert "/usr/bin/python3 /usr/local/libexec/fabric_drift/ib_reader.py\n" in rules.read_text()


def test_the_forced_command_runs_every_command_of_the_platform(node: Node) -> None:
    for command in PLATFORM.command_families:
        assert node.asked(command.wire).stdout == f"sudo got: {command.wire.removeprefix('sudo ')}\n"


@pytest.mark.parametrize(
    "command",
    [
        "",
        "sh",
        f"sudo -n python3 {FOLDER}/ib_change.py begin x",
        f"sudo -n python3 {FOLDER}/ib_reader.py --rate 1000000",
        f"sudo -n python3 {FOLDER}/ib_status.py; reboot",
        f"sudo -n python3 {FOLDER}/ib_status.py\nreboot",
        f" sudo -n python3 {FOLDER}/ib_status.py",
    ],
)
def test_the_forced_command_refuses_everything_else(node: Node, command: str) -> None:
    done = node.asked(command)
    assert (done.returncode, done.stdout) == (126, "")
    assert "may run nothing but" in done.stderr


def test_a_second_run_changes_nothing(node: Node) -> None:
    counts, output = node.play(ib_subnet_manager_reader_key=PUBLIC_KEY, ib_subnet_manager_keys={"sm_key": "0x5ec2e7"})  # type: ignore[arg-type]
    assert (counts["failed"], counts["changed"]) == (0, 0), output


def test_without_a_key_no_account_is_made() -> None:
    tasks = yaml.safe_load((ROLE / "tasks/install.yml").read_text())
    always = [task["name"] for task in tasks if "ib_subnet_manager_reader_key" not in str(task.get("when"))]
    assert len(always) == 3
    assert not [name for name in always if "account" in name or "sudo" in name or "its key" in name]


def test_it_has_at_most_ten_tasks_and_documents_every_variable() -> None:
    tasks = [task for name in ("main", "install") for task in yaml.safe_load((ROLE / f"tasks/{name}.yml").read_text())]
    assert len(tasks) <= 10
    specs = yaml.safe_load((ROLE / "meta/argument_specs.yml").read_text())["argument_specs"]
    documented = {name for spec in specs.values() for name in spec["options"]}
    assert set(yaml.safe_load((ROLE / "defaults/main.yml").read_text())) <= documented
