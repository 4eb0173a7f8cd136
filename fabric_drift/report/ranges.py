"""Many names in few words: Ethernet0, Ethernet8, Ethernet16 as Ethernet[0-16/8], the syntax of the intent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_PCI_ADDRESS = re.compile(r"[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
"""Hexadecimal: its digits are no decimal numbers to sort or count by."""
_NUMBER = re.compile(r"\d+")
MIN_RUN = 3
"""Two names are as short as a range."""


def compress(names: Iterable[str]) -> str:
    """The names, sorted naturally, those that differ in one evenly stepped number as a range."""
    return ", ".join(_runs(sorted(set(names), key=natural)))


def natural(name: str) -> tuple[tuple[int, int | str], ...]:
    """Sort key: Ethernet8 before Ethernet16."""
    if _PCI_ADDRESS.fullmatch(name):
        return ((1, name),)
    parts = re.split(r"(\d+)", name)
    return tuple((0, int(part)) if part.isdecimal() else (1, part) for part in parts if part)


def _runs(names: Sequence[str]) -> list[str]:
    out: list[str] = []
    start = 0
    while start < len(names):
        end, text = _longest(names, start)
        out.append(text)
        start = end
    return out


def _longest(names: Sequence[str], start: int) -> tuple[int, str]:
    """(index after the run, its text) of the longest run that starts at ``start``."""
    if _PCI_ADDRESS.fullmatch(names[start]):
        return start + 1, names[start]
    for place, match in enumerate(_NUMBER.finditer(names[start])):
        end, step = _run(names, start, place)
        if end - start >= MIN_RUN:
            head, tail = names[start][: match.start()], names[start][match.end() :]
            last = _numbers(names[end - 1])[place]
            every = "" if step == 1 else f"/{step}"
            return end, f"{head}[{match[0]}-{last}{every}]{tail}"
    return start + 1, names[start]


def _run(names: Sequence[str], start: int, place: int) -> tuple[int, int]:
    """(index after, step) of the names from ``start`` that differ only in their number at ``place``, evenly."""
    shape, step = _shape(names[start], place), 0
    end = start + 1
    while end < len(names) and _shape(names[end], place) == shape:
        gap = int(_numbers(names[end])[place]) - int(_numbers(names[end - 1])[place])
        if gap <= 0 or (step and gap != step):
            break
        step, end = gap, end + 1
    return end, step


def _numbers(name: str) -> list[str]:
    return _NUMBER.findall(name)


def _shape(name: str, place: int) -> tuple[str, ...]:
    """The name without its number at ``place``; numbers with leading zeros keep their width."""
    parts = re.split(r"(\d+)", name)
    index = 2 * place + 1
    if index >= len(parts):
        return tuple(parts)
    number = parts[index]
    width = str(len(number)) if number.startswith("0") and len(number) > 1 else ""
    return (*parts[:index], f"#{width}", *parts[index + 1 :])
