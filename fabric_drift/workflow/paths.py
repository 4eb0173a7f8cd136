"""Paths as people type them, to paths as states have them: a port's name may hold slashes."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from fabric_drift.errors import IntentError
from fabric_drift.state import UNSAID, DeviceState, Path
from fabric_drift.state.tree import children, is_subtree


def resolve(state: DeviceState, text: str, device: str) -> tuple[Path, Any]:
    """(path, value) in ``state``. Raises IntentError for a path that the intent says nothing about."""
    parts = [part for part in text.split("/") if part]
    path: Path = ()
    value: Any = state
    while parts:
        below = dict(children(value)) if is_subtree(value) else {}
        taken = next((n for n in range(len(parts), 0, -1) if "/".join(parts[:n]) in below), 0)
        name = "/".join(parts[:taken])
        if not taken or below[name] is UNSAID:
            raise _unknown(device, (*path, *parts), parts[0], [key for key in below if below[key] is not UNSAID])
        path, value, parts = (*path, name), below[name], parts[taken:]
    return path, value


def _unknown(device: str, path: Path, part: str, known: list[str]) -> IntentError:
    close = get_close_matches(part, known, n=3) or known[:12]
    return IntentError(
        "the intent says nothing about it",
        where=device,
        what="/".join(path),
        remedy=f"Known there: {', '.join(close)}" if close else "",
        code="FD-CLI-004",
    )
