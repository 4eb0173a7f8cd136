"""Matching one configuration line against the patterns of a mode, token by token, as the EOS parser does.

A pattern is words separated by blanks: ``literal``, ``this|that``, ``<type>``, ``<type+>`` (one or more
of it) and ``[optional words]``. A rule has a *key* (what names the setting: entering the same key again
replaces the value, ``no KEY`` removes it) and a *value*.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

Spec = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """One accepted command of a mode."""

    key: str
    value: str = ""
    enters: str = ""
    """Mode of the section that the command opens; empty: an ordinary line."""
    negative: bool = False
    """``no KEY`` is a setting of its own, shown in the configuration; ``default KEY`` removes it."""
    clears: str = ""
    """``no KEY`` also removes every setting whose key starts with this."""


@dataclass(frozen=True, slots=True)
class Match:
    """A line that a rule accepts. ``keys`` has more than one entry where the line holds a list."""

    rule: Rule
    keys: tuple[str, ...]
    value: str


@dataclass(frozen=True, slots=True)
class Refused:
    """How far the parser came: ``position`` is the token it stumbled over, ``ended`` that none was left."""

    position: int
    ended: bool


def _integer(low: int, high: int) -> Callable[[str], str | None]:
    def check(token: str) -> str | None:
        fits = token.isascii() and token.isdigit() and len(token) < 12 and low <= int(token) <= high  # noqa: PLR2004
        return str(int(token)) if fits else None

    return check


def _seconds(low: str, high: str, decimals: int) -> Callable[[str], str | None]:
    form = re.compile(rf"\d{{1,2}}(\.\d{{1,{decimals}}})?", re.ASCII)

    def check(token: str) -> str | None:
        if not form.fullmatch(token) or not Decimal(low) <= Decimal(token) <= Decimal(high):
            return None
        return f"{Decimal(token):.{decimals}f}"

    return check


def _pattern(form: str) -> Callable[[str], str | None]:
    compiled = re.compile(form, re.ASCII)
    return lambda token: token if compiled.fullmatch(token) else None


TYPES: dict[str, Callable[[str], str | None]] = {
    "dscp": _integer(0, 63),
    "tc": _integer(0, 7),
    "cos": _integer(0, 7),
    "priority": _integer(0, 7),
    "queue": _integer(0, 7),
    "dp": _integer(0, 2),
    "percent": _integer(1, 100),
    "weight": _integer(0, 15),
    "threshold": _integer(1, 256_000_000),
    "number": _integer(0, 4_294_967_295),
    "mtu": _integer(68, 9214),
    "seconds": _seconds("0.01", "60", 2),
    "polling": _seconds("0.005", "30", 3),
    "alpha": _pattern(r"1/(128|64|32|16|8|4|2)|[1248]"),
    "name": _pattern(r"[A-Za-z0-9._:/+-]{1,100}"),
    "interface": _pattern(r"(Ethernet|Port-Channel|Loopback|Management|Vlan|Tunnel|Vxlan)\d[\d/.]{0,20}"),
}


@cache
def _variants(pattern: str) -> tuple[Spec, ...]:
    """The pattern with each optional group present and absent, longest first."""
    if "[" not in pattern:
        return (tuple(pattern.split()),)
    before, _, rest = pattern.partition("[")
    inner, _, after = rest.partition("]")
    return _variants(f"{before}{inner}{after}") + _variants(f"{before}{after}")


def _take(spec: Spec, tokens: Sequence[str], start: int) -> tuple[list[list[str]] | None, int]:
    """What each word of ``spec`` matched from ``start`` on, or None, and the position reached."""
    parts: list[list[str]] = []
    position = start
    for word in spec:
        if word == "<rest>":
            if position >= len(tokens):
                return None, position
            parts.append([" ".join(tokens[position:])])
            position = len(tokens)
            continue
        taken = _take_word(word, tokens, position)
        if not taken:
            return None, position
        parts.append(taken)
        position += len(taken)
    return parts, position


def _take_word(word: str, tokens: Sequence[str], position: int) -> list[str]:
    many = word.endswith("+>")
    check = TYPES[word.strip("<+>")] if word.startswith("<") else None
    literals = () if check else tuple(word.split("|"))
    taken: list[str] = []
    for token in tokens[position:]:
        canonical = check(token) if check else (token if token in literals else None)
        if canonical is None:
            break
        taken.append(canonical)
        if not many:
            break
    return taken


def _keys(parts: list[list[str]]) -> tuple[str, ...]:
    """The keys that a key's parts name: one per entry of its list."""
    keys = [""]
    for part in parts:
        keys = [f"{key} {token}".strip() for key in keys for token in part]
    return tuple(keys)


def match(rule: Rule, tokens: Sequence[str]) -> Match | Refused:
    """``tokens`` against the whole of ``rule``."""
    key_parts, position = _take(tuple(rule.key.split()), tokens, 0)
    if key_parts is None:
        return Refused(position, position >= len(tokens))
    reached = position
    for spec in _variants(rule.value):
        parts, end = _take(spec, tokens, position)
        if parts is not None and end == len(tokens):
            return Match(rule, _keys(key_parts), " ".join(" ".join(part) for part in parts))
        reached = max(reached, end)
    return Refused(reached, reached >= len(tokens))


def match_removal(rule: Rule, tokens: Sequence[str]) -> tuple[str, ...] | Refused:
    """Keys that ``no TOKENS`` removes: the key of the rule, and as much of a value as was typed."""
    key_parts, position = _take(tuple(rule.key.split()), tokens, 0)
    if key_parts is None:
        return Refused(position, position >= len(tokens))
    for spec in _variants(rule.value):
        for length in range(len(spec) + 1):
            parts, end = _take(spec[:length], tokens, position)
            if parts is not None and end == len(tokens):
                return _keys(key_parts)
    return Refused(position, position >= len(tokens))


def refusal(tokens: Sequence[str], failures: Sequence[Refused], offset: int = 0) -> str:
    """The error text for a line that no rule took: the failure that came furthest decides."""
    furthest = max((failure.position for failure in failures), default=0)
    if any(failure.ended and failure.position == furthest for failure in failures):
        return "% Incomplete command"
    token = tokens[furthest] if furthest < len(tokens) else ""
    return f"% Invalid input (at token {furthest + offset}: '{token}')"
