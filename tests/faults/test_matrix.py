"""Every bad day on every platform ends whole, as before and verified, or with a human who is told what to type."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.bench import NAMES
from tests.faults.bench import bench as make_bench
from tests.faults.run import missing, run
from tests.faults.table import FAULTS, Fault

_NOWHERE = {
    "broken timer",
    "broken undo",
    "device's clock jumps",
    "neighbour drops after commit",
    "other release",
    "port down",
}
_SHELL = _NOWHERE | {"deaf hardware", "own drops after commit", "refuses the second port"}
CANNOT_HAVE: dict[str, set[str]] = {
    "paper": set(),
    "sonic": _NOWHERE,
    "eos": _SHELL,
    "linux_host": _SHELL | {"locked by somebody"},
}
"""Faults that no lever of the lab makes on the bench of a platform: proven on the paper bench alone."""


@pytest.mark.parametrize("name", [n if n == "paper" else pytest.param(n, marks=pytest.mark.lab) for n in NAMES])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_bad_day_ends_well(name: str, fault: Fault, tmp_path: Path) -> None:
    bench = make_bench(name, tmp_path)
    lacks = missing(bench, fault)
    if lacks:  # proven on paper; each platform's own tests have what its emulator can do
        assert set(lacks) <= CANNOT_HAVE[name]
        return
    assert run(bench, fault, tmp_path).problems == ()


def test_every_fault_has_its_own_name() -> None:
    names = [fault.name for fault in FAULTS]
    assert sorted(set(names)) == sorted(names)
