"""Walking a state as a tree of facts, and its unambiguous plain form (JSON)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from fabric_drift.state.values import ABSENT, UNSAID, AtMost, NotApplicable, Path, Unobserved

_NAMES: dict[type, tuple[str, ...]] = {}
_OPEN: dict[type, frozenset[str]] = {}


def field_names(kind: type) -> tuple[str, ...]:
    """Names of the facts and subtrees of a state class, in their order."""
    if kind not in _NAMES:
        _NAMES[kind] = tuple(item.name for item in fields(kind))
    return _NAMES[kind]


def open_fields(kind: type) -> frozenset[str]:
    """Fields whose mapping may hold keys that the intent doesn't name, without that being drift."""
    if kind not in _OPEN:
        _OPEN[kind] = frozenset(item.name for item in fields(kind) if item.metadata.get("open"))
    return _OPEN[kind]


_SUBTREE: dict[type, bool] = {}


def is_subtree(value: object) -> bool:
    """Whether ``value`` has facts below it."""
    kind = type(value)
    if kind not in _SUBTREE:  # asked for every fact of every device: once per class is enough
        _SUBTREE[kind] = issubclass(kind, Mapping) or (is_dataclass(kind) and kind not in (Unobserved, NotApplicable))
    return _SUBTREE[kind]


def children(value: Any) -> Iterator[tuple[str, Any]]:
    """(name, child) of a subtree, in a stable order; mapping keys become text."""
    if isinstance(value, Mapping):
        for key in sorted(value):
            yield str(key), value[key]
    else:
        for name in field_names(type(value)):
            yield name, getattr(value, name)


def child(value: Any, name: str) -> Any:
    """The child of a subtree that ``children`` calls ``name``; UNSAID where there is none."""
    if not isinstance(value, Mapping):
        return getattr(value, name) if name in field_names(type(value)) else UNSAID
    if name in value:
        return value[name]
    return next((item for key, item in value.items() if str(key) == name), UNSAID)


def facts(value: Any, prefix: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every fact below ``value`` that is not UNSAID, with its path. Whole absent subtrees are one fact."""
    if is_subtree(value):
        for name, child in children(value):
            yield from facts(child, (*prefix, name))
    elif value is not UNSAID:
        yield prefix, value


def plain(value: Any) -> Any:
    """``value`` in JSON types. ABSENT, Unobserved and NotApplicable are objects no real value can look like."""
    if value is ABSENT:
        return {"absent": True}
    if value is UNSAID:
        return {"unsaid": True}
    if isinstance(value, Unobserved):
        return {"unobserved": value.reason}
    if isinstance(value, NotApplicable):
        return {"not_applicable": value.reason}
    if isinstance(value, AtMost):
        return {"at_most": int(value)}
    if is_subtree(value):
        return {name: plain(child) for name, child in children(value) if child is not UNSAID}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return value
