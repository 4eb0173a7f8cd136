"""Changes of an emulated host: the apply law, undo, and bad days. The shipped program does the work."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings

from fabric_drift.change import Stage
from fabric_drift.errors import Unsupported
from fabric_drift.platforms.linux_host import CHANGER, PLATFORM
from fabric_drift.state.device import DeviceState
from tests.platforms.linux_host.changing import (
    GUARDED,
    POD1,
    TARGET,
    apply,
    bytes_of,
    configured,
    fresh,
    left,
    pass_time,
    planned,
    run,
    seen,
    walk,
)
from tests.platforms.linux_host.policies import DESIGNS, HOSTS, RAILS, host
from tests.platforms.linux_host.sessions import HERE

FILES = HERE.parents[2] / "fabric_drift" / "platforms" / "linux_host" / "files" / "tree"
OCI = PLATFORM.localise(host(DESIGNS["oci"]), TARGET)


def localised(state: DeviceState) -> DeviceState:
    try:
        return PLATFORM.localise(state, TARGET)
    except Unsupported as error:
        assume("below 1 %" not in error.problem)
        raise


@given(HOSTS, HOSTS)
@settings(max_examples=max(5, settings().max_examples // 10), deadline=None)
def test_applying_a_plan_gives_what_was_expected_and_undoing_it_what_was(
    first: DeviceState, second: DeviceState
) -> None:
    store = configured(localised(first))
    wanted = localised(second)
    plan = planned(store, wanted)
    assert plan.refusals == ()
    assume(plan.steps)
    before = seen(store)
    procedure = apply(store, wanted)
    assert left(store, wanted) == []
    assert planned(store, wanted).steps == ()
    assert walk(store, procedure, Stage.UNDO) == ""
    assert seen(store) == before


def test_a_fresh_host_becomes_pod1s() -> None:
    store = fresh()
    procedure = apply(store)
    assert left(store) == []
    assert walk(store, procedure, Stage.CONFIRM) == ""
    assert left(store) == []
    assert planned(store).steps == ()
    assert store["timers"] == []


def test_storage_and_management_nics_are_never_touched() -> None:
    store = fresh()
    others = [pci for pci in store["nics"] if pci not in RAILS]
    before = [dict(store["nics"][pci]) for pci in others]
    apply(store)
    assert [store["nics"][pci] for pci in others] == before


def test_a_fresh_host_is_as_it_was_after_an_undo() -> None:
    store = fresh()
    before = seen(store)
    procedure = apply(store)
    assert seen(store) != before
    assert walk(store, procedure, Stage.UNDO) == ""
    assert seen(store) == before
    assert store["timers"] == []


def test_only_the_pfc_mask_takes_links_down_and_the_plan_says_which() -> None:
    store = fresh()
    plan = planned(store)
    declared = {port for step in plan.steps if str(step.disruption) == "port_flap" for port in step.ports}
    apply(store)
    assert store["flaps"] == dict.fromkeys(declared, 1) == dict.fromkeys(RAILS, 1)


def test_a_change_without_pfc_takes_no_link_down() -> None:
    store = configured()
    run(store, "lab gate none")
    for netdev in ("enp24s0np0", "enp42s0np0"):
        run(store, f"sudo -n dcb ets set dev {netdev} tc-bw 0:40 3:60")
    procedure = CHANGER.procedure(planned(store), "run1")
    assert walk(store, procedure, *GUARDED, Stage.CONFIRM) == ""
    assert left(store) == []
    assert store["flaps"] == {}


def test_a_second_apply_writes_nothing() -> None:
    store = fresh()
    walk(store, apply(store), Stage.CONFIRM)
    writes = list(store["writes"])
    assert run(store, "sudo -n roce-qos apply").exit_status == 0
    assert store["writes"] == writes


def test_everything_before_the_commit_leaves_every_setting_alone() -> None:
    store = fresh()
    before = seen(store)
    procedure = CHANGER.procedure(planned(store), "run1")
    assert walk(store, procedure, *GUARDED[:-1]) == ""
    assert seen(store) == before
    assert store.get("writes", []) == []
    assert walk(store, procedure, Stage.TIDY) == ""
    assert seen(store) == before
    assert store["timers"] == []


@pytest.mark.parametrize("count", range(0, 44, 3))
def test_killed_in_the_middle_the_timer_brings_everything_back(count: int) -> None:
    store = fresh()
    before = seen(store)
    plan = planned(store)
    procedure = CHANGER.procedure(plan, "run1")
    assert walk(store, procedure, *GUARDED[:-1]) == ""
    run(store, f"lab die-after-writes {count}")
    assert "Killed" in walk(store, procedure, Stage.COMMIT)
    assert pass_time(store, plan.deadline_s - 1) == []
    (answer,) = pass_time(store, 2)
    assert answer.exit_status == 0, answer.stderr
    assert seen(store) == before


@pytest.mark.parametrize("count", [0, 5, 20])
def test_an_undo_that_was_killed_can_be_done_again(count: int) -> None:
    store = fresh()
    before = seen(store)
    procedure = apply(store)
    run(store, f"lab die-after-writes {count}")
    assert "Killed" in walk(store, procedure, Stage.UNDO)
    assert walk(store, procedure, Stage.UNDO) == ""
    assert seen(store) == before


def test_two_changes_at_once_are_one_too_many() -> None:
    store = fresh()
    first = CHANGER.procedure(planned(store), "run1")
    second = CHANGER.procedure(planned(store), "run2")
    assert walk(store, first, Stage.PREFLIGHT, Stage.LOCK) == ""
    assert "run1 is pending" in walk(store, second, Stage.PREFLIGHT, Stage.LOCK)
    assert walk(store, second, Stage.TIDY) == ""
    assert walk(store, first, Stage.SAVE, Stage.REHEARSE, Stage.ARM, Stage.COMMIT, Stage.CONFIRM) == ""
    assert walk(store, second, Stage.LOCK) == ""


def test_the_wrong_host_is_refused_before_anything_is_sent() -> None:
    store = fresh()
    procedure = CHANGER.procedure(planned(store), "run1")
    store["hostname"] = "gpu2"
    assert walk(store, procedure, *GUARDED).startswith("preflight")
    assert "/var/lib/roce-qos/change/run" not in store["files"]


def test_a_host_without_the_program_is_refused() -> None:
    store = fresh()
    procedure = CHANGER.procedure(planned(store), "run1")
    run(store, "lab uninstall roce-qos")
    assert re.match("preflight.*command not found", walk(store, procedure, *GUARDED), re.DOTALL)


@pytest.mark.parametrize("stage", [Stage.LOCK, Stage.SAVE, Stage.COMMIT])
def test_a_full_disk_fails_with_nothing_changed(stage: Stage) -> None:
    store = fresh()
    before = seen(store)
    procedure = CHANGER.procedure(planned(store), "run1")
    assert walk(store, procedure, *GUARDED[: GUARDED.index(stage)]) == ""
    run(store, "lab disk full")
    assert "No space left" in walk(store, procedure, stage)
    run(store, "lab disk free")
    assert walk(store, procedure, Stage.UNDO) == ""
    assert seen(store) == before


@pytest.mark.parametrize(
    ("circumstance", "words"),
    [
        ("lab gate busy", "drain gate refuses"),
        ("lab gate hang", "no answer within 60 s"),
        ("lab gate none", "no drain gate"),
        ("lab job start mlx5_0", "queue pairs are in use by python3"),
        ("lab uninstall rdma", "can't tell whether queue pairs"),
    ],
)
@pytest.mark.parametrize("stage", [Stage.PREFLIGHT, Stage.COMMIT])
def test_links_go_down_only_on_a_drained_host(circumstance: str, words: str, stage: Stage) -> None:
    store = fresh()
    before = seen(store)
    procedure = CHANGER.procedure(planned(store), "run1")
    assert walk(store, procedure, *GUARDED[: GUARDED.index(stage)]) == ""
    if "rdma" not in circumstance:
        run(store, circumstance)
        assert words in walk(store, procedure, stage)
    else:
        run(store, circumstance)
        assert words in walk(store, procedure, stage)
        store["missing_commands"].clear()
    assert (store["flaps"], store.get("writes", [])) == ({}, [])
    assert walk(store, procedure, Stage.TIDY) == ""
    assert seen(store) == before


def test_a_preview_changes_not_a_byte() -> None:
    store = fresh()
    before = bytes_of(store)
    CHANGER.procedure(planned(store), "run1")
    assert bytes_of(store) == before


def test_foreign_lines_of_a_job_file_stay() -> None:
    store = fresh()
    store["files"]["/etc/nccl.conf"] = "# site\nNCCL_DEBUG=WARN\nNCCL_IB_TC=0\n"
    wanted = PLATFORM.localise(host(DESIGNS["nvidia"], job={"NCCL_IB_TC": "106", "NCCL_DEBUG": "WARN"}), TARGET)
    procedure = apply(store, wanted)
    assert store["files"]["/etc/nccl.conf"] == "# site\nNCCL_DEBUG=WARN\nNCCL_IB_TC=106\n"
    walk(store, procedure, Stage.UNDO)
    assert store["files"]["/etc/nccl.conf"] == "# site\nNCCL_DEBUG=WARN\nNCCL_IB_TC=0\n"


def test_parts_of_a_plan_give_the_whole() -> None:
    store = fresh()
    plan = planned(store)
    for number, step in enumerate(plan.steps):
        if step.title.startswith(("trust", "dscp_to_priority")):
            continue
        part = replace(plan, steps=(step,))
        procedure = CHANGER.procedure(part, f"run{number}")
        assert walk(store, procedure, *GUARDED, Stage.CONFIRM) == "", step.title
    rest = planned(store)
    assert {step.title.partition(":")[0] for step in rest.steps} == {"trust", "dscp_to_priority"}
    walk(store, CHANGER.procedure(rest, "last"), *GUARDED, Stage.CONFIRM)
    assert left(store, POD1) == []
