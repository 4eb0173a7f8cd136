"""Strange and silent nodes on the real OpenSM: each is told as itself, and hides nobody else."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from fabric_drift.expect.infiniband import expect
from fabric_drift.finding import Finding
from fabric_drift.lab.infiniband import drift
from fabric_drift.rules import infiniband as rules
from fabric_drift.rules.infiniband import SmNodeView
from tests.lab.infiniband.subnet import Subnet, hardware

pytestmark = pytest.mark.lab

ROGUE_HCA = "gpu001 mlx5_0"
ROGUE = "0x0c42a10300000001"  # a lower GUID than that of sm1: at equal priority it wins
SM1 = "0x0c42a10300000181"


@pytest.fixture
def up(own_subnet: Subnet) -> Subnet:
    own_subnet.lab.up()
    return own_subnet


@pytest.fixture
def silenced(subnet: Subnet) -> Iterator[Subnet]:
    """The shared lab, in which ``gpu001 mlx5_1`` answers nobody."""
    drift.silence(subnet.lab, "gpu001 mlx5_1")
    yield subnet
    drift.silence(subnet.lab, "gpu001 mlx5_1", 0)


def causes(subnet: Subnet, rule: str, node: str = "sm1") -> list[Finding]:
    found = rules.check({node: SmNodeView(expect(subnet.fabric, node), subnet.read(node).states)})
    return [finding for finding in found if finding.rule == rule]


def of(subnet: Subnet, beginning: str, node: str = "sm1") -> set[str]:
    return {path for _, path in subnet.drifted(node) if path.startswith(beginning)}


def test_a_strange_manager_that_stands_by_is_told_before_it_takes_over(up: Subnet) -> None:
    drift.rogue_manager(up.lab, ROGUE_HCA, priority=3)
    assert up.drifted() == hardware(f"managers/{ROGUE}")
    assert causes(up, "FD-IB-104") == []


def test_a_strange_master_is_told_by_every_node_and_does_not_blind_them(own_subnet: Subnet) -> None:
    up = own_subnet
    up.lab.up(start_sms=False)
    drift.rogue_manager(up.lab, ROGUE_HCA, priority=15).wait_for("SUBNET UP")
    for node in up.lab.sm_nodes.values():
        node.systemctl("start")
        node.wait_for("Entering STANDBY")
    time.sleep(0.5)
    assert of(up, "manager/") == {"manager/state", "manager/master"}
    assert {f"subnet/managers/{ROGUE}", f"subnet/managers/{SM1}/state"} <= of(up, "subnet/managers")
    (cause,) = causes(up, "FD-IB-104")
    assert f"the master is {ROGUE}, which the intent doesn't know; {SM1} is standby" in cause.message
    assert of(up, "manager/", "sm2") == {"manager/master"}
    key = up.key("gpu002 mlx5_0")
    assert {f"subnet/ports/{key}/manager", f"subnet/ports/{key}/pkeys/0x0010"} <= of(up, f"subnet/ports/{key}")


def test_a_manager_that_ignores_the_other_makes_two_masters(up: Subnet) -> None:
    drift.rogue_manager(up.lab, ROGUE_HCA, priority=3, ignore_others=True)
    time.sleep(0.5)
    (cause,) = causes(up, "FD-IB-104")
    assert f"2 masters in one subnet: {ROGUE}, {SM1}" in cause.message
    assert f"subnet/managers/{ROGUE}" in of(up, "subnet/managers")
    assert f"subnet/ports/{up.key('gpu002 mlx5_0')}/pkeys/0x0010" in of(up, "subnet/ports")


def test_an_hca_that_does_not_answer_is_unobserved_at_both_ends_and_nothing_else_is(silenced: Subnet) -> None:
    assert silenced.drifted() == set()
    assert silenced.unobserved() == hardware(
        f"ports/{silenced.key('gpu001 mlx5_1')}", f"ports/{silenced.key('leaf-r2-1', 1)}"
    )


def test_a_pulled_cable_stays_drift_beside_an_hca_that_does_not_answer(up: Subnet) -> None:
    drift.silence(up.lab, "gpu001 mlx5_1")
    drift.unlink(up.lab, drift.cable_of(up.lab, ROGUE_HCA))
    assert up.drifted() == hardware(f"ports/{up.key(ROGUE_HCA)}", f"ports/{up.key('leaf-r1-1', 1)}")


def test_a_leaf_that_does_not_answer_leaves_its_hosts_unobserved(up: Subnet) -> None:
    drift.silence(up.lab, "leaf-r3-1")
    unobserved = up.unobserved()
    hosts = [up.key(f"gpu{number:03} mlx5_2") for number in range(1, 7)]
    assert hardware(*(f"ports/{key}" for key in hosts), f"ports/{up.key('leaf-r3-1', 0)}") <= unobserved
    assert {path for _, path in up.drifted() if path.startswith(("subnet/ports", "subnet/routing"))} == set()


def test_a_manager_whose_node_does_not_answer_is_unobserved_not_missing(up: Subnet) -> None:
    drift.silence(up.lab, "sm2 mlx5_0")
    assert hardware("managers/0x0c42a10300000191") <= up.unobserved()
    assert {path for _, path in up.drifted() if path.startswith("subnet/")} == set()
