"""BUFFER_* rows -> pools, priority groups and queue buffers. The same words in CONFIG_DB and APPL_DB.

``xoff`` of a profile is headroom above the pause point; ``xoff`` of a pool its shared headroom.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fabric_drift.platforms.sonic import tables as t
from fabric_drift.platforms.sonic.documents import Problems, Row, Table
from fabric_drift.platforms.sonic.keys import indices, number, reference
from fabric_drift.state.device import Pool, PriorityGroup, QueueBuffer
from fabric_drift.state.values import ABSENT, UNSAID, Unobserved

NO_GROUP = PriorityGroup(
    lossless=False,
    pool=ABSENT,
    size_bytes=ABSENT,
    xoff_bytes=ABSENT,
    xon_bytes=ABSENT,
    xon_offset_bytes=ABSENT,
    static_bytes=ABSENT,
    alpha_exponent=ABSENT,
)
"""A priority group without a BUFFER_PG row."""


class Profiles:
    """Buffer profiles of one layer, each translated once."""

    def __init__(self, rows: Table, pools: Table, problems: Problems, *, name: str = "BUFFER_PROFILE|") -> None:
        self.rows = rows
        self._pools = pools
        self._problems = problems
        self._name = name
        self._fields: dict[str, dict[str, Any]] = {}
        self._groups: dict[str, PriorityGroup] = {}
        self._buffers: dict[str, QueueBuffer] = {}

    def known(self, name: str) -> bool:
        """Whether the profile exists."""
        return name in self.rows

    def group(self, name: str) -> PriorityGroup:
        """The profile as a priority group has it."""
        if name not in self._groups:
            self._groups[name] = self._group(name)
        return self._groups[name]

    def buffer(self, name: str) -> QueueBuffer:
        """The profile as an egress queue has it."""
        if name not in self._buffers:
            values = self._values(name)
            self._buffers[name] = QueueBuffer(
                pool=values["pool"],
                reserved_bytes=values["size"],
                static_bytes=values["static_th"],
                alpha_exponent=values["dynamic_th"],
            )
        return self._buffers[name]

    def _group(self, name: str) -> PriorityGroup:
        values = self._values(name)
        headroom = values["xoff"]
        computed = self.rows[name].get("headroom_type") == "dynamic"
        lossless: Any = headroom is not ABSENT and headroom != 0
        if isinstance(headroom, Unobserved):
            lossless = headroom
        return PriorityGroup(
            lossless=True if computed else lossless,
            pool=values["pool"],
            size_bytes=UNSAID if computed else values["size"],
            xoff_bytes=UNSAID if computed else headroom,
            xon_bytes=UNSAID if computed else values["xon"],
            xon_offset_bytes=UNSAID if computed else values["xon_offset"],
            static_bytes=values["static_th"],
            alpha_exponent=values["dynamic_th"],
        )

    def _values(self, name: str) -> dict[str, Any]:
        if name not in self._fields:
            self._fields[name] = self._translate(name, self.rows[name])
        return self._fields[name]

    def _translate(self, name: str, row: Row) -> dict[str, Any]:
        place = self._name + name
        for unknown in sorted(row.keys() - t.PROFILE_KNOWN):
            self._problems.add(f"{place} {unknown} = {row[unknown]}", "a field that is not known here", ("ports",))
        if row.get("packet_discard_action", "drop") != "drop":
            line = f"{place} packet_discard_action = {row['packet_discard_action']}"
            self._problems.add(line, "packets are not dropped but treated otherwise", ("ports",))
        values: dict[str, Any] = {field: self._integer(place, row, field) for field in t.PROFILE_FIELDS - {"pool"}}
        values["pool"] = self._pool(place, row)
        if values["dynamic_th"] is not ABSENT and values["static_th"] is not ABSENT:
            doubt = self._problems.add(f"{place} static_th = {row['static_th']}", "beside dynamic_th", ("ports",))
            values["dynamic_th"] = values["static_th"] = doubt
        return values

    def _integer(self, place: str, row: Row, field: str) -> Any:
        if field not in row:
            return ABSENT
        value = number(row[field], t.ALPHA_EXPONENTS if field == "dynamic_th" else None)
        if value is None or (value < 0 and field != "dynamic_th"):
            return self._problems.add(f"{place} {field} = {row[field]}", "not a number in its range", ("ports",))
        return value

    def _pool(self, place: str, row: Row) -> Any:
        if "pool" not in row:
            return ABSENT
        name = reference(row["pool"])
        if name not in self._pools:
            return self._problems.add(f"{place} pool = {name}", "no such pool", ("ports",))
        return name


def spread(rows: Iterable[tuple[str, Any]]) -> tuple[dict[int, Any], list[tuple[str, str]], set[int]]:
    """Rows by single index, the index texts that are wrong with the reason, and the indices in doubt.

    An index of which two rows say different things is in doubt: nobody can tell which one was applied last.
    """
    found: dict[int, Any] = {}
    wrong: list[tuple[str, str]] = []
    doubtful: set[int] = set()
    for text, row in rows:
        numbers = indices(text)
        if not numbers:
            wrong.append((text, "not an index or an ascending range"))
        for index in numbers:
            if index in found:
                wrong.append((text, f"overlaps another row at {index}"))
                if found[index] != row:
                    doubtful.add(index)
            found[index] = row
    return found, wrong, doubtful


def pools_of(rows: Table, problems: Problems, *, computed: bool, name: str = "BUFFER_POOL|") -> dict[str, Pool]:
    """The pools. ``computed``: sizes that are missing are the dynamic buffer model's to compute, not absent."""
    missing = UNSAID if computed else ABSENT
    return {key: _pool(name + key, key, row, missing, problems) for key, row in rows.items()}


def _pool(place: str, key: str, row: Row, missing: Any, problems: Problems) -> Pool:
    path = ("pools", key)
    for unknown in sorted(row.keys() - t.POOL_FIELDS - {"percentage"}):
        problems.add(f"{place} {unknown} = {row[unknown]}", "a field that is not known here", path)
    values: dict[str, Any] = {}
    for field in ("size", "xoff"):
        value = number(row.get(field))
        if field not in row:
            values[field] = ABSENT if (field, row.get("type")) == ("xoff", "egress") else missing
        elif value is None or value < 0:
            values[field] = problems.add(
                f"{place} {field} = {row[field]}", "not a number of bytes", (*path, f"{field}_bytes")
            )
        else:
            values[field] = value
    if "percentage" in row:
        line = f"{place} percentage = {row['percentage']}"
        values["size"] = problems.add(line, "a share of the buffer, not bytes", (*path, "size_bytes"))
    for field, allowed in (("type", ("both", "egress", "ingress")), ("mode", ("dynamic", "static"))):
        text = row.get(field)
        values[field] = ABSENT if text is None else text
        if text is not None and text not in allowed:
            values[field] = problems.add(f"{place} {field} = {text}", f"none of {', '.join(allowed)}", path)
    return Pool(direction=values["type"], mode=values["mode"], size_bytes=values["size"], xoff_bytes=values["xoff"])
