"""Device text made harmless: no control characters anywhere, values in words."""

from __future__ import annotations

from typing import Any

from fabric_drift.state import ABSENT, UNSAID, NotApplicable, Unobserved
from fabric_drift.state.tree import is_subtree, plain

MAX_VALUE_CHARACTERS = 200


def clean(text: str) -> str:
    """``text`` on one line: control, format and private characters become a visible escape."""
    if text.isprintable():  # nearly always, and a report of a stock fabric has a million texts
        return text
    return "".join(character if character.isprintable() else _escape(character) for character in text)


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def cleaned(value: Any) -> Any:
    """JSON types with every string cleaned."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(key): cleaned(item) for key, item in value.items()}
    return [cleaned(item) for item in value] if isinstance(value, list) else value


def value_text(value: Any) -> str:
    """A fact's value for people: (3,4) as 3,4, an empty tuple as none, missing ones in words."""
    if value is ABSENT:
        return "absent"
    if value is UNSAID:
        return "-"
    if isinstance(value, Unobserved | NotApplicable):
        return f"not seen ({value.reason})" if isinstance(value, Unobserved) else f"not applicable ({value.reason})"
    if is_subtree(value):
        return _cut(_structure(plain(value)))
    return _cut(_structure(list(value) if isinstance(value, tuple) else value))


def _structure(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{clean(key)}: {text}" for key, text in _runs(value)) + "}"
    if isinstance(value, list | tuple):
        return ",".join(_pair(item) for item in value) or "none"
    return clean(str(value))


def _runs(value: dict[str, Any]) -> list[tuple[str, str]]:
    """(keys, value) with neighbouring numbers of one value together: 0-25: 0, 26: 3, 27-63: 0."""
    runs: list[tuple[str, str, str]] = []
    numbers = all(key.isdecimal() for key in value)
    for key in sorted(value, key=int) if numbers else value:
        text = _structure(value[key])
        if numbers and runs and runs[-1][2] == text and int(key) == int(runs[-1][1]) + 1:
            runs[-1] = (runs[-1][0], key, text)
        else:
            runs.append((key, key, text))
    return [(first if first == last else f"{first}-{last}", text) for first, last, text in runs]


def _pair(item: Any) -> str:
    """(queue, weight) pairs of the scheduling fact as 3:7."""
    return ":".join(_structure(part) for part in item) if isinstance(item, list | tuple) else _structure(item)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_VALUE_CHARACTERS else f"{text[:MAX_VALUE_CHARACTERS]}..."
