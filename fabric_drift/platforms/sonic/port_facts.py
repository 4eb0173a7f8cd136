"""admin_up, speed_mbps, mtu_bytes and fec of PORT rows: the same words in CONFIG_DB and APPL_DB."""

from __future__ import annotations

from typing import Any, NamedTuple

from fabric_drift.platforms.sonic import tables as t
from fabric_drift.platforms.sonic.documents import Problems, Row
from fabric_drift.platforms.sonic.keys import number
from fabric_drift.state.values import ABSENT

FIELDS = ("admin_status", "speed", "mtu", "fec")
ADMIN = {"up": True, "down": False}


class Doubt(NamedTuple):
    """A field that isn't understood."""

    field: str
    fact: str
    reason: str


class PortFacts:
    """The facts of one table; what many ports say alike is translated once."""

    def __init__(self, place: str, problems: Problems) -> None:
        self._place = place
        self._problems = problems
        self._known: dict[Any, tuple[dict[str, Any], tuple[Doubt, ...]]] = {}

    def of(self, name: str, row: Row) -> dict[str, Any]:
        """The facts of port ``name``. A value that isn't understood is a problem and an Unobserved fact."""
        texts = tuple(map(row.get, FIELDS))
        known = self._known.get(texts)
        if known is None:
            known = self._known[texts] = _translate(row)
        facts, doubts = known
        return {**facts, **{doubt.fact: self._problem(name, row, doubt) for doubt in doubts}} if doubts else facts

    def _problem(self, name: str, row: Row, doubt: Doubt) -> Any:
        line = f"{self._place}{name} {doubt.field} = {row[doubt.field]}"
        return self._problems.add(line, doubt.reason, ("ports", name, doubt.fact))


def _translate(row: Row) -> tuple[dict[str, Any], tuple[Doubt, ...]]:
    facts: dict[str, Any] = {
        "admin_up": ADMIN.get(row.get("admin_status", "down")),
        "speed_mbps": ABSENT if "speed" not in row else number(row["speed"], t.SPEEDS_MBPS),
        "mtu_bytes": t.DEFAULT_MTU_BYTES if "mtu" not in row else number(row["mtu"], t.MTU_RANGE),
        "fec": ABSENT if "fec" not in row else row["fec"] if row["fec"] in t.FECS else None,
    }
    doubts = (
        Doubt("admin_status", "admin_up", "neither up nor down"),
        Doubt("speed", "speed_mbps", "not a speed in Mb/s"),
        Doubt("mtu", "mtu_bytes", "not an MTU of 68 to 9216"),
        Doubt("fec", "fec", f"none of {', '.join(t.FECS)}"),
    )
    return facts, tuple(doubt for doubt in doubts if facts[doubt.fact] is None)
