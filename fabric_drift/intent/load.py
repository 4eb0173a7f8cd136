"""``load``: a directory -> a valid Fabric, or every error at once.

Three stages, each reported whole before the next is tried, so that one fault makes one error: what is
written (YAML, CSV, schema), what it refers to (names, devices, ports, cables), and whether it contradicts itself.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from fabric_drift.errors import IntentError
from fabric_drift.intent import checks, references
from fabric_drift.intent.build import build
from fabric_drift.intent.cables import Cable, read_cables
from fabric_drift.intent.document import Document, json_schema
from fabric_drift.intent.fabric import Fabric
from fabric_drift.intent.faults import Faults, from_validation, make, raise_all
from fabric_drift.intent.merge import read_directory
from fabric_drift.intent.nodes import Node, plain


def load(directory: Path) -> Fabric:
    """The fabric that the files of ``directory`` describe. Raises IntentErrors, one IntentError per fault."""
    with _no_collector():
        return _load(Path(directory))


@contextmanager
def _no_collector() -> Iterator[None]:
    """Hundreds of thousands of objects that all stay: looking for garbage among them doubles the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _load(directory: Path) -> Fabric:
    errors: list[IntentError] = []
    root = read_directory(directory, errors)
    document = None if errors and not root.value else _validated(root, errors)
    cables = _cables(directory, root, errors)
    raise_all(errors)
    assert document is not None
    faults = Faults(root)
    references.check(document, faults)
    faults.stop()
    checks.check_classes_exist(document, faults)
    faults.stop()
    fabric = build(document, root, cables, faults)
    faults.stop()
    checks.check(fabric, faults)
    faults.stop()
    return fabric


def _validated(root: Node, errors: list[IntentError]) -> Document | None:
    try:
        return Document.model_validate(plain(root))
    except ValidationError as error:
        found = from_validation(error, root, _known_keys())
        if any(known.code in _ENDS_A_FILE for known in errors):
            found = [item for item in found if not _may_be_in_an_unread_file(item)]
        errors += found
        return None


_ENDS_A_FILE = frozenset({"FD-INT-001", "FD-INT-013"})


def _may_be_in_an_unread_file(error: IntentError) -> bool:
    """A missing top-level key follows from the fault that ended a file."""
    return error.code == "FD-INT-004" and "." not in error.what


@cache
def _known_keys() -> frozenset[str]:
    """Every key of the schema, for spelling hints."""

    def walk(schema: Any) -> Iterator[str]:
        if isinstance(schema, dict):
            yield from schema.get("properties", {})
            for part in schema.values():
                yield from walk(part)
        elif isinstance(schema, list):
            for part in schema:
                yield from walk(part)

    return frozenset(walk(json_schema()))


def _cables(directory: Path, root: Node, errors: list[IntentError]) -> list[Cable]:
    plans = root.child("cable_plans")
    cables: list[Cable] = []
    for index, node in enumerate(plans.value if plans and isinstance(plans.value, list) else ()):
        path = directory / str(node.value)
        if path.parent != directory or not isinstance(node.value, str):
            continue  # the schema has already said that this is no file name
        if not path.is_file():
            problem = f"there is no file {node.value} in {directory}"
            errors.append(make("FD-INT-015", problem, where=node.where, path=("cable_plans", index)))
            continue
        cables += read_cables(path, str(path), errors)
    return cables
