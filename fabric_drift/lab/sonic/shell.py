"""The command line of an emulated switch: one command, no shell features."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence

from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.sonic import boot
from fabric_drift.lab.sonic.answers import NOT_FOUND, USAGE, RefusedError, as_json
from fabric_drift.lab.sonic.cfggen import sonic_cfggen
from fabric_drift.lab.sonic.config import config_command, pfc_command
from fabric_drift.lab.sonic.configdb import row
from fabric_drift.lab.sonic.ecnconfig import ecnconfig
from fabric_drift.lab.sonic.pfcwd import pfcwd
from fabric_drift.lab.sonic.redis import redis_cli, sonic_db_cli, sonic_db_dump
from fabric_drift.lab.sonic.show import show

_OPERATORS = set("();<>|&")
SAVED_CONFIG = "/etc/sonic/config_db.json"


def run(store: Store, command: str) -> Answer:
    """Runs ``command`` and lets the managers follow what it changed in CONFIG_DB."""
    try:
        words = _words(command)
        if not words:
            return Answer()
        answer = _program(words[0])(store, words[1:])
    except RefusedError as refused:
        return refused.answer
    boot.follow(store)
    return answer


def _program(name: str) -> Callable[[Store, Sequence[str]], Answer]:
    if name not in _PROGRAMS:
        raise RefusedError(f"-bash: {name}: command not found", NOT_FOUND)
    return _PROGRAMS[name]


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


def _cat(store: Store, files: Sequence[str]) -> Answer:
    shown, missing = "", ""
    for file in files:
        if file == SAVED_CONFIG:
            shown += as_json(store["saved"])
        elif file.startswith("/") and file in store["files"]:
            shown += store["files"][file]
        else:
            missing += f"cat: {file}: No such file or directory\n"
    return Answer(shown, missing, int(bool(missing)))


def _hostname(store: Store, _arguments: Sequence[str]) -> Answer:
    return Answer(row(store, "DEVICE_METADATA", "localhost").get("hostname", "sonic") + "\n")


_PROGRAMS: dict[str, Callable[[Store, Sequence[str]], Answer]] = {
    "cat": _cat,
    "config": config_command,
    "ecnconfig": ecnconfig,
    "hostname": _hostname,
    "pfc": pfc_command,
    "pfcwd": pfcwd,
    "redis-cli": redis_cli,
    "redis-dump": sonic_db_dump,
    "show": show,
    "sonic-cfggen": sonic_cfggen,
    "sonic-db-cli": sonic_db_cli,
    "sonic-db-dump": sonic_db_dump,
}
