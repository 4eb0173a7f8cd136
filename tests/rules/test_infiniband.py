"""Rules over SM nodes: a cause is named where it is one, and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fabric_drift.finding import Finding, Layer
from fabric_drift.rules.infiniband import RULES, SmNodeView, check
from fabric_drift.state.device import DeviceState
from fabric_drift.state.infiniband import FabricPort, Infiniband, KnownManager, Link, Partition, Subnet
from fabric_drift.state.values import Unobserved


def node(infiniband: Infiniband) -> DeviceState:
    return DeviceState(infiniband=infiniband)


def cabled(**peers: str) -> Subnet:
    return Subnet(
        ports={port: FabricPort(link=Link(peer=peer)) for port, peer in peers.items()},
        managers={"0x1": KnownManager("master", 15), "0x2": KnownManager("standby", 14)},
    )


PLAN = cabled(hca1="leaf1", hca2="leaf2", hca3="leaf3", leaf1="hca1", leaf2="hca2", leaf3="hca3")


def found(subnet: Subnet, **layers: Infiniband) -> list[Finding]:
    states = {Layer.HARDWARE: node(Infiniband(subnet=subnet))}
    states |= {Layer(name): node(state) for name, state in layers.items()}
    return list(check({"sm1": SmNodeView(node(Infiniband(subnet=PLAN)), states)}))


def test_cables_as_planned_are_no_finding() -> None:
    assert found(PLAN) == []


def test_two_exchanged_cables_are_one_pair_seen_from_either_end() -> None:
    swapped = cabled(hca1="leaf2", hca2="leaf1", hca3="leaf3", leaf1="hca2", leaf2="hca1", leaf3="hca3")
    assert [(item.rule, item.path[3]) for item in found(swapped)] == [("FD-IB-101", "hca1"), ("FD-IB-101", "leaf1")]


def test_three_cables_in_a_circle_are_no_pair() -> None:
    turned = cabled(hca1="leaf2", hca2="leaf3", hca3="leaf1", leaf1="hca3", leaf2="hca1", leaf3="hca2")
    assert found(turned) == []


def test_two_masters_are_told() -> None:
    managers = {"0x1": KnownManager("master", 15), "0x9": KnownManager("master", 0)}
    assert [item.rule for item in found(replace(PLAN, managers=managers))] == ["FD-IB-104"]


def test_no_master_is_told() -> None:
    assert [item.rule for item in found(replace(PLAN, managers={}))] == ["FD-IB-104"]


def test_a_subnet_that_was_not_seen_is_no_finding_of_a_rule() -> None:
    states = {Layer.HARDWARE: node(Infiniband(subnet=Unobserved("no answer")))}
    assert check({"sm1": SmNodeView(node(Infiniband(subnet=PLAN)), states)}) == ()


def test_keys_at_their_open_defaults_are_told_each() -> None:
    running = Infiniband(options={"m_key": "default", "sm_key": "set", "sa_key": "default"})
    assert [item.path[-1] for item in found(PLAN, running=running)] == ["m_key", "sa_key"]


def test_a_default_partition_with_everybody_as_full_member_is_told() -> None:
    saved = Infiniband(partitions={"0x7fff": Partition(name="Default", members={"ALL": "full"})})
    assert [item.rule for item in found(PLAN, saved=saved)] == ["FD-IB-103"]


def believing(pkeys: Any, held: Any) -> list[str]:
    live = replace(PLAN, ports={**PLAN.ports, "hca1": FabricPort(link=Link(peer="leaf1"), pkeys=held)})  # type: ignore[dict-item]
    return [item.rule for item in found(live, nos=Infiniband(believed_pkeys={"hca1": pkeys}))]


def test_a_key_that_the_manager_does_not_know_of_is_a_write_behind_its_back() -> None:
    assert believing({"0x7fff": "limited"}, {"0x7fff": "limited", "0x0666": "full"}) == ["FD-IB-106"]


def test_a_wrong_key_that_the_manager_wrote_itself_is_not() -> None:
    assert believing({"0x0666": "full"}, {"0x0666": "full"}) == []


def test_a_port_that_did_not_answer_is_not() -> None:
    assert believing({"0x0666": "full"}, Unobserved("no answer")) == []


def files(**more: Any) -> SmNodeView:
    saved = Infiniband(**{"options": {"sm_priority": 1}, "partitions": {}, "qos_policy": (), "guid_files": {}, **more})
    return SmNodeView(node(saved), {Layer.SAVED: node(saved)})


def test_nodes_may_differ_in_what_belongs_to_each_of_them() -> None:
    assert check({"sm1": files(), "sm2": files(options={"sm_priority": 2})}) == ()


def test_other_roots_on_a_standby_are_told() -> None:
    other = files(guid_files={"root": ("0x1",)})
    assert [(item.rule, item.device, item.path[-1]) for item in check({"sm1": files(), "sm2": other})] == [
        ("FD-IB-105", "sm2", "guid_files")
    ]


def test_every_rule_says_why_and_what_to_do() -> None:
    assert [rule.id for rule in RULES if not rule.why.endswith(".") or not rule.fix] == []
    assert len({rule.id for rule in RULES}) == len(RULES)
