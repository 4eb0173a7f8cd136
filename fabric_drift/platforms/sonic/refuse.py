"""How this platform says that it can't express something."""

from __future__ import annotations

from typing import Any

from fabric_drift.errors import Unsupported
from fabric_drift.platform import Target
from fabric_drift.state.values import Path, is_said, path_text

CODE = "FD-SONIC-001"


def refusal(target: Target, path: Path, problem: str, remedy: str) -> Unsupported:
    """The error, with device and path."""
    return Unsupported(problem, where=f"{target.device} (sonic)", what=path_text(path), remedy=remedy, code=CODE)


def within(target: Target, path: Path, value: Any, allowed: range, unit: str) -> None:
    """Raises Unsupported where a number that is said lies outside ``allowed``."""
    if is_said(value) and value not in allowed:
        span = f"{allowed[0]} to {allowed[-1]}{unit}"
        raise refusal(target, path, f"SONiC takes {span}, not {value}", f"Choose a value of {span}")


def one_of(target: Target, path: Path, value: Any, allowed: tuple[Any, ...]) -> None:
    """Raises Unsupported where a value that is said isn't one of ``allowed``."""
    if is_said(value) and value not in allowed:
        words = ", ".join(str(item) for item in allowed)
        raise refusal(target, path, f"SONiC has {words}, not {value}", f"Choose one of {words}")
