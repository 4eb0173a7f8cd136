"""Quantities: what a human writes is one canonical number, and nobody guesses a unit."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric_drift.intent import units

TABLES: list[tuple[Mapping[str, int], Callable[[str], int]]] = [
    (units.BYTES, units.parse_bytes),
    (units.NANOSECONDS, units.parse_ns),
    (units.METRES, units.parse_metres),
    (units.MBPS, units.parse_mbps),
    (units.RATES, units.parse_rate_mbps),
    (units.PERCENT, units.parse_percent),
]


@pytest.mark.parametrize(
    ("parser", "text", "value"),
    [
        (units.parse_bytes, "150 KB", 150_000),
        (units.parse_bytes, "150 KiB", 153_600),
        (units.parse_bytes, "1.5 MB", 1_500_000),
        (units.parse_bytes, "1 MiB", 1_048_576),
        (units.parse_bytes, "0.5 KiB", 512),
        (units.parse_ms, "200 ms", 200),
        (units.parse_ms, "1.5 s", 1500),
        (units.parse_us, "4 us", 4),
        (units.parse_us, "4µs", 4),
        (units.parse_metres, "40 m", 40),
        (units.parse_metres, "2 km", 2000),
        (units.parse_mbps, "400G", 400_000),
        (units.parse_mbps, "1.6T", 1_600_000),
        (units.parse_rate_mbps, "5 Mb/s", 5),
        (units.parse_percent, "70%", 70),
        (units.parse_alpha_exponent, "1/8", -3),
        (units.parse_alpha_exponent, "1", 0),
        (units.parse_alpha_exponent, "128", 7),
        (units.parse_alpha_exponent, "1/256", -8),
    ],
)
def test_a_quantity_is_one_canonical_number(parser: Callable[[str], int], text: str, value: int) -> None:
    assert parser(text) == value


@pytest.mark.parametrize(
    ("parser", "text"),
    [
        (units.parse_bytes, "150"),
        (units.parse_bytes, "150 kb"),
        (units.parse_bytes, "150 Kb"),
        (units.parse_bytes, "-1 KB"),
        (units.parse_bytes, "1e3 KB"),
        (units.parse_bytes, "0.3 B"),
        (units.parse_bytes, "\u0661\u0665 KB"),
        (units.parse_bytes, "15 KB\n"),
        (units.parse_ms, "200"),
        (units.parse_ms, "200 us"),
        (units.parse_metres, "1.5 m"),
        (units.parse_metres, "40"),
        (units.parse_mbps, "400"),
        (units.parse_mbps, "400 g"),
        (units.parse_percent, "0.5%"),
        (units.parse_alpha_exponent, "3"),
        (units.parse_alpha_exponent, "0"),
        (units.parse_alpha_exponent, "1/512"),
        (units.parse_alpha_exponent, "256"),
    ],
)
def test_anything_that_could_be_misread_is_refused(parser: Callable[[str], int], text: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        parser(text)


@given(st.sampled_from(TABLES), st.integers(min_value=0, max_value=10**14))
def test_formatting_a_quantity_and_reading_it_back_changes_nothing(
    table: tuple[Mapping[str, int], Callable[[str], int]], value: int
) -> None:
    table_units, parser = table
    assert parser(units.format_quantity(value, table_units)) == value
