"""roce_lossless.yml: the order, the stop at the first failure, consent, check and diff mode."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ansible.scripted import DEVICES, PARTS, REMOVE, SWITCHES, device, played, preview

UNDONE = {"status": "undone", "ok": False, "changed": False, "message": "leaf2 is as before: BGP session lost"}
REFUSED = {"status": "refused", "ok": False, "changed": False, "message": "the device has changed since the approval"}
FLAP = {"path": "ports", "problem": "costs port_flap", "remedy": "Drain it"}
HUMAN = {"status": "needs_human", "ok": False, "message": "undo not verified", "by_hand": "configure replace flash:x"}


def test_waves_follow_the_preview_and_parts_each_other(tmp_path: Path) -> None:
    run = played(tmp_path, {"preview": preview()})
    first, second, *rest = run.applied
    assert run.exit_status == 0, run.text
    assert (first, {second, *rest[:1]}, rest[1:]) == (
        ("spine1", SWITCHES),
        {("leaf2", SWITCHES), ("leaf1", SWITCHES)},
        [("leaf1", REMOVE)],
    )
    assert run.recap("changed") == {"leaf1": 2, "leaf2": 1, "spine1": 1}
    assert run.ended() == ["3 changed: leaf1, leaf2, spine1", "1 foreign: ntp", "1 unchanged: spine2"]


def test_a_second_run_changes_nothing_and_asks_for_nothing(tmp_path: Path) -> None:
    same = {name: device("unchanged", ()) for name in DEVICES}
    run = played(tmp_path, {"preview": preview(same, {})})
    assert (run.exit_status, run.applied, run.recap("changed")) == (0, [], {})


def test_the_first_failure_stops_all_later_waves(tmp_path: Path) -> None:
    run = played(tmp_path, {"preview": preview(), "apply": {"spine1": UNDONE}})
    assert (run.exit_status, run.applied) == (2, [("spine1", SWITCHES)])
    assert run.ended() == ["1 foreign: ntp", "2 not_attempted: leaf1, leaf2", "1 unchanged: spine2", "1 undone: spine1"]
    assert set(run.recap("failed")) == {"leaf1", "leaf2", "spine1"}


def test_devices_beside_a_failure_keep_their_own_end(tmp_path: Path) -> None:
    run = played(tmp_path, {"preview": preview(), "apply": {"leaf2": UNDONE}})
    assert run.applied[-1][1] == SWITCHES, "the removal isn't begun"
    assert "1 undone: leaf2" in run.ended()
    assert "1 changed: spine1" in run.ended()
    assert "1 not_attempted: leaf1" in run.ended(), "leaf1 has done one of its two parts"


def test_a_human_step_is_in_sight(tmp_path: Path) -> None:
    run = played(tmp_path, {"preview": preview(), "apply": {"spine1": HUMAN}})
    assert "configure replace flash:x" in run.text


@pytest.mark.parametrize(("on_refused", "applied"), [("stop", 1), ("skip", 4)])
def test_a_device_that_moved_since_approval_stops_the_others_or_not_as_asked(
    tmp_path: Path, on_refused: str, applied: int
) -> None:
    run = played(tmp_path, {"preview": preview(), "apply": {"spine1": REFUSED}}, "-e", f"on_refused={on_refused}")
    assert (run.exit_status, len(run.applied)) == (2, applied)
    assert "the device has changed since the approval" in run.text


@pytest.mark.parametrize(("on_refused", "applied"), [("stop", 0), ("skip", 3)])
def test_a_refusal_of_the_preview_stops_the_others_or_not_as_asked(
    tmp_path: Path, on_refused: str, applied: int
) -> None:
    devices = {**DEVICES, "spine1": device("refused", (), refusals=[FLAP])}
    parts = {**PARTS, SWITCHES: {"devices": ["leaf2", "leaf1"], "serial": [2]}}
    script = {"preview": preview(devices, parts, ok=False)}
    run = played(tmp_path, script, "-e", f"on_refused={on_refused}")
    assert (run.exit_status, len(run.applied)) == (2, applied)
    assert "costs port_flap. Drain it" in run.text
    assert "spine1" in run.recap("failed")


def test_check_mode_asks_every_planned_device_and_tells_the_engine(tmp_path: Path) -> None:
    run = played(tmp_path, {"preview": preview()}, "--check", "--diff")
    assert {call["arguments"]["check_mode"] for call in run.calls if call["verb"] == "apply"} == {True}
    assert run.exit_status == 0, run.text
    assert "+ lossless" in run.text, "by shape"
    assert "+ on leaf2" in run.text, "per device"
    assert "3 would_change: leaf1, leaf2, spine1" in run.ended()


def test_without_diff_no_difference_is_shown(tmp_path: Path) -> None:
    assert "+ on" not in played(tmp_path, {"preview": preview()}, "--check").text


def test_consent_is_by_name_and_reaches_the_engine_twice(tmp_path: Path) -> None:
    run = played(tmp_path, {"preview": preview()}, "-e", "allow=port_flap,in_place", "-e", "drained=leaf1")
    assert {tuple(call["arguments"]["allow"]) for call in run.calls} == {("port_flap", "in_place")}
    assert {tuple(call["arguments"]["drained"]) for call in run.calls} == {("leaf1",)}


def test_what_was_previewed_is_what_is_approved(tmp_path: Path) -> None:
    run = played(tmp_path, {"preview": preview()})
    approvals = {call["host"]: call["arguments"]["approval"] for call in run.calls if call["verb"] == "apply"}
    assert approvals == {name: DEVICES[name]["approval"] for name in ("leaf1", "leaf2", "spine1")}


def test_an_approved_plan_file_stands_in_for_the_preview(tmp_path: Path) -> None:
    run = played(tmp_path, {"preview": preview()}, "-e", "plan=/approved.json")
    asked = [call["arguments"] for call in run.calls if call["verb"] == "apply"]
    assert {(one["plan"], one["approval"]) for one in asked} == {("/approved.json", None)}


def test_a_limit_reaches_the_preview(tmp_path: Path) -> None:
    run = played(tmp_path, {"preview": preview({}, {})}, "--limit", "leaf2,ntp")
    assert (run.calls[0]["hosts"], run.calls[0]["inventory"]) == (["leaf2", "ntp"], 5)
