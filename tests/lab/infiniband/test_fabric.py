"""The simulated fabric: what is generated, of any size."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from fabric_drift.intent.infiniband.plan_files import read_plan
from fabric_drift.lab.infiniband import simulator
from fabric_drift.lab.infiniband.fabric import Size, rail_fat_tree
from fabric_drift.lab.infiniband.ibpod import large
from fabric_drift.lab.infiniband.netfile import net_file
from fabric_drift.lab.infiniband.simulator import InfinibandLabError, require_packages
from tests.lab.infiniband.subnet import INTENT


def test_the_plan_of_ibpod_is_the_fabric_of_the_lab() -> None:
    assert (INTENT / "fabric.topo").read_text() == net_file(rail_fat_tree(Size()))


def test_rail_r_of_every_host_is_on_the_leaves_of_rail_r() -> None:
    fabric = rail_fat_tree(Size(hosts=70, rails=4))
    for cable in fabric.cables:
        if cable.a.kind == "Ca" and cable.a.name.startswith("gpu"):
            assert cable.b.name.startswith(f"leaf-r{int(cable.a.name[-1]) + 1}-")


def test_every_leaf_has_a_way_to_every_spine() -> None:
    fabric = rail_fat_tree(Size(hosts=70, rails=4, spines=3))
    ways = Counter((cable.a.name, cable.b.name) for cable in fabric.cables if cable.b.name.startswith("spine"))
    assert len(ways) == 4 * 3 * 3
    assert set(ways.values()) == {1}


@pytest.mark.parametrize("hcas", [1, 24, 2048, 10_240])
def test_no_port_has_two_cables_and_no_guid_is_used_twice(hcas: int) -> None:
    fabric = rail_fat_tree(large(hcas))
    ends = Counter(end for cable in fabric.cables for end in ((cable.a, cable.a_port), (cable.b, cable.b_port)))
    assert set(ends.values()) == {1}
    assert all(1 <= port <= node.ports <= 254 for node, port in ends)
    guids = {guid for node in fabric.nodes for guid in (node.guid, node.port_guid)}
    assert len(guids) == sum(2 if node.kind == "Ca" else 1 for node in fabric.nodes)
    assert sum(node.kind == "Ca" for node in fabric.nodes) >= hcas


def test_a_switch_of_more_than_254_ports_is_refused() -> None:
    with pytest.raises(ValueError, match="raise hosts_per_leaf"):
        rail_fat_tree(Size(hosts=1280, rails=8, hosts_per_leaf=32))


def test_what_ibsim_reads_is_what_the_intent_reads(tmp_path: Path) -> None:
    fabric = rail_fat_tree(Size(hosts=40, rails=2))
    (tmp_path / "fabric.topo").write_text(net_file(fabric))
    errors: list[object] = []
    nodes = read_plan(tmp_path / "fabric.topo", errors)  # type: ignore[arg-type]
    assert errors == []
    assert {(node.guid, node.description) for node in nodes.values()} == {
        (f"{node.guid:#018x}", node.name) for node in fabric.nodes
    }
    assert sum(len(node.ports) for node in nodes.values()) == 2 * len(fabric.cables)


def test_a_missing_package_is_told_with_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "opensm" else f"/usr/bin/{name}")
    monkeypatch.setattr(simulator, "PRELOAD", Path(__file__))
    with pytest.raises(InfinibandLabError, match=r"needs opensm: apt-get install opensm ibsim-utils"):
        require_packages()
