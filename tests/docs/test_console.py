"""Every marked command of the documentation does what the page says."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.docs.console import Call, calls, command_folder, run

REPO = Path(__file__).resolve().parents[2]
PAGES = sorted([REPO / "README.md", *REPO.glob("docs/*.md")])
NEEDED = ("intent", "inventories", "playbooks", "roles", "plugins")
"""What a page may use of the checkout; copied, so that a page may change it."""
MARKED = [page for page in PAGES if [*calls(page.read_text())]]


@pytest.mark.lab
@pytest.mark.timeout(600)
@pytest.mark.parametrize("page", MARKED, ids=lambda page: page.stem)
def test_the_commands_of_a_page_work_in_order(page: Path, tmp_path: Path) -> None:
    for name in NEEDED:
        if (REPO / name).exists():
            shutil.copytree(REPO / name, tmp_path / name, symlinks=True)
    path = f"{command_folder(tmp_path / 'bin')}:{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "HOME": str(tmp_path), "FABRIC_DRIFT_LAB": str(tmp_path / ".lab")}
    environment |= {"NO_COLOR": "1", "COLUMNS": "120", "PYTHONPATH": str(REPO)}
    try:
        for call in calls(page.read_text()):
            run(call, tmp_path, environment)
    finally:
        if (tmp_path / ".lab").exists():
            run(Call("fabric-drift lab down", (), 0), tmp_path, environment)


def test_a_block_without_the_mark_is_not_run() -> None:
    assert [*calls("```console\n$ false\n```\n")] == []


def test_commands_outputs_and_the_status_of_the_last_one_are_read() -> None:
    page = "<!-- run: exit 4 -->\n```console\n$ echo a \\\n  b\na b\n$ exit 4\n```\n"
    assert [*calls(page)] == [Call("echo a b", ("a b",), 0), Call("exit 4", (), 4)]


def test_output_that_differs_fails(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="no line 'c'"):
        run(Call("printf 'a\\nb\\n'", ("a", "c"), 0), tmp_path, os.environ)


def test_lines_may_be_left_out_but_not_turned_round(tmp_path: Path) -> None:
    run(Call("printf 'a\\nx\\nb\\n'", ("a", "...", "b"), 0), tmp_path, os.environ)
    with pytest.raises(AssertionError, match="not in this order"):
        run(Call("printf 'a\\nb\\n'", ("b", "a"), 0), tmp_path, os.environ)


def test_another_exit_status_fails(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="exit status 3"):
        run(Call("exit 3", (), 0), tmp_path, os.environ)
