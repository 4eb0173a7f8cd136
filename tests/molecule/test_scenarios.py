"""Every role converges on the lab, changes nothing when it runs again, and does what it says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.lab.infiniband.conftest import need_packages

HERE = Path(__file__).parent
REPO = HERE.parents[1]
SCENARIOS = sorted(path.parent.name for path in HERE.glob("*/molecule.yml"))
NEEDS_A_SIMULATOR = frozenset({"ib_subnet_manager"})


def test_every_role_has_a_scenario_that_runs_it_twice() -> None:
    assert sorted(path.name for path in (REPO / "roles").iterdir()) == SCENARIOS
    for name in SCENARIOS:
        sequence = yaml.safe_load((HERE / name / "molecule.yml").read_text())["scenario"]["test_sequence"]
        assert sequence[3:6] == ["converge", "idempotence", "verify"]


@pytest.mark.lab
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", SCENARIOS)
def test_the_scenario_passes(tmp_path: Path, name: str) -> None:
    if name in NEEDS_A_SIMULATOR:
        need_packages()
    folder = Path(sys.executable).parent
    environment = {
        **os.environ,
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "MOLECULE_EPHEMERAL_DIRECTORY": str(tmp_path),
        "NO_COLOR": "1",
    }
    command = [str(folder / "molecule"), "test", "-s", name]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=HERE.parent, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
