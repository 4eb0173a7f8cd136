"""Reading a revision out of a real Git repository."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from fabric_drift.errors import IntentError
from fabric_drift.review.checkout import commit_of, files_at, top_of

WHO = ("-c", "user.name=a", "-c", "user.email=a@example.invalid", "-c", "commit.gpgsign=false")


def run(repo: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(repo), *WHO, *arguments], check=True, capture_output=True)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    (folder / "intent/pod1").mkdir(parents=True)
    (folder / "intent/pod1/fabric.yml").write_bytes(b"a: 1\r\n\xff")
    (folder / "secret.txt").write_text("not the intent")
    (folder / ".gitattributes").write_text("*.yml text eol=lf export-ignore\n")
    run(folder, "init", "-q", "-b", "main")
    run(folder, "add", "-A")
    run(folder, "commit", "-q", "-m", "first")
    return folder


def test_a_file_comes_out_as_git_stores_it_whatever_the_attributes_say(repo: Path) -> None:
    stored = subprocess.run(
        ["git", "-C", str(repo), "show", "HEAD:intent/pod1/fabric.yml"], check=True, capture_output=True
    ).stdout
    with files_at(repo, commit_of(repo, "HEAD"), Path("intent/pod1")) as root:
        assert (root / "intent/pod1/fabric.yml").read_bytes() == stored
        assert not (root / "secret.txt").exists()
    assert not root.exists()


def test_an_earlier_revision_is_read_while_the_working_tree_stays_as_it_is(repo: Path) -> None:
    (repo / "intent/pod1/fabric.yml").write_text("a: 2\n")
    run(repo, "commit", "-q", "-am", "second")
    (repo / "intent/pod1/fabric.yml").write_text("not committed\n")
    with files_at(repo, commit_of(repo, "HEAD~1"), Path("intent/pod1")) as root:
        assert (root / "intent/pod1/fabric.yml").read_bytes().startswith(b"a: 1")
    assert (repo / "intent/pod1/fabric.yml").read_text() == "not committed\n"


def test_a_revision_without_the_folder_gives_none(repo: Path) -> None:
    with files_at(repo, commit_of(repo, "HEAD"), Path("intent/pod9")) as root:
        assert not (root / "intent/pod9").exists()


def test_a_symbolic_link_is_refused(repo: Path) -> None:
    (repo / "intent/pod1/hosts.yml").symlink_to("/etc/passwd")
    run(repo, "add", "-A")
    run(repo, "commit", "-q", "-m", "link")
    with (
        pytest.raises(IntentError, match=r"intent/pod1/hosts.yml: is a symbolic link.*FD-REV-003"),
        files_at(repo, commit_of(repo, "HEAD"), Path("intent/pod1")),
    ):
        pass


@pytest.mark.parametrize("revision", ["nowhere", "--all", "HEAD:secret.txt", ""])
def test_what_isnt_a_revision_is_told(repo: Path, revision: str) -> None:
    with pytest.raises(IntentError, match=r"is not a revision of this checkout.*FD-REV-002"):
        commit_of(repo, revision)


def test_a_folder_outside_of_git_is_told(tmp_path: Path) -> None:
    with pytest.raises(IntentError, match=r"git rev-parse failed.*FD-REV-001"):
        top_of(tmp_path)
