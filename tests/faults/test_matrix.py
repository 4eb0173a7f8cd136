"""Every bad day on every platform ends whole, as before and verified, or with a human who is told what to type."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.bench import CANNOT_HAVE, NAMES
from tests.faults.bench import bench as make_bench
from tests.faults.run import missing, run
from tests.faults.table import FAULTS, Fault


@pytest.mark.parametrize("name", [n if n == "paper" else pytest.param(n, marks=pytest.mark.lab) for n in NAMES])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_bad_day_ends_well(name: str, fault: Fault, tmp_path: Path) -> None:
    bench = make_bench(name, tmp_path)
    lacks = missing(bench, fault)
    if lacks:
        assert set(lacks) <= CANNOT_HAVE[name].keys()
        return
    assert run(bench, fault, tmp_path).problems == ()


def test_every_fault_has_its_own_name() -> None:
    names = [fault.name for fault in FAULTS]
    assert sorted(set(names)) == sorted(names)


def test_what_a_bench_cannot_have_is_what_it_does_not_know(tmp_path: Path) -> None:
    for name, lacks in CANNOT_HAVE.items():
        (tmp_path / name).mkdir()
        knows = make_bench(name, tmp_path / name).hurts
        assert lacks.keys() == {need for fault in FAULTS for need in fault.needs} - knows.keys()
        assert all(lacks.values()), "say why"
