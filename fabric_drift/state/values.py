"""The values a fact can have, and the three ways of having none.

A leaf of a :class:`~fabric_drift.state.device.DeviceState` is a plain value (bool, int, str, tuple) or

* ``ABSENT``: the device says "not configured"; in an expected state: "must not be configured".
* ``Unobserved(reason)``: we could not see. Never in an expected state.
* ``NotApplicable(reason)``: only in an expected state: another choice of the intent makes the fact inert.
* ``AtMost(number)``: only in an expected state: any number up to it.
* ``UNSAID``: this state says nothing about the fact: the intent doesn't manage it, or the layer doesn't
  carry it. The default of every field.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias


class _Word(Enum):
    ABSENT = "absent"
    UNSAID = "unsaid"

    def __repr__(self) -> str:
        return self.name

    __str__ = __repr__

    def __bool__(self) -> bool:
        raise TypeError(f"{self.name} is neither true nor false: compare with `is`")


ABSENT = _Word.ABSENT
UNSAID = _Word.UNSAID


@dataclass(frozen=True, slots=True)
class Unobserved:
    """The fact could not be seen, and why (one sentence without a full stop)."""

    reason: str


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """The fact has no effect under the intent, and why."""

    reason: str


class AtMost(int):
    """A ceiling; only in an expected state. Every number up to it is a match, and the fact still has to be seen."""

    def allows(self, found: object) -> bool:
        """Whether ``found`` is a number that isn't above."""
        return type(found) is int and found <= self

    def __str__(self) -> str:
        return f"at most {int(self)}"


Missing: TypeAlias = _Word | Unobserved | NotApplicable
Leaf: TypeAlias = bool | int | str | tuple[Any, ...]
Path: TypeAlias = tuple[str, ...]


def is_said(value: object) -> bool:
    """Whether ``value`` is a real value or subtree: none of the four ways of having none."""
    return not isinstance(value, _Word | Unobserved | NotApplicable)


def path_text(path: Path) -> str:
    """``("ports", "Ethernet9/1", "mtu_bytes")`` as ``ports/Ethernet9/1/mtu_bytes``; for people.

    Port names may hold a slash, so JSON always carries the list beside it.
    """
    return "/".join(path)
