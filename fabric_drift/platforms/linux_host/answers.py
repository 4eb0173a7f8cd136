"""What an answer is worth before anybody reads it, and what a reader gives back."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fabric_drift.finding import Layer
from fabric_drift.platform import Output, UnparsedLine
from fabric_drift.state.values import Path, Unobserved

NO_SUCH_FILE = "No such file or directory"
LONGEST_ANSWER = 8192
"""Characters of the longest sane answer of a tool that shows one object: keeps caches small."""

MOST_PROBLEMS = 100
"""Problems of one answer that are listed one by one."""

LONGEST_LINE = 400
"""Characters of a device's line that are kept in a message."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A line that wasn't understood. ``below``: the subtree of the port that it may belong to."""

    line: str
    reason: str
    below: Path = ()
    line_number: int = 0


@dataclass(slots=True)
class Problems:
    """Collects problems of one device as UnparsedLines."""

    lines: list[UnparsedLine] = field(default_factory=list)

    def add(self, layer: Layer, command: str, port: Path, problems: tuple[Problem, ...]) -> None:
        """Take over what wasn't understood, placed below ``port``; of very many, the first and their number."""
        self.lines += [
            UnparsedLine(layer, command, item.line_number, clip(item.line), item.reason, (*port, *item.below))
            for item in problems[:MOST_PROBLEMS]
        ]
        more = len(problems) - MOST_PROBLEMS
        if more > 0:
            self.lines.append(UnparsedLine(layer, command, 0, "", f"{more} more lines that weren't understood", port))


def clip(line: str) -> str:
    """``line`` without control characters, cut to a length that fits a report."""
    text = "".join(character if character.isprintable() else " " for character in line[:LONGEST_LINE])
    return text + " ..." if len(line) > LONGEST_LINE else text


def lacks_command(output: Output | None) -> bool:
    """Whether the tool itself isn't installed (or not on the account's PATH)."""
    return output is not None and (output.exit_status == 127 or "command not found" in output.stderr)  # noqa: PLR2004 - POSIX


def unseen(command: str, output: Output | None, longest: int = 2**20) -> Unobserved | None:
    """Why ``command`` gives no facts, or None when the whole answer is here, of at most ``longest`` characters."""
    if output is None:
        return Unobserved(f"`{command}` was not run")
    if output.whole:
        length = len(output.stdout)
        return Unobserved(f"`{command}` answers {length} characters: not its answer") if length > longest else None
    if output.error:
        return Unobserved(f"`{command}`: {clip(output.error)}")
    if lacks_command(output):
        return Unobserved(f"`{command.split(maxsplit=1)[0]}` isn't installed, or not on the account's PATH")
    said = first_line(output.stderr) or first_line(output.stdout) or f"exit status {output.exit_status}"
    return Unobserved(f"`{command}`: {clip(said)}")


def first_line(text: str) -> str:
    """First line of ``text`` that isn't blank."""
    for line in text[:4096].splitlines():
        if line.strip():
            return line.strip()
    return ""


def load_json(text: str) -> Any:
    """``text`` as JSON. Raises ValueError for anything else, also for a key that is there twice."""
    try:
        return json.loads(text, object_pairs_hook=_unique)
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice")
    return found


def read_object(text: str, known: Mapping[str, Callable[[Any], Any]]) -> tuple[dict[str, Any], tuple[Problem, ...]]:
    """Values of a flat JSON object, each through its reader in ``known``.

    A key that isn't known or a value that its reader refuses (ValueError, TypeError) becomes a Problem.
    """
    try:
        data = load_json(text)
    except ValueError as error:
        return {}, (Problem(first_line(text), f"not JSON: {error}"),)
    if not isinstance(data, dict):
        return {}, (Problem(first_line(text), "not a JSON object"),)
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    for key, raw in data.items():
        reader = known.get(key)
        if reader is None:
            problems.append(Problem(f"{key}: {json.dumps(raw)[:LONGEST_LINE]}", "a key that isn't known"))
            continue
        try:
            values[key] = reader(raw)
        except (ValueError, TypeError) as error:
            problems.append(Problem(f"{key}: {json.dumps(raw)[:LONGEST_LINE]}", str(error)))
    return values, tuple(problems)
