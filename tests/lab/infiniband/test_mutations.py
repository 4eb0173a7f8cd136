"""Every fact that the simulator carries: changed behind the subnet manager's back, it is that drift and no other."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fabric_drift.expect.infiniband import expect
from fabric_drift.lab.infiniband import drift
from fabric_drift.lab.infiniband.drift import Write
from fabric_drift.rules import infiniband as rules
from fabric_drift.rules.infiniband import SmNodeView
from tests.lab.infiniband.subnet import Facts, Subnet, hardware

pytestmark = pytest.mark.lab

HCA = "gpu001 mlx5_0"  # tenant_a: index 0 = 0x7fff limited, index 1 = 0x8010
INDEX_0_HCA = "gpu003 mlx5_0"  # tenant_b: index 0 = 0x8020, index 1 = 0x7fff
LEAF = "leaf-r1-1"
PORT_INFO, NODE_DESC = 0x15, 0x10


def port_info(subnet: Subnet, name: str, port: int, first: int, data: str) -> Write:
    return Write(drift.lid(subnet.lab, subnet.lab.fabric.node(name)), PORT_INFO, port, first, bytes.fromhex(data))


def node_desc(subnet: Subnet, name: str, text: bytes) -> Write:
    number = drift.lid(subnet.lab, subnet.lab.fabric.node(name))
    return Write(number, NODE_DESC, 0, 0, text.ljust(64, b"\0"))


MUTATIONS: dict[str, tuple[Callable[[Subnet], Write], Callable[[Subnet], Facts]]] = {
    "a rogue full member": (
        lambda s: drift.pkey(s.lab, HCA, 20, 0x8666),
        lambda s: hardware(f"ports/{s.key(HCA)}/pkeys/0x0666"),
    ),
    "a rogue limited member": (
        lambda s: drift.pkey(s.lab, HCA, 63, 0x0020),
        lambda s: hardware(f"ports/{s.key(HCA)}/pkeys/0x0020"),
    ),
    "the tenant's key is gone": (
        lambda s: drift.pkey(s.lab, HCA, 1, 0),
        lambda s: hardware(f"ports/{s.key(HCA)}/pkeys/0x0010"),
    ),
    "the tenant's key is limited": (
        lambda s: drift.pkey(s.lab, HCA, 1, 0x0010),
        lambda s: hardware(f"ports/{s.key(HCA)}/pkeys/0x0010"),
    ),
    "a tenant is a full member of the default partition": (
        lambda s: drift.pkey(s.lab, HCA, 0, 0xFFFF),
        lambda s: hardware(f"ports/{s.key(HCA)}/pkeys/0x7fff"),
    ),
    "a key beside a limited one makes both": (
        lambda s: drift.pkey(s.lab, HCA, 5, 0xFFFF),
        lambda s: hardware(f"ports/{s.key(HCA)}/pkeys/0x7fff"),
    ),
    "another key at index 0": (
        lambda s: drift.pkey(s.lab, INDEX_0_HCA, 0, 0x7FFF),
        lambda s: hardware(f"ports/{s.key(INDEX_0_HCA)}/pkeys/0x0020", f"ports/{s.key(INDEX_0_HCA)}/pkey_at_index_0"),
    ),
    "a rogue key on a leaf's edge port": (
        lambda s: drift.pkey(s.lab, LEAF, 7, 0x8666, port=1),
        lambda s: hardware(f"ports/{s.key(LEAF, 1)}/pkeys/0x0666"),
    ),
    "a rogue key on a switch's own port": (
        lambda s: drift.pkey(s.lab, LEAF, 7, 0x8666, port=0),
        lambda s: hardware(f"ports/{s.key(LEAF, 0)}/pkeys/0x0666"),
    ),
    "all service levels of an HCA on one lane": (
        lambda s: drift.sl2vl(s.lab, HCA, 0, 0, "0" * 16),
        lambda s: hardware(f"ports/{s.key(HCA)}/sl2vl"),
    ),
    "one row of a switch's SL-to-VL table": (
        lambda s: drift.sl2vl(s.lab, LEAF, 3, 35, "0" * 16),
        lambda s: hardware(f"ports/{s.key(LEAF, 35)}/sl2vl_exceptions/3"),
    ),
    "high-priority weights of an HCA": (
        lambda s: drift.vlarb(s.lab, HCA, 3, 1, "0101"),
        lambda s: hardware(f"ports/{s.key(HCA)}/arbitration/high"),
    ),
    "low-priority weights of a switch port": (
        lambda s: drift.vlarb(s.lab, LEAF, 1, 2, "0001"),
        lambda s: hardware(f"ports/{s.key(LEAF, 2)}/arbitration/low"),
    ),
    "fewer operational lanes": (
        lambda s: port_info(s, HCA, 1, 43, "10"),
        lambda s: hardware(f"ports/{s.key(HCA)}/operational_vls"),
    ),
    "a port obeys nobody": (
        lambda s: port_info(s, HCA, 1, 18, "0009"),
        lambda s: hardware(f"ports/{s.key(HCA)}/manager"),
    ),
    "another subnet prefix": (
        lambda s: port_info(s, HCA, 1, 8, "fec0000000000000"),
        lambda s: hardware(f"ports/{s.key(HCA)}/subnet_prefix"),
    ),
}


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_change_behind_the_managers_back_is_that_drift_alone(subnet: Subnet, name: str) -> None:
    write, expected = MUTATIONS[name]
    undo = drift.inject(subnet.lab, write(subnet))
    try:
        assert subnet.drifted() == expected(subnet)
        assert subnet.unobserved() == set()
    finally:
        drift.inject(subnet.lab, undo)
    assert subnet.drifted() == set()


def test_a_standby_below_a_living_master_does_not_read_the_subnet_again(subnet: Subnet) -> None:
    assert subnet.unobserved("sm2") == set()
    assert not any("MADs" in note for note in subnet.read("sm2").notes)


def test_keys_of_another_owner_are_neither_expected_nor_drift(subnet: Subnet) -> None:
    undo = drift.inject(subnet.lab, drift.pkey(subnet.lab, HCA, 9, 0x9ABC))  # 0x1abc: ib-kubernetes' span
    assert subnet.drifted() == set()
    drift.inject(subnet.lab, undo)


def test_an_entry_that_leads_nowhere_breaks_the_ways_through_that_switch(subnet: Subnet) -> None:
    undo = drift.inject(subnet.lab, drift.lft(subnet.lab, "spine-1", HCA, 255))
    found = {path for layer, path in subnet.drifted()}
    drift.inject(subnet.lab, undo)
    switch = f"{subnet.lab.fabric.node('spine-1').guid:#018x}"
    assert found == {f"subnet/routing/broken/{switch} to {subnet.key(HCA)}"}
    assert subnet.drifted() == set()


def test_a_leaf_that_sends_its_own_hosts_traffic_up_breaks_the_way(subnet: Subnet) -> None:
    undo = drift.inject(subnet.lab, drift.lft(subnet.lab, LEAF, HCA, 34))
    found = {path for _, path in subnet.drifted()}
    drift.inject(subnet.lab, undo)
    switch = f"{subnet.lab.fabric.node(LEAF).guid:#018x}"
    assert found == {f"subnet/routing/broken/{switch} to {subnet.key(HCA)}"}


def test_a_way_that_climbs_again_is_told_as_a_danger_of_credit_loops(subnet: Subnet) -> None:
    # From leaf-r2 to gpu001's rail 1: up to spine-1, down to leaf-r3 (wrong), up to spine-2, down to leaf-r1.
    spine, lab = "spine-1", subnet.lab
    undo = [
        drift.inject(lab, drift.lft(lab, spine, HCA, 3)),
        drift.inject(lab, drift.lft(lab, "leaf-r3-1", HCA, 35)),
    ]
    found = {path for _, path in subnet.drifted()}
    for write in reversed(undo):
        drift.inject(lab, write)
    assert f"subnet/routing/down_up/{lab.fabric.node(spine).guid:#018x}" in found
    assert not any("broken" in path for path in found)


def test_a_pulled_cable_is_missed_at_both_ends(own_subnet: Subnet) -> None:
    own_subnet.lab.up()
    drift.unlink(own_subnet.lab, drift.cable_of(own_subnet.lab, HCA))
    assert own_subnet.drifted() == hardware(f"ports/{own_subnet.key(HCA)}", f"ports/{own_subnet.key(LEAF, 1)}")


def test_swapped_cables_are_four_other_neighbours(own_subnet: Subnet) -> None:
    lab = own_subnet.lab
    lab.up()
    one, other = drift.cable_of(lab, HCA), drift.cable_of(lab, "gpu002 mlx5_0")
    drift.swap(lab, one, other)
    peers = {path for _, path in own_subnet.drifted() if path.endswith("/link/peer")}
    keys = (own_subnet.key(HCA), own_subnet.key("gpu002 mlx5_0"), own_subnet.key(LEAF, 1), own_subnet.key(LEAF, 2))
    assert peers == {f"subnet/ports/{key}/link/peer" for key in keys}


def test_a_cable_with_two_dead_lanes_is_narrow_at_both_ends(own_subnet: Subnet) -> None:
    own_subnet.lab.up({drift.cable_of(own_subnet.lab, HCA): "2x"})
    assert own_subnet.drifted() == hardware(
        f"ports/{own_subnet.key(HCA)}/link/width", f"ports/{own_subnet.key(LEAF, 1)}/link/width"
    )


def test_a_write_behind_the_managers_back_is_told_apart_from_a_manager_that_was_told_so(subnet: Subnet) -> None:
    undo = drift.inject(subnet.lab, drift.pkey(subnet.lab, HCA, 20, 0x8666))
    reading = subnet.read()
    found = rules.check({"sm1": SmNodeView(expect(subnet.fabric, "sm1"), reading.states)})
    drift.inject(subnet.lab, undo)
    causes = [(finding.rule, finding.path[-2]) for finding in found if finding.rule == "FD-IB-106"]
    assert causes == [("FD-IB-106", subnet.key(HCA))]
    cause = next(finding for finding in found if finding.rule == "FD-IB-106")
    assert f"believes 0x0010 full, 0x7fff limited, {subnet.key(HCA)} holds 0x0010 full, 0x0666 full" in cause.message
    assert "a restart of the subnet manager" in cause.message


def test_swapped_cables_are_told_as_a_pair(own_subnet: Subnet) -> None:
    lab = own_subnet.lab
    lab.up()
    drift.swap(lab, drift.cable_of(lab, HCA), drift.cable_of(lab, "gpu002 mlx5_0"))
    found = rules.check({"sm1": SmNodeView(expect(own_subnet.fabric, "sm1"), own_subnet.read().states)})
    pairs = [finding.path[3] for finding in found if finding.rule == "FD-IB-101"]
    assert pairs == [own_subnet.key(HCA), own_subnet.key(LEAF, 1)]
