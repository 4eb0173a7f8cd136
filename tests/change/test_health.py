"""Unreadable counts as worse; better never does."""

from __future__ import annotations

from fabric_drift.change import Health, worse

BEFORE = Health(
    ports_up=frozenset({"Ethernet0", "Ethernet8"}),
    neighbours=frozenset({"Ethernet0 spine1 Ethernet0"}),
    bgp_established=frozenset({"10.0.0.1"}),
    lossless_drops={"Ethernet0/3": 5},
)


def test_the_same_health_is_not_worse() -> None:
    assert worse(BEFORE, BEFORE) == ()


def test_a_port_that_went_down_is_worse_and_one_that_came_up_is_not() -> None:
    after = Health(
        frozenset({"Ethernet0", "Ethernet16"}), BEFORE.neighbours, BEFORE.bgp_established, {"Ethernet0/3": 5}
    )
    assert worse(BEFORE, after) == ("port Ethernet8 went down",)


def test_new_lossless_drops_are_worse() -> None:
    after = Health(BEFORE.ports_up, BEFORE.neighbours, BEFORE.bgp_established, {"Ethernet0/3": 6, "Ethernet8/3": 1})
    assert worse(BEFORE, after) == (
        "lossless drops grew on Ethernet0/3: 5 -> 6",
        "lossless drops grew on Ethernet8/3: 0 -> 1",
    )


def test_unreadable_health_is_worse() -> None:
    after = Health(BEFORE.ports_up, BEFORE.neighbours, BEFORE.bgp_established, {}, {}, ("show bgp: timed out",))
    assert worse(BEFORE, after) == ("health can't be read: show bgp: timed out",)
