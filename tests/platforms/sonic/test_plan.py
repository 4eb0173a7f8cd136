"""Plans: nothing for what matches, the least for what doesn't, one route, an undo that fits wherever it stopped."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fabric_drift.change import Plan
from fabric_drift.errors import Unsupported
from fabric_drift.expect import expect
from fabric_drift.finding import Layer
from fabric_drift.intent import load
from fabric_drift.platform import Disruption, Reading, Target
from fabric_drift.platforms.sonic import PLATFORM
from fabric_drift.platforms.sonic.documents import Tables
from fabric_drift.platforms.sonic.patch import backward, changes, forward
from fabric_drift.state.device import DeviceState
from fabric_drift.state.tree import facts
from tests.platforms.sonic.changing import APPLYING, Switch
from tests.platforms.sonic.devices import merged, own_rows, read, rendered
from tests.platforms.sonic.strategies import states
from tests.platforms.sonic.yang import complaints

POD1 = Path(__file__).resolve().parent.parent.parent.parent / "intent" / "pod1"
FABRIC = load(POD1)
SWITCHES = ("leaf1", "leaf2", "spine1")
MODEST = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


def intent(name: str) -> DeviceState:
    return expect(FABRIC, name)


def in_sync(name: str) -> Switch:
    """A switch that was brought to the intent."""
    switch = Switch(name)
    switch.walk(PLATFORM.procedure(switch.plan(intent(name)), "first"))
    switch.flapped()
    return switch


def patches(plan: Plan) -> list[list[dict[str, Any]]]:
    return [json.loads(step.forward[0]) for step in plan.steps]


def patched(rows: Tables, patch: list[dict[str, Any]]) -> Tables:
    """RFC 6902 by hand: add, replace, remove."""
    result: Any = json.loads(json.dumps(rows))
    for item in patch:
        *way, last = (part.replace("~1", "/").replace("~0", "~") for part in item["path"].split("/")[1:])
        place = result
        for part in way:
            place = place[part]
        if item["op"] == "remove":
            del place[last]
        else:
            assert item["op"] == "add" or last in place
            place[last] = item["value"]
    return dict(result)


@pytest.mark.parametrize("name", SWITCHES)
def test_a_switch_that_is_as_intended_has_nothing_to_do(name: str) -> None:
    plan = in_sync(name).plan(intent(name))
    assert (plan.steps, plan.refusals, plan.route, plan.diff) == ((), (), "", "")
    assert plan.disruption is Disruption.NONE


def test_the_least_is_written_where_one_fact_differs() -> None:
    switch = in_sync("leaf1")
    switch.run('sonic-db-cli CONFIG_DB hset "DSCP_TO_TC_MAP|AZURE" 30 3')
    plan = switch.plan(intent("leaf1"))
    assert patches(plan) == [[{"op": "replace", "path": "/DSCP_TO_TC_MAP/AZURE/30", "value": "0"}]]
    assert plan.diff == '- /DSCP_TO_TC_MAP/AZURE/30 "3"\n+ /DSCP_TO_TC_MAP/AZURE/30 "0"\n'
    assert (plan.route, plan.disruption) == ("gcu_patch", Disruption.REORDER)


@pytest.mark.parametrize("name", SWITCHES)
def test_names_of_the_device_are_kept(name: str) -> None:
    plan = Switch(name).plan(intent(name))
    for item in json.loads(plan.steps[0].forward[0]):
        assert not item["path"].startswith("/DSCP_TO_TC_MAP/ROCE")
    rows = Switch(name).read().rows
    after = patched(rows, json.loads(plan.steps[0].forward[0]))
    assert set(after["DSCP_TO_TC_MAP"]) == {"AZURE"}
    assert set(after["WRED_PROFILE"]) == {"AZURE_LOSSLESS"}
    assert {row["dscp_to_tc_map"] for row in after["PORT_QOS_MAP"].values()} == {"AZURE"}


@pytest.mark.parametrize("name", SWITCHES)
def test_ports_and_rows_outside_of_the_intent_are_not_touched(name: str) -> None:
    plan = Switch(name).plan(intent(name))
    ports: Any = intent(name).ports
    owned = {"PORT", "PORT_QOS_MAP", "QUEUE", "BUFFER_PG", "BUFFER_QUEUE", "PFC_WD"}
    for item in json.loads(plan.steps[0].forward[0]):
        table, key = (item["path"] + "/").split("/")[1:3]
        if table in owned:
            assert key.partition("|")[0] in {*ports, "GLOBAL"}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("leaf1", "GCU of 202505 changes only green_"),
        ("leaf2", "GCU of 202411 changes only green_"),
        ("spine1", "GCU of 202511 does not know HwSKU Mellanox-SN5600"),
    ],
)
def test_what_the_updater_refuses_makes_the_whole_plan_a_reload_and_says_why(name: str, reason: str) -> None:
    plan = Switch(name).plan(intent(name))
    assert (plan.route, plan.disruption, len(plan.steps)) == ("config_reload", Disruption.RELOAD, 1)
    (step,) = plan.steps
    assert step.undo == ()
    assert step.undo_disruption is Disruption.RELOAD
    assert f"# {reason}" in plan.diff


def test_the_other_route_is_taken_only_when_the_updater_refuses() -> None:
    stock = Switch("leaf1")
    stock.run("ecnconfig -p AZURE_LOSSLESS -gmin 1600000 -gmax 6400000 -gdrop 20")
    for colour in ("yellow", "red"):
        head = f'sonic-db-cli CONFIG_DB hset "WRED_PROFILE|AZURE_LOSSLESS" {colour}'
        stock.run(f"{head}_min_threshold 1600000 {colour}_max_threshold 6400000 {colour}_drop_probability 20")
    plan = stock.plan(intent("leaf1"))
    assert plan.route == "gcu_patch"
    assert [len(step.ports) for step in plan.steps if step.disruption is Disruption.PORT_FLAP] == [8, 8, 8]


def test_a_fact_that_cannot_be_seen_is_refused_not_guessed() -> None:
    switch = in_sync("leaf1")
    switch.run("sonic-db-cli CONFIG_DB hset 'PFC_WD|Ethernet0' detection_time soon")
    plan = switch.plan(intent("leaf1"))
    assert plan.steps == ()
    assert [refusal.path[-1] for refusal in plan.refusals] == ["detect_ms"]


def test_an_object_that_other_ports_use_is_not_edited_under_them() -> None:
    switch = Switch("spine1")
    switch.run('sonic-db-cli CONFIG_DB hset "PORT_QOS_MAP|Ethernet136" dscp_to_tc_map AZURE')
    before = switch.read().states[Layer.RUNNING].ports
    plan = switch.plan(intent("spine1"))
    patch = json.loads(plan.steps[0].forward[0])
    assert not [item for item in patch if item["path"].startswith("/DSCP_TO_TC_MAP/AZURE")]
    switch.walk(PLATFORM.procedure(plan, "r1"))
    after = switch.read().states[Layer.RUNNING].ports
    assert after["Ethernet136"] == before["Ethernet136"]  # type: ignore[index]
    assert switch.drift(intent("spine1")) == []


def test_a_leftover_that_the_updater_cannot_remove_is_refused_with_the_command_that_does() -> None:
    switch = in_sync("leaf2")
    switch.run('sonic-db-cli CONFIG_DB hset "WRED_PROFILE|OLD" ecn ecn_all green_min_threshold 1 green_max_threshold 2')
    plan = switch.plan(intent("leaf2"))
    (refusal,) = plan.refusals
    command = refusal.remedy.partition("sudo ")[2]
    assert command == "sonic-db-cli CONFIG_DB del 'WRED_PROFILE|OLD'"
    switch.run(command)
    assert switch.plan(intent("leaf2")).refusals == ()


def test_leftovers_go_last_after_nobody_refers_to_them_any_more() -> None:
    switch = in_sync("leaf1")
    switch.run('sonic-db-cli CONFIG_DB hset "SCHEDULER|BYHAND" type DWRR weight 9')
    switch.run('sonic-db-cli CONFIG_DB hset "QUEUE|Ethernet0|3" scheduler BYHAND')
    plan = switch.plan(intent("leaf1"))
    assert [step.title for step in plan.steps] == ["ports Ethernet0", "remove SCHEDULER"]


def test_the_deadline_grows_with_the_plan() -> None:
    switch = in_sync("leaf1")
    switch.run("config interface mtu Ethernet0 1500")
    small = switch.plan(intent("leaf1")).deadline_s
    for number in range(0, 96, 8):
        switch.run(f"config interface pfc priority Ethernet{number} 4 on")
    assert small == 182
    assert switch.plan(intent("leaf1")).deadline_s == 182 + 12 * 2 * 4 + 2 * 60


def test_a_reading_of_another_platform_is_no_reading() -> None:
    switch = Switch("leaf1")
    reading = switch.read()
    with pytest.raises(TypeError, match="parse"):
        PLATFORM.plan(Reading(reading.states), intent("leaf1"), switch.target(reading))


def _switch(state: DeviceState, target: Target) -> dict[str, Any]:
    return merged(own_rows(target), rendered(PLATFORM.localise(state, target), target))


@MODEST
@given(states())
def test_a_plan_from_a_state_to_itself_is_empty(example: tuple[DeviceState, Target]) -> None:
    state, target = example
    reading = read(_switch(state, target), target)
    target = replace(target, names=reading.names)
    assert PLATFORM.plan(reading, PLATFORM.localise(state, target), target) == Plan(target.device, "sonic", "")


def _up(state: DeviceState) -> DeviceState:
    """An NVIDIA port that is down gives its lossless groups back, whatever is configured."""
    ports: Any = state.ports
    return replace(state, ports={name: replace(port, admin_up=True) for name, port in ports.items()})


def _mixed(old: DeviceState, new: DeviceState, parts: set[str]) -> DeviceState:
    """``old`` with some parts of the policy of ``new``."""
    mine: Any = old.ports
    theirs: Any = new.ports
    ports = {
        name: replace(port, qos=replace(port.qos, **{part: getattr(theirs[name].qos, part) for part in parts}))
        for name, port in mine.items()
    }
    return replace(old, ports=ports)


def _loaded(state: DeviceState, target: Target) -> Switch:
    """An emulated switch that booted with a rendered state, and has nothing of the stock QoS."""
    switch = Switch("leaf1" if target.asic == "broadcom" else "spine1", target.release)
    switch.run("config qos clear", "pfcwd stop")
    switch.load(rendered(PLATFORM.localise(state, target), target))
    return switch


PARTS = ("maps", "pfc", "scheduling", "queues", "priority_groups", "cable_length_m")


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_applying_a_plan_gives_what_was_expected_and_its_undo_what_was_there(data: st.DataObject) -> None:
    """``apply(plan(a, e), a) == e`` on the emulated switch, no flap undeclared, and the timer brings ``a`` back."""
    old, target = data.draw(states())
    new, _ = data.draw(states().filter(lambda item: item[1].asic == target.asic))
    if data.draw(st.booleans()):
        new = _mixed(old, new, data.draw(st.sets(st.sampled_from(PARTS), min_size=1)))
    if target.asic == "mellanox":
        old, new = _up(old), _up(new)
    switch = _loaded(old, target)
    try:
        plan = switch.plan(new)
    except Unsupported:  # two policies of one speed and cable that want different headroom have no name for it
        return
    if plan.refusals or not plan.steps:
        assert plan.steps == ()
        return
    before = switch.facts()
    switch.flapped()
    switch.walk(PLATFORM.procedure(plan, "r1"), *APPLYING)
    declared = {port for step in plan.steps if step.disruption is Disruption.PORT_FLAP for port in step.ports}
    assert plan.route == "config_reload" or switch.flapped() <= declared
    assert switch.drift(new, Layer.RUNNING) == []
    switch.wait(plan.deadline_s)
    assert _ports(switch.facts()) == _ports(before)


def _ports(state: DeviceState) -> list[Any]:
    return list(facts(state.ports))


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_an_undo_fits_wherever_the_change_stopped(data: st.DataObject) -> None:
    rows = st.dictionaries(
        st.sampled_from("abc"), st.dictionaries(st.sampled_from("xyz"), st.sampled_from("12"), min_size=1), min_size=1
    )
    tables = st.dictionaries(st.sampled_from(("S", "T")), rows)
    old, new = data.draw(tables), data.draw(tables)
    found = list(changes(old, new))
    undo = backward(found)
    assert patched(old, forward(found)) == new
    for stopped in range(len(found) + 1):
        half = patched(old, forward(found[:stopped]))
        assert {table: rows for table, rows in patched(half, undo).items() if rows} == old


@pytest.mark.witness
@pytest.mark.parametrize("name", SWITCHES)
def test_every_patch_leads_to_a_configuration_that_meets_yang(
    name: str, shared: Callable[[str], Path], tmp_path: Path
) -> None:
    switch = Switch(name)
    release = switch.store["device"]["release"]
    for label, config in _targets(switch, name):
        assert complaints(config, shared(f"yang/sonic/{release}"), tmp_path) == "", label


KNOWN_TO_WITNESS = ("LOOPBACK", "SNMP", "TACPLUS", "VERSIONS", "FLEX", "DEVICE_NEIGHBOR", "BUFFER_PORT", "LOSSLESS_T")


def _targets(switch: Switch, name: str) -> list[tuple[str, Any]]:
    """The configuration after the reload, and after every step of a plan that is made of patches."""
    found = []
    for disturb in ((), _DISTURBED):
        for command in disturb:
            switch.run(command)
        plan = switch.plan(intent(name))
        work = {key: rows for key, rows in switch.config().items() if not key.startswith(KNOWN_TO_WITNESS)}
        work["DEVICE_METADATA"]["localhost"].pop("default_pfcwd_status", None)
        for step, patch in zip(plan.steps, patches(plan), strict=True):
            work = patched(work, patch)
            found.append((step.title, work))
        switch.walk(PLATFORM.procedure(plan, f"run{len(found)}"))
    assert len(found) > 4
    return found


_DISTURBED = (
    "config interface mtu Ethernet0 1500",
    "config interface pfc priority Ethernet0 4 on",
    'sonic-db-cli CONFIG_DB hset "DSCP_TO_TC_MAP|AZURE" 30 3',
    "ecnconfig -p AZURE_LOSSLESS -gmin 1000000",
    'sonic-db-cli CONFIG_DB hset "SCHEDULER|scheduler.1" weight 9',
)


@pytest.mark.parametrize("name", SWITCHES)
def test_what_a_plan_leads_to_is_read_without_a_line_that_nobody_understands(name: str) -> None:
    assert in_sync(name).read().unparsed == ()
