"""systemd of an emulated host: units that came with it, and units from files that somebody installed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase

from fabric_drift.lab import clock
from fabric_drift.lab.emulator import Answer, Store

FOLDERS = ("/etc/systemd/system", "/run/systemd/system", "/usr/lib/systemd/system")
RULES = "/usr/lib/udev/rules.d/"
INACTIVE = 3
NOT_LOADED = 5
OPTIONS = {"--quiet", "--now", "--no-block", "--no-pager", "--full", "-l", "-q"}
WANTED = re.compile(r'DRIVERS=="([\w-]+)".*ENV\{SYSTEMD_WANTS\}\+="([\w-]+@)\$name\.service"')
ESCAPED = re.compile(r"\\x([0-9a-f]{2})")
Run = Callable[[Store, Sequence[str]], Answer]


def systemctl(store: Store, args: Sequence[str], root: bool, run: Run) -> Answer:
    """``systemctl VERB UNIT``. ``run``: a command of this host, as root, which is what a unit starts."""
    match [word for word in args if word not in OPTIONS]:
        case ["is-active", unit]:
            state = _state(store, unit)
            return Answer(f"{state}\n", exit_status=0 if state == "active" else INACTIVE)
        case ["is-enabled", unit]:
            return _is_enabled(store, unit)
        case ["show", unit]:
            return Answer("".join(f"{name}={value}\n" for name, value in _shown(store, unit).items()))
        case ["list-unit-files", pattern]:
            found = [unit for unit in sorted(_units(store)) if fnmatchcase(unit, pattern)]
            return Answer(
                "".join(f"{unit} {_enabled_word(store, unit)} enabled\n" for unit in found), "", int(not found)
            )
        case ["daemon-reload"] if root:
            return Answer()
        case ["start" | "stop" | "restart" | "enable" | "disable" | "daemon-reload" as verb, *units] if not root:
            return Answer(stderr=f"Failed to {verb} {' '.join(units)}: Access denied\n", exit_status=4)
        case ["start" | "stop" | "restart" | "enable" | "disable" as verb, unit]:
            return _change(store, verb, unit, run, now="--now" in args)
        case _:
            return Answer(stderr="Unknown operation.\n", exit_status=1)


def _name(unit: str) -> str:
    return unit.removesuffix(".service")


def _units(store: Store) -> set[str]:
    """Services that came with the host, and those that have a file."""
    files = (path.rpartition("/") for path in store["files"])
    installed = {name for folder, _, name in files if folder in FOLDERS}
    return installed | {f"{name}.service" for name, state in store["services"].items() if "@" not in name and state}


def file_of(store: Store, unit: str) -> str:
    """Path of the file of a unit, or of the template that it is an instance of, or nothing."""
    unit = unit if "." in unit.rpartition("@")[2] and unit.endswith((".service", ".timer")) else f"{unit}.service"
    template = re.sub(r"@.*(\.\w+)$", r"@\1", unit)
    paths = (f"{folder}/{name}" for name in (unit, template) for folder in FOLDERS)
    return next((path for path in paths if path in store["files"]), "")


def _state(store: Store, unit: str) -> str:
    if unit.endswith(".timer"):
        armed = any(timer["unit"] == unit.removesuffix(".timer") for timer in clock.timers(store))
        return "active" if armed else "inactive"
    state = str(store["services"].get(_name(unit), "missing"))
    return state if state in {"active", "failed"} else "inactive"  # one that isn't installed is inactive: systemd 249


def _enabled_word(store: Store, unit: str) -> str:
    return "enabled" if _name(unit) in store.get("enabled", ()) else "disabled"


def _is_enabled(store: Store, unit: str) -> Answer:
    word = _enabled_word(store, unit)
    return Answer(f"{word}\n", exit_status=int(word != "enabled"))


def _shown(store: Store, unit: str) -> dict[str, str]:
    path = file_of(store, unit)
    loaded = bool(path) or _name(unit) in store["services"]
    state = _state(store, unit)
    return {
        "Id": unit if "." in unit else f"{unit}.service",
        "LoadState": "loaded" if loaded else "not-found",
        "ActiveState": state,
        "SubState": {"active": "running", "failed": "failed"}.get(state, "dead"),
        "UnitFileState": _enabled_word(store, unit) if loaded else "",
        "FragmentPath": path,
    }


def _change(store: Store, verb: str, unit: str, run: Run, *, now: bool) -> Answer:
    if unit.endswith(".timer"):
        found = verb == "stop" and clock.disarm(store, unit.removesuffix(".timer"))
        text = f"Failed to {verb} {unit}: Unit {unit} not loaded.\n"
        return Answer() if found else Answer(stderr=text, exit_status=NOT_LOADED)
    name, path = _name(unit), file_of(store, unit)
    if not path and name not in store["services"]:
        reason = "Unit file" if verb in {"enable", "disable"} else "Unit"
        status = 1 if verb in {"enable", "disable"} else NOT_LOADED
        return Answer(stderr=f"Failed to {verb} unit: {reason} {name}.service does not exist.\n", exit_status=status)
    if verb in {"enable", "disable"}:
        enabled = set(store.get("enabled", ())) - {name}
        store["enabled"] = sorted(enabled | {name} if verb == "enable" else enabled)
        verb = ("start" if verb == "enable" else "stop") if now else ""
    if verb in {"start", "restart"}:
        return start(store, unit, run) if path else _set(store, name, "active")
    return _set(store, name, "inactive") if verb == "stop" else Answer()


def _set(store: Store, name: str, state: str) -> Answer:
    store["services"][name] = state
    return Answer()


def start(store: Store, unit: str, run: Run) -> Answer:
    """Runs the ``ExecStart`` lines of a unit that has a file; a service that fails isn't tried again here."""
    text, name = store["files"][file_of(store, unit)], _name(unit)
    if not all(path in store["files"] for path in re.findall(r"^ConditionPathExists=(\S+)$", text, re.MULTILINE)):
        return _set(store, name, "inactive")
    instance = name.partition("@")[2]
    plain = ESCAPED.sub(lambda found: chr(int(found[1], 16)), instance.replace("-", "/"))
    for line in re.findall(r"^ExecStart=(.+)$", text, re.MULTILINE):
        words = shlex.split(line.replace("%I", plain).replace("%i", instance))
        answer = run(store, words)
        if answer.exit_status:
            _set(store, name, "failed")
            text = f"Job for {name}.service failed because the control process exited with error code.\n"
            return Answer(stderr=text, exit_status=1)
    return _set(store, name, "active" if "RemainAfterExit=yes" in text else "inactive")


def appeared(store: Store, netdev: str, driver: str, run: Run) -> None:
    """What udev starts when an interface appears: also after its driver was loaded anew."""
    for path, text in sorted(store["files"].items()):
        if not path.startswith(RULES):
            continue
        for wanted in WANTED.finditer(text):
            unit = f"{wanted[2]}{netdev}.service"
            if wanted[1] == driver and file_of(store, unit):
                start(store, unit, run)


def booted(store: Store, run: Run) -> None:
    """Units that are enabled and have a file start, then those of the interfaces."""
    for name in store.get("enabled", ()):
        if file_of(store, name):
            start(store, name, run)
    for nic in store["nics"].values():
        appeared(store, nic["netdev"], nic["driver"], run)
