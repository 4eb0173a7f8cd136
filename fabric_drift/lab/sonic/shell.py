"""The command line of an emulated switch: one command, no shell features outside of scripts."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence

from fabric_drift.lab.clock import timers
from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.sonic import badday, boot, files, units
from fabric_drift.lab.sonic.answers import NOT_FOUND, USAGE, RefusedError, as_json
from fabric_drift.lab.sonic.cfggen import sonic_cfggen, tables_of
from fabric_drift.lab.sonic.config import config_command, pfc_command
from fabric_drift.lab.sonic.configdb import row
from fabric_drift.lab.sonic.ecnconfig import ecnconfig
from fabric_drift.lab.sonic.gcu import gcu_command
from fabric_drift.lab.sonic.gcu_patch import PatchError, parse_patch, patched
from fabric_drift.lab.sonic.pfcwd import pfcwd
from fabric_drift.lab.sonic.redis import redis_cli, sonic_db_cli, sonic_db_dump
from fabric_drift.lab.sonic.script import run_script
from fabric_drift.lab.sonic.seen import vtysh
from fabric_drift.lab.sonic.show import show

Program = Callable[[Store, Sequence[str]], Answer]
_OPERATORS = set("();<>|&")
_UPDATER = ("apply-patch", "replace", "checkpoint", "delete-checkpoint", "list-checkpoints", "rollback")
_SHELLS = ("bash", "/bin/bash", "sh")


def run(store: Store, command: str, stdin: str = "") -> Answer:
    """Runs ``command`` and lets the managers follow what it changed in CONFIG_DB."""
    try:
        words = _words(command)
        if not words:
            return Answer()
        answer = _execute(store, words, stdin)
    except RefusedError as refused:
        answer = refused.answer
    boot.follow(store)
    return answer


def reads_input(command: str) -> bool:
    """Whether the command waits for the end of its standard input."""
    try:
        return _words(command)[:1] == ["tee"]
    except RefusedError:
        return False


def _execute(store: Store, words: Sequence[str], stdin: str = "") -> Answer:
    if words[0] == "tee":
        return files.tee(store, words[1:], stdin)
    if words[0] not in _PROGRAMS:
        raise RefusedError(f"-bash: {words[0]}: command not found", NOT_FOUND)
    return _PROGRAMS[words[0]](store, words[1:])


def _words(command: str) -> list[str]:
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError as error:
        raise RefusedError(f"-bash: syntax error: {error}", USAGE) from error
    if any(set(word) <= _OPERATORS for word in words if word):
        raise RefusedError("-bash: this lab runs one command at a time, without pipes and redirections", USAGE)
    if words[:1] == ["sudo"]:
        words = words[2:] if words[1:2] == ["-n"] else words[1:]
    return words


def _hostname(store: Store, _arguments: Sequence[str]) -> Answer:
    return Answer(row(store, "DEVICE_METADATA", "localhost").get("hostname", "sonic") + "\n")


def _bash(store: Store, words: Sequence[str]) -> Answer:
    if words[:1] == ["-c"]:
        return run_script(store, words[1], lambda command: _execute(store, command))
    text = files.read(store, words[0]) if words else None
    if text is None:
        raise RefusedError(f"bash: {' '.join(words)}: No such file or directory", NOT_FOUND)
    return run_script(store, text, lambda command: _execute(store, command))


def _config(store: Store, words: Sequence[str]) -> Answer:
    if words[:1] and words[0] in _UPDATER:
        return gcu_command(store, words, lambda cause: _change(store, cause))
    return config_command(store, words)


def _change(store: Store, cause: str) -> None:
    """One change of a patch has been made."""
    boot.follow(store, cause)
    if badday.trouble(store, "timer_in_patch") is not None:
        badday.end(store, "timer_in_patch")
        due, store["timers"] = list(timers(store)), []
        for timer in due:
            run(store, timer["command"])


def _jsonpatch(store: Store, words: Sequence[str]) -> Answer:
    """``jsonpatch [-i] DOCUMENT PATCH``, the script of the Python package that the updater is made with."""
    paths = [word for word in words if not word.startswith("-")]
    texts = [files.read(store, path) for path in paths]
    if len(paths) != 2 or texts[0] is None or texts[1] is None:  # noqa: PLR2004 - DOCUMENT PATCH
        raise RefusedError("usage: jsonpatch [-h] [-b] [-i] [-v] [-u] ORIGINAL PATCH", USAGE)
    try:
        result = as_json(patched(tables_of(texts[0]), parse_patch(texts[1])))
    except PatchError as error:
        raise RefusedError(f"jsonpatch.JsonPatchException: {error}") from error
    if "-i" not in words:
        return Answer(result)
    files.write(store, paths[0], result, "jsonpatch")
    return Answer()


def _logger(store: Store, words: Sequence[str]) -> Answer:
    store["syslog"].append(f"{words[-1]}" if words else "")
    return Answer()


def _reboot(store: Store, _words: Sequence[str]) -> Answer:
    boot.reboot(store)
    return Answer()


_PROGRAMS: dict[str, Program] = {
    **files.FILE_PROGRAMS,
    **dict.fromkeys(_SHELLS, _bash),
    "config": _config,
    "ecnconfig": ecnconfig,
    "flock": lambda store, words: units.flock(store, words, _execute),
    "hostname": _hostname,
    "jsonpatch": _jsonpatch,
    "lab-fault": badday.lab_fault,
    "logger": _logger,
    "pfc": pfc_command,
    "pfcwd": pfcwd,
    "reboot": _reboot,
    "redis-cli": redis_cli,
    "redis-dump": sonic_db_dump,
    "show": show,
    "sonic-cfggen": sonic_cfggen,
    "sonic-db-cli": sonic_db_cli,
    "sonic-db-dump": sonic_db_dump,
    "systemctl": units.systemctl,
    "systemd-run": lambda store, words: units.systemd_run(store, words, _execute),
    "true": lambda _store, _words: Answer(),
    "vtysh": vtysh,
}
