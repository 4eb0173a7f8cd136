"""The files of a host in the emulator's store and in the tree of its sandboxes are the same files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.sandbox.rootfs import MAX_BYTES, RootFs


@pytest.fixture
def rootfs(tmp_path: Path) -> RootFs:
    found = RootFs(tmp_path)
    found.prepare("gpu1")
    return found


def store(**files: str) -> Store:
    found: dict[str, Any] = {"files": {f"/etc/{name}": text for name, text in files.items()}}
    return found


def test_what_the_emulator_wrote_is_in_the_tree_and_what_it_removed_is_not(rootfs: RootFs) -> None:
    now = store(a="1\n", b="2\n")
    rootfs.give(now)
    assert (rootfs.root / "etc/a").read_text() == "1\n"
    del now["files"]["/etc/a"]
    now["files"]["/etc/b"] = "3\n"
    rootfs.give(now)
    assert not (rootfs.root / "etc/a").exists()
    assert (rootfs.root / "etc/b").read_text() == "3\n"


def test_what_a_program_wrote_is_in_the_store_and_what_it_removed_is_not(rootfs: RootFs) -> None:
    now = store(a="1\n", b="2\n")
    rootfs.give(now)
    (rootfs.root / "etc/a").write_text("one\n")
    (rootfs.root / "etc/b").unlink()
    (rootfs.root / "opt/c").write_text("new\n")
    rootfs.take(now)
    assert now["files"] == {"/etc/a": "one\n", "/opt/c": "new\n", "/etc/hostname": "gpu1\n"}


def test_the_mode_that_a_program_gave_a_file_stays_when_the_emulator_writes_to_it(rootfs: RootFs) -> None:
    now = store(a="1\n")
    rootfs.give(now)
    (rootfs.root / "etc/a").chmod(0o600)
    now["files"]["/etc/a"] = "2\n"
    rootfs.give(now)
    assert (rootfs.root / "etc/a").stat().st_mode & 0o777 == 0o600


def test_what_the_emulator_writes_while_a_program_runs_is_not_lost(rootfs: RootFs) -> None:
    now = store(a="1\n", b="1\n", c="1\n")
    rootfs.give(now)
    now["files"] |= {"/etc/a": "2\n", "/etc/c": "2\n"}
    del now["files"]["/etc/b"]
    (rootfs.root / "etc/c").unlink()
    rootfs.take(now)
    rootfs.give(now)
    assert {path.name: path.read_text() for path in (rootfs.root / "etc").iterdir() if path.name in "abc"} == {
        "a": "2\n",
        "c": "2\n",
    }
    assert [now["files"].get(f"/etc/{name}") for name in "abc"] == ["2\n", None, "2\n"]


def test_after_the_lab_was_killed_new_files_are_kept_and_the_store_wins_where_both_differ(rootfs: RootFs) -> None:
    now = store(a="1\n")
    rootfs.give(now)
    (rootfs.root / "etc/a").write_text("half\n")
    (rootfs.root / "etc/new").write_text("new\n")
    started = RootFs(rootfs.folder)
    started.give(now)
    started.take(now)
    assert (now["files"]["/etc/a"], now["files"]["/etc/new"]) == ("1\n", "new\n")


@pytest.mark.parametrize("content", [b"\xff\xfe", b"a\0b", b"x" * (MAX_BYTES + 1)], ids=["binary", "nul", "large"])
def test_what_is_no_text_or_too_large_stays_in_the_tree_alone(rootfs: RootFs, content: bytes) -> None:
    now = store()
    rootfs.give(now)
    (rootfs.root / "etc/x").write_bytes(content)
    rootfs.take(now)
    rootfs.give(now)
    assert "/etc/x" not in now["files"]
    assert (rootfs.root / "etc/x").read_bytes() == content


def test_a_link_out_of_the_tree_is_not_followed(rootfs: RootFs, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("of the machine\n")
    (rootfs.root / "etc/link").symlink_to(tmp_path / "secret")
    now = store()
    rootfs.take(now)
    assert "of the machine\n" not in now["files"].values()


@pytest.mark.parametrize("link", ["etc/roce-qos", "etc/x"])
def test_the_emulator_does_not_write_through_a_link_out_of_the_tree(rootfs: RootFs, tmp_path: Path, link: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (rootfs.root / link).symlink_to(outside if link == "etc/roce-qos" else outside / "made")
    now = store(x="1\n")
    now["files"]["/etc/roce-qos/a.conf"] = "1\n"
    rootfs.give(now)
    assert list(outside.iterdir()) == []


def test_an_empty_folder_below_etc_is_known_to_the_emulator(rootfs: RootFs) -> None:
    (rootfs.root / "etc/roce-qos").mkdir()
    now = store()
    rootfs.take(now)
    assert now["folders"] == ["/etc/roce-qos"]
