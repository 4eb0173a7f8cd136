"""One answer over HTTPS -> a JSON value, strictly, or a sentence that says why there is none."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from fabric_drift.platform import Output

_HEAD = re.compile(r"^(tls-server-name|tls-verified): (\S{1,253})$", re.MULTILINE)


class Answers:
    """All answers, each parsed once: findings ask for their evidence one by one."""

    def __init__(self, outputs: Mapping[str, Output]) -> None:
        self._outputs = outputs
        self._known: dict[str, Any] = {}

    def document(self, command: str) -> Any:
        """The value of one answer. Raises ValueError with the reason why there is none."""
        if command not in self._known:
            try:
                self._known[command] = document(self._outputs.get(command))
            except ValueError as error:
                self._known[command] = error
        found = self._known[command]
        if isinstance(found, ValueError):
            raise ValueError(str(found))  # noqa: TRY004  it is one already
        return found

    def record(self, command: str) -> dict[str, Any]:
        """The same, or {} where it is no object."""
        try:
            found = self.document(command)
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}


def document(output: Output | None) -> Any:
    """The value. Raises ValueError with the reason."""
    if output is None:
        raise ValueError("it was not asked for")
    if not output.whole:
        said = output.error or output.stderr.partition("\n")[0][:200] or f"HTTP status {output.exit_status}"
        raise ValueError(said)
    try:
        return json.loads(output.stdout, object_pairs_hook=_once, parse_constant=_no_number)
    except RecursionError as error:
        raise ValueError("the answer is no JSON that is understood: too deep") from error
    except ValueError as error:
        raise ValueError(f"the answer is no JSON that is understood: {str(error)[:120]}") from error


def fields(value: Any, what: str) -> dict[str, Any]:
    """``value``, which must be a JSON object. Raises ValueError."""
    if not isinstance(value, dict):
        raise ValueError(f"{what} is no JSON object")  # noqa: TRY004  hostile text, not a caller's fault
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice[:40]!r} is there twice")
    return found


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number of JSON")


def peer(output: Output | None) -> tuple[str, bool]:
    """(name that the certificate was held against, whether it was); ("", False) where the answer doesn't say."""
    said = dict(_HEAD.findall(output.stderr)) if output else {}
    return said.get("tls-server-name", ""), said.get("tls-verified") == "yes"
