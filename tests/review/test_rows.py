"""Changes of one device -> rows without the names of its ports."""

from __future__ import annotations

from fabric_drift.review.changes import Change
from fabric_drift.review.rows import OwnName, ranges, rows
from fabric_drift.state.values import UNSAID


def test_the_same_change_on_many_ports_is_one_row() -> None:
    found = rows(Change(("ports", f"Ethernet{n}", "mtu_bytes"), 9100, 9000) for n in range(3))
    assert [(row.pattern, row.ports) for row in found] == [
        (("ports", "*", "mtu_bytes"), ("Ethernet0", "Ethernet1", "Ethernet2"))
    ]


def test_other_values_are_other_rows() -> None:
    found = rows(Change(("ports", f"Ethernet{n}", "mtu_bytes"), 9100, 9000 + n) for n in range(2))
    assert [row.after for row in found] == [9000, 9001]


def test_keys_of_a_map_that_change_alike_are_one_row() -> None:
    found = rows(Change(("ports", "e", "qos", "maps", "dscp_to_tc", str(n)), 0, 3) for n in (24, 25, 26, 30))
    assert [row.pattern[-1] for row in found] == ["[24-26,30]"]


def test_names_of_neighbours_dont_make_rows_differ() -> None:
    found = rows(Change(("ports", f"e{n}", "neighbour", "device"), UNSAID, f"leaf{n}") for n in range(2))
    assert [(row.after, len(row.ports)) for row in found] == [(OwnName(), 2)]


def test_true_and_one_are_not_the_same_change() -> None:
    found = rows([Change(("ports", "a", "admin_up"), False, True), Change(("ports", "b", "admin_up"), 0, 1)])
    assert len(found) == 2


def test_ranges_are_written_short() -> None:
    assert ranges([5, 1, 2, 3, 9, 8]) == "1-3,5,8-9"
