"""Strict YAML -> a tree of nodes that know their file and line.

libyaml's event stream, so that large files stay cheap, and a schema of our own on top: ``null``, ``true``,
``false`` and canonical whole numbers are themselves, everything else is text. ``off``, ``on`` and ``no``
are words, ``1:20`` is no number of minutes, ``4.30`` keeps its zero, ``026`` and ``0x1f`` are text.
Tags, merge keys, several documents and control characters are refused; duplicate keys too; anchors are fine.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from fabric_drift.errors import IntentError
from fabric_drift.intent.codes import CODES

Key: TypeAlias = str | int
LARGEST_TREE = 2_000_000
"""Values after anchors are followed: aliases of aliases must not fill the memory."""

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_WORDS: dict[str, object] = {"true": True, "false": False, "null": None, "~": None, "": None}
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")


@dataclass(slots=True)
class Node:
    """A value of the intent. ``value``: a scalar, a list of nodes, or a mapping key -> node (line of the key)."""

    value: Any
    file: str
    line: int
    size: int = 1

    def child(self, key: Any) -> Node | None:
        """The node below ``key`` (mapping key or list index), or None."""
        if isinstance(self.value, dict):
            return self.value.get(key)
        if isinstance(self.value, list) and isinstance(key, int) and -1 < key < len(self.value):
            return self.value[key]  # type: ignore[no-any-return]
        return None

    @property
    def where(self) -> str:
        """``file:line``."""
        return f"{self.file}:{self.line}"


def plain(node: Node) -> Any:
    """The tree as dicts, tuples and scalars."""
    if isinstance(node.value, dict):
        return {key: plain(child) for key, child in node.value.items()}
    if isinstance(node.value, list):
        return tuple(plain(child) for child in node.value)
    return node.value


def has_control_characters(text: str) -> bool:
    """Whether ``text`` holds a line break or another character that could make two lines of one value."""
    return _CONTROL.search(text) is not None


def read(path: Path, name: str, errors: list[IntentError]) -> Node | None:
    """The one document of a file, or None with the reason in ``errors``; an empty file is an empty mapping."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        errors.append(_error(name, 1, f"the file cannot be read as UTF-8 text ({_reason(error)})", "FD-INT-001"))
        return None
    return parse(text, name, errors)


def parse(text: str, name: str, errors: list[IntentError]) -> Node | None:
    """``read`` for text."""
    builder = _Builder(name, errors)
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        mark: yaml.Mark | None = error.problem_mark or error.context_mark
        errors.append(_error(name, mark.line + 1 if mark else 1, _yaml_reason(error), "FD-INT-001"))
        return None
    except yaml.YAMLError as error:
        errors.append(_error(name, 1, _reason(error), "FD-INT-001"))
        return None
    except _Refused as refusal:
        errors.append(refusal.error)
        return None
    return builder.root or Node({}, name, 1)


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())


def _yaml_reason(error: yaml.MarkedYAMLError) -> str:
    return " ".join(part for part in (error.context, error.problem) if part) or "malformed YAML"


def _error(name: str, line: int, problem: str, code: str, remedy: str = "") -> IntentError:
    return IntentError(problem, where=f"{name}:{line}", remedy=remedy or CODES[code].remedy, code=code)


class _Refused(Exception):
    """Carries the error that ends a file out of the event loop."""

    def __init__(self, error: IntentError) -> None:
        self.error = error


@dataclass(slots=True)
class _Open:
    """A collection that is being read. ``key``: the mapping key that waits for its value."""

    node: Node
    anchor: str | None
    key: Key | None = None
    key_line: int = 0
    waiting: bool = False


class _Builder:
    """Takes events in order. Structural trouble ends the file; trouble with one value is collected."""

    def __init__(self, name: str, errors: list[IntentError]) -> None:
        self.name = name
        self.errors = errors
        self.root: Node | None = None
        self._open: list[_Open] = []
        self._anchors: dict[str, Node] = {}
        self._documents = 0

    def take(self, event: yaml.Event) -> None:
        """Grows the tree by one event."""
        line = event.start_mark.line + 1 if event.start_mark else 1
        if isinstance(event, yaml.ScalarEvent):
            self._add(self._scalar(event, line), line, event.anchor)
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            self._refuse_tag(event, line)
            empty: Any = {} if isinstance(event, yaml.MappingStartEvent) else []
            self._open.append(_Open(Node(empty, self.name, line), event.anchor))
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            closed = self._open.pop()
            self._add(closed.node, closed.node.line, closed.anchor)
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event, line)
        elif isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                self._stop(line, "a second YAML document in one file", "Put it into a file of its own")

    def _alias(self, event: yaml.AliasEvent, line: int) -> None:
        target = self._anchors.get(event.anchor or "")
        if target is None:
            self._stop(line, f"the alias *{event.anchor} has no anchor before it")
        else:
            self._add(Node(target.value, self.name, line, target.size), line, None)

    def _scalar(self, event: yaml.ScalarEvent, line: int) -> Node:
        self._refuse_tag(event, line)
        text = event.value
        if has_control_characters(text):
            problem = f"{text[:40]!r} holds a line break or control character"
            self.errors.append(_error(self.name, line, problem, "FD-INT-008"))
            text = _CONTROL.sub("_", text)
        plain_style = event.implicit[0]
        return Node(resolve(text) if plain_style else text, self.name, line)

    def _refuse_tag(self, event: Any, line: int) -> None:
        if event.tag is not None:
            self._stop(line, f"the tag {event.tag!r} is refused")

    def _add(self, node: Node, line: int, anchor: str | None) -> None:
        if anchor:
            self._anchors[anchor] = node
        if not self._open:
            self.root = node
            return
        parent = self._open[-1]
        parent.node.size += node.size
        if parent.node.size > LARGEST_TREE:
            self._stop(line, "the file grows too large when its aliases are followed")
        if isinstance(parent.node.value, list):
            parent.node.value.append(node)
        elif parent.waiting:
            self._pair(parent, node)
        else:
            self._key(parent, node, line)

    def _key(self, parent: _Open, node: Node, line: int) -> None:
        if not isinstance(node.value, str | int) or isinstance(node.value, bool):
            self._stop(line, "a mapping key must be a word or a whole number")
        if node.value == "<<":
            self._stop(line, "the merge key << is refused", "Use the layers fabric, role, hardware, device and port")
        parent.key, parent.key_line, parent.waiting = node.value, line, True

    def _pair(self, parent: _Open, node: Node) -> None:
        key = parent.key
        parent.waiting = False
        if key in parent.node.value:
            problem = f"the key {key!r} is written twice (first in line {parent.node.value[key].line})"
            self.errors.append(_error(self.name, parent.key_line, problem, "FD-INT-002"))
            return
        parent.node.value[key] = Node(node.value, self.name, parent.key_line, node.size)

    def _stop(self, line: int, problem: str, remedy: str = "") -> None:
        raise _Refused(_error(self.name, line, problem, "FD-INT-013", remedy))


def resolve(text: str) -> Any:
    """A plain scalar's value: null, true, false, a canonical whole number, else the text itself."""
    if text in _WORDS:
        return _WORDS[text]
    return int(text) if _INTEGER.fullmatch(text) else text
