"""JSON patches between two sets of rows, and patches that undo them from wherever they stopped."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from fabric_drift.platforms.sonic.documents import Tables


class Change(NamedTuple):
    """One difference. ``key`` and ``field`` are empty where a whole table or row is meant."""

    operation: str
    """add | replace | remove"""
    table: str
    key: str
    field: str
    value: Any
    """What is added: a table, a row or a text; None for a removal."""
    before: Any
    """What was there, None where nothing was."""

    @property
    def whole_table(self) -> bool:
        """Whether the table comes or goes."""
        return not self.key

    @property
    def whole_row(self) -> bool:
        """Whether the row (or its table) comes or goes."""
        return not self.field

    @property
    def port(self) -> str:
        """The port that the key begins with."""
        return self.key.partition("|")[0]

    @property
    def pointer(self) -> str:
        """The path as a JSON pointer (RFC 6901)."""
        parts = [part for part in (self.table, self.key, self.field) if part]
        return "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in parts)


def changes(old: Tables, new: Tables) -> Iterator[Change]:
    """What leads from ``old`` to ``new``, at the highest level where something comes or goes, sorted."""
    for table in sorted(old.keys() | new.keys()):
        before, after = old.get(table), new.get(table)
        if not before and after:
            yield Change("add", table, "", "", after, None)
        elif before and not after:
            yield Change("remove", table, "", "", None, before)
        elif before and after and before != after:
            for key in sorted(before.keys() | after.keys()):
                yield from _row_changes(table, key, before.get(key), after.get(key))


def _row_changes(table: str, key: str, before: Any, after: Any) -> Iterator[Change]:
    if before is None:
        yield Change("add", table, key, "", after, None)
    elif after is None:
        yield Change("remove", table, key, "", None, before)
    else:
        for field in sorted(before.keys() | after.keys()):
            old, new = before.get(field), after.get(field)
            if old != new:
                operation = "remove" if new is None else "add" if old is None else "replace"
                yield Change(operation, table, key, field, new, old)


def forward(found: Iterable[Change]) -> list[dict[str, Any]]:
    """The patch that makes the changes."""
    return [
        {"op": item.operation, "path": item.pointer}
        if item.value is None
        else {"op": item.operation, "path": item.pointer, "value": item.value}
        for item in found
    ]


def backward(found: Iterable[Change]) -> list[dict[str, Any]]:
    """The patch that undoes the changes, whichever of them were made.

    ``add`` of something that is there replaces it, so it fits both. What was new is added once more and
    then removed: alone, ``remove`` fails where the change was never made.
    """
    patch: list[dict[str, Any]] = []
    for item in reversed(list(found)):
        there = item.value if item.before is None else item.before
        patch.append({"op": "add", "path": item.pointer, "value": there})
        if item.before is None:
            patch.append({"op": "remove", "path": item.pointer})
    return patch


def patched(rows: Tables, patch: Iterable[Mapping[str, Any]]) -> Tables:
    """``rows`` after a patch of ours (add and replace, remove). Tables without rows are gone, as in Redis.

    Raises KeyError where the patch doesn't fit.
    """
    result: Any = json.loads(json.dumps(rows))
    for item in patch:
        *way, last = (part.replace("~1", "/").replace("~0", "~") for part in item["path"].split("/")[1:])
        place = result
        for part in way:
            place = place[part]
        if item["op"] == "remove":
            del place[last]
        else:
            place[last] = item["value"]
    return {table: content for table, content in result.items() if content}


def document(patch: list[dict[str, Any]]) -> str:
    """One line of JSON."""
    return json.dumps(patch, sort_keys=True)


def in_words(item: Change) -> Iterator[str]:
    """Lines of a diff for people."""
    for sign, value in (("-", item.before), ("+", item.value)):
        if value is not None:
            yield f"{sign} {item.pointer} {json.dumps(value, sort_keys=True)}"
