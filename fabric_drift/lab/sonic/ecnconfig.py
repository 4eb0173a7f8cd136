"""``ecnconfig``: lists and edits WRED profiles; it can't make one (sonic-utilities issue 2448)."""

from __future__ import annotations

from collections.abc import Sequence

from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.sonic.answers import RefusedError, simple_table
from fabric_drift.lab.sonic.configdb import row, set_fields, table

_COLOURS = {"g": "green", "y": "yellow", "r": "red"}
_PARTS = {"min": "min_threshold", "max": "max_threshold", "drop": "drop_probability"}
OPTIONS = {
    f"-{short}{part}": f"{colour}_{field}" for short, colour in _COLOURS.items() for part, field in _PARTS.items()
}


def ecnconfig(store: Store, words: Sequence[str]) -> Answer:
    """``ecnconfig -l`` and ``ecnconfig -p PROFILE -gmin N ...``."""
    match list(words):
        case ["-l"]:
            return Answer("".join(_listing(name, fields) for name, fields in table(store, "WRED_PROFILE").items()))
        case ["-p", profile, *rest] if rest and len(rest) % 2 == 0:
            return _change(store, profile, dict(zip(rest[::2], rest[1::2], strict=True)))
    raise RefusedError("usage: ecnconfig [-h] [-v] [-l] [-p PROFILE] [-gmin GREEN_MIN] ...", 2)


def _change(store: Store, profile: str, options: dict[str, str]) -> Answer:
    unknown = [option for option, value in options.items() if option not in OPTIONS or not value.isdigit()]
    if unknown:
        raise RefusedError(f"ecnconfig: error: unrecognized arguments: {unknown[0]}", 2)
    if not row(store, "WRED_PROFILE", profile):
        raise RefusedError(f"Profile {profile} does not exist")
    new = {**row(store, "WRED_PROFILE", profile), **{OPTIONS[option]: value for option, value in options.items()}}
    for colour in _COLOURS.values():
        low, high = (int(new.get(f"{colour}_{part}_threshold", "0")) for part in ("min", "max"))
        if low > high:
            raise RefusedError(f"Invalid {colour} min {low} and {colour} max {high}. min should be smaller than max")
    set_fields(store, "WRED_PROFILE", profile, new)
    return Answer()


def _listing(name: str, fields: dict[str, str]) -> str:
    # Headless tabulate: a dash line above and below the rows.
    lines = simple_table(("", ""), list(fields.items())).splitlines()[1:]
    return "\n".join([f"Profile: {name}", *lines, lines[0], "", ""])
