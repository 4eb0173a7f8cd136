"""Errors of the schema in the project's grammar, with file and line; and the collector of all errors."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from fabric_drift.errors import IntentError, IntentErrors
from fabric_drift.intent.codes import CODES
from fabric_drift.intent.nodes import Node

_SENTENCES = {
    "missing": ("FD-INT-004", "the key {key!r} is missing"),
    "extra_forbidden": ("FD-INT-003", "{key!r} is not a key of this place"),
    "union_tag_not_found": ("FD-INT-004", "the key {tag} is missing"),
    "union_tag_invalid": ("FD-INT-009", "{tag} is not one of {expected}"),
    "model_type": ("FD-INT-005", "a mapping is expected here"),
    "model_attributes_type": ("FD-INT-005", "a mapping is expected here"),
    "dict_type": ("FD-INT-005", "a mapping is expected here"),
    "tuple_type": ("FD-INT-005", "a list is expected here"),
    "literal_error": ("FD-INT-009", "only {expected} is allowed here"),
}

_CLOSE = 0.75
"""Similarity from which a key is taken for a misspelt one."""


@dataclass(slots=True)
class Faults:
    """Collects errors; each fault once."""

    root: Node
    errors: list[IntentError] = field(default_factory=list)
    _seen: set[object] = field(default_factory=set)

    def add(self, code: str, path: tuple[Any, ...], problem: str, remedy: str = "", where: str = "") -> None:
        """One fault at ``path`` of the intent. Contradictions that repeat themselves on many ports are said once."""
        error = make(code, problem, where=where or locate(self.root, path).where, path=path, remedy=remedy)
        key = (code, error.where, error.what, problem)
        if key not in self._seen:
            self._seen.add(key)
            self.errors.append(error)

    def once(self, key: object) -> bool:
        """Whether ``key`` comes for the first time: for one fault that would be met at many places."""
        fresh = key not in self._seen
        self._seen.add(key)
        return fresh

    def stop(self) -> None:
        """Raises IntentErrors, sorted by place, if there is any error."""
        raise_all(self.errors)


def raise_all(errors: list[IntentError]) -> None:
    """Raises IntentErrors, sorted by place, if there is any error."""
    if errors:
        raise IntentErrors(sorted(errors, key=_place))


def _place(error: IntentError) -> tuple[str, int, str]:
    file, _, line = error.where.rpartition(":")
    return (file, int(line) if line.isdigit() else 0, error.text())


def make(code: str, problem: str, *, where: str, path: tuple[Any, ...] = (), remedy: str = "") -> IntentError:
    """An error in the grammar of ``errors``; the code's own remedy where no better one is given."""
    what = ".".join(str(part) for part in path)
    return IntentError(problem, where=where, what=what, remedy=remedy or CODES[code].remedy, code=code)


def locate(root: Node, path: tuple[Any, ...]) -> Node:
    """The deepest node on ``path``. Parts that name no child (tags of unions) are stepped over."""
    node = root
    for part in path:
        node = node.child(part) or node
    return node


def from_validation(error: ValidationError, root: Node, known_keys: frozenset[str]) -> list[IntentError]:
    """One IntentError per fault of the schema. A required key that is misspelt is one fault, not two."""
    details = error.errors(include_url=False)
    misspelt = {
        (*detail["loc"][:-1], *get_close_matches(str(detail["loc"][-1]), sorted(known_keys), n=1, cutoff=_CLOSE))
        for detail in details
        if detail["type"] == "extra_forbidden"
    }
    return [
        _fault(detail, root, known_keys)
        for detail in details
        if not (detail["type"] == "missing" and detail["loc"] in misspelt)
    ]


def _fault(detail: ErrorDetails, root: Node, known_keys: frozenset[str]) -> IntentError:
    path = _path(detail, root)
    kind, context = detail["type"], detail.get("ctx", {})
    where = locate(root, path).where
    if kind.startswith("FD-INT-"):
        return make(kind, context["problem"], where=where, path=path)
    code, sentence = _SENTENCES.get(kind, ("FD-INT-005", detail["msg"].replace("{", "(").replace("}", ")")))
    problem = sentence.format(
        key=detail["loc"][-1] if detail["loc"] else "",
        tag=context.get("tag") or context.get("discriminator", ""),
        expected=context.get("expected_tags") or context.get("expected", ""),
    )
    remedy = _spelling(str(detail["loc"][-1]), known_keys) if kind == "extra_forbidden" else ""
    return make(code, problem, where=where, path=path, remedy=remedy)


def _path(detail: ErrorDetails, root: Node) -> tuple[Any, ...]:
    """The location without union tags and key markers; a missing key keeps its name."""
    path: list[Any] = []
    node: Node | None = root
    loc = [part for part in detail["loc"] if part != "[key]"]
    for position, part in enumerate(loc):
        below = node.child(part) if node else None
        is_missing_key = position == len(loc) - 1 and detail["type"] == "missing"
        if below is not None or is_missing_key:
            path.append(part)
            node = below
    return tuple(path)


@cache
def _spelling(key: str, known_keys: frozenset[str]) -> str:
    close = get_close_matches(key, sorted(known_keys), n=1, cutoff=_CLOSE)
    return f"Write {close[0]}" if close else ""
