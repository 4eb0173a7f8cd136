"""CONFIG_DB of an emulated switch: ``store["running"]`` is {TABLE: {KEY: {field: value}}}, all values text.

Empty tables don't exist, as in Redis.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from fabric_drift.lab.emulator import Store

Fields: TypeAlias = dict[str, str]
Table: TypeAlias = dict[str, Fields]
Config: TypeAlias = dict[str, Table]


def config(store: Store) -> Config:
    """The running configuration."""
    running: Config = store["running"]
    return running


def table(store: Store, name: str) -> Table:
    """The rows of a table; {} when there are none. Not for writing."""
    return config(store).get(name, {})


def row(store: Store, name: str, key: str) -> Fields:
    """One row; {} when there is none. Not for writing."""
    return table(store, name).get(key, {})


def set_fields(store: Store, name: str, key: str, fields: Mapping[str, str]) -> None:
    """Adds or changes fields of a row, and makes the row where there is none."""
    config(store).setdefault(name, {}).setdefault(key, {}).update(fields)


def delete_row(store: Store, name: str, key: str) -> bool:
    """Removes a row; says whether there was one."""
    rows = config(store).get(name, {})
    found = rows.pop(key, None) is not None
    if not rows:
        config(store).pop(name, None)
    return found


def delete_fields(store: Store, name: str, key: str, fields: tuple[str, ...]) -> int:
    """Removes fields of a row and counts them; a row without fields goes too."""
    there = row(store, name, key)
    removed = sum(there.pop(field, None) is not None for field in fields)
    if removed and not there:
        delete_row(store, name, key)
    return removed


def merge(store: Store, new: Mapping[str, Mapping[str, Mapping[str, object]]]) -> None:
    """Writes rows as ``sonic-cfggen --write-to-db`` does: never removes a row or a field."""
    for name, rows in new.items():
        for key, fields in rows.items():
            set_fields(store, name, key, {field: text(value) for field, value in fields.items()})


def text(value: object) -> str:
    """A value as Redis keeps it: lists joined by commas, booleans in lower case."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ",".join(text(item) for item in value)
    return str(value)


def numbers(listing: str) -> tuple[int, ...]:
    """``3,4`` as numbers, sorted; what isn't a number is ignored, as buffermgrd and orchagent do."""
    return tuple(sorted({int(part) for part in listing.split(",") if part.isdigit()}))


def ranges(values: tuple[int, ...]) -> Iterator[str]:
    """Numbers as SONiC keys: neighbours become one range (3, 4, 6 -> ``3-4``, ``6``)."""
    first = last = None
    for value in values:
        if last is not None and value == last + 1:
            last = value
            continue
        if first is not None:
            yield str(first) if first == last else f"{first}-{last}"
        first = last = value
    if first is not None:
        yield str(first) if first == last else f"{first}-{last}"


def expand(key: str) -> tuple[int, ...]:
    """``3-4`` as (3, 4); () for anything that isn't an index or a rising range."""
    first, _, last = key.partition("-")
    if not first.isdigit() or (last and not last.isdigit()):
        return ()
    return tuple(range(int(first), int(last or first) + 1))
