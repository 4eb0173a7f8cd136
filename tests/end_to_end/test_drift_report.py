"""The playbook, from any directory, with nothing but its path."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.end_to_end.conftest import INTENT, REPO, Pod
from tests.end_to_end.test_check import reload

pytestmark = pytest.mark.lab


def play(pod: Pod, cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    playbook = str(REPO / "playbooks" / "drift_report.yml")
    command = ["ansible-playbook", "-i", str(pod.inventory), playbook, "-e", f"drift_report_intent={INTENT}"]
    return pod.execute([*command, *arguments], cwd)


def test_a_fabric_in_sync_passes_and_changes_nothing(pod: Pod, tmp_path: Path) -> None:
    done = play(pod, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "checked 14 of 14" in done.stdout
    assert "changed=0" in done.stdout
    assert "changed=1" not in done.stdout


def test_only_the_drifted_device_fails_and_the_report_is_written(pod: Pod, tmp_path: Path) -> None:
    pod.do("lab", "drift", "leaf3", "extra/pfc_priority")
    try:
        report = json.dumps({"drift_report_output": [f"json:{tmp_path / 'report.json'}"]})
        done = play(pod, tmp_path, "-e", report)
    finally:
        reload(pod, "leaf3", tmp_path)
    failed = [line.split()[0] for line in done.stdout.splitlines() if "failed=1" in line]
    assert (done.returncode, failed) == (2, ["leaf3"])
    assert "facts are not as intended" in done.stdout
    drifted = {
        f["device"] for f in json.loads((tmp_path / "report.json").read_text())["findings"] if f["verdict"] == "drift"
    }
    assert drifted == {"leaf3"}


def test_a_limit_checks_only_those_hosts(pod: Pod, tmp_path: Path) -> None:
    done = play(pod, tmp_path, "--limit", "eos")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "checked 3 of 3" in done.stdout


def test_check_mode_makes_no_difference(pod: Pod, tmp_path: Path) -> None:
    assert "checked 3 of 3" in play(pod, tmp_path, "--limit", "eos", "--check").stdout


def test_a_missing_intent_fails_with_our_words(pod: Pod, tmp_path: Path) -> None:
    done = play(pod, tmp_path, "-e", "drift_report_intent=/nowhere")
    assert done.returncode != 0
    assert "Traceback" not in done.stdout + done.stderr
    assert "/nowhere" in done.stdout
