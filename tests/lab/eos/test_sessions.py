"""Configuration sessions and commit timers of the emulated EOS, as releases before and after 4.32 tell them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fabric_drift.lab import clock
from fabric_drift.lab.emulator import LabDevice, Store
from fabric_drift.lab.eos import EMULATOR
from tests.lab.eos.conftest import PORTS

OLD, NEW = "4.31.5M", "4.32.0F"


def switch(release: str) -> Store:
    return EMULATOR.start(LabDevice("leaf3", "eos", release, "DCS-7060DX5-64S", PORTS))


@pytest.fixture(params=[OLD, NEW])
def store(request: pytest.FixtureRequest) -> Store:
    return switch(request.param)


def type_(store: Store, *lines: str) -> str:
    return EMULATOR.run(store, "\n".join(lines)).stdout


def shown(store: Store) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(type_(store, "show configuration sessions | json"))
    return answer


def mtu(store: Store) -> str | None:
    line: str | None = store["running"]["sections"]["interface Ethernet1/1"]["lines"].get("mtu")
    return line


def advance(store: Store, seconds: float) -> None:
    store[clock.NOW] = clock.now_s(store) + seconds
    for timer in clock.take_due(store):
        EMULATOR.run(store, timer["command"], user="root")


STAGE = ("configure session s1", "interface Ethernet1/1", "mtu 9000")


def test_a_session_changes_nothing_until_it_is_committed(store: Store) -> None:
    type_(store, *STAGE, "end")
    assert mtu(store) is None
    assert shown(store)["sessions"]["s1"]["state"] == "pending"
    assert type_(store, "configure session s1 commit") == ""
    assert mtu(store) == "mtu 9000"


def test_the_difference_has_the_two_heads_that_napalm_drops_and_is_empty_without_changes(store: Store) -> None:
    lines = type_(store, *STAGE, "show session-config diffs", "abort").splitlines()
    assert lines[:2] == ["--- system:/running-config", "+++ session:/s1-session-config"]
    assert "+   mtu 9000" in lines
    assert type_(store, "configure session s2", "show session-config diffs", "abort") == ""


def test_an_aborted_session_is_gone(store: Store) -> None:
    type_(store, *STAGE, "abort")
    assert (mtu(store), shown(store)["sessions"]) == (None, {})


def test_a_session_that_is_entered_again_goes_on_where_it_was(store: Store) -> None:
    type_(store, *STAGE, "end")
    assert "mtu 9000" in type_(store, "configure session s1", "show session-config diffs", "end")


def test_up_to_4_31_a_pending_timer_is_a_state_of_the_session() -> None:
    store = switch(OLD)
    type_(store, *STAGE, "commit timer 00:10:00")
    assert shown(store)["sessions"]["s1"]["state"] == "pendingCommitTimer"
    assert "commitTimerSessionName" not in shown(store)


def test_from_4_32_on_a_pending_timer_is_told_at_the_top() -> None:
    store = switch(NEW)
    type_(store, *STAGE, "commit timer 00:10:00")
    assert shown(store)["sessions"]["s1"]["state"] == "committed"
    assert shown(store)["commitTimerSessionName"] == "s1"
    assert shown(store)["commitTimerExpireTime"] == 600


def test_a_timer_that_is_due_puts_back_what_ran_before(store: Store) -> None:
    type_(store, *STAGE, "commit timer 00:10:00")
    advance(store, 599)
    assert mtu(store) == "mtu 9000"
    advance(store, 1)
    assert mtu(store) is None
    assert "commitTimerSessionName" not in shown(store)


def test_a_second_commit_confirms(store: Store) -> None:
    type_(store, *STAGE, "commit timer 00:10:00")
    assert type_(store, "configure session s1 commit") == ""
    advance(store, 3600)
    assert mtu(store) == "mtu 9000"
    assert shown(store)["sessions"]["s1"]["state"] in {"completed", "committed"}


def test_an_abort_takes_back_a_commit_that_waits_for_its_timer(store: Store) -> None:
    type_(store, *STAGE, "commit timer 00:10:00")
    assert type_(store, "configure session s1 abort") == ""
    assert (mtu(store), store["timers"]) == (None, [])


def test_nobody_else_commits_while_a_timer_waits(store: Store) -> None:
    type_(store, *STAGE, "commit timer 00:10:00")
    assert type_(store, "configure session s2", "hostname x", "commit").startswith("% Session s1 has a commit timer")


def test_the_sixth_pending_session_is_refused_and_its_lines_are_typed_in_exec_mode(store: Store) -> None:
    for number in range(5):
        type_(store, f"configure session s{number}", "end")
    said = type_(store, "configure session s5", "interface Ethernet1/1").splitlines()
    assert said[0].startswith("% Maximum number of pending sessions has been reached")
    assert said[1].startswith("% Invalid input")


def test_of_committed_sessions_one_is_kept(store: Store) -> None:
    for number in range(3):
        type_(store, f"configure session s{number}", f"hostname h{number}", "commit")
    assert list(shown(store)["sessions"]) == ["s2"]


def test_a_committed_session_is_neither_entered_nor_committed_again(store: Store) -> None:
    type_(store, *STAGE, "commit")
    for command in ("configure session s1", "configure session s1 commit", "configure session s1 abort"):
        assert type_(store, command).startswith("% Cannot")


def test_rollback_clean_config_starts_from_nothing(store: Store) -> None:
    type_(store, "configure session s1", "rollback clean-config", "hostname bare", "commit")
    assert store["running"]["lines"] == {"hostname": "hostname bare"}


def test_a_reboot_forgets_sessions_and_timers(store: Store) -> None:
    type_(store, *STAGE, "commit timer 00:10:00")
    type_(store, "lab reboot")
    assert (mtu(store), shown(store)["sessions"], store["timers"]) == (None, {}, [])


def test_a_saved_configuration_replaces_the_running_one_whole(store: Store) -> None:
    before = type_(store, "show running-config")
    assert type_(store, "copy running-config flash:before.cfg") == "Copy completed successfully.\n"
    type_(store, "configure", *STAGE[1:], "end")
    assert type_(store, "configure replace flash:before.cfg") == ""
    assert type_(store, "show running-config") == before


@pytest.mark.parametrize(
    "command",
    ["configure replace flash:none.cfg", "delete flash:none.cfg", "dir flash:none.cfg", "copy flash:x flash:y"],
)
def test_a_file_that_isnt_there_is_refused(store: Store, command: str) -> None:
    assert type_(store, command).startswith("% Error")


def test_a_full_flash_refuses_a_copy(store: Store) -> None:
    type_(store, "lab flash full")
    assert "No space left on device" in type_(store, "copy running-config flash:before.cfg")
    assert store["flash"] == {}


@pytest.mark.parametrize("timer", ["5", "00:00:00", "0:99:00", "soon"])
def test_a_timer_that_is_no_time_is_refused(store: Store, timer: str) -> None:
    assert type_(store, *STAGE, f"commit timer {timer}").startswith("% Invalid input")


def test_links_flap_when_their_light_goes_off_and_only_then(store: Store) -> None:
    type_(store, *STAGE, "commit")
    assert store["flaps"] == {}
    type_(store, "configure session s2", "interface Ethernet1/1", "error-correction encoding fire-code", "commit")
    type_(store, "configure", "interface Ethernet2/1", "shutdown", "no shutdown", "end")
    type_(store, "configure", "interface Ethernet3/1", "shutdown", "end")  # not cabled
    assert store["flaps"] == {"Ethernet1/1": 1, "Ethernet2/1": 1}


def test_the_prompt_shows_mode_and_a_part_of_the_sessions_name() -> None:
    terminal = EMULATOR.terminal(switch(NEW), "admin")
    prompts = [terminal.prompt]
    for line in ("enable", "configure session fabric-drift-1", "interface Ethernet1/1", "exit", "end"):
        terminal.type(line)
        prompts.append(terminal.prompt)
    assert prompts == [
        "leaf3>",
        "leaf3#",
        "leaf3(config-s-fabric)#",
        "leaf3(config-s-fabric-if)#",
        "leaf3(config-s-fabric)#",
        "leaf3#",
    ]


def test_a_user_who_isnt_privileged_configures_nothing() -> None:
    terminal = EMULATOR.terminal(switch(NEW), "admin")
    said = [terminal.type(line).stdout for line in ("configure", "copy running-config flash:x", "write memory")]
    assert all(text == "% Invalid input (privileged mode required)\n" for text in said)
