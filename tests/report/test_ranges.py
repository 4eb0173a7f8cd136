"""Names in few words, and back again in every reader's head."""

from __future__ import annotations

import pytest

from fabric_drift.report.ranges import compress


@pytest.mark.parametrize(
    ("names", "short"),
    [
        ([], ""),
        (["leaf1"], "leaf1"),
        (["leaf2", "leaf1"], "leaf1, leaf2"),
        (["leaf1", "leaf2", "leaf3"], "leaf[1-3]"),
        (["leaf9", "leaf10", "leaf11"], "leaf[9-11]"),
        ([f"Ethernet{n}" for n in range(0, 64, 8)], "Ethernet[0-56/8]"),
        ([f"Ethernet{n}/1" for n in range(1, 17)], "Ethernet[1-16]/1"),
        (["Ethernet0", "Ethernet8", "Ethernet16", "Ethernet40"], "Ethernet[0-16/8], Ethernet40"),
        (["leaf01", "leaf02", "leaf03"], "leaf[01-03]"),
        (["r1-leaf1", "r1-leaf2", "r1-leaf3", "r2-leaf1"], "r1-leaf[1-3], r2-leaf1"),
        (["0000:18:00.0", "0000:2a:00.0"], "0000:18:00.0, 0000:2a:00.0"),
        (["leaf1", "leaf1"], "leaf1"),
        (["mgmt", "eno1"], "eno1, mgmt"),
    ],
)
def test_names_that_differ_in_one_even_step_are_a_range(names: list[str], short: str) -> None:
    assert compress(names) == short
