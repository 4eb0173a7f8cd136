"""`fabric-drift review` as it is typed: output, files, exit codes, and errors that say what to do."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]
GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@example.invalid", "-c", "commit.gpgsign=false")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """pod1, and a commit on top that raises the MTU of the switches."""
    shutil.copytree(REPO / "intent", tmp_path / "intent")
    commit(tmp_path, "init", "-q")
    for mtu in ("mtu: 9100", "mtu: 9216"):
        file = tmp_path / "intent/pod1/fabric.yml"
        file.write_text(file.read_text().replace("mtu: 9100", mtu))
        commit(tmp_path, "add", "-A")
        commit(tmp_path, "commit", "-q", "-m", mtu)
    return tmp_path


def commit(folder: Path, *words: str) -> None:
    subprocess.run([*GIT, *words], cwd=folder, check=True, capture_output=True)


def review(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "fabric_drift", "review", *words],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(REPO)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_change_is_reviewed_and_that_alone_is_no_failure(checkout: Path) -> None:
    done = review(checkout, "--base", "HEAD~1", "--head", "HEAD", "--intent", "intent/pod1")
    assert (done.returncode, done.stderr) == (0, "")
    assert "mtu_bytes: 9100 -> 9216 on" in done.stdout


def test_files_are_whole_and_only_for_their_owner(checkout: Path) -> None:
    done = review(checkout, "--base", "HEAD~1", "--intent", "intent/pod1", "-o", "json:r.json", "-o", "md:r.md")
    assert (done.returncode, done.stdout) == (0, "")
    assert json.loads((checkout / "r.json").read_text())["changed_devices"] == 6
    assert [(checkout / name).stat().st_mode & 0o777 for name in ("r.json", "r.md")] == [0o600, 0o600]


def test_a_review_writes_nothing_to_the_checkout(checkout: Path) -> None:
    review(checkout, "--base", "HEAD~1", "--intent", "intent/pod1")
    status = subprocess.run(["git", "status", "--porcelain"], cwd=checkout, check=True, capture_output=True, text=True)
    assert status.stdout == ""
    assert (
        subprocess.run(["git", "worktree", "list"], cwd=checkout, check=True, capture_output=True).stdout.count(b"\n")
        == 1
    )


@pytest.mark.parametrize(("limit", "status"), [("reload", 4), ("unknown", 0)])
def test_what_disturbs_more_than_allowed_or_has_no_evidence_exits_4(checkout: Path, limit: str, status: int) -> None:
    done = review(checkout, "--base", "HEAD~1", "--intent", "intent/pod1", "--allow", limit)
    assert done.returncode == status


def test_no_change_exits_0_whatever_is_allowed(checkout: Path) -> None:
    done = review(checkout, "--base", "HEAD", "--intent", "intent/pod1", "--allow", "none")
    assert (done.returncode, done.stdout.splitlines()[1]) == (0, "No device changes.")


def test_a_fault_names_revision_file_and_line_as_the_checkout_does(checkout: Path) -> None:
    file = checkout / "intent/pod1/fabric.yml"
    file.write_text(file.read_text().replace("    dscp: 26\n", "    dscp: 99\n"))
    done = review(checkout, "--base", "HEAD", "--intent", "intent/pod1")
    assert done.returncode == 2
    assert done.stderr.startswith("working tree: intent/pod1/fabric.yml:10: classes.rdma.dscp: ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--base", "nowhere", "--intent", "intent/pod1"), "FD-REV-002"),
        (("--base", "HEAD", "--intent", "no/such"), "FD-REV-004"),
        (("--base", "HEAD", "--intent", "../elsewhere"), "FD-REV-004"),
        (("--base", "HEAD", "--intent", "intent/pod1", "-o", "pdf"), "FD-CLI-002"),
    ],
)
def test_a_usage_error_exits_2_with_its_code(checkout: Path, words: tuple[str, ...], code: str) -> None:
    done = review(checkout, *words)
    assert done.returncode == 2
    assert f"[{code}]" in done.stderr


def test_an_intent_that_is_new_has_new_devices_only(checkout: Path) -> None:
    shutil.copytree(checkout / "intent/pod1", checkout / "intent/pod2")
    done = review(checkout, "--base", "HEAD", "--intent", "intent/pod2", "-o", "json")
    assert {shape["kind"] for shape in json.loads(done.stdout)["shapes"]} == {"added"}


def test_a_symbolic_link_in_the_working_tree_is_refused(checkout: Path) -> None:
    (checkout / "intent/pod1/more.yml").symlink_to("/etc/hostname")
    done = review(checkout, "--base", "HEAD", "--intent", "intent/pod1")
    assert done.returncode == 2
    assert done.stderr.startswith("intent/pod1/more.yml: is a symbolic link")
