"""Pieces of the commands that people type on a switch, and values that differ from the present ones."""

from __future__ import annotations

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.sonic.configdb import Fields, expand, table


def hset(map_table: str, key: str, field: str, value: str) -> str:
    """Writes one field of CONFIG_DB."""
    return f'sonic-db-cli CONFIG_DB hset "{map_table}|{key}" {field} {value}'


def hdel(map_table: str, key: str, field: str) -> str:
    """Removes one field of CONFIG_DB."""
    return f'sonic-db-cli CONFIG_DB hdel "{map_table}|{key}" {field}'


def other(now: str, first: str, second: str) -> str:
    """``first``, or ``second`` where ``first`` is what is there."""
    return second if now == first else first


def shifted(now: str, by: int) -> str:
    """A number that is larger by ``by``."""
    return str(int(now) + by)


def part_fields(store: Store, map_table: str, port: str) -> dict[int, Fields]:
    """Index of a queue or priority group of the port -> the fields of the row that covers it."""
    found: dict[int, Fields] = {}
    for key, fields in table(store, map_table).items():
        owner, _, part = key.partition("|")
        if owner == port:
            found |= dict.fromkeys(expand(part), fields)
    return found


def expanded(store: Store, map_table: str, port: str, number: int) -> tuple[str, Fields]:
    """(key, fields) of the row that covers one queue or priority group. Raises KeyError when there is none."""
    for key, fields in table(store, map_table).items():
        owner, _, part = key.partition("|")
        if owner == port and number in expand(part):
            return key, fields
    raise KeyError(f"{map_table}|{port}|{number}")
