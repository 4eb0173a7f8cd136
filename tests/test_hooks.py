"""The Git hooks are the checks of `make check`, and pre-commit can run them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

REPO = Path(__file__).parents[1]
HOOKS: list[dict[str, Any]] = yaml.safe_load((REPO / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
FORMAT_INSTEAD_OF_LOOKING = {"ruff format --check .": "ruff format --force-exclude"}
FILES_BY_NAME = {"ruff check .": "ruff check --force-exclude"}
"""Where a hook differs from `make check`."""


def test_every_check_is_a_hook() -> None:
    target = (REPO / "Makefile").read_text().partition("\ncheck: ")[2].partition("\n\n")[0]
    checks = [line.strip() for line in target.splitlines()[1:]]
    differing = FORMAT_INSTEAD_OF_LOOKING | FILES_BY_NAME
    entries = {hook["entry"] for hook in HOOKS}
    assert entries == {f".ci/tool {differing.get(check, check)}" for check in checks}
    assert {hook["language"] for hook in HOOKS} == {"system"}, "a hook that is downloaded has another version"


@pytest.mark.parametrize("hook", ["ruff-check", "lint-imports"])
def test_a_hook_passes_for_all_files(hook: str) -> None:
    """The others change files or take long: `make check` runs what they run."""
    tools = Path(sys.executable).parent
    environment = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}"}
    command: list[str | Path] = [tools / "pre-commit", "run", hook, "--all-files"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=REPO, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
