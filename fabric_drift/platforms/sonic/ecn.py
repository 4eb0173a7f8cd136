"""WRED_PROFILE -> Ecn. One set of thresholds for marking and dropping (sonic-swss issue 4718).

NVIDIA marks whatever ``ecn`` names; elsewhere a colour is marked only if its ``wred_<colour>_enable`` is true
as well, and enabling it also drops what can't be marked (sonic-buildimage issue 4545).
"""

from __future__ import annotations

from typing import Any

from fabric_drift.platforms.sonic import tables as t
from fabric_drift.platforms.sonic.documents import Problems, Row
from fabric_drift.platforms.sonic.keys import number
from fabric_drift.state.device import Ecn
from fabric_drift.state.values import ABSENT, Unobserved

PERCENT = range(101)
BOOLEANS = {"true": True, "false": False}


def ecn_of(name: str, row: Row, *, nvidia: bool, problems: Problems) -> Ecn:
    """What the profile does. A value that isn't understood is a problem and an Unobserved fact."""
    for unknown in sorted(row.keys() - t.WRED_FIELDS):
        problems.add(f"WRED_PROFILE|{name} {unknown} = {row[unknown]}", "a field that is not known here", ("ports",))
    reader = _Reader(name, row, problems)
    green = reader.thresholds("green")
    colours, drop, active = _marking(reader, nvidia)
    return Ecn(
        kmin_bytes=green[0],
        kmax_bytes=green[1],
        max_probability_percent=green[2],
        colours=colours,
        colour_thresholds=_other_colours(reader, green, active),
        wred_drop=drop,
    )


class _Reader:
    """Fields of one profile, with its problems."""

    def __init__(self, name: str, row: Row, problems: Problems) -> None:
        self.name = name
        self.row = row
        self.problems = problems

    def problem(self, field: str, reason: str) -> Unobserved:
        line = f"WRED_PROFILE|{self.name} {field} = {self.row.get(field, '')}"
        return self.problems.add(line, reason, ("ports",))

    def integer(self, field: str, allowed: range | None, missing: Any) -> Any:
        if field not in self.row:
            return missing
        value = number(self.row[field], allowed)
        if value is None or value < 0:
            return self.problem(field, "not a number in its range")
        return value

    def thresholds(self, colour: str) -> tuple[Any, Any, Any]:
        return (
            self.integer(f"{colour}_min_threshold", None, ABSENT),
            self.integer(f"{colour}_max_threshold", None, ABSENT),
            self.integer(f"{colour}_drop_probability", PERCENT, t.DEFAULT_PROBABILITY_PERCENT),
        )

    def enabled(self) -> frozenset[str] | Unobserved:
        colours = set()
        for colour in t.COLOURS:
            text = self.row.get(f"wred_{colour}_enable", "false")
            if text not in BOOLEANS:
                return self.problem(f"wred_{colour}_enable", "neither true nor false")
            if BOOLEANS[text]:
                colours.add(colour)
        return frozenset(colours)


def _marking(reader: _Reader, nvidia: bool) -> tuple[Any, Any, frozenset[str]]:
    """(marked colours, wred_drop, colours whose thresholds matter)."""
    text = reader.row.get("ecn", "ecn_none")
    named = t.ECN_COLOURS.get(text)
    enabled = reader.enabled()
    if named is None:
        return reader.problem("ecn", "not a colour set"), _dropping(enabled), frozenset(t.COLOURS)
    if isinstance(enabled, Unobserved):
        return (named if nvidia else enabled), enabled, frozenset(t.COLOURS)
    if nvidia:
        drop: Any = bool(enabled)
        if enabled and enabled != set(t.COLOURS):
            drop = reader.problem("wred_*_enable", f"only {', '.join(sorted(enabled))} of three colours are dropped")
        return named, drop, enabled | set(named)
    marked = tuple(colour for colour in named if colour in enabled)
    drop = bool(enabled)
    if marked and enabled - set(named):
        drop = reader.problem("wred_*_enable", "some colours are dropped without being marked")
    return marked, drop, enabled


def _dropping(enabled: frozenset[str] | Unobserved) -> Any:
    return enabled if isinstance(enabled, Unobserved) else bool(enabled)


def _other_colours(reader: _Reader, green: tuple[Any, Any, Any], active: frozenset[str]) -> Any:
    """Thresholds of yellow and red where they differ from green's; ABSENT where none does."""
    differing: dict[str, Any] = {}
    for colour in ("red", "yellow"):
        own = reader.thresholds(colour)
        unset = own[0] is ABSENT and own[1] is ABSENT
        if unset and colour not in active:
            continue
        if own != green:
            missing = next((part for part in own if isinstance(part, Unobserved)), None)
            differing[colour] = missing or (ABSENT if unset else own)
    return differing or ABSENT


def colours_of(ecn: Ecn) -> tuple[str, ...]:
    """The colours of an expected state, all three where it doesn't say."""
    return ecn.colours if isinstance(ecn.colours, tuple) else t.COLOURS
