"""Ranges that keep large fabrics readable: ``gpu[1-8]``, ``Ethernet[0-120/8]``, ``leaf[01-16]``, ``rack[1,3,5-7]``."""

from __future__ import annotations

import re
from itertools import product
from math import prod

LARGEST = 200_000
"""Names that one range may stand for: a typing error must not fill the memory."""

_PART = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9})(?:/([0-9]{1,6}))?)?")
_BRACKETS = re.compile(r"\[([^][]*)\]")


def expand(text: str) -> tuple[str, ...]:
    """All names that ``text`` stands for, in its order; itself when it holds no range. Raises ValueError."""
    pieces = _BRACKETS.split(text)
    literals, ranges = pieces[::2], [_numbers(piece, text) for piece in pieces[1::2]]
    if any("[" in literal or "]" in literal for literal in literals):
        raise ValueError(f"{text!r} has a bracket without its partner")
    if prod(len(numbers) for numbers in ranges) > LARGEST:
        raise ValueError(f"{text!r} stands for more than {LARGEST} names")
    return tuple(_join(literals, chosen) for chosen in product(*ranges))


def _join(literals: list[str], chosen: tuple[str, ...]) -> str:
    return "".join(literal + number for literal, number in zip(literals, (*chosen, ""), strict=True))


def _numbers(piece: str, text: str) -> list[str]:
    numbers: list[str] = []
    for part in piece.split(","):
        numbers += _span(part, text)
        if len(numbers) > LARGEST:
            raise ValueError(f"{text!r} stands for more than {LARGEST} names")
    return numbers


def _span(part: str, text: str) -> list[str]:
    found = _PART.fullmatch(part)
    if found is None:
        raise ValueError(f"{text!r}: {part!r} is not a range like 1-8, 0-120/8 or 3")
    first, last, step = found[1], found[2] or found[1], int(found[3] or 1)
    if step == 0 or int(last) < int(first):
        raise ValueError(f"{text!r}: {part!r} runs backwards or stands still")
    if (int(last) - int(first)) // step >= LARGEST:
        raise ValueError(f"{text!r} stands for more than {LARGEST} names")
    width = len(first) if first.startswith("0") and len(first) > 1 else 0
    return [str(number).zfill(width) for number in range(int(first), int(last) + 1, step)]
