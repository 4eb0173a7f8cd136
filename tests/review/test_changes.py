"""Two expected states -> what changes, seen from both."""

from __future__ import annotations

from dataclasses import replace

from fabric_drift.review.changes import Change, changes, expanded
from fabric_drift.state.device import DeviceState, Pfc, Port, PortQos, Watchdog
from fabric_drift.state.values import ABSENT, UNSAID, NotApplicable
from tests.review.fakes import QOS, pfc, state


def test_equal_states_have_no_changes() -> None:
    assert changes(state(), state()) == ()


def test_a_changed_fact_has_both_values() -> None:
    found = changes(state(ports=1), state(ports=1, mtu_bytes=9000))
    assert found == (Change(("ports", "Ethernet0", "mtu_bytes"), 9100, 9000),)


def test_a_fact_that_the_intent_begins_to_manage_was_not_managed_before() -> None:
    before = DeviceState(ports={"Ethernet0": Port(qos=QOS)})
    after = DeviceState(ports={"Ethernet0": Port(qos=replace(QOS, global_pause=False))})
    assert changes(before, after) == (Change(("ports", "Ethernet0", "qos", "global_pause"), UNSAID, False),)


def test_a_fact_that_leaves_the_managed_scope_is_a_change() -> None:
    before = DeviceState(ports={"Ethernet0": Port(qos=replace(QOS, global_pause=False))})
    after = DeviceState(ports={"Ethernet0": Port(qos=QOS)})
    assert changes(before, after) == (Change(("ports", "Ethernet0", "qos", "global_pause"), False, UNSAID),)


def test_a_port_that_is_no_longer_named_is_unmanaged_not_absent() -> None:
    found = changes(state(ports=2), state(ports=1))
    assert [(change.path, change.after) for change in found] == [(("ports", "Ethernet1"), UNSAID)]


def test_a_key_that_goes_from_an_owned_map_is_absent() -> None:
    before, after = (
        DeviceState(ports={"Ethernet0": Port(qos=PortQos(receive_buffers_bytes=sizes))})
        for sizes in ({0: 1, 1: 2}, {0: 1})
    )
    path = ("ports", "Ethernet0", "qos", "receive_buffers_bytes", "1")
    assert changes(before, after) == (Change(path, 2, ABSENT),)


def test_a_fact_that_becomes_inert_is_a_change() -> None:
    inert = NotApplicable("PCC is on")
    before = DeviceState(ports={"p": Port(qos=PortQos(pfc=Pfc(priorities=(3,))))})
    after = DeviceState(ports={"p": Port(qos=PortQos(pfc=inert))})
    (change,) = changes(before, after)
    assert (change.path, change.after) == (("ports", "p", "qos", "pfc"), inert)


def test_the_way_back_is_the_change_reversed() -> None:
    there, back = changes(state(), state(pfc(3, 4), ports=3)), changes(state(pfc(3, 4), ports=3), state())
    assert [(item.path, item.before, item.after) for item in there] == [
        (item.path, item.after, item.before) for item in back
    ]


def test_a_subtree_that_appears_expands_to_all_that_it_says() -> None:
    change = Change(("ports", "p", "qos", "pfc", "watchdog"), ABSENT, Watchdog(priorities=(3,), detect_ms=200))
    assert list(expanded(change)) == [
        Change((*change.path, "detect_ms"), ABSENT, 200),
        Change((*change.path, "priorities"), ABSENT, (3,)),
    ]
