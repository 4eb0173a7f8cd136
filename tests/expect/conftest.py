"""pod1's intent, and edited copies of it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from fabric_drift.intent import Fabric, load

POD1 = Path(__file__).resolve().parent.parent.parent / "intent" / "pod1"


@pytest.fixture(scope="session")
def pod1() -> Fabric:
    """The intent that ships with the lab."""
    return load(POD1)


@pytest.fixture
def edited(tmp_path: Path) -> Callable[..., Fabric]:
    """pod1 with (file, old text, new text) replaced once each."""

    def edit(*edits: tuple[str, str, str]) -> Fabric:
        directory = tmp_path / "pod1"
        shutil.copytree(POD1, directory)
        for name, old, new in edits:
            text = (directory / name).read_text()
            assert old in text, f"{name} has no {old!r}"
            (directory / name).write_text(text.replace(old, new, 1))
        return load(directory)

    return edit
