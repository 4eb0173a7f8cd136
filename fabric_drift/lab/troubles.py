"""Bad days of a device itself, whatever it emulates: what it refuses, mistells, forgets, and what it does to others.

They are kept in the device's store (``store["troubles"]``: kind -> arguments), so they outlive the daemon, and add up
until ``none``. Faults of the way to a device are in ``faults``; an emulator may know more of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fabric_drift.lab.emulator import Answer, Store

TROUBLES = "troubles"
_STALE = "stale_answers"
_ARROW = "=>"
_CONSEQUENCE = re.compile(r"(?P<pattern>.+?)=>(?P<device>[\w.-]+): ?(?P<command>.+)", re.ASCII)

KINDS = {
    "after": "after:PATTERN=>DEVICE: COMMAND runs COMMAND on DEVICE, once, after a command that matches; COMMAND may be"
    " a trouble too: lab fault TROUBLE",
    "clock-ahead": "clock-ahead:SECONDS: its clock jumps; timers that are due by it fire",
    "cut": "cut:PORT: the cable of the port is cut, at both ends",
    "far-cut": "far-cut:PORT: only the other end of the port's cable loses the link",
    "no-timers": "its timers never fire",
    "refuses": "refuses:PATTERN refuses commands that match",
    "says": "says:OLD=>NEW puts NEW for OLD into every answer",
    "stale": "stale:PATTERN answers commands that match as it did the first time",
    "whenever": "whenever:PATTERN=>DEVICE: COMMAND is the same as after, every time",
}


class UnknownTroubleError(ValueError):
    """The text names no trouble, or not well."""


@dataclass(frozen=True, slots=True)
class Consequence:
    """A command that another device, or the same one, runs because of this one's."""

    device: str
    command: str


def is_trouble(text: str) -> bool:
    """Whether the text begins like one of ``KINDS``."""
    return text.partition(":")[0] in KINDS


def add(store: Store, text: str) -> None:
    """``refuses:undo`` from now on, beside the others. Raises UnknownTroubleError."""
    kind, _, argument = text.partition(":")
    check = _CHECKS.get(kind)
    if check is None:
        raise UnknownTroubleError(f"{kind!r} is no trouble; there are {', '.join(KINDS)}")
    if not check(argument):
        raise UnknownTroubleError(f"{text!r}: {KINDS[kind]}")
    known = store.setdefault(TROUBLES, {}).setdefault(kind, [])
    known += [argument] * (argument not in known)


def end_all(store: Store) -> None:
    """The device behaves again. Its clock stays where it is."""
    kept = {kind: values for kind, values in store.pop(TROUBLES, {}).items() if kind == "clock-ahead"}
    if kept:
        store[TROUBLES] = kept
    store.pop(_STALE, None)


def told(store: Store) -> tuple[str, ...]:
    """Every trouble as it was typed."""
    return tuple(
        f"{kind}:{value}" if value else kind
        for kind, values in sorted(store.get(TROUBLES, {}).items())
        for value in values
    )


def arguments(store: Store, kind: str) -> tuple[str, ...]:
    """The arguments of a kind; () where the device doesn't have that trouble."""
    return tuple(store.get(TROUBLES, {}).get(kind, ()))


def clock_ahead_s(store: Store) -> float:
    """How far its clock is ahead of the lab's."""
    return sum(float(value) for value in arguments(store, "clock-ahead"))


def refuses(store: Store, command: str) -> bool:
    """Whether the device refuses the command."""
    return _matches(store, "refuses", command)


REFUSAL = Answer("% Internal error\n", "Error: Internal error\n", 1)
"""Said in the ways of switches and of shells."""


def mistold(store: Store, command: str, answer: Answer) -> Answer:
    """The answer as a device in trouble gives it."""
    if _matches(store, "stale", command):
        known = store.setdefault(_STALE, {}).setdefault(command, [answer.stdout, answer.stderr, answer.exit_status])
        answer = Answer(*known)
    text = answer.stdout
    for value in arguments(store, "says"):
        old, _, new = value.partition(_ARROW)
        text = text.replace(old, new)
    return Answer(text, answer.stderr, answer.exit_status)


def consequences(store: Store, command: str) -> Iterator[Consequence]:
    """What follows from a command that was run."""
    for kind in ("after", "whenever"):
        for value in arguments(store, kind):
            found = _CONSEQUENCE.fullmatch(value)
            if found and re.search(found["pattern"], command):
                if kind == "after":
                    store[TROUBLES][kind].remove(value)
                yield Consequence(found["device"], found["command"])


def _matches(store: Store, kind: str, command: str) -> bool:
    return any(re.search(pattern, command) for pattern in arguments(store, kind))


def _is_pattern(text: str) -> bool:
    try:
        re.compile(text)
    except re.error:
        return False
    return bool(text)


def _is_consequence(text: str) -> bool:
    found = _CONSEQUENCE.fullmatch(text)
    return found is not None and _is_pattern(found["pattern"])


_CHECKS: dict[str, Callable[[str], bool]] = {
    "after": _is_consequence,
    "clock-ahead": lambda text: re.fullmatch(r"\d{1,9}", text, re.ASCII) is not None,
    "cut": bool,
    "far-cut": bool,
    "no-timers": lambda text: not text,
    "refuses": _is_pattern,
    "says": lambda text: bool(text.partition(_ARROW)[0]) and _ARROW in text,
    "stale": _is_pattern,
    "whenever": _is_consequence,
}
