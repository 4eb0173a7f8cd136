"""The native difference: each change once, and how often it comes."""

from __future__ import annotations

from fabric_drift.review.native import essence, folded


def port(name: str, mtu: int) -> list[str]:
    return [f"interface {name}", f"   mtu {mtu}", "!"]


def test_a_change_on_many_ports_is_shown_once_and_counted() -> None:
    before = [line for number in range(3) for line in port(f"Ethernet{number}", 9100)]
    after = [line for number in range(3) for line in port(f"Ethernet{number}", 9216)]
    assert list(folded(before, after)) == [
        "@@ -2,1 +2,1 @@ and 2 times more",
        " interface Ethernet0",
        "-   mtu 9100",
        "+   mtu 9216",
        " !",
        " interface Ethernet1",
    ]


def test_a_line_that_changes_too_is_no_context() -> None:
    assert list(folded(["a", "b", "c"], ["x", "b", "z"])) == [
        "@@ -1,1 +1,1 @@",
        "-a",
        "+x",
        " b",
        "@@ -3,1 +3,1 @@",
        " b",
        "-c",
        "+z",
    ]


def test_changes_that_differ_are_all_shown() -> None:
    before, after = [*port("a", 9100), *port("b", 9100)], [*port("a", 9216), *port("b", 9000)]
    assert essence(tuple(folded(before, after))) == ("-   mtu 9100", "+   mtu 9216", "-   mtu 9100", "+   mtu 9000")


def test_no_difference_has_no_lines() -> None:
    assert list(folded(["a"], ["a"])) == []


def test_where_a_change_stands_is_not_its_essence() -> None:
    one = tuple(folded(["a", "x"], ["a", "y"]))
    other = tuple(folded(["b", "b", "b", "x"], ["b", "b", "b", "y"]))
    assert essence(one) == essence(other) == ("-x", "+y")
