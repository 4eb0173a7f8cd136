"""Hashes of values and of files: how two moments are compared."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path as FilePath
from typing import Any


def digest(value: Any) -> str:
    """SHA-256 of a JSON-able value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def of_files(directory: FilePath) -> str:
    """Of the names and contents of all files of an intent, in the order of their names."""
    files = sorted(path for path in directory.rglob("*") if path.is_file())
    return digest([[str(file.relative_to(directory)), file.read_bytes().hex()] for file in files])
