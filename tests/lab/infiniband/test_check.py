"""``fabric-drift check`` of the lab's SM nodes over SSH: what it can't see, it never calls in sync."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fabric_drift.lab.infiniband import drift
from fabric_drift.lab.infiniband.ibpod import FOLDER
from fabric_drift.lab.infiniband.lab import opened
from tests.lab.infiniband.conftest import need_packages

pytestmark = pytest.mark.lab

REPO = Path(__file__).parents[3]
IN_SYNC, INCOMPLETE, DRIFT = 0, 3, 4


class Lab:
    """ibpod as a person starts it, with its intent on the SM nodes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ, "FABRIC_DRIFT_LAB": str(self.folder), "PYTHONPATH": str(REPO),
            "FABRIC_DRIFT_INTENT": str(REPO / "intent" / "ibpod"),
            "FABRIC_DRIFT_INVENTORY": str(self.folder / "inventory.yml"),
        }  # fmt: skip
        command = (sys.executable, "-m", "fabric_drift", *words)
        return subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)

    def check(self) -> tuple[int, dict[str, Any], set[tuple[str, str]]]:
        """Exit code, device -> its part of the report, and (rule, verdict) of all findings."""
        done = self.run("check", "-o", "json")
        report = json.loads(done.stdout)
        devices = {device["name"]: device for device in report["devices"]}
        return done.returncode, devices, {(item["rule"], item["verdict"]) for item in report["findings"]}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    need_packages()
    found = Lab(tmp_path_factory.mktemp("ibpod"))
    try:
        for words in (
            ("lab", "up", "--fabric", "ibpod", "--base-port", "0"), ("render", "--output", "rendered"),
            ("lab", "load", "rendered"),
        ):  # fmt: skip
            done = found.run(*words)
            assert done.returncode == 0, done.stderr
        yield found
    finally:
        found.run("lab", "down")


@pytest.fixture
def faulty(lab: Lab, request: pytest.FixtureRequest) -> Iterator[Lab]:
    """The lab while sm1 has the fault that the test names."""
    lab.run("lab", "fault", "sm1", request.param)
    yield lab
    lab.run("lab", "fault", "sm1", "none")


def test_the_lab_as_rendered_is_in_sync(lab: Lab) -> None:
    code, devices, _ = lab.check()
    assert (code, devices["sm1"]["status"], devices["sm2"]["status"]) == (IN_SYNC, "checked", "checked")


@pytest.mark.parametrize("faulty", ["refuse", "sudo-refused:ib_reader"], indirect=True)
def test_a_node_that_cannot_be_read_is_never_in_sync(faulty: Lab) -> None:
    code, devices, _ = faulty.check()
    assert code in {INCOMPLETE, DRIFT}
    assert (devices["sm1"]["status"] != "checked") or devices["sm1"]["facts"]["unobserved"] > 0
    assert devices["sm2"]["status"] == "checked"


def test_a_write_behind_the_managers_back_is_drift_with_its_cause_beside_it(lab: Lab) -> None:
    subnet = opened(lab.folder / FOLDER)
    undo = drift.inject(subnet, drift.pkey(subnet, "gpu001 mlx5_0", 20, 0x8666))
    code, _, found = lab.check()
    drift.inject(subnet, undo)
    assert code == DRIFT
    assert {("FD-IB-003", "drift"), ("FD-IB-106", "information")} <= found
