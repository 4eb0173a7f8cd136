"""Shapes, concerns, rollout and headline of a small fabric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from fabric_drift.platform import Disruption
from fabric_drift.review.compare import compare
from fabric_drift.review.model import Kind, Review
from fabric_drift.review.risk import headline
from fabric_drift.state.device import DeviceState, Pfc, Watchdog
from fabric_drift.state.values import ABSENT
from tests.review.fakes import QOS, Device, pfc, side, state, toy


def reviewed(before: Mapping[str, DeviceState], after: Mapping[str, DeviceState]) -> Review:
    return compare(side("old", before), side("new", after), find_platform=toy)


def test_devices_that_change_alike_are_one_shape_whatever_their_ports_and_neighbours_are_called() -> None:
    before = {"leaf1": state(peer="spine"), "leaf2": state(ports=3, peer="other")}
    after = {"leaf1": state(pfc(3, 4), peer="spine"), "leaf2": state(pfc(3, 4), ports=3, peer="other")}
    (shape,) = reviewed(before, after).shapes
    assert shape.devices == ("leaf1", "leaf2")
    assert [change.port_count for change in shape.changes] == [5]


def test_other_hardware_is_in_one_shape_while_native_lines_and_evidence_are_the_same() -> None:
    devices = {"leaf1": Device("leaf1"), "leaf2": Device("leaf2", hardware="other")}
    before = side("old", {"leaf1": state(), "leaf2": state()}, devices)
    after = side("new", {"leaf1": state(pfc(4)), "leaf2": state(pfc(4))}, devices)
    (shape,) = compare(before, after, find_platform=toy).shapes
    assert (shape.devices, shape.hardware) == (("leaf1", "leaf2"), ("box", "other"))


def test_other_evidence_is_another_shape() -> None:
    devices = {"leaf1": Device("leaf1"), "leaf2": Device("leaf2", hardware="fragile")}
    before = side("old", {"leaf1": state(), "leaf2": state()}, devices)
    after = side("new", {"leaf1": state(mtu_bytes=9000), "leaf2": state(mtu_bytes=9000)}, devices)
    found = compare(before, after, find_platform=toy).shapes
    assert [(shape.devices, shape.disruption) for shape in found] == [
        (("leaf1",), Disruption.PORT_FLAP),
        (("leaf2",), Disruption.RELOAD),
    ]


def test_an_untouched_device_is_counted_and_not_shown() -> None:
    review = reviewed({"leaf1": state(), "leaf2": state()}, {"leaf1": state(), "leaf2": state(mtu_bytes=9000)})
    assert review.unchanged == 1
    assert [shape.devices for shape in review.shapes] == [("leaf2",)]


def test_the_native_diff_is_the_one_of_the_first_device() -> None:
    (shape,) = reviewed({"leaf1": state(ports=1)}, {"leaf1": state(ports=1, mtu_bytes=9000)}).shapes
    changed = [line for line in shape.native[0].lines if line.startswith(("+ ", "- "))]
    assert changed == ['-   "mtu_bytes": 9100,', '+   "mtu_bytes": 9000,']


def test_a_new_device_is_rendered_whole() -> None:
    (shape,) = reviewed({}, {"leaf1": state()}).shapes
    assert shape.kind is Kind.ADDED
    assert len(shape.native[0].lines) > 10


def test_nothing_is_written_to_a_device_that_leaves_the_intent() -> None:
    (shape,) = reviewed({"leaf1": state()}, {}).shapes
    assert (shape.kind, shape.steps, shape.native) == (Kind.REMOVED, (), ())


def test_what_the_platform_cant_express_is_a_problem_with_its_remedy() -> None:
    names = ("leaf1", "leaf2")
    review = reviewed(dict.fromkeys(names, state()), dict.fromkeys(names, state(pfc(3, 7))))
    (problem,) = review.problems
    assert (problem.text, problem.devices) == ("priority 7 has no PFC. Use another priority. [FD-T-1]", names)
    assert "can't be rendered" in headline(review)


def test_a_base_that_cant_be_rendered_doesnt_hide_the_change() -> None:
    (shape,) = reviewed({"leaf1": state(pfc(3, 7))}, {"leaf1": state()}).shapes
    assert shape.problem == ""
    assert shape.native[0].lines


def test_disruption_is_what_the_table_says() -> None:
    review = reviewed({"leaf1": state()}, {"leaf1": state(mtu_bytes=9000)})
    assert review.disruption is Disruption.PORT_FLAP
    assert headline(review) == "1 of 1 devices change in 1 shape; worst disruption: port_flap."


def test_one_step_without_evidence_makes_the_whole_unknown_and_the_worst_known_is_still_said() -> None:
    before, after = state(), state(pfc(3, 4), ports=2)
    with_map = {"leaf1": state(pfc(3, 4), ports=3)}
    assert reviewed({"leaf1": before}, {"leaf1": after}).disruption is Disruption.LOSSLESS_GAP
    review = reviewed({"leaf1": before}, with_map)
    assert review.disruption is Disruption.UNKNOWN
    assert "worst known port_flap" in headline(review)


def test_a_priority_that_loses_pfc_is_a_concern() -> None:
    review = reviewed({"leaf1": state(pfc(3, 4))}, {"leaf1": state()})
    assert [(item.text, item.devices) for item in review.concerns] == [
        ("PFC is taken off priority 4: its traffic is lossy from then on", ("leaf1",))
    ]


def test_a_watchdog_that_goes_is_a_concern_while_there_is_something_to_watch() -> None:
    watched = replace(QOS, pfc=Pfc(priorities=(3,), watchdog=Watchdog(priorities=(3,))))
    alone = replace(QOS, pfc=Pfc(priorities=(3,), watchdog=ABSENT))
    lossy = replace(QOS, pfc=Pfc(priorities=(), watchdog=ABSENT))
    one = reviewed({"leaf1": state(watched)}, {"leaf1": state(alone)})
    both = reviewed({"leaf1": state(watched)}, {"leaf1": state(lossy)})
    assert [item.text.split(":")[0] for item in one.concerns] == ["The PFC watchdog goes"]
    assert [item.text.split(":")[0] for item in both.concerns] == ["PFC is taken off priority 3"]


def test_a_fact_that_the_platform_drops_is_shown_and_is_no_step() -> None:
    before, after = replace(QOS, dcbx="off"), replace(QOS, dcbx="ieee")
    review = reviewed({"leaf1": state(before)}, {"leaf1": state(after)})
    assert review.shapes[0].changes[0].row.pattern[-1] == "dcbx"
    assert review.rollout == ()


def test_a_platform_that_changes_is_one_device_gone_and_one_new() -> None:
    base = side("old", {"leaf1": state()}, {"leaf1": Device("leaf1", platform="former")})
    kinds = [shape.kind for shape in compare(base, side("new", {"leaf1": state()}), find_platform=toy).shapes]
    assert sorted(kinds) == [Kind.ADDED, Kind.REMOVED]


def test_nothing_changed_says_so() -> None:
    assert headline(reviewed({"leaf1": state()}, {"leaf1": state()})) == "No device changes."
