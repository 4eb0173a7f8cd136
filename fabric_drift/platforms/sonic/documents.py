"""From device text to rows: ``{table: {key: {field: text}}}``. All or nothing per document.

A document that isn't whole, isn't JSON, or says one key twice (garbled or interleaved output: Redis has no
such thing) is refused as a whole, because nobody can tell what else of it is missing.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, TypeAlias

from fabric_drift.finding import Layer
from fabric_drift.platform import Command, Output, UnparsedLine
from fabric_drift.state.values import Path, Unobserved

Row: TypeAlias = dict[str, str]
Table: TypeAlias = dict[str, Row]
Tables: TypeAlias = dict[str, Table]

LONGEST_LINE = 300
TEXT = frozenset({str})
OBJECT = frozenset({dict})
TABLE = re.compile(r"[A-Z0-9_]+")
BOOKKEEPING = ("_KEY_SET", "_DEL_SET")
"""How names of the sets end that Redis tables of SONiC have for their subscribers."""


@dataclass(slots=True)
class Problems:
    """Collects what one layer says and nobody understands."""

    layer: Layer
    command: str
    found: list[UnparsedLine] = field(default_factory=list)

    def add(self, line: str, reason: str, path: Path = ()) -> Unobserved:
        """Notes the line; returns what the fact becomes."""
        line = line[:LONGEST_LINE]
        self.found.append(UnparsedLine(self.layer, self.command, 0, line, reason, path))
        return Unobserved(f"{line}: {reason}")


class _DuplicateKeyError(ValueError):
    pass


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _DuplicateKeyError(f"the answer says {twice[:60]!r} twice")
    return result


def whole_text(outputs: Mapping[str, Output], command: Command) -> str | Unobserved:
    """The text of an answer, or why there is none."""
    output = outputs.get(command.text)
    if output is None:
        return Unobserved(f"{command.text} was not run")
    if output.error:
        return Unobserved(f"{command.text}: {output.error}")
    if output.exit_status != 0:
        said = " ".join(output.stderr.split())[:120]
        return Unobserved(f"{command.text} ended with {output.exit_status}: {said}".rstrip(": "))
    return output.stdout


def load(outputs: Mapping[str, Output], command: Command) -> dict[str, Any] | Unobserved:
    """The JSON object that a command answered."""
    text = whole_text(outputs, command)
    if isinstance(text, Unobserved):
        return text
    try:
        value = json.loads(text, object_pairs_hook=_object)
    except _DuplicateKeyError as error:
        return Unobserved(f"{command.text}: {error}")
    except (ValueError, RecursionError):
        return Unobserved(f"{command.text}: the answer is not whole JSON")
    if not isinstance(value, dict):
        return Unobserved(f"{command.text}: the answer is not a JSON object")
    return value


def as_text(value: Any) -> str | None:
    """A scalar or list of scalars as Redis holds it; None where it is neither."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ",".join(value)
    return None


def _row(name: str, value: Any, problems: Problems) -> Row:
    if not isinstance(value, dict):
        problems.add(f"{name} = {value!r}", "not a row of fields")
        return {}
    row: Row = {}
    for key, content in value.items():
        text = content if type(content) is str else as_text(content)
        if text is None:
            problems.add(f"{name} {key} = {content!r}", "neither a string nor a list of strings")
        elif key != "NULL":  # how Redis holds a row without fields
            row[key] = text
    return row


def _are_rows(table: Mapping[str, Any]) -> bool:
    """Whether a table needs no translation: most have thousands of rows that are all plain text."""
    rows = table.values()
    return (
        OBJECT.issuperset(map(type, rows))
        and TEXT.issuperset(map(type, chain.from_iterable(map(dict.values, rows))))
        and not any("NULL" in row for row in rows)
    )


def _table(name: str, content: Mapping[str, Any], problems: Problems) -> Table:
    """Rows by key; ``name``: how the names of the rows start in a message."""
    if _are_rows(content):
        return dict(content)
    return {key: _row(name + key, row, problems) for key, row in content.items()}


def config_tables(document: Mapping[str, Any], owned: frozenset[str], problems: Problems) -> Tables:
    """The tables of a CONFIG_DB document that are ours, values as text."""
    tables: Tables = {}
    for name in document.keys() & owned:
        content = document[name]
        if isinstance(content, dict):
            tables[name] = _table(f"{name}|", content, problems)
        else:
            problems.add(f"{name} = {content!r}", "not a table of rows")
    return tables


def dump_tables(document: Mapping[str, Any], separator: str, problems: Problems, prefix: str = "") -> Tables:
    """The tables of a ``sonic-db-dump``; ``prefix`` ("ASIC_STATE:") is stripped from keys."""
    tables: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    for full, entry in document.items():
        if full.endswith(BOOKKEEPING):
            continue
        if type(entry) is dict and entry.get("type") == "hash":
            name, _, key = full.removeprefix(prefix).partition(separator)
            if TABLE.fullmatch(name) is None and name not in tables:
                problems.add(full, "no table has such a name: whose row it is can't be told")
            tables[name][key] = entry.get("value")
        else:
            problems.add(full, "not a hash of Redis")
    return {name: _table(prefix + name + separator, content, problems) for name, content in tables.items()}
