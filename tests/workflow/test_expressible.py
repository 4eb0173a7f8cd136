"""validate names what a platform can't do once, with the line that asked and every device it concerns."""

from __future__ import annotations

import shutil
from pathlib import Path

from fabric_drift.workflow.expectations import from_intent
from fabric_drift.workflow.expressible import inexpressible

POD1 = Path(__file__).resolve().parents[2] / "intent" / "pod1"


def problems(directory: Path, old: str, new: str, file: str = "fabric.yml") -> tuple[str, ...]:
    shutil.copytree(POD1, directory / "pod1")
    fabric = directory / "pod1" / file
    text = fabric.read_text()
    assert old in text
    fabric.write_text(text.replace(old, new, 1))
    return inexpressible(from_intent(directory / "pod1"))


def line_of(words: str) -> int:
    lines = (POD1 / "fabric.yml").read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if words in line)


def test_the_example_can_be_expressed_on_every_allowed_release() -> None:
    assert inexpressible(from_intent(POD1)) == ()


def test_a_release_that_no_parser_knows_is_an_error_before_any_device_is_asked(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, 'releases: ["202411"]', 'releases: ["202411", "202311"]', "topology.yml")
    assert "release 202311 isn't one that sonic is known to read (leaf2)" in problem
    assert "[FD-PLT-003]" in problem


def test_time_based_ecn_on_sonic_is_told_once_with_its_line(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, "kmin: 1600 KB, kmax: 6400 KB", "kmin: 10 us, kmax: 40 us")
    assert f"fabric.yml:{line_of('kmin: 1600 KB')}: ports/Ethernet0/qos/queues/3/ecn/kmin_ns:" in problem
    assert "(spine1, leaf1, leaf2)" in problem
    assert problem.endswith("Give them in bytes. [FD-SONIC-001]")
