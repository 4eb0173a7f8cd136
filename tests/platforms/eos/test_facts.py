"""What a running-config means. Right values: EOS User Manual (QoS), AVD 6.4's schema, and hand calculation."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from fabric_drift.finding import Layer
from fabric_drift.state import (
    ABSENT,
    DeviceWatchdog,
    Ecn,
    Neighbour,
    Pfc,
    Port,
    QosMaps,
    Queue,
    Unobserved,
    Watchdog,
)
from tests.platforms.eos.reading import config, data, port, qos, read, state

WATCHED = "".join(f"   priority-flow-control {line}\n" for line in ("on", "priority 3 no-drop", "pause watchdog"))
ECN = "random-detect ecn minimum-threshold {low} {unit} maximum-threshold {high} {unit}{rest}"


def maps(running: str) -> QosMaps:
    found = qos(running).maps
    assert isinstance(found, QosMaps)
    return found


def pfc(running: str, name: str = "Ethernet1/1") -> Pfc:
    found = qos(running, name).pfc
    assert isinstance(found, Pfc)
    return found


def watchdog(running: str, name: str = "Ethernet1/1") -> Watchdog:
    found = pfc(running, name).watchdog
    assert isinstance(found, Watchdog)
    return found


def queue_ecn(running: str, number: int = 3) -> object:
    queues = qos(running).queues
    assert isinstance(queues, Mapping)
    queue = queues[number]
    assert isinstance(queue, Queue)
    return queue.ecn


def with_queue(*lines: str) -> str:
    return config(profile="   tx-queue 3\n" + "".join(f"      {line}\n" for line in lines))


def test_a_port_without_an_mtu_line_has_1500_bytes() -> None:
    assert port(config()).mtu_bytes == 1500


def test_the_default_mtu_of_the_switch_counts_where_the_port_has_none() -> None:
    leaf = data("leaf.cfg")
    assert (port(leaf, "Ethernet1/1").mtu_bytes, port(leaf, "Ethernet2/1").mtu_bytes) == (9100, 4000)


def test_dscp_0_to_7_and_8_to_15_are_swapped_by_default_and_the_rest_is_divided_by_8() -> None:
    found = maps(config()).dscp_to_tc
    assert isinstance(found, Mapping)
    assert [found[dscp] for dscp in (0, 7, 8, 15, 16, 26, 48, 63)] == [1, 1, 0, 0, 2, 3, 6, 7]
    assert len(found) == 64


def test_a_map_line_replaces_only_the_values_that_it_lists() -> None:
    found = maps(config(top="qos map dscp 0 1 26 to traffic-class 5\n")).dscp_to_tc
    assert isinstance(found, Mapping)
    assert [found[dscp] for dscp in (0, 1, 2, 26, 27)] == [5, 5, 1, 5, 3]


@pytest.mark.parametrize("target", ["tx-queue", "uc-tx-queue"])
def test_both_spellings_of_the_queue_map_are_understood(target: str) -> None:
    assert maps(config(top=f"qos map traffic-class 5 to {target} 2\n")).tc_to_queue == {
        **{tc: tc for tc in range(8)},
        5: 2,
    }


def test_dscp_leaves_as_it_came_unless_rewriting_is_on() -> None:
    line = "qos map traffic-class 1 to dscp 56\n"
    assert maps(config(top=line)).tc_to_dscp is ABSENT
    rewritten = maps(config(top=line + "qos rewrite dscp\n")).tc_to_dscp
    assert isinstance(rewritten, Mapping)
    assert rewritten[1] == 56
    assert isinstance(rewritten[2], Unobserved)


@pytest.mark.parametrize(
    ("lines", "top", "trust"),
    [
        ((), "", "pcp"),
        (("no switchport",), "", "dscp"),
        ((), "switchport default mode routed\n", "dscp"),
        (("switchport",), "switchport default mode routed\n", "pcp"),
        (("no switchport", "qos trust cos"), "", "pcp"),
        (("no switchport", "no qos trust"), "", "none"),
    ],
)
def test_trust_follows_the_port_type_unless_a_line_says_otherwise(lines: tuple[str, ...], top: str, trust: str) -> None:
    assert qos(config(*lines, top=top)).trust == trust


def test_pfc_that_is_on_without_a_no_drop_priority_makes_nothing_lossless() -> None:
    assert pfc(config("priority-flow-control on")).priorities == ()


def test_a_no_drop_priority_without_pfc_makes_nothing_lossless() -> None:
    assert pfc(config("priority-flow-control priority 3 no-drop")).priorities == ()


def test_a_drop_priority_is_not_lossless() -> None:
    lines = (
        "priority-flow-control on",
        "priority-flow-control priority 3 no-drop",
        "priority-flow-control priority 1 drop",
    )
    assert pfc(config(*lines)).priorities == (3,)


def test_pfc_that_is_off_for_the_whole_switch_is_off_on_every_port() -> None:
    assert pfc(config(profile=WATCHED, top="priority-flow-control all off\n")).priorities == ()


def test_the_interface_wins_over_its_profile() -> None:
    profile = "   qos trust dscp\n   priority-flow-control on\n   priority-flow-control priority 3 no-drop\n"
    assert qos(config("qos trust cos", profile=profile)).trust == "pcp"
    assert pfc(config("no priority-flow-control", profile=profile)).priorities == ()


def test_priorities_on_both_levels_are_unobserved_because_merging_is_not_documented() -> None:
    assert isinstance(pfc(config("priority-flow-control priority 4 no-drop", profile=WATCHED)).priorities, Unobserved)


def test_watchdog_seconds_become_milliseconds_exactly() -> None:
    timer = (
        "   priority-flow-control pause watchdog port timer timeout 0.05 polling-interval 0.005 recovery-time 1.11\n"
    )
    found = watchdog(config(profile=WATCHED + timer))
    assert (found.detect_ms, found.poll_ms, found.restore_ms) == (50, 5, 1110)


def test_a_polling_interval_that_eos_chooses_is_unobserved() -> None:
    timer = "   priority-flow-control pause watchdog port timer timeout 0.05 polling-interval auto recovery-time 1.11\n"
    assert isinstance(watchdog(config(profile=WATCHED + timer)).poll_ms, Unobserved)


def test_a_polling_interval_slower_than_half_of_detection_is_noted_because_eos_may_replace_it() -> None:
    timer = (
        "   priority-flow-control pause watchdog port timer timeout 0.20 polling-interval 0.101 recovery-time 0.40\n"
    )
    slow = config(profile=WATCHED + timer)
    assert watchdog(slow).poll_ms == 101
    assert any("slower than half" in note for note in read(slow).notes)
    forced = config(profile=WATCHED + timer.replace("\n", " forced\n"))
    assert not any("slower than half" in note for note in read(forced).notes)


def test_timers_of_the_switch_stand_in_for_a_port_without_any() -> None:
    prefix = "priority-flow-control pause watchdog"
    lines = ("default timeout 0.30", "default recovery-time 0.40", "default polling-interval 0.100", "action drop")
    running = config(profile=WATCHED, top="".join(f"{prefix} {line}\n" for line in lines))
    assert watchdog(running) == Watchdog(detect_ms=300, restore_ms=400, poll_ms=100, action="drop")
    assert state(running).watchdog == DeviceWatchdog(poll_ms=100, detect_ms=300, restore_ms=400, action="drop")


def test_the_watchdog_disables_the_port_where_no_action_is_configured() -> None:
    assert watchdog(config(profile=WATCHED)).action == "errdisable"


def test_an_override_to_drop_stands_above_the_action_of_the_port() -> None:
    action = "   priority-flow-control pause watchdog port action notify-only\n"
    assert watchdog(config(profile=WATCHED + action)).action == "alert"
    override = "priority-flow-control pause watchdog override action drop\n"
    assert watchdog(config(profile=WATCHED + action, top=override)).action == "drop"


def test_a_port_that_nothing_watches_has_no_watchdog() -> None:
    assert pfc(config("priority-flow-control on")).watchdog is ABSENT


def test_a_global_timeout_alone_does_not_tell_whether_a_port_is_watched() -> None:
    top = "priority-flow-control pause watchdog default timeout 0.30\n"
    assert isinstance(pfc(config("priority-flow-control on", top=top)).watchdog, Unobserved)


def test_shares_are_relative_and_queues_without_lines_are_strict() -> None:
    assert qos(data("leaf.cfg"), "Ethernet1/1").scheduling == (
        (0, 1), (1, "strict"), (2, "strict"), (3, 3), (4, "strict"), (5, "strict"), (6, "strict"), (7, "strict"),
    )  # fmt: skip


def test_a_share_without_a_priority_line_is_unobserved_because_the_default_differs() -> None:
    assert isinstance(qos(with_queue("bandwidth percent 40")).scheduling, Unobserved)


def test_a_queue_that_takes_turns_without_a_share_is_certainly_not_strict() -> None:
    scheduling = qos(with_queue("no priority")).scheduling
    assert isinstance(scheduling, tuple)
    assert dict(scheduling)[3] == "round-robin"


def test_thresholds_in_bytes_are_facts() -> None:
    line = ECN.format(low=420_000, high=1_680_000, unit="bytes", rest=" max-mark-probability 40 weight 0")
    assert queue_ecn(with_queue(line)) == Ecn(
        420_000, 1_680_000, kmin_ns=ABSENT, kmax_ns=ABSENT, max_probability_percent=40, weight=0
    )


@pytest.mark.parametrize(("unit", "factor"), [("milliseconds", 1_000_000), ("microseconds", 1_000)])
def test_thresholds_in_time_are_nanoseconds(unit: str, factor: int) -> None:
    found = queue_ecn(with_queue(ECN.format(low=3, high=9, unit=unit, rest=" max-mark-probability 90")))
    assert isinstance(found, Ecn)
    assert (found.kmin_ns, found.kmax_ns, found.kmin_bytes) == (3 * factor, 9 * factor, ABSENT)


@pytest.mark.parametrize("unit", ["kbytes", "mbytes", "segments"])
def test_thresholds_in_a_unit_without_a_proven_size_are_unobserved_and_say_what_to_do(unit: str) -> None:
    found = queue_ecn(with_queue(ECN.format(low=320, high=640, unit=unit, rest=" max-mark-probability 90")))
    assert isinstance(found, Ecn)
    assert isinstance(found.kmin_bytes, Unobserved)
    assert "configure the threshold in bytes" in found.kmin_bytes.reason
    assert found.max_probability_percent == 90


def test_what_the_threshold_line_leaves_out_is_absent() -> None:
    found = queue_ecn(with_queue(ECN.format(low=1, high=2, unit="bytes", rest="")))
    assert found == Ecn(1, 2, ABSENT, ABSENT, max_probability_percent=ABSENT, weight=ABSENT)


def test_a_member_of_a_lag_has_the_policy_and_mtu_of_the_lag_and_its_own_link() -> None:
    member = port(data("leaf.cfg"), "Ethernet3/1")
    assert (member.mtu_bytes, member.speed_mbps, member.fec) == (9000, 100_000, "rs")
    assert pfc(data("leaf.cfg"), "Ethernet3/1").priorities == (3,)
    assert qos(data("leaf.cfg"), "Ethernet3/1").global_pause is True


def test_policy_on_the_member_itself_is_told_because_it_may_not_count() -> None:
    running = data("leaf.cfg").replace("   channel-group 7", "   qos trust cos\n   channel-group 7")
    [told] = {line.line for line in read(running).unparsed}
    assert told == "   qos trust cos"
    assert qos(running, "Ethernet3/1").trust == "dscp"


def test_a_profile_that_no_interface_uses_is_unreferenced() -> None:
    assert state(data("leaf.cfg")).unreferenced == {"qos profile/OLD": "unreferenced"}


def test_text_of_a_banner_is_not_configuration() -> None:
    ports = state(data("leaf.cfg")).ports
    assert isinstance(ports, Mapping)
    assert sorted(ports) == ["Ethernet1/1", "Ethernet2/1", "Ethernet3/1", "Ethernet4/1"]


def test_every_line_of_a_clean_configuration_is_accounted_for() -> None:
    assert read(data("leaf.cfg")).unparsed == ()


def test_ports_of_one_policy_share_one_object() -> None:
    text = "".join(f"interface Ethernet{n}/1\n   mtu 9100\n   service-profile P\n!\n" for n in (1, 2))
    running = f"qos profile P\n   qos trust dscp\n!\n{text}end\n"
    assert qos(running, "Ethernet1/1") is qos(running, "Ethernet2/1")


def test_the_nos_layer_has_links_speeds_and_neighbours() -> None:
    ports = read(config()).states[Layer.NOS].ports
    assert isinstance(ports, Mapping)
    found = ports["Ethernet1/1"]
    assert isinstance(found, Port)
    assert (found.admin_up, found.oper_up, found.speed_mbps) == (True, True, 400_000)
    assert found.neighbour == Neighbour(device="gpu1", port="enp24s0np0")
