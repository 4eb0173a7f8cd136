"""The login shell of an exec channel, as far as people type it: quotes, ``;``, ``&&``, newlines, ``>``, ``|``."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace

from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.linux_host import writes

Command = Callable[[Store, Sequence[str], bool], Answer]

SEPARATORS = (";", "&&", "\n")
REDIRECTIONS = (">", ">>")
NOT_FOUND = 127
KERNEL_FOLDERS_ONLY = ("mkdir", "rmdir")
FOREIGN = re.compile(r"[~$`<(){}*?\\]|(?<!&)&(?!&)|\|\||\d>|>&")
"""Syntax, quoted or not, that only a real shell has."""


def split(text: str) -> list[str]:
    """Words and operators. Raises ValueError for a quote that isn't closed."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars=";&|>\n")
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    return list(lexer)


def knows(text: str, commands: Container[str]) -> bool:
    """Whether ``run`` does with ``text`` what a shell would: only commands of ours, no syntax that it doesn't have."""
    text = text.replace("2>/dev/null", "")
    if FOREIGN.search(text):
        return False
    try:
        words = split(text)
    except ValueError:
        return True  # says what bash says
    statement: list[str] = []
    for word in [*words, ";"]:
        if word.strip("\n") not in {*SEPARATORS, "|", ""} or not word:
            statement.append(word)
            continue
        _, plain_words = _without_sudo(statement, root=False)
        if plain_words and not _knows_words(plain_words, commands):
            return False
        statement = []
    return True


def _knows_words(words: list[str], commands: Container[str]) -> bool:
    name, *args = words
    if name in {"sh", "bash"} and args[:1] == ["-c"]:
        return len(args) > 1 and knows(args[1], commands)
    name = name.rsplit("/", 1)[-1]
    if name in KERNEL_FOLDERS_ONLY:
        return any(arg.startswith("/sys/") for arg in args)
    return name in commands and not (name == "rm" and any(arg.startswith("-") and "r" in arg for arg in args))


def run(store: Store, text: str, commands: Mapping[str, Command], *, root: bool) -> Answer:
    """Runs statements in turn; ``&&`` stops at the first that fails. The last exit status is the shell's."""
    try:
        words = split(text.replace("2>/dev/null", ""))
    except ValueError:
        return Answer(stderr="bash: -c: line 1: unexpected EOF while looking for matching quote\n", exit_status=2)
    output, errors, status = "", "", 0
    statement: list[str] = []
    for word in [*words, ";"]:
        if word.strip("\n") not in {*SEPARATORS, ""} or not word:
            statement.append(word)
            continue
        if statement:
            answer = _statement(store, statement, commands, root)
            output, errors, status = output + answer.stdout, errors + answer.stderr, answer.exit_status
        statement = []
        if word == "&&" and status:
            break
    return Answer(output, errors, status)


def _statement(store: Store, words: list[str], commands: Mapping[str, Command], root: bool) -> Answer:
    """A pipe into ``tee``, a redirection to a file, or a plain command."""
    if "|" in words:
        at = words.index("|")
        source, sink = plain(store, words[:at], commands, root), words[at + 1 :]
        sink_root, sink = _without_sudo(sink, root)
        return _tee(store, sink, source, sink_root)
    redirection = next((word for word in words if word in REDIRECTIONS), "")
    if redirection:
        at = words.index(redirection)
        answer = plain(store, words[:at], commands, root)
        path = " ".join(words[at + 1 :])
        before = store["files"].get(path, "") if redirection == ">>" else ""
        return _redirect(store, path, replace(answer, stdout=before + answer.stdout), root)
    return plain(store, words, commands, root)


def _without_sudo(words: list[str], root: bool) -> tuple[bool, list[str]]:
    """Whether root runs it, and the command behind ``sudo -n``."""
    if words[:1] != ["sudo"]:
        return root, words
    return True, words[2:] if words[1:2] == ["-n"] else words[1:]


def plain(store: Store, words: list[str], commands: Mapping[str, Command], root: bool) -> Answer:
    """One command with its arguments; ``sudo`` and ``sh -c`` are seen through."""
    root, words = _without_sudo(words, root)
    if not words:
        return Answer()
    name, *args = words
    if name in {"sh", "bash"} and args[:1] == ["-c"]:
        return run(store, args[1] if len(args) > 1 else "", commands, root=root)
    name = name.rsplit("/", 1)[-1]
    if name not in commands or (name in store["missing_commands"] and f"/usr/sbin/{name}" not in store["files"]):
        return Answer(stderr=f"bash: line 1: {name}: command not found\n", exit_status=NOT_FOUND)
    return commands[name](store, args, root)


def _redirect(store: Store, path: str, answer: Answer, root: bool) -> Answer:
    try:
        writes.write(store, path, answer.stdout, root=root)
    except (PermissionError, FileNotFoundError) as error:
        return Answer(stderr=f"bash: line 1: {path}: {error.strerror}\n", exit_status=1)
    except OSError as error:
        return Answer(stderr=f"bash: line 1: echo: write error: {error.strerror}\n", exit_status=1)
    return Answer(stderr=answer.stderr, exit_status=answer.exit_status)


def _tee(store: Store, sink: list[str], source: Answer, root: bool) -> Answer:
    if sink[:1] != ["tee"] or len(sink) != 2:  # noqa: PLR2004 - tee and its file
        return Answer(stderr=f"bash: line 1: {' '.join(sink[:1])}: command not found\n", exit_status=NOT_FOUND)
    try:
        writes.write(store, sink[1], source.stdout, root=root)
    except OSError as error:
        return Answer(source.stdout, f"tee: {sink[1]}: {error.strerror}\n", 1)
    return source
