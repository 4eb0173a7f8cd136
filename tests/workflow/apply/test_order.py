"""The order of a change: properties that hold for every set of plans on every fabric, and pod1 by hand."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from fabric_drift.change import Kind, Phase, Plan, Step
from fabric_drift.platform import Disruption
from fabric_drift.workflow.expectations import from_intent
from fabric_drift.workflow.order import OUTSIDE_IN, part_of, parts, waves
from fabric_drift.workflow.outcome import Part, Wave
from fabric_drift.workflow.topology import Topology, topology
from tests.faults.paper import PaperLink

REPO = Path(__file__).resolve().parents[3]


def step(title: str = "s", phase: Phase = Phase.PFC, kind: Kind = Kind.ADD) -> Step:
    return Step(title, (("ports", "a"),), phase, kind, (title,), (f"no {title}",), Disruption.NONE, "test")


def plan(device: str, *steps: Step) -> Plan:
    return Plan(device, "paper", "patch", steps)


STEPS = st.builds(step, st.sampled_from("abc"), st.sampled_from(Phase), st.sampled_from(Kind))


@st.composite
def fabrics(draw: st.DrawFn) -> tuple[dict[str, Any], Topology]:
    hosts = [f"h{n}" for n in range(draw(st.integers(0, 5)))]
    leaves = [f"l{n}" for n in range(draw(st.integers(1, 5)))]
    spines = [f"s{n}" for n in range(draw(st.integers(0, 3)))]
    links = [PaperLink(h, f"p{leaf}", leaf, f"p{h}") for h in hosts for leaf in leaves if draw(st.booleans())]
    links += [PaperLink(leaf, f"p{s}", s, f"p{leaf}") for leaf in leaves for s in spines]
    groups = {name: draw(st.sampled_from(["", "one", "two"])) for name in leaves + spines}
    ends = topology(hosts, groups, links)
    chosen = {
        name: parts(plan(name, *draw(st.lists(STEPS, max_size=4))), is_host=name in hosts)
        for name in hosts + leaves + spines
    }
    return chosen, ends


@given(fabrics(), st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_every_step_of_every_device_has_exactly_one_turn(fabric: Any, batch: int) -> None:
    plans, ends = fabric
    turns = [(name, wave.part) for wave in waves(plans, ends, batch=batch) for name in wave.devices]
    assert sorted(turns) == sorted((name, part) for name, found in plans.items() for part in found)


@given(fabrics(), st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_parts_follow_each_other_over_the_whole_fabric(fabric: Any, batch: int) -> None:
    plans, ends = fabric
    order = [list(Part).index(wave.part) for wave in waves(plans, ends, batch=batch)]
    assert order == sorted(order)


@given(fabrics(), st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_no_wave_holds_two_of_a_redundancy_group_or_two_neighbours(fabric: Any, batch: int) -> None:
    plans, ends = fabric
    for wave in waves(plans, ends, batch=batch):
        assert 1 <= len(wave.devices) <= batch
        for one, other in combinations(wave.devices, 2):
            assert other not in ends.neighbours(one)
            assert not ends.groups.get(one) or ends.groups.get(one) != ends.groups.get(other)


@given(fabrics(), st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_the_first_device_of_a_shape_goes_before_all_others_of_it(fabric: Any, batch: int) -> None:
    plans, ends = fabric
    found = waves(plans, ends, batch=batch)
    for part in Part:
        mine = [wave for wave in found if wave.part is part]
        canaries = [name for wave in mine if wave.is_canary for name in wave.devices]
        assert [wave.is_canary for wave in mine] == sorted((wave.is_canary for wave in mine), reverse=True)
        shapes = [plans[name][part].shape for name in canaries]
        assert len(shapes) == len(set(shapes))
        assert set(shapes) == {plans[name][part].shape for name in plans if part in plans[name]}


@given(fabrics())
@settings(max_examples=30, deadline=None)
def test_the_order_doesnt_depend_on_the_order_of_the_input(fabric: Any) -> None:
    plans, ends = fabric
    assert waves(plans, ends) == waves(dict(reversed(plans.items())), ends)


def test_additions_go_switch_host_job_and_removals_the_other_way() -> None:
    steps = {
        Part.ADD_ON_SWITCHES: part_of(step(phase=Phase.BUFFERS), is_host=False),
        Part.ADD_ON_HOSTS: part_of(step(phase=Phase.HOST), is_host=True),
        Part.ADD_TO_JOBS: part_of(step(phase=Phase.JOB), is_host=True),
        Part.REMOVE_FROM_JOBS: part_of(step(phase=Phase.JOB, kind=Kind.REMOVE), is_host=True),
        Part.REMOVE_FROM_HOSTS: part_of(step(phase=Phase.PFC, kind=Kind.REMOVE), is_host=True),
        Part.REMOVE_FROM_SWITCHES: part_of(step(phase=Phase.PFC, kind=Kind.REMOVE), is_host=False),
    }
    assert all(wanted is found for wanted, found in steps.items())
    assert list(steps) == list(Part)


def test_steps_keep_the_order_that_their_platform_gave_them() -> None:
    given_order = plan("leaf1", step("b", Phase.MAPS), step("x", kind=Kind.REMOVE), step("a", Phase.PFC))
    split = parts(given_order, is_host=False)
    assert [one.title for one in split[Part.ADD_ON_SWITCHES].steps] == ["b", "a"]
    assert [one.title for one in split[Part.REMOVE_FROM_SWITCHES].steps] == ["x"]


def test_pod1_starts_at_one_spine_and_never_changes_both_or_two_leaves_at_once() -> None:
    expectations = from_intent(REPO / "intent" / "pod1")
    ends = expectations.topology()
    assert ends.groups["spine1"] == ends.groups["spine2"] == "spines"
    assert len({ends.groups[f"leaf{n}"] for n in range(1, 5)}) == 1, "rails: every leaf serves every host"
    assert ends.neighbours("gpu1")["leaf1"] == {"Ethernet0", "Ethernet8"}
    plans = {n: parts(plan(n, step(n[:3])), is_host=n in ends.hosts) for n in expectations.devices}
    found = [wave.devices for wave in waves(plans, ends, batch=4)]
    assert found == [
        ("spine1",), ("leaf1",), ("spine2",), ("leaf2",), ("leaf3",), ("leaf4",),
        ("gpu1",), ("gpu2", "gpu3", "gpu4", "gpu5"), ("gpu6", "gpu7", "gpu8"),
    ]  # fmt: skip


def test_removals_start_near_the_hosts() -> None:
    ends = topology(["h"], {}, [PaperLink("h", "0", "leaf", "0"), PaperLink("leaf", "1", "spine", "0")])
    plans = {n: parts(plan(n, step(n, kind=Kind.REMOVE)), is_host=n == "h") for n in ("h", "leaf", "spine")}
    assert [w.devices for w in waves(plans, ends)] == [("h",), ("leaf",), ("spine",)]
    assert all(w.part in OUTSIDE_IN for w in waves(plans, ends))


def test_twenty_thousand_hosts_are_ordered_in_seconds() -> None:
    plans = {f"h{n}": {Part.ADD_ON_HOSTS: plan(f"h{n}", step())} for n in range(20_000)}
    found = waves(plans, Topology(hosts=frozenset(plans)), batch=100)
    assert found[0] == Wave(1, Part.ADD_ON_HOSTS, ("h0",), is_canary=True)
    assert len(found) == 201
