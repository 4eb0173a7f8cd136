"""A logged-in user of the emulated EOS: exec mode, configuration mode, configuration sessions, one line at a time."""

from __future__ import annotations

import re
from copy import deepcopy

from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.eos import bench, flash, links, sessions, tree
from fabric_drift.lab.eos.editor import Editor
from fabric_drift.lab.eos.exec_mode import show
from fabric_drift.lab.eos.session_diffs import diffs

PRIVILEGED = ("configure", "copy", "delete", "write", "reload", "dir", "show running-config", "show startup-config")
TERMINAL = re.compile(r"terminal (width|length) (\d+)", re.ASCII)
SESSION = re.compile(
    r"configure session(?: (?P<name>[\w.-]{1,63}))?(?: (?P<verb>commit|abort)(?: timer (?P<timer>\S+))?)?", re.ASCII
)
TIME = re.compile(r"(\d{1,2}):([0-5]\d):([0-5]\d)", re.ASCII)
DIFFS = re.compile(r"show session-config named (\S+) diffs", re.ASCII)
SHOWN_OF_SESSION = 6
"""How many characters of a session's name the prompt shows (AVD pull request 6318 shows fewer of a shorter one)."""
MODES = {"interface": "if", "profile": "qos-profile", "queue": "txq"}


class Terminal:
    """``type`` answers one line. ``prompt`` is what the next line is typed behind."""

    def __init__(self, store: Store, user: str, *, privileged: bool = True) -> None:
        self._store = store
        self._privileged = privileged
        self._user = user
        self._editor: Editor | None = None
        self._session = ""

    @property
    def prompt(self) -> str:
        """Behind the host name: ``#``, ``(config)#``, ``(config-s-fabric)#``, ``(config-s-fabric-if)#``."""
        name = self._store["running"]["lines"].get("hostname", "hostname localhost").removeprefix("hostname ")
        if self._editor is None:
            return f"{name}{'#' if self._privileged else '>'}"
        mode = f"-s-{self._session[:SHOWN_OF_SESSION]}" if self._session else ""
        inner = MODES.get(tree.mode_of(self._editor.path[-1])) if self._editor.path else ""
        return f"{name}(config{mode}{f'-{inner}' if inner else ''})#"

    def type(self, line: str) -> Answer:
        """One line, in whatever mode the terminal is."""
        words = " ".join(line.split())
        if self._editor is None:
            return self._exec(words)
        if words.startswith("show ") and not words.startswith("show session-config"):
            return show(self._store, words)
        if self._session:
            answer = self._in_session(words)
            if answer is not None:
                return answer
        return self._configure(line)

    def _configure(self, line: str) -> Answer:
        assert self._editor is not None
        is_live = not self._session and any(word in line for word in links.LIGHT_WORDS)
        before = deepcopy(self._store["running"]) if is_live else None
        problem = self._editor.type(line)
        if before is not None:
            links.count_flaps(self._store, before)
        if not self._editor.open:
            self._leave()
        return _answer(problem)

    def _leave(self) -> None:
        self._editor, self._session = None, ""

    def _edit(self, root: tree.Section, session: str = "") -> Answer:
        self._editor, self._session = Editor(root, frozenset(self._store["ports"])), session
        return Answer()

    def _in_session(self, words: str) -> Answer | None:
        """Commands that only a session has; None for anything else."""
        name = self._session
        if name not in self._store.get("session_trees", {}):
            self._leave()
            return _answer(f"% Session {name} has gone")
        if words == "show session-config diffs":
            return Answer(diffs(self._store, name))
        if words == "rollback clean-config":
            sessions.roll_back_clean(self._store, name)
            return self._edit(sessions.staged(self._store, name), name)
        if words == "abort":
            self._leave()
            return _answer(sessions.abort(self._store, name))
        if words == "commit" or words.startswith("commit timer "):
            answer = self._commit(name, words.removeprefix("commit").removeprefix(" timer "))
            if not answer.exit_status:
                self._leave()
            return answer
        return None

    def _commit(self, name: str, timer: str | None) -> Answer:
        seconds = None
        if timer:
            time = TIME.fullmatch(timer)
            seconds = int(time[1]) * 3600 + int(time[2]) * 60 + int(time[3]) if time else 0
            if not seconds:
                return _answer(f"% Invalid input (at token 5: '{timer}')")
        problem = sessions.commit(self._store, name, self._user, seconds)
        if not problem:
            bench.after_commit(self._store)
        return _answer(problem)

    def _exec(self, words: str) -> Answer:
        """One command in exec mode."""
        if not self._privileged and words.startswith(PRIVILEGED):
            return _answer("% Invalid input (privileged mode required)")
        if words in {"enable", "disable"}:
            self._privileged = words == "enable"
            return Answer()
        match words.split():
            case ["configure"] | ["configure", "terminal"]:
                return self._edit(self._store["running"])
            case ["configure", "session", *_]:
                return self._session_command(words)
            case ["reload", "now"] | ["lab", "reboot"]:
                self._leave()
                return bench.run(self._store, "lab reboot")
            case ["lab", *_]:
                return bench.run(self._store, words)
        on_files = _files(self._store, words)
        return self._quiet(words) if on_files is None else _answer(on_files)

    def _quiet(self, words: str) -> Answer:
        """Settings of the terminal, saving, and what is left: showing."""
        terminal = TERMINAL.fullmatch(words)
        if not words or words.startswith("!") or words in {"exit", "logout", "quit"}:
            return Answer()
        if terminal:
            width = f"Width set to {terminal[2]} columns.\n"
            return Answer(width if terminal[1] == "width" else "Pagination disabled.\n")
        named = DIFFS.fullmatch(words)
        if named:
            known = named[1] in self._store.get("session_trees", {})
            return Answer(diffs(self._store, named[1])) if known else _answer(f"% Session {named[1]} does not exist")
        return show(self._store, words)

    def _session_command(self, words: str) -> Answer:
        found = SESSION.fullmatch(words)
        if not found:
            return _answer(f"% Invalid input (at token 2: '{words.split()[2]}')")
        name = found["name"] or f"sess-{len(self._store['sessions']) + 1}"
        if found["verb"] == "commit":
            return self._commit(name, found["timer"])
        if found["verb"] == "abort":
            return _answer(sessions.abort(self._store, name))
        problem = sessions.enter(self._store, name)
        return _answer(problem) if problem else self._edit(sessions.staged(self._store, name), name)


def _files(store: Store, words: str) -> str | None:
    """What the switch says to a command about configuration files; None for any other command."""
    match words.split():
        case ["configure", "replace", path, *force] if force in ([], ["force"], ["ignore-errors"]):
            return flash.replace(store, path)
        case ["copy", source, target]:
            return flash.copy(store, source, target)
        case ["write"] | ["write", "memory"]:
            return flash.copy(store, "running-config", "startup-config")
        case ["delete", path]:
            return flash.delete(store, path)
        case ["dir", path]:
            return flash.listing(store, path)
    return None


def _answer(text: str) -> Answer:
    """What the switch says; a line that starts with % is a refusal."""
    failed = any(line.startswith("%") for line in text.splitlines())
    return Answer(f"{text}\n" if text else "", exit_status=int(failed))
