"""The account files permit what the collector sends, and nothing else."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from fabric_drift.platform import Command
from fabric_drift.transport.account import account_file
from tests.workflow.toy import Toy

FAMILIES = (
    Command("show version | json"),
    Command("cat /etc/sonic/config_db.json", privileged=True),
    Command(r"sonic-db-dump -n APPL_DB -k PORT_TABLE\:\* -y", privileged=True),
    Command("lldpctl", privileged=True),
    Command("mlxconfig -d X -e q", privileged=True, pattern=r"mlxconfig -d [0-9a-f:.]{12} -e q"),
)
TOY = Toy(command_families=FAMILIES)


def test_the_list_names_every_command_once() -> None:
    assert account_file(TOY, "list", "drift").splitlines() == [
        "/sudo -n mlxconfig -d [0-9a-f:.]{12} -e q/",
        "show version | json",
        "sudo -n cat /etc/sonic/config_db.json",
        "sudo -n lldpctl",
        r"sudo -n sonic-db-dump -n APPL_DB -k PORT_TABLE\:\* -y",
    ]


def test_json_has_exact_commands_and_patterns_as_they_go_over_the_wire() -> None:
    listed = json.loads(account_file(TOY, "json", "drift"))
    assert "sudo -n lldpctl" in listed["exact"]
    (pattern,) = listed["patterns"]
    assert re.fullmatch(pattern, "sudo -n mlxconfig -d 0000:18:00.0 -e q")
    assert not re.fullmatch(pattern, "sudo -n mlxconfig -d 0000:18:00.0 -e q; reboot")


def test_sudoers_has_absolute_paths_and_no_wildcards() -> None:
    lines = account_file(TOY, "sudoers", "reader").splitlines()
    assert lines[2:] == [
        r"reader ALL=(root) NOPASSWD: /usr/bin/cat /etc/sonic/config_db.json",
        r"reader ALL=(root) NOPASSWD: /usr/bin/mlxconfig ^-d [0-9a-f:.]{12} -e q$",
        r"reader ALL=(root) NOPASSWD: /usr/local/bin/sonic-db-dump -n APPL_DB -k PORT_TABLE\:\* -y",
        r'reader ALL=(root) NOPASSWD: /usr/sbin/lldpctl ""',
    ]


def test_sudo_itself_accepts_the_sudoers_file(tmp_path: Path) -> None:
    visudo = shutil.which("visudo") or shutil.which("visudo", path="/usr/sbin")
    if visudo is None:
        pytest.skip("visudo isn't installed (apt-get install sudo)")
    file = tmp_path / "fabric-drift"
    file.write_text(account_file(TOY, "sudoers", "drift"))
    done = subprocess.run([visudo, "-cf", str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_eos_role_permits_each_command_literally_and_denies_the_rest() -> None:
    role = account_file(Toy(command_families=FAMILIES[:1]), "eos-role", "drift").splitlines()
    assert r"   10 permit mode exec command show version \| json" in role
    assert "   20 deny command .*" in role


def test_a_platform_that_needs_no_privilege_says_so() -> None:
    assert "needs no privileged command" in account_file(Toy(command_families=FAMILIES[:1]), "sudoers", "drift")
