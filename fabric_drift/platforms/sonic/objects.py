"""Named objects of CONFIG_DB (maps, WRED profiles, schedulers), translated once, when somebody refers to them."""

from __future__ import annotations

from collections.abc import Callable
from math import gcd
from typing import Any

from fabric_drift.platforms.sonic import tables as t
from fabric_drift.platforms.sonic.documents import Problems, Row, Tables
from fabric_drift.platforms.sonic.ecn import ecn_of
from fabric_drift.platforms.sonic.keys import number
from fabric_drift.state.values import Unobserved

STRICT = "strict"


class Objects:
    """What ports refer to by name."""

    def __init__(self, rows: Tables, problems: Problems, *, nvidia: bool) -> None:
        self._rows = rows
        self._problems = problems
        self._nvidia = nvidia
        self._known: dict[tuple[str, str], Any] = {}

    def map(self, item: t.NamedMap, name: str) -> Any:
        """The map as numbers, Unobserved where it is refused as a whole, None where there is none."""
        return self._once(item.table, name, lambda row: self._map(item, name, row))

    def ecn(self, name: str) -> Any:
        """The WRED profile, None where there is none."""
        return self._once(
            "WRED_PROFILE", name, lambda row: ecn_of(name, row, nvidia=self._nvidia, problems=self._problems)
        )

    def scheduler(self, name: str) -> Any:
        """The treatment ("strict", a weight, "wrr:14") or Unobserved; None where there is none."""
        return self._once("SCHEDULER", name, lambda row: self._scheduler(name, row))

    def _once(self, table: str, name: str, translate: Callable[[Row], Any]) -> Any:
        row = self._rows.get(table, {}).get(name)
        if row is None:
            return None
        if (table, name) not in self._known:
            self._known[table, name] = translate(row)
        return self._known[table, name]

    def _map(self, item: t.NamedMap, name: str, row: Row) -> Any:
        result: dict[int, int] = {}
        doubt: Unobserved | None = None
        for key, value in row.items():
            ours, theirs = number(key, item.keys), number(value, item.values)
            if ours is None or theirs is None or str(ours) != key:
                # orchagent refuses the whole map for one bad entry
                line = f"{item.table}|{name} {key} = {value}"
                doubt = self._problems.add(line, "not an entry of this map", ("ports",))
            else:
                result[ours] = theirs
        return result if doubt is None else doubt

    def _scheduler(self, name: str, row: Row) -> Any:
        place = f"SCHEDULER|{name}"
        for unknown in sorted(row.keys() - t.SCHEDULER_FIELDS):
            self._problems.add(f"{place} {unknown} = {row[unknown]}", "shaping is not a fact here", ("ports",))
        kind = row.get("type", "WRR")
        if kind == "STRICT":
            return STRICT
        weight = number(row.get("weight", "1"), t.WEIGHTS)
        if weight is None:
            return self._problems.add(f"{place} weight = {row['weight']}", "not a weight of 1 to 100", ("ports",))
        if kind == "DWRR":
            return weight
        if kind == "WRR":
            return f"wrr:{weight}"
        return self._problems.add(f"{place} type = {kind}", "none of DWRR, WRR, STRICT", ("ports",))


def scheduling_of(found: dict[int, Any]) -> tuple[tuple[int, int | str], ...]:
    """Queue -> treatment as one sorted fact, weights divided by their greatest common divisor."""
    divisor = gcd(*(value for value in found.values() if isinstance(value, int))) or 1
    return tuple(
        (queue, found[queue] // divisor if isinstance(found[queue], int) else found[queue]) for queue in sorted(found)
    )
