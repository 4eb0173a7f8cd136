"""What is typed on switches that somebody configured by hand, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabric_drift.change import Kind, Phase, Plan
from fabric_drift.errors import Unsupported
from fabric_drift.platform import Disruption, Reading, Target
from fabric_drift.platforms.eos import PLATFORM
from fabric_drift.state import UNSAID, DeviceState, DeviceWatchdog, Ecn, Identity, Pfc, Port, PortQos, QosMaps, Queue
from tests.platforms.eos.reading import answers

TARGET = Target("leaf9", "4.32.2F", "DCS-7060DX5-64S")
PFC_3 = PortQos(pfc=Pfc(priorities=(3,)))
TRUST = PortQos(trust="dscp")


def expect(*ports: str, **facts: object) -> DeviceState:
    """The same facts for every port, localised."""
    state = DeviceState(ports={name: Port(**facts) for name in ports or ("Ethernet1/1",)})  # type: ignore[arg-type]
    return PLATFORM.localise(state, TARGET)


def only(qos: PortQos) -> PortQos:
    """``qos`` without what ``localise`` adds for facts that an intent leaves out."""
    local = expect(qos=qos).ports["Ethernet1/1"].qos  # type: ignore[index]
    said = {
        name: getattr(local, name)
        for name in ("trust", "pfc", "scheduling", "queues")
        if getattr(qos, name) is not UNSAID
    }
    return replace(PortQos(), **said)


def plan(running: str, expected: DeviceState, saved: str | None = None) -> Plan:
    reading = PLATFORM.parse(answers(running, saved))
    return PLATFORM.plan(reading, expected, replace(TARGET, names=reading.names))


def lines(running: str, expected: DeviceState) -> tuple[str, ...]:
    made = plan(running, expected)
    assert made.refusals == ()
    return tuple(line for step in made.steps for line in step.forward)


def state(qos: PortQos, *ports: str) -> DeviceState:
    return DeviceState(ports={name: Port(qos=qos) for name in ports or ("Ethernet1/1",)})


def test_a_shared_profile_is_changed_in_place() -> None:
    running = (
        "qos profile RAIL\n   priority-flow-control on\n   priority-flow-control priority 4 no-drop\n!\n"
        "interface Ethernet1/1\n   service-profile RAIL\n!\ninterface Ethernet2/1\n   service-profile RAIL\nend\n"
    )
    assert lines(running, state(PFC_3, "Ethernet1/1", "Ethernet2/1")) == (
        "qos profile RAIL",
        "   priority-flow-control priority 3 no-drop",
        "qos profile RAIL",
        "   no priority-flow-control priority 4",
    )


def test_a_profile_that_an_unmanaged_port_uses_too_is_left_alone_and_copied() -> None:
    running = (
        "qos profile RAIL\n   priority-flow-control on\n   tx-queue 2\n      bandwidth percent 5\n!\n"
        "interface Ethernet1/1\n   service-profile RAIL\n!\ninterface Ethernet9/1\n   service-profile RAIL\nend\n"
    )
    assert lines(running, state(PFC_3)) == (
        "qos profile ROCE",
        "   priority-flow-control on",
        "   priority-flow-control priority 3 no-drop",
        "   tx-queue 2",
        "      bandwidth percent 5",
        "interface Ethernet1/1",
        "   service-profile ROCE",
    )


def test_a_line_under_the_interface_that_overrides_a_right_profile_is_taken_away() -> None:
    running = (
        "qos profile RAIL\n   qos trust dscp\n!\n"
        "interface Ethernet1/1\n   service-profile RAIL\n   qos trust cos\n!\n"
        "interface Ethernet2/1\n   service-profile RAIL\nend\n"
    )
    assert lines(running, state(TRUST, "Ethernet1/1", "Ethernet2/1")) == (
        "interface Ethernet1/1",
        "   default qos trust",
    )


def test_an_interface_without_a_profile_is_changed_where_it_says_so_itself() -> None:
    running = "interface Ethernet1/1\n   qos trust cos\nend\n"
    assert lines(running, state(TRUST)) == ("interface Ethernet1/1", "   qos trust dscp")


def test_a_port_joins_a_profile_that_already_does_what_it_needs() -> None:
    running = (
        "qos profile RAIL\n   priority-flow-control on\n   priority-flow-control priority 3 no-drop\n!\n"
        "interface Ethernet1/1\n   service-profile RAIL\n!\ninterface Ethernet2/1\n   description new\nend\n"
    )
    assert lines(running, state(PFC_3, "Ethernet1/1", "Ethernet2/1")) == (
        "interface Ethernet2/1",
        "   service-profile RAIL",
    )


def test_the_words_of_the_switch_for_a_queue_are_kept() -> None:
    running = (
        "qos profile RAIL\n   uc-tx-queue 3\n"
        "      random-detect ecn minimum-threshold 5 bytes maximum-threshold 9 bytes\n"
        "!\ninterface Ethernet1/1\n   service-profile RAIL\nend\n"
    )
    wanted = only(PortQos(queues={3: Queue(ecn=Ecn(kmin_bytes=7, kmax_bytes=9))}))
    assert lines(running, state(wanted)) == (
        "qos profile RAIL",
        "   uc-tx-queue 3",
        "      random-detect ecn minimum-threshold 7 bytes maximum-threshold 9 bytes",
    )


def test_a_threshold_in_kbytes_is_replaced_and_undone_as_it_was_written() -> None:
    old = "random-detect ecn minimum-threshold 5 kbytes maximum-threshold 9 kbytes"
    running = f"qos profile RAIL\n   tx-queue 3\n      {old}\n!\ninterface Ethernet1/1\n   service-profile RAIL\nend\n"
    wanted = only(PortQos(queues={3: Queue(ecn=Ecn(kmin_bytes=7, kmax_bytes=9))}))
    [step] = plan(running, state(wanted)).steps
    assert step.undo == ("qos profile RAIL", "   tx-queue 3", f"      {old}")
    assert (step.phase, step.kind) == (Phase.ECN, Kind.CHANGE)


def test_a_policy_of_a_lag_goes_under_the_port_channel() -> None:
    running = (
        "interface Port-Channel7\n!\ninterface Ethernet1/1\n   channel-group 7 mode active\n!\n"
        "interface Ethernet2/1\n   channel-group 7 mode active\nend\n"
    )
    made = lines(running, state(PFC_3, "Ethernet1/1", "Ethernet2/1"))
    assert made[-2:] == ("interface Port-Channel7", "   service-profile ROCE")


def test_lines_that_nobody_translates_stay_in_a_profile_that_is_changed() -> None:
    running = (
        "qos profile RAIL\n   shape rate 50 percent\n   qos trust cos\n!\n"
        "interface Ethernet1/1\n   service-profile RAIL\nend\n"
    )
    assert lines(running, state(TRUST)) == ("qos profile RAIL", "   qos trust dscp")


def test_an_unreferenced_profile_is_removed_whole_and_its_undo_writes_all_of_it() -> None:
    old = "qos profile OLD\n   shape rate 50 percent\n   tx-queue 3\n      priority strict\n"
    running = f"{old}!\ninterface Ethernet1/1\nend\n"
    [step] = plan(running, DeviceState(ports={}, unreferenced={})).steps
    assert step.forward == ("no qos profile OLD",)
    assert step.undo == ("qos profile OLD", "   shape rate 50 percent", "   tx-queue 3", "      priority strict")
    assert (step.kind, step.disruption, step.ports) == (Kind.REMOVE, Disruption.NONE, ())


def test_an_mtu_grows_with_additions_and_shrinks_with_removals() -> None:
    small, large = "interface Ethernet1/1\nend\n", "interface Ethernet1/1\n   mtu 9214\nend\n"
    [grows] = plan(small, DeviceState(ports={"Ethernet1/1": Port(mtu_bytes=9100)})).steps
    [shrinks] = plan(large, DeviceState(ports={"Ethernet1/1": Port(mtu_bytes=9100)})).steps
    assert (grows.kind, shrinks.kind) == (Kind.ADD, Kind.REMOVE)
    assert shrinks.paths == (("ports", "Ethernet1/1", "mtu_bytes"),)


def test_only_what_arista_documents_has_a_known_disruption() -> None:
    running = "interface Ethernet1/1\n   shutdown\nend\n"
    up = plan(running, DeviceState(ports={"Ethernet1/1": Port(admin_up=True)}))
    down = plan("interface Ethernet1/1\nend\n", DeviceState(ports={"Ethernet1/1": Port(admin_up=False)}))
    pfc = plan("interface Ethernet1/1\nend\n", state(PFC_3))
    assert [item.disruption for item in (up, down, pfc)] == [
        Disruption.NONE,
        Disruption.PORT_FLAP,
        Disruption.UNKNOWN,
    ]
    assert (up.steps[0].undo_disruption, down.steps[0].undo_disruption) == (Disruption.PORT_FLAP, Disruption.NONE)


def test_every_step_names_the_ports_that_its_lines_reach() -> None:
    running = (
        "qos profile RAIL\n   qos trust cos\n!\ninterface Ethernet1/1\n   service-profile RAIL\n!\n"
        "interface Ethernet9/1\nend\n"
    )
    [profile] = plan(running, state(TRUST)).steps
    [device] = plan(running, DeviceState(watchdog=DeviceWatchdog(poll_ms=50, action="errdisable"))).steps
    assert profile.ports == ("Ethernet1/1",)
    assert device.ports == ("Ethernet1/1", "Ethernet9/1")


def test_equal_changes_of_two_switches_have_one_shape() -> None:
    running = "hostname {}\nqos profile A\n   qos trust cos\n!\ninterface Ethernet1/1\n   service-profile A\nend\n"
    shapes = {plan(running.format(name), state(TRUST)).shape for name in ("leaf1", "leaf2")}
    assert len(shapes) == 1


REFUSALS = {
    "a line that nobody understands": (
        "interface Ethernet1/1\n   qos trust sideways\nend\n",
        ("ports", "Ethernet1/1", "qos"),
        "qos trust sideways",
    ),
    "a policy map that may classify otherwise": (
        "interface Ethernet1/1\n   service-policy type qos input X\n   qos trust cos\nend\n",
        None,
        "",
    ),
    "a configuration that was cut off": ("interface Ethernet1/1\n   qos trust cos\n", ("ports",), "cut off"),
    "a port that isn't there": ("interface Ethernet2/1\nend\n", ("ports", "Ethernet1/1"), "no such interface"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_what_cant_be_known_is_refused(name: str) -> None:
    running, path, words = REFUSALS[name]
    made = plan(running, state(TRUST))
    if path is None:  # it may decide maps, and no map differs
        assert made.refusals == ()
        return
    assert [refusal.path for refusal in made.refusals] == [path]
    assert words in made.refusals[0].problem


def test_a_policy_map_is_refused_where_a_map_has_to_change() -> None:
    running = "interface Ethernet1/1\n   service-policy type qos input X\nend\n"
    expected = expect(qos=PortQos(maps=QosMaps(dscp_to_tc=dict.fromkeys(range(64), 0))))
    refused = {refusal.path for refusal in plan(running, expected).refusals}
    assert ("ports", "Ethernet1/1", "qos", "maps") in refused


def test_another_switch_behind_the_address_is_refused() -> None:
    expected = DeviceState(identity=Identity(hostname="leaf4"), ports={})
    [refusal] = plan("interface Ethernet1/1\nend\n", expected).refusals
    assert refusal.problem == "the switch calls itself leaf9, not leaf4"


def test_a_reading_of_another_platform_is_refused() -> None:
    made = PLATFORM.plan(Reading({}), DeviceState(), TARGET)
    assert [refusal.problem for refusal in made.refusals] == ["this is no reading of an EOS switch"]


def test_members_of_a_lag_that_want_different_things_are_unsupported() -> None:
    running = (
        "interface Port-Channel7\n!\ninterface Ethernet1/1\n   channel-group 7 mode active\n!\n"
        "interface Ethernet2/1\n   channel-group 7 mode active\nend\n"
    )
    with pytest.raises(Unsupported, match="a member that isn't managed"):
        plan(running, state(PFC_3))


def test_the_difference_says_when_unsaved_changes_keep_the_change_from_being_saved() -> None:
    running, saved = "interface Ethernet1/1\n   mtu 2000\nend\n", "interface Ethernet1/1\nend\n"
    expected = DeviceState(ports={"Ethernet1/1": Port(mtu_bytes=9100)})
    assert plan(running, expected).diff == (
        "--- running-config\n+++ planned\n@@\n-interface Ethernet1/1 / mtu 2000\n+interface Ethernet1/1 / mtu 9100\n"
    )
    assert plan(running, expected, saved).diff.startswith("! running-config has changes that nobody saved")
