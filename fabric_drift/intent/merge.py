"""All YAML files of one directory as one tree. Mappings join, some top-level lists continue, nothing is said twice."""

from __future__ import annotations

from pathlib import Path

from fabric_drift.errors import IntentError
from fabric_drift.intent.document import LISTS
from fabric_drift.intent.faults import make
from fabric_drift.intent.nodes import Node, read

SUFFIXES = (".yml", ".yaml")


def read_directory(directory: Path, errors: list[IntentError]) -> Node:
    """The merged tree of ``directory``, files in the order of their names."""
    root = Node({}, str(directory), 1)
    files = _files(directory)
    if not files:
        errors.append(make("FD-INT-015", "no .yml file is in this directory", where=str(directory)))
    for path in files:
        document = read(path, str(path), errors)
        if document is None:
            continue
        if not isinstance(document.value, dict):
            errors.append(make("FD-INT-005", "a file of the intent is a mapping", where=document.where))
            continue
        if not root.value:
            root.file, root.line = document.file, document.line
        _join(root, document, (), errors)
    return root


def _files(directory: Path) -> list[Path]:
    if not directory.is_dir():
        return []
    return sorted(path for path in directory.iterdir() if path.suffix in SUFFIXES and path.is_file())


def _join(target: Node, source: Node, path: tuple[str | int, ...], errors: list[IntentError]) -> None:
    for key, node in source.value.items():
        known = target.value.get(key)
        if known is None:
            target.value[key] = node
        elif isinstance(known.value, dict) and isinstance(node.value, dict):
            joined = Node(dict(known.value), known.file, known.line)  # a copy: an alias may share the mapping
            target.value[key] = joined
            _join(joined, node, (*path, key), errors)
        elif isinstance(known.value, list) and isinstance(node.value, list) and not path and key in LISTS:
            target.value[key] = Node([*known.value, *node.value], known.file, known.line)
        else:
            problem = f"this is already said in {known.where}"
            errors.append(make("FD-INT-014", problem, where=node.where, path=(*path, key)))
