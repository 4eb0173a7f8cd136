"""The playbook of SM nodes, on a real OpenSM: it brings a stock subnet to the intent, and then finds nothing to do."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fabric_drift.lab.infiniband.simulator import InfinibandLabError, require_packages

pytestmark = pytest.mark.lab

REPO = Path(__file__).parents[2]
INTENT = REPO / "intent" / "ibpod"


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "FABRIC_DRIFT_LAB": str(folder), "PYTHONPATH": str(REPO), "ANSIBLE_NOCOLOR": "1"}
    return subprocess.run(command, cwd=REPO, env=environment, capture_output=True, text=True, check=False, timeout=280)


def fabric_drift(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run(folder, sys.executable, "-m", "fabric_drift", *words)


def play(folder: Path, *words: str) -> str:
    ansible = Path(sys.executable).with_name("ansible-playbook")
    variables = {
        "intent": INTENT, "allow": "restart", "run_log": folder / "runs",
        "fabric_drift_change_user": "admin", "fabric_drift_change_key_file": folder / "keys" / "admin",
    }  # fmt: skip
    extra = [word for name, value in variables.items() for word in ("-e", f"{name}={value}")]
    inventory = folder / "inventory.yml"
    done = run(folder, str(ansible), "-i", str(inventory), str(REPO / "playbooks/infiniband.yml"), *extra, *words)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    return done.stdout


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Path]:
    try:
        require_packages()
    except InfinibandLabError as error:
        pytest.skip(str(error))
    started = fabric_drift(tmp_path, "lab", "up", "--fabric", "ibpod", "--base-port", "0")
    assert started.returncode == 0, started.stderr
    yield tmp_path
    fabric_drift(tmp_path, "lab", "down")


def changed(told: str) -> dict[str, int]:
    return {name: int(count) for name, count in re.findall(r"^(sm[0-9]) .*? changed=([0-9]+)", told, re.MULTILINE)}


def test_a_stock_subnet_becomes_the_intent_standbys_first_and_then_nothing_changes(lab: Path) -> None:
    previewed = play(lab, "--check", "--diff")
    assert "0x0c42a10300000001: gains 0x0010 at another index" in previewed
    first = play(lab)
    assert changed(first) == {"sm1": 1, "sm2": 1}
    assert first.index("included: fabric_drift.fabric.ib_subnet_manager for sm2") < first.index(
        "included: fabric_drift.fabric.ib_subnet_manager for sm1"
    )
    assert changed(play(lab)) == {"sm1": 0, "sm2": 0}
    checked = fabric_drift(lab, "check", "--intent", str(INTENT), "-i", str(lab / "inventory.yml"))
    assert checked.returncode == 0, checked.stdout[-2000:]
