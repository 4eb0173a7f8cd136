"""What belongs to somebody else on the switch is respected, and another switch gets nothing typed."""

from __future__ import annotations

import json

import pytest

from fabric_drift.change import Stage
from tests.platforms.eos.switch import ALL, BEFORE_COMMIT, Failed, Switch, change
from tests.platforms.eos.test_procedure import EXPECTED, in_sync, sessions, walker


def test_a_pending_session_of_somebody_else_is_respected(switch: Switch) -> None:
    run = walker(switch)
    switch.type("configure session maintenance", "interface Ethernet1/1", "shutdown", "end")
    with pytest.raises(Failed):
        run.walk(*ALL)
    assert sessions(switch) == {"maintenance": "pending"}


def test_a_commit_timer_of_somebody_else_is_respected(switch: Switch) -> None:
    run = walker(switch)
    switch.type("configure session maintenance", "ntp server 192.0.2.9", "commit timer 00:10:00")
    with pytest.raises(Failed) as failed:
        run.walk(*ALL)
    assert failed.value.args[0] is Stage.PREFLIGHT


def test_a_session_that_is_opened_while_we_rehearse_stops_the_run(switch: Switch) -> None:
    before = switch.running()
    run = walker(switch)
    run.walk(*BEFORE_COMMIT[:-1])
    switch.type("configure session maintenance", "ntp server 192.0.2.9", "end")
    with pytest.raises(Failed) as failed:
        run.walk(Stage.ARM, Stage.COMMIT)
    assert failed.value.args[0] is Stage.ARM
    run.walk(Stage.TIDY)
    assert (switch.running(), sessions(switch)) == (before, {"maintenance": "pending"})


def test_a_line_that_is_typed_live_while_we_rehearse_stops_the_run(switch: Switch) -> None:
    run = walker(switch)
    run.walk(*BEFORE_COMMIT[:-1])
    switch.type("configure", "ntp server 192.0.2.9", "end")
    with pytest.raises(Failed) as failed:
        run.walk(Stage.ARM, Stage.COMMIT)
    assert failed.value.args[0] is Stage.ARM
    run.walk(Stage.TIDY)
    assert "ntp server 192.0.2.9" in switch.running()


def test_of_two_runs_at_once_at_most_one_gets_the_lock() -> None:
    for first_actions in range(8):
        switch = Switch()
        one, other = walker(switch, "one"), walker(switch, "other")
        mine = [(stage, action) for stage in (Stage.PREFLIGHT, Stage.LOCK) for action in one.procedure.stages[stage]]
        passed = 0
        try:
            for stage, action in mine[:first_actions]:
                one.act(stage, action)
            other.walk(Stage.PREFLIGHT, Stage.LOCK)
            passed += 1
        except Failed:
            other.walk(Stage.TIDY)
        try:
            for stage, action in mine[first_actions:]:
                one.act(stage, action)
            passed += first_actions <= len(mine)
        except Failed:
            one.walk(Stage.TIDY)
        assert passed <= 1


def test_another_switch_behind_the_address_gets_nothing_typed(switch: Switch) -> None:
    run = walker(switch)
    switch.type("configure", "hostname leaf4", "end")
    before = dict(switch.store)
    with pytest.raises(Failed) as failed:
        run.walk(*ALL)
    assert failed.value.args[:2] == (Stage.PREFLIGHT, "show hostname | json")
    assert (switch.store["sessions"], switch.store["flash"]) == (before["sessions"], {})


def test_a_full_flash_stops_the_run_before_anything_is_staged(switch: Switch) -> None:
    run = walker(switch)
    switch.type("lab flash full")
    with pytest.raises(Failed, match="No space left"):
        run.walk(*ALL)
    run.walk(Stage.TIDY)
    assert sessions(switch) == {}


def test_no_session_is_taken_from_others_when_all_are_used(switch: Switch) -> None:
    run = walker(switch)
    for number in range(5):
        switch.type(f"configure session s{number}", "end")
    with pytest.raises(Failed):
        run.walk(*ALL)
    assert len(sessions(switch)) == 5


def test_unsaved_changes_of_others_are_not_saved_along(switch: Switch) -> None:
    switch.type("configure", "interface Ethernet2/1", "description by hand", "end")
    startup = json.dumps(switch.store["startup"])
    change(switch, EXPECTED)
    assert in_sync(switch)
    assert json.dumps(switch.store["startup"]) == startup
