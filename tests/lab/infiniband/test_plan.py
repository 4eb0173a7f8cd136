"""What the real ibnetdiscover says of the running subnet is the plan of ibpod: its output can be imported as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric_drift.intent.infiniband.plan_files import read_plan
from tests.lab.infiniband.subnet import INTENT, Subnet

pytestmark = pytest.mark.lab


def test_a_plan_survives_the_fabric_and_the_real_ibnetdiscover(calm: Subnet, tmp_path: Path) -> None:
    answer = calm.node("sm1").run("ibnetdiscover")
    assert answer.exit_status == 0, answer.stderr
    (tmp_path / "found.topo").write_text(answer.stdout)
    errors: list[object] = []
    found = read_plan(tmp_path / "found.topo", errors)  # type: ignore[arg-type]
    planned = read_plan(INTENT / "fabric.topo", [])
    assert errors == []
    assert {guid: (node.kind, node.description) for guid, node in found.items()} == {
        guid: (node.kind, node.description) for guid, node in planned.items()
    }
    for guid, node in planned.items():
        ends = {port.number: (port.guid, port.peer, port.width, port.speed) for port in node.ports.values()}
        assert ends == {
            port.number: (port.guid, port.peer, port.width, port.speed) for port in found[guid].ports.values()
        }
