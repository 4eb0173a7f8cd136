"""rollback.yml: what is taken back, in which order, and when it stops."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.ansible.scripted import REMOVE, SWITCHES, Played, played

HOSTS = "add_on_hosts"
RUNS = {
    "leaf1": [{"run_id": "2", "part": REMOVE}, {"run_id": "1", "part": SWITCHES}],
    "leaf2": [{"run_id": "1", "part": SWITCHES}],
    "gpu1": [{"run_id": "1", "part": HOSTS}],
}
UNDONE = {"status": "undone", "ok": False, "changed": True, "message": "as before: port Ethernet0 went down"}


def rolled_back(folder: Path, *arguments: str, **script: Any) -> Played:
    since = ("-e", "since=2611291900")
    everything = {"runs": RUNS, **script}
    return played(folder, everything, *since, *arguments, inventory="leaf1,leaf2,gpu1,ntp", playbook="rollback")


def taken(run: Played) -> list[tuple[str, str | None]]:
    return [(call["host"], call["arguments"]["part"]) for call in run.calls if not call["arguments"]["check_mode"]]


def test_parts_are_taken_back_in_the_reverse_of_their_order(tmp_path: Path) -> None:
    run = rolled_back(tmp_path)
    assert run.exit_status == 0, run.text
    first, second, *others = taken(run)
    assert (first, second) == (("leaf1", REMOVE), ("gpu1", HOSTS))
    assert sorted(others) == [("leaf1", SWITCHES), ("leaf2", SWITCHES)]
    assert run.recap("changed") == {"gpu1": 1, "leaf1": 2, "leaf2": 1}


def test_the_first_failure_stops_it(tmp_path: Path) -> None:
    run = rolled_back(tmp_path, apply={"gpu1": UNDONE})
    assert (run.exit_status, taken(run)) == (2, [("leaf1", REMOVE), ("gpu1", HOSTS)])
    assert "port Ethernet0 went down" in run.text


def test_check_mode_takes_nothing_back(tmp_path: Path) -> None:
    run = rolled_back(tmp_path, "--check")
    assert (run.exit_status, taken(run)) == (0, [])
    assert set(run.recap("changed")) == {"gpu1", "leaf1", "leaf2"}


def test_without_a_time_nothing_is_read(tmp_path: Path) -> None:
    run = played(tmp_path, {"runs": RUNS}, inventory="leaf1,", playbook="rollback")
    assert (run.exit_status, run.calls) == (2, [])
    assert "-e since=" in run.text


def test_nothing_to_take_back_changes_nothing(tmp_path: Path) -> None:
    run = rolled_back(tmp_path, runs={})
    assert (run.exit_status, taken(run), run.recap("changed")) == (0, [], {})


def test_a_device_whose_run_was_cut_comes_first_and_stops_the_others(tmp_path: Path) -> None:
    cut = {**RUNS, "leaf2": [{"run_id": "3", "part": "", "cut": True}, *RUNS["leaf2"]]}
    told = {"status": "undone", "ok": False, "changed": True, "message": "cut after the commit began"}
    run = rolled_back(tmp_path, runs=cut, apply={"leaf2": told})
    assert (run.exit_status, taken(run)) == (2, [("leaf2", None)])
    assert "cut after the commit began" in run.text
