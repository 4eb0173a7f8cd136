"""Rules over the subnet manager's belief: "no path" is only worth what its control is worth."""

from __future__ import annotations

from typing import Any

import pytest

from fabric_drift.finding import Layer, Verdict
from fabric_drift.platform import Reading
from fabric_drift.rules.infiniband import SmNodeView, check
from fabric_drift.state.device import DeviceState
from fabric_drift.state.infiniband import (
    Arbitration,
    FabricPort,
    Infiniband,
    KnownManager,
    Pkeys,
    Subnet,
)
from fabric_drift.state.values import Unobserved
from fabric_drift.workflow.causes import add_causes
from fabric_drift.workflow.findings import Judgement

MANAGERS = {"0x1": KnownManager("master", 15), "0x2": KnownManager("standby", 14)}
LIMITED = {"0x7fff": "limited"}
KEYS = {
    "a1": {**LIMITED, "0x0010": "full"}, "a2": {**LIMITED, "0x0010": "full"}, "b1": {**LIMITED, "0x0020": "full"},
    "c1": {**LIMITED, "0x0010": "limited"}, "c2": {**LIMITED, "0x0010": "limited"}, "sm": {"0x7fff": "full"},
}  # fmt: skip
OTHERS = ((0x1000, 0x1FFF),)
PLAN = Subnet(ports={key: FabricPort(pkeys=Pkeys(keys, OTHERS)) for key, keys in KEYS.items()}, managers=MANAGERS)


def states(nos: Infiniband, ports: dict[str, FabricPort] | None = None, managers: Any = None) -> Any:
    live = Subnet(ports=ports or {}, managers=managers or MANAGERS)
    found = {Layer.NOS: nos, Layer.HARDWARE: Infiniband(subnet=live)}
    return {layer: DeviceState(infiniband=state) for layer, state in found.items()}


def told(found: Any) -> list[tuple[str, str, str]]:
    view = SmNodeView(DeviceState(infiniband=Infiniband(subnet=PLAN)), found)
    return [(item.rule, item.verdict.value, item.path[-1]) for item in check({"sm1": view})]


def asked(paths: Any) -> list[tuple[str, str]]:
    found = told(states(Infiniband(believed_paths=paths)))
    assert all(rule == "FD-IB-107" for rule, _, _ in found)
    return [(verdict, name) for _, verdict, name in found]


def test_no_path_to_another_tenant_beside_one_to_the_own_is_as_intended() -> None:
    assert asked({"a1 to a2": "0x0010", "a1 to b1": "none"}) == []


def test_a_path_to_the_manager_is_a_control_too() -> None:
    assert asked({"b1 to sm": "0x7fff", "b1 to a1": "none"}) == []


def test_a_path_to_another_tenant_is_drift_whatever_the_control_says() -> None:
    assert asked({"a1 to a2": "none", "a1 to b1": "0x0666"}) == [("drift", "a1 to b1")]


def test_limited_members_of_one_partition_must_not_reach_each_other() -> None:
    assert asked({"c1 to c2": "0x0010", "c1 to a1": "0x0010"}) == [("drift", "c1 to c2")]


@pytest.mark.parametrize("control", [{}, {"a1 to a2": "none"}, {"a1 to a2": Unobserved("no answer")}])
def test_no_path_without_a_passing_control_counts_nothing(control: dict[str, Any]) -> None:
    assert asked({**control, "a1 to b1": "none"}) == [("unobserved", "a1")]


def test_the_control_of_another_port_is_none() -> None:
    assert asked({"a1 to a2": "0x0010", "b1 to a1": "none"}) == [("unobserved", "b1")]


def test_an_answer_that_did_not_come_counts_nothing_though_the_control_passed() -> None:
    assert asked({"a1 to a2": "0x0010", "a1 to b1": Unobserved("no answer")}) == [("unobserved", "a1")]


def test_a_subnet_that_nobody_could_ask_is_unobserved_once() -> None:
    assert asked(Unobserved("no master answers")) == [("unobserved", "believed_paths")]


def test_a_path_on_a_key_of_another_owner_is_not_ours_to_judge() -> None:
    assert asked({"a1 to a2": "0x0010", "a1 to b1": "0x1abc"}) == []


def test_a_port_that_nobody_planned_is_told_elsewhere() -> None:
    assert asked({"strange to b1": "0x0666"}) == []


def test_a_path_across_tenants_counts_as_drift_and_an_open_question_as_unobserved() -> None:
    judgement = Judgement("sm1", lambda _path: ())
    paths = {"a1 to a2": "0x0010", "a1 to b1": "0x0666", "b1 to a1": "none"}
    expected = DeviceState(infiniband=Infiniband(subnet=PLAN))
    add_causes(judgement, expected, Reading(states(Infiniband(believed_paths=paths))))
    assert judgement.facts == {Verdict.DRIFT: 1, Verdict.UNOBSERVED: 1}
    assert sorted(item.verdict.value for item in judgement.findings) == ["drift", "unobserved"]


def test_a_cause_beside_facts_is_information_and_not_counted_again() -> None:
    judgement = Judgement("sm1", lambda _path: ())
    expected = DeviceState(infiniband=Infiniband(subnet=PLAN))
    add_causes(judgement, expected, Reading(states(Infiniband(), managers={"0x9": KnownManager("master", 15)})))
    assert [(item.rule, item.verdict) for item in judgement.findings] == [("FD-IB-104", Verdict.INFORMATION)]
    assert judgement.facts == {}


ROW = (0, 1, 2, 3) * 4
HELD = FabricPort(sl2vl=ROW, sl2vl_exceptions={"3": (0,) * 16}, arbitration=Arbitration(((1, 64),), ((0, 32),), 4))


@pytest.mark.parametrize(
    ("belief", "path"),
    [
        ({"believed_lanes": {"p": {"": ROW, "1": ROW, "3": (0,) * 16}}}, []),
        ({"believed_lanes": {"p": {"1": (7,) * 16}}}, ["sl2vl"]),
        ({"believed_lanes": {"p": {"3": ROW}}}, ["3"]),
        ({"believed_arbitration": {"p": Arbitration(((1, 64),), ((0, 32),))}}, []),
        ({"believed_arbitration": {"p": Arbitration(((1, 1),), ((0, 32),))}}, ["high"]),
        ({"believed_lanes": {"unseen": {"": ROW}}, "believed_arbitration": {"unseen": Arbitration()}}, []),
        ({"misbelieved_exits": {"s": {"8": (1, 255)}}}, ["s"]),
    ],
)
def test_only_what_the_hardware_holds_otherwise_is_behind_the_managers_back(belief: Any, path: list[str]) -> None:
    found = told(states(Infiniband(**belief), {"p": HELD}))
    assert found == [("FD-IB-106", "drift", name) for name in path]


@pytest.mark.parametrize(
    ("managers", "words"),
    [
        ({"0x1": ("master", 15), "0x2": ("standby", 14)}, ""),
        (
            {"0x9": ("master", 15), "0x1": ("standby", 15)},
            "the master is 0x9, which the intent doesn't know; 0x1 is standby",
        ),
        ({"0x2": ("master", 14)}, "the master is 0x2, a standby of the intent; 0x1 is not there"),
        ({"0x1": ("master", 15), "0x9": ("master", 15)}, "2 masters in one subnet: 0x1, 0x9"),
        ({"0x1": ("standby", 15)}, "0 masters in one subnet: none"),
    ],
)  # fmt: skip
def test_there_is_one_master_and_it_is_the_intended_one(managers: dict[str, tuple[str, int]], words: str) -> None:
    known = {guid: KnownManager(*item) for guid, item in managers.items()}
    view = SmNodeView(DeviceState(infiniband=Infiniband(subnet=PLAN)), states(Infiniband(), managers=known))
    found = [item.message.partition(". ")[0] for item in check({"sm1": view}) if item.rule == "FD-IB-104"]
    assert found == ([words] if words else [])
