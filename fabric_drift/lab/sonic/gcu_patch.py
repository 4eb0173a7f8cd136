"""JSON patches (RFC 6902: add, remove, replace, test) on CONFIG_DB, and the differences between two configurations."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from fabric_drift.lab.sonic.configdb import Config, text


class PatchError(Exception):
    """The patch doesn't fit the document; the text is the patch library's."""


class Change(NamedTuple):
    """One difference: ``parts`` are table, key and field, as far as they go; ``value`` is None for a removal."""

    operation: str
    parts: tuple[str, ...]
    value: Any

    @property
    def path(self) -> str:
        """As a JSON pointer."""
        return "/" + "/".join(part.replace("~", "~0").replace("/", "~1") for part in self.parts)


def parse_patch(source: str) -> list[dict[str, Any]]:
    """The operations of a patch file. Raises PatchError."""
    try:
        operations = json.loads(source)
    except ValueError as error:
        raise PatchError(f"Invalid JSON: {error}") from error
    if not isinstance(operations, list) or not all(isinstance(item, dict) and "path" in item for item in operations):
        raise PatchError("a patch is a list of operations with a path")
    return operations


def patched(config: Config, operations: list[dict[str, Any]]) -> Config:
    """A copy of ``config`` with the operations done, values as text. Raises PatchError."""
    document: dict[str, Any] = copy.deepcopy(config)
    for item in operations:
        _apply(document, item)
    return {
        name: {key: {field: text(value) for field, value in row.items()} for key, row in rows.items()}
        for name, rows in document.items()
    }


def _apply(document: dict[str, Any], item: dict[str, Any]) -> None:
    parts = [part.replace("~1", "/").replace("~0", "~") for part in str(item["path"]).split("/")[1:]]
    if not parts:
        raise PatchError("the whole document can't be replaced")
    parent = _parent(document, parts)
    operation, last = item.get("op"), parts[-1]
    if operation in {"remove", "replace", "test"} and last not in parent:
        verb = "remove" if operation == "remove" else "replace"
        raise PatchError(f"can't {verb} a non-existent object '{last}'")
    if operation in {"add", "replace"}:
        parent[last] = copy.deepcopy(item["value"])
    elif operation == "remove":
        del parent[last]
    elif operation != "test" or parent[last] != item["value"]:
        raise PatchError(f"{operation} failed at {item['path']}")


def _parent(document: dict[str, Any], parts: list[str]) -> dict[str, Any]:
    """The object that holds the last part."""
    parent: Any = document
    for part in parts[:-1]:
        if not isinstance(parent, dict) or part not in parent:
            raise PatchError(f"member '{part}' not found in {sorted(parent) if isinstance(parent, dict) else parent}")
        parent = parent[part]
    if not isinstance(parent, dict):
        raise PatchError(f"{'/'.join(parts)} is in no object")
    return parent


def differences(old: Config, new: Config) -> Iterator[Change]:
    """What leads from ``old`` to ``new``, at the highest level where something is added or removed."""
    for name in sorted(old.keys() | new.keys()):
        if name not in new:
            yield Change("remove", (name,), None)
        elif name not in old:
            yield Change("add", (name,), new[name])
        else:
            yield from _rows(name, old[name], new[name])


def _rows(name: str, old: Any, new: Any) -> Iterator[Change]:
    for key in sorted(old.keys() | new.keys()):
        if key not in new:
            yield Change("remove", (name, key), None)
        elif key not in old:
            yield Change("add", (name, key), new[key])
        else:
            for field in sorted(old[key].keys() | new[key].keys()):
                if field not in new[key]:
                    yield Change("remove", (name, key, field), None)
                elif field not in old[key]:
                    yield Change("add", (name, key, field), new[key][field])
                elif old[key][field] != new[key][field]:
                    yield Change("replace", (name, key, field), new[key][field])
