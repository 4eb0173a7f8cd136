"""Plans of a host: minimal steps, what they cost and by what evidence, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from fabric_drift.change import Kind, Phase, Plan, Step
from fabric_drift.platform import Disruption, Output
from fabric_drift.platforms.linux_host import CHANGER, PLATFORM
from fabric_drift.state.device import DeviceState
from tests.platforms.linux_host.changing import POD1, TARGET, configured, fresh, planned, reading, run
from tests.platforms.linux_host.policies import DESIGNS, RAILS, host, pod1_nic, policy


def expecting(qos: Any) -> DeviceState:
    return PLATFORM.localise(host(qos), TARGET)


def step_of(plan: Plan, start: str) -> Step:
    return next(step for step in plan.steps if step.title.startswith(start))


def test_a_host_as_expected_needs_no_step() -> None:
    plan = planned(configured())
    assert (plan.steps, plan.refusals, plan.route, plan.diff) == ((), (), "", "")


def test_one_key_of_all_nics_is_one_step() -> None:
    plan = planned(fresh())
    pfc = step_of(plan, "pfc_priorities")
    assert pfc.title == "pfc_priorities: none -> 3 on 2 NICs"
    assert pfc.forward == tuple(f"{pci} pfc_priorities=3" for pci in RAILS)
    assert pfc.undo == tuple(f"{pci} pfc_priorities=none" for pci in RAILS)
    assert pfc.paths == tuple(("ports", pci, "qos", "pfc", "priorities") for pci in RAILS)


def test_a_new_pfc_mask_costs_a_port_flap_by_the_drivers_source() -> None:
    pfc = step_of(planned(fresh()), "pfc_priorities")
    assert (pfc.disruption, pfc.undo_disruption, pfc.ports) == (Disruption.PORT_FLAP, Disruption.PORT_FLAP, RAILS)
    assert "mlx5_toggle_port_link" in pfc.evidence


def test_what_nobody_has_evidence_for_is_unknown() -> None:
    assert step_of(planned(fresh()), "mtu_bytes").disruption is Disruption.UNKNOWN


def test_only_the_nic_that_differs_is_in_the_plan() -> None:
    store = configured()
    run(store, "sudo -n dcb pfc set dev enp42s0np0 delay 9")
    (step,) = planned(store).steps
    assert step.forward == (f"{RAILS[1]} cable_length_m=5",)
    assert step.undo == (f"{RAILS[1]} cable_length_m=9",)
    assert step.disruption is Disruption.LOSSLESS_GAP


def test_where_nothing_is_lossless_yet_everything_is_an_addition() -> None:
    steps = [step for step in planned(fresh()).steps if step.phase is Phase.HOST]
    assert {step.kind for step in steps} == {Kind.ADD}


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [((3,), (3, 4), Kind.ADD), ((3, 4), (3,), Kind.REMOVE), ((3,), (4,), Kind.CHANGE), ((3,), (), Kind.REMOVE)],
)
def test_a_pfc_priority_more_is_an_addition_and_one_less_a_removal(
    old: tuple[int, ...], new: tuple[int, ...], kind: Kind
) -> None:
    maps = ({26: 3, 48: 6}, {3: 3, 6: 6}, ((0, 3), (3, 7), (6, "strict")))
    store = configured(expecting(policy(*maps, old)))
    assert step_of(planned(store, expecting(policy(*maps, new))), "pfc_priorities").kind is kind


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ({26: 3}, {26: 3, 48: 6}, Kind.ADD),
        ({26: 3, 48: 6}, {26: 3}, Kind.REMOVE),
        ({26: 3, 48: 6}, {26: 3, 48: 5}, Kind.CHANGE),
    ],
)
def test_a_dscp_more_is_an_addition_and_one_less_a_removal(
    old: dict[int, int], new: dict[int, int], kind: Kind
) -> None:
    rest = ({3: 3, 6: 6}, ((0, 3), (3, 7), (6, "strict")), (3,))
    store = configured(expecting(policy(old, *rest)))
    assert step_of(planned(store, expecting(policy(new, *rest))), "dscp_to_priority").kind is kind


def test_a_file_of_the_next_boot_that_differs_alone_disturbs_nothing() -> None:
    store = configured()
    run(store, f"sudo -n sed -i s/cable_length_m=5/cable_length_m=6/ /etc/roce-qos/{RAILS[0]}.conf")
    (step,) = planned(store).steps
    assert (step.forward, step.disruption) == ((f"{RAILS[0]} cable_length_m=5",), Disruption.NONE)


def test_job_files_are_a_phase_of_their_own() -> None:
    steps = [step for step in planned(fresh()).steps if step.phase is Phase.JOB]
    assert [(step.kind, step.forward) for step in steps] == [
        (Kind.ADD, ("nccl.conf NCCL_IB_TC=106", "ucx.conf UCX_IB_TRAFFIC_CLASS=106"))
    ]


def test_a_variable_that_nobody_asked_for_is_removed() -> None:
    store = configured()
    store["files"]["/etc/nccl.conf"] += "NCCL_IB_SL=3\n"
    (step,) = planned(store).steps
    assert (step.kind, step.forward, step.undo) == (
        Kind.REMOVE,
        ("nccl.conf -NCCL_IB_SL",),
        ("nccl.conf NCCL_IB_SL=3",),
    )


def test_firmware_parameters_are_told_and_left_to_their_own_command() -> None:
    store = configured()
    nic = replace(pod1_nic(), firmware_parameters={"CNP_DSCP_P1": "40"})
    plan = planned(store, PLATFORM.localise(host(DESIGNS["nvidia"], nic), TARGET))
    assert plan.steps == ()
    assert f"# {RAILS[0]} CNP_DSCP_P1=40 is for `roce-qos firmware apply`, then a boot" in plan.diff


def test_a_second_writer_of_dcb_is_refused() -> None:
    store = fresh()
    store["services"]["lldpad"] = "active"
    plan = planned(store)
    assert {refusal.path for refusal in plan.refusals} == {("ports", pci, "nic", "dcb_owner") for pci in RAILS}
    assert not [step for step in plan.steps if step.phase is Phase.HOST]


def test_what_cannot_be_seen_is_refused_not_guessed() -> None:
    store = configured()
    run(store, "lab uninstall dcb")
    run(store, "lab uninstall mlnx_qos")
    plan = planned(store)
    assert plan.steps == ()
    assert all("qos" in refusal.path for refusal in plan.refusals)
    assert plan.refusals


def test_a_file_that_is_not_understood_is_refused_not_overwritten() -> None:
    store = configured()
    store["files"][f"/etc/roce-qos/{RAILS[0]}.conf"] += "mtu_bytes=9001\n"
    (refusal,) = planned(store).refusals
    assert "two values" in refusal.problem
    assert "Repair" in refusal.remedy


def test_a_nic_that_is_not_there_is_refused() -> None:
    wanted = replace(POD1, ports={"0000:77:00.0": POD1.ports[RAILS[0]]})  # type: ignore[index]
    (refusal,) = CHANGER.plan(reading(configured()), wanted, TARGET).refusals
    assert refusal.path == ("ports", "0000:77:00.0")


def test_hosts_that_need_the_same_have_the_same_shape() -> None:
    other = replace(TARGET, device="gpu2")
    plans = [CHANGER.plan(reading(fresh()), POD1, target) for target in (TARGET, other)]
    assert plans[0].shape == plans[1].shape
    assert plans[0].shape != planned(configured(expecting(DESIGNS["oci"]))).shape


def test_the_deadline_grows_with_the_number_of_nics() -> None:
    assert planned(fresh()).deadline_s == 300
    seen, many = reading(fresh()), [f"0000:{bus:02x}:00.0" for bus in range(24)]
    states: Any = {
        layer: replace(state, ports=dict.fromkeys(many, state.ports[RAILS[0]]))  # type: ignore[index]
        for layer, state in seen.states.items()
    }
    wanted = replace(POD1, ports=dict.fromkeys(many, POD1.ports[RAILS[0]]))  # type: ignore[index]
    plan = CHANGER.plan(replace(seen, states=states), wanted, TARGET)
    assert plan.deadline_s == 180 + 15 * 26


@pytest.mark.parametrize("run_id", ["", "a b", "x;reboot", "../x", "-x", "a" * 65])
def test_a_run_id_that_could_be_more_than_a_name_is_an_error(run_id: str) -> None:
    with pytest.raises(ValueError, match="run id"):
        CHANGER.procedure(planned(fresh()), run_id)


def test_the_gate_is_asked_only_where_links_may_go_down() -> None:
    store = configured()
    run(store, "sudo -n dcb ets set dev enp24s0np0 prio-tc 1:3")
    asked = [action.command for actions in CHANGER.procedure(planned(store), "r").stages.values() for action in actions]
    assert "sudo -n roce-qos drained" not in asked
    run(store, "sudo -n dcb pfc set dev enp24s0np0 prio-pfc 3:off")
    asked = [action.command for actions in CHANGER.procedure(planned(store), "r").stages.values() for action in actions]
    assert "sudo -n roce-qos drained" in asked


@pytest.mark.parametrize(
    "junk", [Output(error="timeout"), Output("", "", 127), Output("{]\x00 nonsense\n", "", 0), None]
)
def test_whatever_a_host_fails_to_say_a_plan_refuses_and_never_raises(junk: Output | None) -> None:
    store = configured()
    answers: dict[str, Output] = {}
    while commands := PLATFORM.commands(answers):
        for command in commands:
            told = run(store, command.wire)
            answers[command.text] = Output(told.stdout, told.stderr, told.exit_status)
    for text in answers:
        spoiled = {**answers, text: junk} if junk else {key: value for key, value in answers.items() if key != text}
        plan = CHANGER.plan(PLATFORM.parse(spoiled), POD1, TARGET)
        running = [step for step in plan.steps if step.disruption is not Disruption.NONE]
        assert running == [], text
