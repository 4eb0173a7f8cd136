"""What `make demo` promises: the playbook changes all devices once; three changes by hand are found and repaired."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.docs.console import command_folder

REPO = Path(__file__).resolve().parents[2]


@pytest.mark.lab
@pytest.mark.timeout(900)
def test_the_demo_finds_and_repairs_its_three_changes_and_stops_its_fabric(tmp_path: Path) -> None:
    environment = os.environ | {
        "PATH": f"{command_folder(tmp_path / 'bin')}:{os.environ['PATH']}",
        "PYTHONPATH": str(REPO),
        "NO_COLOR": "1",
    }
    done = subprocess.run(
        [REPO / "docs/demo.sh"], env=environment, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    in_sync, after = done.stdout.split("# Three changes by hand, at night")
    assert "drift: 0; " in in_sync
    assert "checked 14 of 14" in in_sync
    findings, _ = after.split("# The same for a ticket")
    assert [line.split()[1] for line in findings.splitlines() if line.startswith(("~ ", "+ ", "- ", "? "))] == [
        "ports/*/qos/pfc/priorities",
        "ports/*/qos/pfc/priorities",
        "ports/*/qos/pfc/watchdog",
    ]
    for place in ("gpu5: 0000:18:00.0", "leaf3: Ethernet[1-24]/1", "leaf1: Ethernet0"):
        assert f"    {place}" in findings.splitlines()
    assert "14 changed: " not in in_sync.split("# Again")[1]
    assert "14 unchanged: " in in_sync.split("# Again")[1]
    repaired = after.split("# The playbook puts them right")[1]
    assert '3 changed: gpu5, leaf1, leaf3"' in repaired
    assert "drift: 0; " in repaired
    assert done.stdout.rstrip().endswith("stopped")
