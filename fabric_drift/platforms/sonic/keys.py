"""How CONFIG_DB writes ports, indices, references and numbers inside keys and values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from fabric_drift.platforms.sonic.documents import Problems, Row, Table
from fabric_drift.state.values import Path

PORT = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")
LONGEST_NUMBER = 19
SMALL = {str(value): value for value in range(256)}
"""Priorities, queues, DSCPs, weights: nearly every number."""


def number(text: str | None, allowed: range | None = None) -> int | None:
    """A decimal integer in ASCII digits, None where it isn't one or isn't allowed."""
    if text is None:
        return None
    value = SMALL.get(text)
    if value is None:
        digits = text[1:] if text[:1] == "-" else text
        if not (digits.isascii() and digits.isdecimal() and len(digits) <= LONGEST_NUMBER):
            return None
        value = int(text)
    return value if allowed is None or value in allowed else None


@lru_cache(maxsize=4096)
def indices(text: str) -> tuple[int, ...]:
    """``3`` or ``3-4`` as numbers; () for anything else ("foo", "4-3", "3-4000")."""
    first, dash, last = text.partition("-")
    low = number(first, range(64))
    high = number(last, range(64)) if dash else low
    return () if low is None or high is None else tuple(range(low, high + 1))


@lru_cache(maxsize=4096)
def priorities(text: str) -> tuple[int, ...] | None:
    """``pfc_enable``: ``3,4`` as sorted numbers, empty text as (); None where it is something else."""
    if not text:
        return ()
    values = [number(item, range(8)) for item in text.split(",")]
    return None if None in values else tuple(sorted({value for value in values if value is not None}))


def reference(text: str) -> str:
    """The name in a reference; until 202106 written ``[TABLE|name]``."""
    if text.startswith("[") and text.endswith("]") and "|" in text:
        return text[1:-1].partition("|")[2]
    return text


def place_of(port: str) -> Path:
    """Where a doubt about rows of ``port``, which the switch doesn't have, belongs: to it, or to any port.

    What can't be a name is a damaged one, and nobody knows of which port.
    """
    return ("ports", port) if PORT.fullmatch(port) else ("ports",)


def ports_of(text: str) -> tuple[str, ...]:
    """Ports of a key: one name, or until 202012 several with commas."""
    return tuple(text.split(",")) if "," in text else (text,)


def per_port(
    name: str, table: Table, separator: str, known: frozenset[str], problems: Problems
) -> Iterator[tuple[str, str, Row]]:
    """(port, index text, row) of a table that is keyed by port and index, with what isn't so as a problem."""
    for key, row in table.items():
        ports, found, index = key.rpartition(separator)
        if not found or separator in ports:
            problems.add(f"{name}{separator}{key}", "not a key of a port and an index", ("ports",))
            continue
        if ports == "CPU":
            continue
        if not row.keys() <= known:
            for field in sorted(row.keys() - known):
                line = f"{name}{separator}{key} {field} = {row[field]}"
                problems.add(line, "a field that is not known here", ("ports", ports_of(ports)[0], "qos"))
        for port in ports_of(ports):
            yield port, index, row
