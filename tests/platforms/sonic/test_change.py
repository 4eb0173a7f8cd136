"""Changes on an emulated switch: what is declared is what flaps, and every bad day ends as before or as intended."""

from __future__ import annotations

import contextlib
import json

import pytest

from fabric_drift.change import Stage
from fabric_drift.finding import Layer
from fabric_drift.platform import Disruption
from fabric_drift.platforms.sonic import PLATFORM
from tests.platforms.sonic.changing import APPLYING, Refused, Switch
from tests.platforms.sonic.test_plan import in_sync, intent

SHARED_QUEUE = 'sonic-db-cli CONFIG_DB hset "QUEUE|Ethernet8|3" scheduler scheduler.0'
# what was changed by hand -> the commands, and the ports that putting it right may flap
KINDS: dict[str, tuple[tuple[str, ...], set[str]]] = {
    "an entry of a map": (('sonic-db-cli CONFIG_DB hset "DSCP_TO_TC_MAP|AZURE" 30 3',), set()),
    "ECN thresholds": (("ecnconfig -p AZURE_LOSSLESS -gmin 1000000",), set()),
    "a weight": (('sonic-db-cli CONFIG_DB hset "SCHEDULER|scheduler.1" weight 9',), set()),
    "an MTU": (("config interface mtu Ethernet0 1500",), set()),
    "the watchdog": (("pfcwd start -a drop -r 1000 Ethernet0 Ethernet8 500",), set()),
    "a cable length": (('sonic-db-cli CONFIG_DB hset "CABLE_LENGTH|AZURE" Ethernet0 40m',), set()),
    "PFC of two ports": (
        ("config interface pfc priority Ethernet0 4 on", "config interface pfc priority Ethernet16 3 off"),
        {"Ethernet0", "Ethernet16"},
    ),
    "the queue of a port": ((SHARED_QUEUE,), {"Ethernet8"}),
    "FEC of a port": (("config interface fec Ethernet24 none",), {"Ethernet24"}),
    "a port that was shut": (("config interface shutdown Ethernet32",), set()),
}


@pytest.mark.parametrize("kind", KINDS)
def test_no_port_flaps_that_the_plan_did_not_declare(kind: str) -> None:
    switch = in_sync("leaf1")
    commands, flaps = KINDS[kind]
    switch.run(*commands)
    switch.flapped()
    plan = switch.plan(intent("leaf1"))
    declared = {port for step in plan.steps if step.disruption >= Disruption.PORT_FLAP for port in step.ports}
    switch.walk(PLATFORM.procedure(plan, "r2"))
    flapped = switch.flapped()
    assert flapped == flaps
    assert declared - {"Ethernet32"} == flaps
    assert plan.route == "gcu_patch"
    assert switch.drift(intent("leaf1")) == []
    assert switch.plan(intent("leaf1")).steps == ()


@pytest.mark.parametrize("name", ["leaf1", "leaf2", "spine1"])
def test_a_stock_switch_becomes_as_intended_by_a_reload_that_was_declared(name: str) -> None:
    switch = Switch(name)
    plan = switch.plan(intent(name))
    switch.walk(PLATFORM.procedure(plan, "r1"))
    assert plan.disruption is Disruption.RELOAD
    assert len(switch.flapped()) == len(switch.store["peers"])
    assert switch.drift(intent(name)) == []
    assert switch.store["timers"] == []
    assert not [path for path in switch.store["files"] if path.startswith("/etc/sonic/checkpoints")]


def test_stock_to_intent_by_patches_flaps_every_port_once_and_says_so() -> None:
    switch = Switch("leaf1", "202511")
    plan = switch.plan(intent("leaf1"))
    declared = [port for step in plan.steps if step.disruption >= Disruption.PORT_FLAP for port in step.ports]
    switch.walk(PLATFORM.procedure(plan, "r1"))
    flaps = [flap["port"] for flap in switch.store["flaps"] if flap["by"] == "config apply-patch"]
    assert plan.route == "gcu_patch"
    assert sorted(flaps) == sorted(declared)
    assert len(flaps) == 24
    assert switch.drift(intent("leaf1")) == []


def _is_as_before(switch: Switch, before: object) -> None:
    assert switch.facts() == before
    assert switch.store["timers"] == []
    assert not [path for path in switch.store["files"] if path.endswith(".held")]


def test_a_change_that_nobody_confirms_is_undone_by_the_switch_itself(drifted: Switch) -> None:
    before = drifted.facts()
    plan = drifted.plan(intent(drifted.name))
    drifted.walk(PLATFORM.procedure(plan, "r2"), *APPLYING)
    assert drifted.drift(intent(drifted.name), Layer.RUNNING) == []
    assert drifted.wait(plan.deadline_s - 1) == []
    assert drifted.wait(1) == ["fabric-drift-undo-r2"]
    _is_as_before(drifted, before)
    assert any("was undone" in line for line in drifted.store["syslog"])


def test_a_confirmed_change_is_never_undone_and_is_saved(drifted: Switch) -> None:
    drifted.walk(PLATFORM.procedure(drifted.plan(intent(drifted.name)), "r2"))
    assert drifted.wait(100_000) == []
    drifted.run("reboot")
    assert drifted.drift(intent(drifted.name)) == []


def test_an_undo_on_request_may_come_twice(drifted: Switch) -> None:
    before = drifted.facts()
    procedure = PLATFORM.procedure(drifted.plan(intent(drifted.name)), "r2")
    drifted.walk(procedure, *APPLYING)
    drifted.walk(procedure, Stage.UNDO, Stage.UNDO)
    _is_as_before(drifted, before)
    drifted.walk(procedure, Stage.TIDY)
    assert not [path for path in drifted.store["files"] if "r2" in path]


def test_a_reboot_inside_the_window_brings_back_what_was_saved_and_leaves_no_lock(drifted: Switch) -> None:
    drifted.run("config save -y")
    before = drifted.facts()
    procedure = PLATFORM.procedure(drifted.plan(intent(drifted.name)), "r2")
    drifted.walk(procedure, *APPLYING)
    drifted.run("reboot")
    drifted.walk(procedure, Stage.UNDO)
    _is_as_before(drifted, before)
    with pytest.raises(Refused):
        drifted.walk(procedure, Stage.CONFIRM)
    drifted.walk(procedure, Stage.TIDY)
    drifted.walk(PLATFORM.procedure(drifted.plan(intent(drifted.name)), "r3"))
    assert drifted.drift(intent(drifted.name)) == []


@pytest.mark.parametrize("applied", range(8))
def test_a_patch_that_fails_half_way_is_undone_from_where_it_stopped(applied: int) -> None:
    switch = in_sync("leaf1")
    switch.run("config interface pfc priority Ethernet0 4 on", "ecnconfig -p AZURE_LOSSLESS -gmin 1000000")
    before = switch.facts()
    procedure = PLATFORM.procedure(switch.plan(intent("leaf1")), "r2")
    switch.walk(procedure, *APPLYING[:-1])
    switch.run(f"lab-fault patch_fails_after:{applied}")
    with contextlib.suppress(Refused):  # a patch of fewer changes has no place to fail at
        switch.walk(procedure, Stage.COMMIT)
    switch.run("lab-fault none")
    switch.walk(procedure, Stage.UNDO)
    _is_as_before(switch, before)
    assert switch.run("sonic-db-cli CONFIG_DB hget 'PORT|Ethernet0' admin_status") == "up\n"


def test_a_timer_that_fires_while_a_patch_runs_waits_for_it_and_then_undoes_it() -> None:
    switch = in_sync("leaf1")
    switch.run("ecnconfig -p AZURE_LOSSLESS -gmin 1000000", "config interface mtu Ethernet0 1500")
    before = switch.facts()
    procedure = PLATFORM.procedure(switch.plan(intent("leaf1")), "r2")
    switch.walk(procedure, *APPLYING[:-1])
    switch.run("lab-fault timer_in_patch")
    switch.walk(procedure, Stage.COMMIT)
    assert switch.facts() == before
    with pytest.raises(Refused):
        switch.walk(procedure, Stage.CONFIRM)


def test_the_wrong_device_behind_the_address_is_refused_before_anything_is_written(drifted: Switch) -> None:
    plan = drifted.plan(intent(drifted.name))
    other = Switch("spine1")
    files = dict(other.store["files"])
    with pytest.raises(Refused) as refused:
        other.walk(PLATFORM.procedure(plan, "r2"))
    assert refused.value.args[0] is Stage.PREFLIGHT
    assert other.store["files"] == files
    assert other.flapped() == set()


def test_one_field_that_yang_does_not_know_stops_the_updater_in_preflight() -> None:
    switch = in_sync("leaf1")
    switch.run("config interface mtu Ethernet0 1500")
    plan = switch.plan(intent("leaf1"))
    switch.run('sonic-db-cli CONFIG_DB hset "PFC_WD|GLOBAL" BIG_RED_SWITCH enable')
    with pytest.raises(Refused) as refused:
        switch.walk(PLATFORM.procedure(plan, "r2"))
    assert refused.value.args[0] is Stage.PREFLIGHT
    assert "BIG_RED_SWITCH" in refused.value.args[2].stderr


@pytest.mark.parametrize("stage", [Stage.SAVE, Stage.COMMIT, Stage.CONFIRM])
def test_a_full_disk_ends_as_before(drifted: Switch, stage: Stage) -> None:
    before = drifted.facts()
    plan = drifted.plan(intent(drifted.name))
    procedure = PLATFORM.procedure(plan, "r2")
    order = [*APPLYING, Stage.CONFIRM]
    drifted.walk(procedure, *order[: order.index(stage)])
    drifted.run("lab-fault disk_full")
    with pytest.raises(Refused):
        drifted.walk(procedure, stage)
    drifted.run("lab-fault none")
    if stage is Stage.SAVE:
        drifted.walk(procedure, Stage.TIDY)
    else:
        drifted.wait(plan.deadline_s)
    _is_as_before(drifted, before)


def test_a_confirm_that_died_half_way_is_finished_by_the_timer_not_undone() -> None:
    switch = in_sync("leaf1")
    switch.run("config interface mtu Ethernet0 1500")
    plan = switch.plan(intent("leaf1"))
    switch.walk(PLATFORM.procedure(plan, "r2"), *APPLYING)
    switch.run("sudo -n touch /var/lib/fabric-drift/r2/confirmed")
    switch.wait(plan.deadline_s)
    assert switch.drift(intent("leaf1")) == []


def test_an_undo_that_fails_keeps_its_files_and_says_so_in_the_log() -> None:
    switch = in_sync("leaf1")
    switch.run("ecnconfig -p AZURE_LOSSLESS -gmin 1000000")
    before = switch.facts()
    procedure = PLATFORM.procedure(switch.plan(intent("leaf1")), "r2")
    switch.walk(procedure, *APPLYING)
    switch.run("lab-fault patch_fails_after:0")
    with pytest.raises(Refused):
        switch.walk(procedure, Stage.UNDO)
    assert any("could NOT be undone" in line for line in switch.store["syslog"])
    by_hand = procedure.by_hand.partition(" || ")[0]
    switch.run(by_hand)
    assert switch.facts() == before


def test_an_asic_that_does_not_follow_is_seen_in_the_layer_below(drifted: Switch) -> None:
    drifted.run("lab-fault asic_stuck")
    procedure = PLATFORM.procedure(drifted.plan(intent(drifted.name)), "r2")
    if any("reload" in action.command for action in procedure.stages[Stage.REHEARSE]):
        pytest.skip("a reload makes the ASIC anew")
    drifted.walk(procedure, *APPLYING)
    assert drifted.drift(intent(drifted.name), Layer.RUNNING) == []
    assert drifted.name == "leaf2" or drifted.drift(intent(drifted.name), Layer.SAI) != []


@pytest.mark.parametrize("run_id", ["", "a b", "../x", "x;reboot", "é", "a" * 65, "-x"])
def test_a_run_id_that_could_be_more_than_a_name_is_refused(run_id: str) -> None:
    plan = Switch("leaf1").plan(intent("leaf1"))
    with pytest.raises(ValueError, match="run id"):
        PLATFORM.procedure(plan, run_id)


def test_a_plan_with_refusals_or_nothing_to_do_has_no_procedure() -> None:
    with pytest.raises(ValueError, match="only a plan"):
        PLATFORM.procedure(in_sync("leaf1").plan(intent("leaf1")), "r1")


def test_no_secret_of_the_switch_gets_into_a_plan_or_a_procedure(drifted: Switch) -> None:
    plan = drifted.plan(intent(drifted.name))
    procedure = PLATFORM.procedure(plan, "r2")
    text = repr(plan) + repr(procedure)
    assert "secret" in json.dumps(drifted.config())
    assert "secret" not in text


def test_a_patch_that_is_refused_at_commit_is_told_in_the_words_of_the_switch() -> None:
    switch = in_sync("leaf1")
    switch.run("ecnconfig -p AZURE_LOSSLESS -gmin 1000000")
    procedure = PLATFORM.procedure(switch.plan(intent("leaf1")), "r2")
    switch.walk(procedure, *APPLYING[:-1])
    switch.run("lab-fault patch_fails_after:0")
    with pytest.raises(Refused) as refused:
        switch.walk(procedure, Stage.COMMIT)
    assert "service check failed" in refused.value.args[2].stdout


def test_a_disk_that_filled_up_after_the_commit_does_not_keep_the_switch_from_undoing(drifted: Switch) -> None:
    before = drifted.facts()
    plan = drifted.plan(intent(drifted.name))
    drifted.walk(PLATFORM.procedure(plan, "r2"), *APPLYING)
    drifted.run("lab-fault disk_full")
    drifted.wait(plan.deadline_s)
    _is_as_before(drifted, before)
