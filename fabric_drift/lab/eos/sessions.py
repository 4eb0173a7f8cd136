"""Configuration sessions: staged on a copy, compared, committed (perhaps on a timer), aborted.

Sources: Arista EOS User Manual (configure session), napalm issue 2166 (how releases from 4.32 tell a pending timer),
ansible issue 36977 (the limit). Two points are the lab's own, on the careful side: a commit puts the session's copy
in place of the running configuration, also of what others changed meanwhile; the timer puts back what ran before.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from fabric_drift.lab import clock
from fabric_drift.lab.emulator import Store
from fabric_drift.lab.eos import links, tree
from fabric_drift.lab.eos.order import release_number

MAX_OPEN = 5
MAX_SAVED = 1
TELLS_TIMER_AT_TOP = (4, 32)
PENDING = "pending"
ON_TIMER = "pendingCommitTimer"
UNIT = "config-session-timer"
EXPIRED = "lab commit-timer-expired"

TOO_MANY = (
    "% Maximum number of pending sessions has been reached. Please commit or abort an existing session before "
    "creating a new session"
)


def is_old(store: Store) -> bool:
    """Whether the release tells a pending timer in the session's state."""
    return release_number(store["release"]) < TELLS_TIMER_AT_TOP


def done(store: Store) -> str:
    """The state of a session that is committed."""
    return "completed" if is_old(store) else "committed"


def enter(store: Store, name: str) -> str:
    """Opens a session, or goes on with a pending one. Answers "" or the refusal."""
    known = store["sessions"].get(name)
    if known is not None:
        return "" if known["state"] == PENDING else f"% Cannot enter session {name} (session is {known['state']})"
    if sum(session["state"] == PENDING for session in store["sessions"].values()) >= MAX_OPEN:
        return TOO_MANY
    store["sessions"][name] = {"state": PENDING, "commitUser": "", "description": "", "instances": {}}
    _trees(store)[name] = deepcopy(store["running"])
    return ""


def staged(store: Store, name: str) -> tree.Section:
    """The configuration of a pending session."""
    root: tree.Section = _trees(store)[name]
    return root


def roll_back_clean(store: Store, name: str) -> None:
    """``rollback clean-config``: nothing is configured, every port exists."""
    root = tree.empty()
    for header in store["running"]["sections"]:
        if header.startswith(("interface Ethernet", "interface Management")):
            tree.enter(root, [header])
    _trees(store)[name] = root


def commit(store: Store, name: str, user: str, after_s: int | None = None) -> str:
    """Commits, or confirms a commit that waits for its timer. Answers "" or the refusal."""
    waiting = store.get("commit_timer")
    if waiting and waiting["session"] == name:
        if after_s is not None:
            return _wait(store, name, user, after_s)
        _stop_waiting(store)
        store["sessions"][name] = {"state": done(store), "commitUser": user, "description": "", "instances": {}}
        return ""
    session = store["sessions"].get(name)
    if session is None or session["state"] != PENDING:
        return f"% Cannot commit session {name} (session is {session['state'] if session else 'unknown'})"
    if waiting:
        return f"% Session {waiting['session']} has a commit timer pending"
    before = store["running"]
    links.replace_running(store, _trees(store).pop(name))
    _forget_old(store)
    store["sessions"][name] = {"state": done(store), "commitUser": user, "description": "", "instances": {}}
    if after_s is None:
        return ""
    store["commit_timer"] = {"session": name, "before": before}
    return _wait(store, name, user, after_s)


def _wait(store: Store, name: str, user: str, after_s: int) -> str:
    clock.disarm(store, UNIT)
    clock.arm(store, UNIT, EXPIRED, after_s)
    due = clock.now_s(store) + after_s
    store["commit_timer"]["expires"] = due
    if is_old(store):
        store["sessions"][name] |= {"state": ON_TIMER, "commitBy": due, "commitUser": user}
    return ""


def _stop_waiting(store: Store) -> Any:
    """Disarms the timer; gives back what ran before the commit."""
    clock.disarm(store, UNIT)
    return store.pop("commit_timer")["before"]


def abort(store: Store, name: str) -> str:
    """Drops a pending session, or takes back a commit that waits for its timer. Answers "" or the refusal."""
    waiting = store.get("commit_timer")
    if waiting and waiting["session"] == name:
        links.replace_running(store, _stop_waiting(store))
        del store["sessions"][name]
        return ""
    session = store["sessions"].get(name)
    if session is None or session["state"] != PENDING:
        return f"% Cannot abort session {name} (session is {session['state'] if session else 'unknown'})"
    del store["sessions"][name]
    del _trees(store)[name]
    return ""


def expire(store: Store) -> None:
    """The timer of a commit is due: back to what ran before."""
    waiting = store.get("commit_timer")
    if waiting:
        abort(store, waiting["session"])


def forget_all(store: Store) -> None:
    """A reboot: sessions and timers are gone."""
    store["sessions"] = {}
    store["session_trees"] = {}
    clock.disarm(store, UNIT)
    store.pop("commit_timer", None)


def _forget_old(store: Store) -> None:
    """Of the committed sessions, only the newest are kept."""
    saved = [name for name, session in store["sessions"].items() if session["state"] == done(store)]
    for name in saved[: len(saved) + 1 - MAX_SAVED]:
        del store["sessions"][name]


def _trees(store: Store) -> dict[str, tree.Section]:
    trees: dict[str, tree.Section] = store.setdefault("session_trees", {})
    return trees
