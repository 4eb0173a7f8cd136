"""Bad days of a change, on an emulated switch: it ends as planned, or as it was before."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from fabric_drift.change import Procedure, Stage, worse
from fabric_drift.platform import Target
from fabric_drift.platforms.eos import PLATFORM
from fabric_drift.state import UNSAID, DeviceState, Identity
from tests.platforms.eos.pod import leaf
from tests.platforms.eos.switch import ALL, BEFORE_COMMIT, Failed, Switch, Walker, change


def expected_leaf() -> DeviceState:
    """What pod1's intent says of two ports of a leaf, as far as its running configuration can say it."""
    state = PLATFORM.localise(leaf(), Target("leaf9", "4.32.2F"))
    bare = {name: replace(port, neighbour=UNSAID, speed_mbps=UNSAID) for name, port in state.ports.items()}  # type: ignore[union-attr]
    return replace(state, ports=bare, identity=Identity(hostname="leaf9"))


EXPECTED = expected_leaf()


def procedure(switch: Switch, run_id: str = "run1") -> Procedure:
    return PLATFORM.procedure(switch.plan(EXPECTED), run_id)


def walker(switch: Switch, run_id: str = "run1") -> Walker:
    return Walker(switch, procedure(switch, run_id))


def sessions(switch: Switch) -> dict[str, str]:
    shown = json.loads(switch.type("show configuration sessions | json"))
    return {name: session["state"] for name, session in shown["sessions"].items()}


def in_sync(switch: Switch) -> bool:
    plan = switch.plan(EXPECTED)
    return plan.steps == () and plan.refusals == ()


def test_a_change_ends_as_planned_saved_and_without_traces(switch: Switch) -> None:
    change(switch, EXPECTED)
    assert in_sync(switch)
    assert switch.store["startup"] == switch.store["running"]
    assert switch.store["flash"] == {}
    assert "pending" not in " ".join(sessions(switch).values())


def test_a_second_run_has_nothing_to_do(switch: Switch) -> None:
    change(switch, EXPECTED)
    assert change(switch, EXPECTED, "run2").steps == ()


@pytest.mark.parametrize("last", range(len(BEFORE_COMMIT)))
def test_a_run_that_dies_before_the_commit_has_changed_nothing_and_is_tidied_up(switch: Switch, last: int) -> None:
    before = switch.running()
    run = walker(switch)
    run.walk(*BEFORE_COMMIT[: last + 1])
    run.reconnect()
    assert switch.running() == before
    run.walk(Stage.TIDY)
    assert (switch.running(), sessions(switch), switch.store["flash"]) == (before, {}, {})


def test_a_run_that_dies_within_any_stage_before_the_commit_has_changed_nothing() -> None:
    fresh = Switch()
    before, plan = fresh.running(), fresh.plan(EXPECTED)
    made = PLATFORM.procedure(plan, "run1")
    actions = [(stage, action) for stage in BEFORE_COMMIT for action in made.stages[stage]]
    for killed_after in range(len(actions)):
        switch = fresh.copy()
        run = Walker(switch, made)
        for stage, action in actions[: killed_after + 1]:
            run.act(stage, action)
        run.reconnect()
        run.walk(Stage.TIDY)
        assert (switch.running(), sessions(switch), switch.store["flash"]) == (before, {}, {})


def test_a_run_that_dies_after_the_commit_is_undone_by_the_switch_itself(switch: Switch) -> None:
    before = switch.running()
    run = walker(switch)
    run.walk(*BEFORE_COMMIT, Stage.COMMIT)
    assert in_sync(switch)
    switch.advance(run.procedure.deadline_s - 1)
    assert in_sync(switch)
    switch.advance(2)
    assert switch.running() == before
    with pytest.raises(Failed):
        run.walk(Stage.CONFIRM)
    assert switch.running() == before


def test_the_dead_man_timer_is_silent_after_the_confirmation(switch: Switch) -> None:
    change(switch, EXPECTED)
    switch.advance(24 * 3600)
    assert in_sync(switch)


@pytest.mark.parametrize("confirmed", [False, True])
def test_undo_gives_back_the_running_configuration_of_before(switch: Switch, confirmed: bool) -> None:
    switch.type("configure", "interface Ethernet1/1", "mtu 2000", "end")  # running differs from startup
    before = switch.running()
    run = walker(switch)
    run.walk(*BEFORE_COMMIT, Stage.COMMIT)
    if confirmed:
        for action in run.procedure.stages[Stage.CONFIRM][:2]:
            run.act(Stage.CONFIRM, action)
    run.reconnect()
    run.walk(Stage.UNDO)
    assert switch.running() == before
    run.walk(Stage.UNDO)  # again, as after a connection that was lost in it
    assert switch.running() == before


def test_undo_after_the_timer_has_fired_changes_nothing_more(switch: Switch) -> None:
    before = switch.running()
    run = walker(switch)
    run.walk(*BEFORE_COMMIT, Stage.COMMIT)
    switch.advance(run.procedure.deadline_s + 1)
    run.walk(Stage.UNDO)
    assert switch.running() == before


def test_a_reboot_within_the_window_comes_up_as_before(switch: Switch) -> None:
    before = switch.running()
    run = walker(switch)
    run.walk(*BEFORE_COMMIT, Stage.COMMIT)
    switch.type("lab reboot")
    assert switch.running() == before
    run.reconnect()
    with pytest.raises(Failed):
        run.walk(Stage.CONFIRM)


def test_a_refused_line_stops_the_run_and_nothing_has_changed() -> None:
    switch = Switch()
    before, plan = switch.running(), switch.plan(EXPECTED)
    odd = replace(plan.steps[0], forward=(*plan.steps[0].forward, "mtu 99999"))
    run = Walker(switch, PLATFORM.procedure(replace(plan, steps=(odd, *plan.steps[1:])), "run1"))
    with pytest.raises(Failed, match="Invalid input"):
        run.walk(*ALL)
    run.walk(Stage.TIDY)
    assert (switch.running(), sessions(switch)) == (before, {})


def test_an_undo_that_is_no_inverse_stops_the_run_before_anything_is_committed() -> None:
    switch = Switch()
    before, plan = switch.running(), switch.plan(EXPECTED)
    lame = replace(plan.steps[0], undo=plan.steps[0].undo[:-1])
    run = Walker(switch, PLATFORM.procedure(replace(plan, steps=(lame, *plan.steps[1:])), "run1"))
    with pytest.raises(Failed) as failed:
        run.walk(*ALL)
    assert failed.value.args[:2] == (Stage.REHEARSE, "show session-config diffs")
    run.walk(Stage.TIDY)
    assert switch.running() == before


def test_a_line_that_the_switch_takes_without_effect_stops_the_run() -> None:
    switch = Switch()
    plan = switch.plan(EXPECTED)
    made = PLATFORM.procedure(plan, "run1")
    pfc = [action for action in made.stages[Stage.REHEARSE] if "priority 3 no-drop" not in action.command]
    run = Walker(switch, replace(made, stages={**made.stages, Stage.REHEARSE: tuple(pfc)}))
    with pytest.raises(Failed) as failed:
        run.walk(*ALL)
    assert failed.value.args[0] is Stage.REHEARSE


def test_the_commands_for_a_human_undo_the_change_by_themselves(switch: Switch) -> None:
    before = switch.running()
    run = walker(switch)
    run.walk(*BEFORE_COMMIT, Stage.COMMIT)
    switch.type(*run.procedure.by_hand.splitlines())
    assert switch.running() == before


def test_nothing_is_ever_configured_live() -> None:
    for stage, actions in procedure(Switch()).stages.items():
        for action in actions:
            assert action.command not in {"configure", "configure terminal"}, stage


def test_lines_of_a_session_can_be_refused_one_by_one() -> None:
    made = procedure(Switch())
    typed = [action for action in made.stages[Stage.REHEARSE] if action.command not in {"end", "abort"}]
    assert all(
        any(re.search(pattern, "% Invalid input", re.MULTILINE) for pattern in action.refused_by) for action in typed
    )


@pytest.mark.parametrize("run_id", ["", "a b", "x\nreload now", "x" * 41, "ü"])
def test_a_run_id_that_cant_be_a_name_is_refused(run_id: str) -> None:
    with pytest.raises(ValueError, match="part of the name"):
        procedure(Switch(), run_id)


def test_health_that_gets_worse_with_the_commit_is_seen_and_the_undo_ends_as_before(switch: Switch) -> None:
    change(switch, EXPECTED)
    switch.type("configure", "qos profile ROCE", "no priority-flow-control pause watchdog", "end", "write memory")
    before, healthy = switch.running(), PLATFORM.health(switch.ask(PLATFORM.health_commands()))
    switch.type("lab on-commit drop Ethernet1/1 3 9", "lab on-commit stuck Ethernet2/1 linkStatus notconnect")
    run = walker(switch, "run2")
    run.walk(*BEFORE_COMMIT, Stage.COMMIT)
    assert worse(healthy, PLATFORM.health(switch.ask(PLATFORM.health_commands()))) == (
        "port Ethernet2/1 went down",
        "neighbour lost: Ethernet2/1 gpu1 eth0",
        "lossless drops grew on Ethernet1/1/3: 0 -> 9",
    )
    run.walk(Stage.UNDO)
    assert switch.running() == before
