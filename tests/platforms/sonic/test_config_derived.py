"""CONFIG_DB: what SONiC derives by itself from the headroom table of its HwSKU."""

from __future__ import annotations

from typing import Any

import pytest

from fabric_drift.finding import Layer
from fabric_drift.state.values import Unobserved
from tests.platforms.sonic.configs import PORT, fact, leaf
from tests.platforms.sonic.devices import LOOKUP, merged, read


def test_a_leftover_of_what_sonic_derives_is_told_only_when_it_differs_from_the_table() -> None:
    row = {"pool": "ingress_lossless_pool", "size": "18796", "xon": "0", "xoff": "446024", "xon_offset": "3556"}
    config = merged(leaf(), {"BUFFER_PROFILE": {"pg_lossless_400000_40m_profile": {**row, "dynamic_th": "-1"}}})
    assert fact(read(config), "unreferenced") == {}
    config["BUFFER_PROFILE"]["pg_lossless_400000_40m_profile"]["xoff"] = "446025"
    assert fact(read(config), "unreferenced") == {"BUFFER_PROFILE/pg_lossless_400000_40m_profile": "unreferenced"}


def test_a_saved_configuration_is_what_sonic_will_derive_from_it() -> None:
    """LOOKUP at 400G and 5 m; running has no such rows, so there the group is lossy."""
    reading = read(leaf())
    saved = fact(reading, "ports", PORT, "qos", "priority_groups", "3", layer=Layer.SAVED)
    running = fact(reading, "ports", PORT, "qos", "priority_groups", "3")
    assert (saved.lossless, saved.size_bytes, saved.xoff_bytes, saved.alpha_exponent) == (True, 18796, 393192, 0)
    assert running.lossless is False


def test_without_the_headroom_table_nobody_knows_what_a_saved_configuration_derives() -> None:
    reading = read(leaf(), lookup=None)
    assert isinstance(fact(reading, "ports", PORT, "qos", "priority_groups", "3", layer=Layer.SAVED), Unobserved)


@pytest.mark.parametrize(
    "change", [{"CABLE_LENGTH": {"AZURE": {PORT: "0m"}}}, {"CABLE_LENGTH": {"AZURE": {PORT: "7m"}}}]
)
def test_no_lossless_group_is_derived_from_a_cable_that_has_no_row(change: dict[str, Any]) -> None:
    reading = read(merged(leaf(), change))
    assert fact(reading, "ports", PORT, "qos", "priority_groups", "3", "lossless", layer=Layer.SAVED) is False


@pytest.mark.parametrize("line", ["400000 5m 1 2", "400000 5 1 2 3 4", "400000 5m 1 2 x 4", "400000 5m 1 1 1 1"])
def test_a_row_of_the_headroom_table_that_is_odd_or_second_is_told(line: str) -> None:
    reading = read(leaf(), lookup=LOOKUP + line + "\n")
    assert [item.line for item in reading.unparsed] == [line]
