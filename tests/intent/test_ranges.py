"""Ranges: short for many names, in order, and never for too many."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric_drift.intent.ranges import LARGEST, expand


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("gpu1", ("gpu1",)),
        ("gpu[1-3]", ("gpu1", "gpu2", "gpu3")),
        ("Ethernet[0-16/8]", ("Ethernet0", "Ethernet8", "Ethernet16")),
        ("Ethernet[1-2]/1", ("Ethernet1/1", "Ethernet2/1")),
        ("leaf[08-10]", ("leaf08", "leaf09", "leaf10")),
        ("r[1,5-6]", ("r1", "r5", "r6")),
        ("r[1-2]n[3-4]", ("r1n3", "r1n4", "r2n3", "r2n4")),
        ("asic[0-1]:Ethernet0", ("asic0:Ethernet0", "asic1:Ethernet0")),
    ],
)
def test_a_range_stands_for_its_names_in_order(text: str, names: tuple[str, ...]) -> None:
    assert expand(text) == names


@pytest.mark.parametrize("text", ["a[2-1]", "a[1-", "a]1[", "a[]", "a[x]", "a[1-3/0]", "a[[1-2]]", "a[1-999999]"])
def test_a_range_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        expand(text)


def test_a_product_of_ranges_is_bounded_too() -> None:
    with pytest.raises(ValueError, match=str(LARGEST)):
        expand("a[1-1000]b[1-1000]")


@given(st.integers(0, 500), st.integers(1, 60), st.integers(1, 9))
def test_a_range_has_as_many_names_as_steps_fit(first: int, count: int, step: int) -> None:
    names = expand(f"p[{first}-{first + (count - 1) * step}/{step}]")
    assert names == tuple(f"p{first + index * step}" for index in range(count))
