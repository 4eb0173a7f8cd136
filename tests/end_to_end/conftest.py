"""The lab's fabric, brought to the intent as if it had booted with it; one for all tests of this folder."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

REPO = Path(__file__).parents[2]
INTENT = REPO / "intent" / "pod1"


@dataclass(frozen=True)
class Pod:
    """A running lab and the ways to use it."""

    directory: Path

    @property
    def inventory(self) -> Path:
        return self.directory / "inventory.yml"

    @property
    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "FABRIC_DRIFT_LAB": str(self.directory),
            "FABRIC_DRIFT_INTENT": str(INTENT),
            "PYTHONPATH": str(REPO),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        }

    def run(self, *arguments: str, cwd: Path = REPO) -> subprocess.CompletedProcess[str]:
        """``fabric-drift ...`` as a user types it."""
        return self.execute([sys.executable, "-m", "fabric_drift", *arguments], cwd)

    def execute(self, command: Sequence[str], cwd: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            list(command), capture_output=True, text=True, env=self.environment, check=False, timeout=240, cwd=cwd
        )

    def check(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run("check", "-i", str(self.inventory), *arguments)

    def do(self, *arguments: str) -> str:
        """Something that must succeed; returns what it said."""
        done = self.run(*arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="session")
def pod(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pod]:
    directory = tmp_path_factory.mktemp("lab")
    pod = Pod(directory / "lab")
    try:
        pod.do("lab", "up", "--base-port", "0")
        pod.do("render", "--output", str(directory / "rendered"))
        pod.do("lab", "load", str(directory / "rendered"))
        yield pod
    finally:
        pod.run("lab", "down")
