"""One fault in a good intent makes exactly the error it should, at its line."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from fabric_drift.errors import IntentErrors
from fabric_drift.intent import load
from fabric_drift.intent.codes import CODES

HERE = Path(__file__).parent
POD1 = HERE.parent.parent / "intent" / "pod1"
CASES: list[dict[str, Any]] = yaml.safe_load((HERE / "faults.yml").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["fact"]))
def test_one_fault_is_one_error_at_its_line(case: dict[str, Any], tmp_path: Path) -> None:
    directory = _edited(case, tmp_path / "pod1")
    with pytest.raises(IntentErrors) as caught:
        load(directory)
    errors = caught.value.errors
    assert len(errors) == case.get("count", 1), caught.value.text()
    file = directory / case.get("in", case["file"])
    for error in errors:
        assert error.code == case["code"], error.text()
    assert errors[0].where == f"{file}:{_line(file, case)}", errors[0].text()
    assert case.get("says", "") in errors[0].text()


def test_every_code_that_can_be_met_is_tested() -> None:
    files = ("faults.yml", "job_faults.yml")
    subnet = [case for name in files for case in yaml.safe_load((HERE / "infiniband" / name).read_text())]
    tested = {case["code"] for case in (*CASES, *subnet)} | {
        "FD-INT-064"
    }  # a plan is edited: infiniband/test_faults.py
    assert set(CODES) - tested == {"FD-INT-000"}


def _edited(case: dict[str, Any], directory: Path) -> Path:
    shutil.copytree(POD1, directory)
    edits = [(case["file"], case["old"], case["new"]), *((file, *pair) for file, pair in case.get("also", {}).items())]
    for name, old, new in edits:
        text = (directory / name).read_text()
        assert old in text, f"{name} has no {old!r}"
        (directory / name).write_text(text.replace(old, new, 1))
    return directory


def _line(file: Path, case: dict[str, Any]) -> int:
    lines = file.read_text().split("\n")
    found = [number for number, line in enumerate(lines, start=1) if case["at"] in line]
    nth: int = case.get("nth", 1)
    return found[nth - 1]
