"""A change made by hand is put right by the playbook, once, and can be taken back: on every platform of the lab."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.conftest import INTENT, REPO, Pod
from tests.end_to_end.test_check import reload

pytestmark = pytest.mark.lab
DRIFTS = {
    "leaf1": "ports/Ethernet0/qos/pfc/watchdog",
    "leaf3": "extra/pfc_priority",
    "gpu5": "ports/0000:18:00.0/qos/pfc/priorities",
}
ALLOWED = "unknown,port_flap"
"""What these repairs cost; the host's gate says that it is drained."""


@pytest.fixture
def drifted(pod: Pod, tmp_path: Path) -> Iterator[Pod]:
    pod.do("lab", "exec", "gpu5", "lab gate drained")
    for device, name in DRIFTS.items():
        pod.do("lab", "drift", device, name)
    yield pod
    for device in DRIFTS:
        reload(pod, device, tmp_path)


def play(pod: Pod, folder: Path, playbook: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    told = {"intent": str(INTENT), "run_log": str(folder / "runs"), "look_every": 1}
    command = ["ansible-playbook", "-i", str(pod.inventory), str(REPO / "playbooks" / f"{playbook}.yml")]
    return pod.execute([*command, "-e", json.dumps(told), "--limit", ",".join(DRIFTS), *arguments], folder)


def changed(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert done.returncode == 0, done.stdout + done.stderr
    recap = done.stdout.split("PLAY RECAP")[1]
    return sorted(line.split()[0] for line in recap.splitlines() if "changed=" in line and "changed=0" not in line)


def stores(pod: Pod) -> dict[str, str]:
    """Hash of everything that the lab keeps of a device, but for what it logs of those who look."""
    files = [path for device in DRIFTS for path in (pod.directory / device).rglob("*") if path.suffix != ".log"]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files if path.is_file()}


def drift(pod: Pod, report: Path) -> set[str]:
    pod.check(*DRIFTS, "-o", f"json:{report}")
    return {f["device"] for f in json.loads(report.read_text())["findings"] if f["verdict"] == "drift"}


@pytest.mark.timeout(900)
def test_what_was_changed_by_hand_is_put_right_once_and_can_be_taken_back(drifted: Pod, tmp_path: Path) -> None:
    before = stores(drifted)
    preview = play(drifted, tmp_path, "roce_lossless", "-e", f"allow={ALLOWED}", "--check", "--diff")
    assert changed(preview) == sorted(DRIFTS)
    assert "-qos profile ROCE / priority-flow-control priority 5 no-drop" in preview.stdout
    assert stores(drifted) == before, "check mode changed a device"

    assert changed(play(drifted, tmp_path, "roce_lossless", "-e", f"allow={ALLOWED}")) == sorted(DRIFTS)
    assert drift(drifted, tmp_path / "repaired.json") == set()
    assert changed(play(drifted, tmp_path, "roce_lossless")) == []

    back = play(drifted, tmp_path, "rollback", "-e", f"allow={ALLOWED}", "-e", "since=2")
    assert changed(back) == sorted(DRIFTS)
    assert drift(drifted, tmp_path / "back.json") == set(DRIFTS)


def test_without_consent_nothing_is_begun(drifted: Pod, tmp_path: Path) -> None:
    before = stores(drifted)
    done = play(drifted, tmp_path, "roce_lossless")
    assert done.returncode == 2
    assert "Allow it by name: allow=unknown" in done.stdout
    assert stores(drifted) == before
    assert not (tmp_path / "runs").exists()
