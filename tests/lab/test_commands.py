"""The command line of the lab, as a user types it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.lab
FABRIC = ("--fabric", "leafspine", "--leaves", "1", "--spines", "0", "--ports", "8", "--emulators", "sonic")


class Cli:
    def __init__(self, root: Path) -> None:
        self.root = root

    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "fabric_drift.lab", *words],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            cwd=REPO,
            env={**os.environ, "FABRIC_DRIFT_LAB": str(self.root)},
        )


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cli]:
    run = Cli(tmp_path_factory.mktemp("lab") / "state")
    up = run("up", *FABRIC, "--hosts", "1", "--base-port", "0")
    assert up.returncode == 0, up.stderr
    yield run
    assert run("down").stdout == "stopped\n"


def test_up_prints_the_inventory_and_says_what_it_could_not_start(cli: Cli) -> None:
    again = cli("up", *FABRIC, "--hosts", "1")

    assert again.returncode == 0
    assert again.stdout == f"{cli.root}/inventory.yml\n"
    assert Path(again.stdout.strip()).exists()


def test_up_refuses_another_fabric_in_a_running_lab(cli: Cli) -> None:
    other = cli("up", "--fabric", "leafspine", "--leaves", "2")

    assert other.returncode == 2
    assert "fabric-drift lab down" in other.stderr


def test_status_names_devices_and_ports(cli: Cli) -> None:
    rows = json.loads(cli("status", "--json").stdout)

    assert rows[0]["device"] == "leaf1"
    assert rows[0]["port"] > 0
    assert "leaf1" in cli("status").stdout


def test_exec_passes_output_and_exit_code_on(cli: Cli) -> None:
    good, bad = cli("exec", "leaf1", "hostname"), cli("exec", "leaf1", "cat", "/nowhere")

    assert (good.stdout, good.returncode) == ("leaf1\n", 0)
    assert (bad.stderr, bad.returncode) == ("cat: /nowhere: No such file or directory\n", 1)
    assert cli("exec", "--user", "drift", "leaf1", "config", "save", "-y").returncode == 126


def test_exec_of_an_unknown_device_names_the_known_ones(cli: Cli) -> None:
    answer = cli("exec", "leaf9", "hostname")

    assert answer.returncode == 2
    assert "leaf1" in answer.stderr


def test_drift_lists_and_makes_changes_by_hand(cli: Cli) -> None:
    listing = cli("drift", "leaf1", "--list").stdout
    assert "ports/Ethernet0/mtu_bytes: config interface mtu Ethernet0 1500\n" in listing

    done = cli("drift", "leaf1", "ports/Ethernet0/mtu_bytes")

    assert done.stdout == "leaf1# config interface mtu Ethernet0 1500\n"
    assert cli("exec", "leaf1", "sonic-db-cli", "CONFIG_DB", "hget", "'PORT|Ethernet0'", "mtu").stdout == "1500\n"
    assert cli("drift", "leaf1", "nonsense").returncode == 2


def test_load_boots_devices_with_rendered_files(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "leaf1").mkdir()
    (tmp_path / "leaf1" / "config_db.json").write_text('{"WRED_PROFILE": {"ROCE": {"ecn": "ecn_all"}}}')

    assert cli("load", str(tmp_path)).stdout == "leaf1: config_db.json\n"
    shown = cli("exec", "leaf1", "sonic-cfggen", "-d", "--var-json", "WRED_PROFILE").stdout
    assert json.loads(shown) == {"ROCE": {"ecn": "ecn_all"}}


def test_load_says_what_the_device_refused(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "leaf1").mkdir()
    (tmp_path / "leaf1" / "config_db.json").write_text("{")
    refused = cli("load", str(tmp_path))

    assert refused.returncode == 2
    assert "leaf1: config_db.json" in refused.stderr
    assert cli("load", str(tmp_path / "leaf1")).returncode == 2


def test_fault_is_set_and_cleared(cli: Cli) -> None:
    assert cli("fault", "leaf1", "truncate").stdout == "leaf1: truncate\n"
    assert cli("exec", "leaf1", "hostname").stdout == "lea"
    assert cli("fault", "leaf1", "none").returncode == 0
    assert cli("fault", "leaf1", "laziness").returncode == 2


def test_without_a_lab_every_command_says_how_to_start_one(tmp_path: Path) -> None:
    cli = Cli(tmp_path)

    assert cli("down").stdout == "no lab runs here\n"
    for words in (("status",), ("exec", "leaf1", "hostname"), ("drift", "leaf1", "x"), ("fault", "leaf1", "none")):
        answer = cli(*words)
        assert answer.returncode == 2
        assert "fabric-drift lab up" in answer.stderr
