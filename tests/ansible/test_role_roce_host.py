"""roce_host, entry point install: run twice in a root of its own, in check mode, with the tag firmware, and apart."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
import yaml

from tests.ansible.sandbox import REPO, Sandbox

ROLE = REPO / "roles" / "roce_host"
TREE = REPO / "fabric_drift" / "platforms" / "linux_host" / "files" / "tree"
CONF = REPO / "tests" / "platforms" / "linux_host" / "golden" / "roce-qos_0000-18-00.0.conf"
PLAY = """\
- hosts: localhost
  connection: local
  gather_facts: false
  tasks:
    - ansible.builtin.import_role:
        name: fabric_drift.fabric.roce_host
        tasks_from: install
      vars:
        ansible_python_interpreter: "{{ ansible_playbook_python }}"
"""

pytestmark = pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap: apt-get install bubblewrap")


class Host(Sandbox):
    """The machine that the play is for."""

    def play(self, *words: str, **variables: str) -> tuple[dict[str, int], str]:
        """Counts of the recap, and the output."""
        book = self.root / "root" / "play.yml"
        book.write_text(PLAY)
        (self.root / "root" / "ansible.cfg").write_text(
            f"[defaults]\ncollections_path = {REPO}/playbooks/collections\npipelining = True\n"
        )
        extra = [word for name, value in variables.items() for word in ("-e", f"{name}={value}")]
        done = self.run("ansible-playbook", "-i", "localhost,", "/root/play.yml", *extra, *words)
        recap = re.search(r"^localhost +: (.*)$", done.stdout, re.MULTILINE)
        assert recap, done.stdout + done.stderr
        return {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", recap[1])}, done.stdout + done.stderr

    def rendered(self) -> str:
        """Files as ``fabric-drift render`` leaves them."""
        folder = self.root / "root" / "rendered"
        for name in ("roce-qos", "mlxconfig"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        shutil.copy(CONF, folder / "roce-qos" / "0000:18:00.0.conf")
        (folder / "mlxconfig" / "0000:18:00.0.conf").write_text("CNP_DSCP_P1=48\n")
        return "/root/rendered"

    def small_tree(self) -> str:
        """Two files instead of twenty, that run the package where it lies: a copy takes Ansible a second each."""
        launcher = self.root / "root" / "tree" / "usr" / "sbin" / "roce-qos"
        launcher.parent.mkdir(parents=True, exist_ok=True)
        launcher.write_text((TREE / "usr/sbin/roce-qos").read_text().replace("/usr/lib/", f"{TREE}/usr/lib/"))
        launcher.chmod(0o755)
        # Ansible takes a folder with one file for unchanged when its directories are.
        (launcher.parent / "roce-qos.README").write_text("a second file\n")
        return "/root/tree"

    def files(self) -> dict[str, str]:
        """Everything below the folders that a role may write to."""
        places = [
            self.root / name for name in ("etc", "usr/lib/roce-qos", "usr/lib/systemd/system", "usr/share/roce-qos")
        ]
        found = [path for place in places if place.exists() for path in place.rglob("*") if path.is_file()]
        return {str(path.relative_to(self.root)): path.read_text() for path in found if path.stat().st_size}


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


def test_it_installs_the_package_and_a_second_run_changes_nothing(host: Host) -> None:
    variables = {"roce_host_gate": "slurm", "roce_host_rendered": host.rendered()}
    first, output = host.play(**variables)
    assert first["failed"] == 0, output
    for path in (path for path in (TREE / "usr").rglob("*") if path.is_file() and "__pycache__" not in path.parts):
        installed = host.root / path.relative_to(TREE)
        assert installed.read_text() == path.read_text()
        assert installed.stat().st_mode & 0o777 == path.stat().st_mode & 0o777
    assert (host.root / "etc/roce-qos/0000:18:00.0.conf").read_text() == CONF.read_text()
    assert (host.root / "etc/roce-qos-drain-gate").stat().st_mode & 0o777 == 0o755
    assert (host.root / "var/lib/enabled-units").read_text() == "roce-qos-recover.service\n"
    assert not (host.root / "etc/roce-qos-firmware").exists()
    again, output = host.play(**variables)
    assert (again["failed"], again["changed"]) == (0, 0), output
    assert host.run("/usr/sbin/roce-qos", "--version").stdout == "roce-qos 1.0\n"


def test_check_mode_shows_and_changes_nothing(host: Host) -> None:
    before = host.files()
    variables = {"roce_host_rendered": host.rendered(), "roce_host_apply": "true", "roce_host_tree": host.small_tree()}
    counts, output = host.play("--check", "--diff", **variables)
    assert counts["failed"] == 0, output
    assert counts["changed"] > 0
    assert "+mtu_bytes=9000" in output
    assert host.files() == before


def test_applying_fails_visibly_where_the_nic_is_not_there(host: Host) -> None:
    (host.root / "root" / "gate").write_text("#!/bin/sh\nexit 1\n")
    variables = {"roce_host_rendered": host.rendered(), "roce_host_apply": "true", "roce_host_tree": host.small_tree()}
    counts, output = host.play(roce_host_gate="/root/gate", **variables)
    assert counts["failed"] == 1
    assert "0000:18:00.0: 0 interfaces, not one" in output
    done = host.run("/usr/sbin/roce-qos", "drained")
    assert (done.returncode, "the drain gate refuses (exit status 1)" in done.stderr) == (4, True)


def test_firmware_is_touched_only_by_its_tag(host: Host) -> None:
    counts, output = host.play("--tags", "firmware", roce_host_rendered=host.rendered())
    assert (host.root / "etc/roce-qos-firmware/0000:18:00.0.conf").read_text() == "CNP_DSCP_P1=48\n"
    assert counts["failed"] == 1, output  # nothing was installed with this tag alone
    assert not (host.root / "etc/roce-qos").exists()


def test_it_has_at_most_ten_tasks_and_documents_every_variable() -> None:
    tasks = [task for name in ("main", "install") for task in yaml.safe_load((ROLE / f"tasks/{name}.yml").read_text())]
    assert len(tasks) <= 10
    specs = yaml.safe_load((ROLE / "meta/argument_specs.yml").read_text())["argument_specs"]
    documented = {name for spec in specs.values() for name in spec["options"]}
    assert set(yaml.safe_load((ROLE / "defaults/main.yml").read_text())) <= documented
