"""Devices of runs that were cut are visited by the playbook, whether or not something is planned for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fabric_drift.workflow.cut import cut_parts, visited
from fabric_drift.workflow.journal import RunLog
from fabric_drift.workflow.outcome import Part


def ran(directory: Path, device: str, run_id: str, part: str, *, ended: bool) -> None:
    log = RunLog(directory, device, run_id)
    log.write("run", part=part)
    if ended:
        log.write("outcome", status="changed")
    log.close()


def preview(**parts: tuple[list[str], list[int]]) -> dict[str, Any]:
    told: dict[str, Any] = {part.value: {"devices": [], "serial": []} for part in Part}
    told |= {name: {"devices": devices, "serial": sizes} for name, (devices, sizes) in parts.items()}
    return {"parts": told, "summary": ["2 unchanged"], "ok": True}


def test_a_device_whose_last_run_was_cut_is_in_the_part_of_that_run(tmp_path: Path) -> None:
    ran(tmp_path, "leaf1", "1", "add_on_switches", ended=True)
    ran(tmp_path, "leaf1", "2", "remove_from_switches", ended=False)
    ran(tmp_path, "leaf2", "1", "add_on_switches", ended=True)
    assert cut_parts(tmp_path, ["leaf1", "leaf2", "leaf3"]) == {"leaf1": Part.REMOVE_FROM_SWITCHES}


def test_a_run_of_no_part_counts_as_the_first(tmp_path: Path) -> None:
    ran(tmp_path, "leaf1", "1", "", ended=False)
    assert cut_parts(tmp_path, ["leaf1"]) == {"leaf1": Part.ADD_ON_SWITCHES}


def test_it_is_visited_alone_and_first_and_the_operator_is_told() -> None:
    told = visited(preview(add_on_switches=(["b", "c"], [2])), {"a": Part.ADD_ON_SWITCHES})
    assert told["parts"]["add_on_switches"] == {"devices": ["a", "b", "c"], "serial": [1, 2]}
    assert told["summary"] == [
        "cut: a: an earlier run was cut; it is brought to its end, and nothing is applied on top",
        "2 unchanged",
    ]


def test_a_device_that_is_visited_anyway_keeps_its_place() -> None:
    planned = preview(add_on_hosts=(["a", "b"], [1, 1]))
    assert visited(planned, {"b": Part.ADD_ON_HOSTS})["parts"] == planned["parts"]


def test_without_a_cut_run_a_preview_stays_as_it_is() -> None:
    planned = preview(add_on_switches=(["a"], [1]))
    assert visited(planned, {}) == planned
