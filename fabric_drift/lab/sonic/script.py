"""Shell scripts on an emulated switch: one list of commands per line.

``&&``, ``||``, ``>``, ``>>``, ``2>&1``, comments, ``set -e``, ``exit`` and ``exec``; no variables, no loops.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.sonic import files
from fabric_drift.lab.sonic.answers import RefusedError

Run = Callable[[Sequence[str]], Answer]
LISTS = ("&&", "||")


@dataclass(slots=True)
class _Shell:
    store: Store
    run: Run
    stdout: str = ""
    stderr: str = ""
    status: int = 0
    stops_at_failure: bool = False
    done: bool = field(default=False)


def run_script(store: Store, text: str, run: Run) -> Answer:
    """Runs the lines; ``run`` runs the words of one command. The exit status is that of the last one."""
    shell = _Shell(store, run)
    for line in text.splitlines():
        words = _words(line)
        if words and not shell.done:
            _line(shell, words)
    return Answer(shell.stdout, shell.stderr, shell.status)


def _words(line: str) -> list[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars="&|<>;")
    lexer.whitespace_split = True
    try:
        return list(lexer)
    except ValueError as error:
        raise RefusedError(f"bash: syntax error: {error}", 2) from error


def _line(shell: _Shell, words: list[str]) -> None:
    """One list: a command after ``&&`` runs on success, after ``||`` on failure."""
    operator, command = "", list[str]()
    for word in [*words, ";"]:
        if word not in {*LISTS, ";"}:
            command.append(word)
            continue
        skipped = (operator == "&&" and shell.status) or (operator == "||" and not shell.status)
        if command and not skipped and not shell.done:
            _command(shell, command)
        operator, command = word, []
    # as in bash, a failure inside of a list ends the script only when it is that of the last command
    if shell.stops_at_failure and shell.status and not any(word in LISTS for word in words):
        shell.done = True


def _command(shell: _Shell, words: list[str]) -> None:
    words, target = _redirection(words)
    match words:
        case ["set", flags]:
            shell.stops_at_failure = "e" in flags
            return
        case ["exit"] | ["exit", _]:
            shell.status, shell.done = int(words[1]) if len(words) > 1 else shell.status, True
            return
        case ["exec", *rest]:
            shell.done, words = True, rest
    answer = _answer(shell, words) if target is None else _redirected(shell, words, *target)
    shell.stdout += answer.stdout
    shell.stderr += answer.stderr
    shell.status = answer.exit_status


def _answer(shell: _Shell, words: list[str]) -> Answer:
    try:
        return shell.run(words)
    except RefusedError as refused:
        return refused.answer


def _redirected(shell: _Shell, words: list[str], path: str, appends: bool) -> Answer:
    """Both outputs go to the file; with a file that can't be written the command isn't run at all."""
    before = (files.read(shell.store, path) or "") if appends else ""
    try:
        files.write(shell.store, path, before)
    except RefusedError as refused:
        return refused.answer
    answer = _answer(shell, words)
    files.write(shell.store, path, before + answer.stdout + answer.stderr)
    return Answer(exit_status=answer.exit_status)


def _redirection(words: list[str]) -> tuple[list[str], tuple[str, bool] | None]:
    """(words without redirections, (file, whether it is appended to)); ``2>&1`` goes with it."""
    kept: list[str] = []
    target: tuple[str, bool] | None = None
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word in {">", ">>"} and rest:
            target = (rest.pop(0), word == ">>")
        elif word == ">&" and rest and kept and kept[-1] == "2":
            kept.pop()
            rest.pop(0)
        else:
            kept.append(word)
    return kept, target
