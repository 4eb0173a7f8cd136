"""Rows with a range in their key (``QUEUE|Ethernet0|3-4``), changed index by index.

A key is kept as long as all its indices still say the same; else it is split.
"""

from __future__ import annotations

from collections.abc import Mapping

from fabric_drift.platforms.sonic.documents import Row, Table
from fabric_drift.platforms.sonic.keys import indices
from fabric_drift.platforms.sonic.render_buffers import runs


def cell(rows: Table, port: str, index: int) -> Row:
    """The row that speaks of one index of the port; {} when none does."""
    for key, row in rows.items():
        owner, _, numbers = key.partition("|")
        if owner == port and index in indices(numbers):
            return row
    return {}


def with_cells(rows: Table, port: str, wanted: Mapping[int, Mapping[str, str | None]], *, ranges: bool) -> Table:
    """``rows`` with fields of some indices set, or taken away where they are None.

    ``ranges``: new neighbours that say the same share a key, as SONiC writes buffer rows itself.
    """
    result = {key: row for key, row in rows.items() if key.partition("|")[0] != port}
    left = dict(wanted)
    loose: dict[int, Row] = {}
    for key, row in rows.items():
        owner, _, numbers = key.partition("|")
        if owner != port:
            continue
        covered = indices(numbers)
        edited = {index: _edited(row, left.pop(index, {})) for index in covered}
        values = list(edited.values())
        if not covered or all(value == values[0] for value in values):
            value = values[0] if values else row
            result.update({key: value} if value else {})
        else:
            loose.update(edited)
    loose.update({index: _edited({}, fields) for index, fields in left.items()})
    return result | _keyed(port, loose, ranges=ranges)


def _edited(row: Mapping[str, str], fields: Mapping[str, str | None]) -> Row:
    return {field: value for field, value in {**row, **fields}.items() if value is not None}


def _keyed(port: str, loose: Mapping[int, Row], *, ranges: bool) -> Table:
    if not ranges:
        return {f"{port}|{index}": row for index, row in sorted(loose.items()) if row}
    texts = {index: repr(sorted(row.items())) for index, row in loose.items() if row}
    return {f"{port}|{numbers}": dict(loose[indices(numbers)[0]]) for numbers, _ in runs(texts)}
