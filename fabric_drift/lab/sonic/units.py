"""systemd and flock on an emulated switch: transient units, timers that the lab's clock fires, locks with waiters."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence

from fabric_drift.lab.clock import arm, disarm, timers
from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.sonic.answers import RefusedError

Run = Callable[[Store, Sequence[str]], Answer]
_SECONDS = re.compile(r"([0-9]{1,9})(s|sec|min)?")
_LOADED = 5  # systemctl's status for a unit that isn't there
_INACTIVE = 3


def systemd_run(store: Store, words: Sequence[str], run: Run) -> Answer:
    """``systemd-run --unit NAME [--on-active SECONDS] COMMAND``: later by the clock, or at once and waited for."""
    options, command = _options(words)
    unit = options.get("unit", "run-r1")
    if not command:
        raise RefusedError("Command line to execute required.")
    if "on-active" not in options:
        return _at_once(store, unit, command, run, waits="wait" in options)
    match = _SECONDS.fullmatch(options["on-active"])
    if match is None:
        raise RefusedError(f"Failed to parse timer value: {options['on-active']}")
    try:
        arm(store, unit, shlex.join(command), int(match[1]) * (60 if match[2] == "min" else 1))
        timers(store)[-1]["description"] = options.get("description") or shlex.join(command)
    except ValueError as error:
        problem = f"Unit {unit}.timer was already loaded or has a fragment file."
        raise RefusedError(f"Failed to start transient timer unit: {problem}") from error
    return Answer(stderr=f"Running timer as unit: {unit}.timer\nWill run service as unit: {unit}.service\n")


def _at_once(store: Store, unit: str, command: Sequence[str], run: Run, *, waits: bool) -> Answer:
    """The output of a unit goes to the journal, not to who started it."""
    try:
        answer = run(store, command)
    except RefusedError as refused:
        answer = refused.answer
    result = "success" if answer.exit_status == 0 else "exit-code"
    said = f"Running as unit: {unit}.service\n"
    if waits:
        said += f"Finished with result: {result}\n"
    return Answer(stderr=said, exit_status=answer.exit_status if waits else 0)


def _options(words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    valued = ("unit", "on-active", "property", "timer-property", "description")
    found: dict[str, str] = {}
    rest = list(words)
    while rest and rest[0].startswith("--"):
        name, equals, value = rest.pop(0)[2:].partition("=")
        if name in valued and not equals and rest:
            value = rest.pop(0)
        found[name] = value
    return found, rest


def systemctl(store: Store, words: Sequence[str]) -> Answer:
    """``systemctl stop|is-active|list-timers|show -p Description`` of timers; systemd describes what is missing too."""
    plain = [word for word in words if not word.startswith("-")]
    match plain:
        case ["stop", *names]:
            missing = [name for name in names if not disarm(store, name.removesuffix(".timer"))]
            if missing:
                problem = f"Failed to stop {missing[0]}: Unit {missing[0]} not loaded."
                return Answer(stderr=f"{problem}\n", exit_status=_LOADED)
            return Answer()
        case ["is-active", name]:
            active = any(timer["unit"] == name.removesuffix(".timer") for timer in timers(store))
            return Answer("active\n" if active else "inactive\n", exit_status=0 if active else _INACTIVE)
        case ["show", "Description", name]:
            found = (timer["description"] for timer in timers(store) if f"{timer['unit']}.timer" == name)
            return Answer(f"Description={next(found, name)}\n")
        case ["list-timers", *_]:
            return Answer("".join(f"{timer['unit']}.timer {timer['command']}\n" for timer in timers(store)))
    raise RefusedError(f"Unknown command verb {' '.join(words)}.")


def flock(store: Store, words: Sequence[str], run: Run) -> Answer:
    """``flock [-w SECONDS] FILE COMMAND``. A command that finds the lock taken waits, and runs when it is free."""
    rest, waits = _flock_options(words)
    if len(rest) < 2:  # noqa: PLR2004 - FILE COMMAND
        raise RefusedError("flock: requires file descriptor, file or directory", 64)
    file, *command = rest
    locks = store.setdefault("locks", {})
    if file in locks:
        if not waits:
            return Answer(exit_status=1)
        locks[file].append(command)
        return Answer()
    locks[file] = []
    try:
        answer = run(store, command)
    except RefusedError as refused:
        answer = refused.answer
    for waiting in locks.pop(file):
        flock(store, [file, *waiting], run)
    return answer


def _flock_options(words: Sequence[str]) -> tuple[list[str], bool]:
    """(file and command, whether it waits)."""
    rest, waits = list(words), True
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option in {"-w", "--timeout", "--wait"} and rest:
            waits = rest.pop(0) != "0"
        elif option in {"-n", "--nonblock"}:
            waits = False
    return rest, waits
