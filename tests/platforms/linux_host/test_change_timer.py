"""The timer on the host and a reboot end a change that nobody confirms, or keep one that somebody did."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

import pytest

from fabric_drift.change import Stage
from fabric_drift.platforms.linux_host import CHANGER
from tests.platforms.linux_host.changing import (
    GUARDED,
    apply,
    configured,
    fresh,
    left,
    pass_time,
    planned,
    run,
    seen,
    walk,
)
from tests.platforms.linux_host.test_change import FILES, OCI


def test_a_confirmation_in_time_keeps_the_change_and_a_late_timer_harms_nothing() -> None:
    store = fresh()
    procedure = apply(store)
    assert walk(store, procedure, Stage.CONFIRM, Stage.CONFIRM) == ""
    after = seen(store)
    assert pass_time(store, 10_000) == []
    assert run(store, "sudo -n roce-qos change undo run1").exit_status == 0
    assert seen(store) == after


def test_a_confirmation_that_comes_too_late_is_refused() -> None:
    store = fresh()
    before = seen(store)
    procedure = apply(store)
    pass_time(store, procedure.deadline_s + 1)
    assert "undone" in walk(store, procedure, Stage.CONFIRM)
    assert seen(store) == before


def test_a_commit_after_the_timer_is_refused() -> None:
    store = fresh()
    procedure = CHANGER.procedure(planned(store), "run1")
    assert walk(store, procedure, *GUARDED[:-1]) == ""
    pass_time(store, procedure.deadline_s + 1)
    before = seen(store)
    assert "isn't pending" in walk(store, procedure, Stage.COMMIT)
    assert seen(store) == before


@pytest.mark.parametrize("seconds", ["", "5", "0300", "soon", "1h", "9999999"])
def test_a_timer_that_makes_no_sense_is_not_set(seconds: str) -> None:
    store = fresh()
    procedure = CHANGER.procedure(planned(store), "run1")
    assert walk(store, procedure, Stage.PREFLIGHT, Stage.LOCK, Stage.SAVE) == ""
    assert run(store, f"sudo -n roce-qos change arm run1 {seconds}").exit_status == 2
    assert store.get("timers", []) == []


def test_without_a_timer_nothing_goes_on() -> None:
    store = fresh()
    procedure = CHANGER.procedure(planned(store), "run1")
    run(store, "lab uninstall systemd-run")
    assert "no timer" in walk(store, procedure, *GUARDED)
    assert store.get("writes", []) == []


def test_the_account_that_changes_needs_sudo_for_one_program() -> None:
    procedure = CHANGER.procedure(planned(fresh()), "run1")
    rights = (FILES / "usr/share/roce-qos/sudoers").read_text()
    allowed = re.findall(r"NOPASSWD: /usr/sbin/(roce-qos .*)$", rights, re.MULTILINE)
    commands = [action.command for actions in procedure.stages.values() for action in actions]
    privileged = [command.removeprefix("sudo -n ") for command in commands if command.startswith("sudo ")]
    assert privileged
    for command in privileged:
        assert any(fnmatchcase(command, rule) for rule in allowed), command


def test_a_reboot_before_the_confirmation_undoes_the_change() -> None:
    store = configured()
    before = seen(store)
    apply(store, OCI)
    run(store, "lab reboot")
    assert seen(store) == before


def test_a_reboot_after_the_confirmation_keeps_it() -> None:
    store = configured()
    walk(store, apply(store, OCI), Stage.CONFIRM)
    run(store, "lab reboot")
    assert left(store, OCI) == []
