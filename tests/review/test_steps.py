"""The steps of a rollout: their order, and a disruption only where the platform's table has evidence."""

from __future__ import annotations

from fabric_drift.platform import Capability, Disruption, Operation
from fabric_drift.review.changes import Change
from fabric_drift.review.disruption import write_capability
from fabric_drift.review.rows import rows
from fabric_drift.review.steps import steps
from fabric_drift.state.values import ABSENT, UNSAID
from tests.review.fakes import Device

MTU = ("ports", "e", "mtu_bytes")
MAP = ("ports", "e", "qos", "maps", "dscp_to_tc", "26")
PFC = ("ports", "e", "qos", "pfc", "priorities")
XOFF = ("ports", "e", "qos", "priority_groups", "3", "xoff_bytes")


def row(fact: str, disruption: Disruption, **more: tuple[str, ...]) -> Capability:
    return Capability(fact, Operation.WRITE, disruption=disruption, **more)  # type: ignore[arg-type]


def test_no_row_is_unknown() -> None:
    (step,) = steps([Change(MTU, 9100, 9216)], (), Device("leaf1"), on_hosts=False)
    assert step.disruption is Disruption.UNKNOWN


def test_a_row_about_reading_says_nothing_about_writing() -> None:
    table = (Capability("ports/*/mtu_bytes", Operation.READ, disruption=Disruption.NONE),)
    assert write_capability(table, Device("leaf1"), MTU) is None


def test_the_longest_pattern_wins_and_covers_what_lies_below() -> None:
    table = (row("ports/*/qos", Disruption.NONE), row("ports/*/qos/pfc", Disruption.LOSSLESS_GAP))
    found = write_capability(table, Device("leaf1"), PFC)
    assert found is not None
    assert found.fact == "ports/*/qos/pfc"


def test_a_row_for_other_hardware_is_no_evidence() -> None:
    table = (row("ports/*/mtu_bytes", Disruption.NONE, hardware=("other",)),)
    assert write_capability(table, Device("leaf1", hardware="box"), MTU) is None


def test_a_release_without_a_row_makes_the_answer_unknown() -> None:
    table = (row("ports/*/mtu_bytes", Disruption.NONE, releases=("4.32",)),)
    assert write_capability(table, Device("leaf1", releases=("4.32.2F", "4.33.1F")), MTU) is None


def test_of_two_releases_the_worse_answer_counts() -> None:
    table = (
        row("ports/*/mtu_bytes", Disruption.NONE, releases=("4.32",)),
        row("ports/*/mtu_bytes", Disruption.PORT_FLAP, releases=("4.33",)),
    )
    found = write_capability(table, Device("leaf1", releases=("4.32.2F", "4.33.1F")), MTU)
    assert found is not None
    assert found.disruption is Disruption.PORT_FLAP


def test_additions_go_buffers_then_maps_then_pfc() -> None:
    found = steps(
        [Change(PFC, (3,), (3, 4)), Change(MAP, 0, 3), Change(XOFF, ABSENT, 9)], (), Device("l"), on_hosts=False
    )
    assert [step.phase for step in found] == ["buffers", "maps", "pfc"]


def test_removals_come_after_additions_in_reverse() -> None:
    found = steps(
        [Change(XOFF, 9, ABSENT), Change(MAP, 3, ABSENT), Change(PFC, (3, 4), (3,)), Change(MTU, 9000, 9100)],
        (),
        Device("l"),
        on_hosts=False,
    )
    assert [(step.phase, step.removes) for step in found] == [
        ("ports", False),
        ("pfc", True),
        ("maps", True),
        ("buffers", True),
    ]


def test_making_sure_that_something_new_is_off_is_no_removal() -> None:
    (step,) = steps([Change((*PFC[:-1], "watchdog"), UNSAID, ABSENT)], (), Device("l"), on_hosts=False)
    assert not step.removes


def test_who_is_at_the_other_end_is_nothing_to_write() -> None:
    assert steps([Change(("ports", "e", "neighbour", "device"), "a", "b")], (), Device("l"), on_hosts=False) == ()


def test_a_fact_that_the_platform_doesnt_write_disturbs_nothing_and_is_told() -> None:
    table = (Capability("ports/*/mtu_bytes", Operation.WRITE, supported=False),)
    (step,) = steps([Change(MTU, 9100, 9216)], table, Device("leaf1"), on_hosts=False)
    assert (step.is_written, step.disruption) == (False, Disruption.NONE)
    assert step.proofs[0].facts == ("mtu_bytes",)


def test_rows_keep_a_path_for_every_key() -> None:
    (found,) = rows([Change(MAP, 0, 3), Change((*MAP[:-1], "27"), 0, 3)])
    assert found.paths == (MAP, (*MAP[:-1], "27"))
