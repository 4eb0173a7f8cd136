"""The generated pages and schemas say what the tables and types say."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

from fabric_drift.cli.schema import DOCUMENTS
from fabric_drift.platform import Capability, Disruption, Operation
from fabric_drift.registry import platforms

REPO = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def build() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_build", REPO / "docs/build.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_page_is_fresh(build: ModuleType) -> None:
    written = {path.stem: path.read_text() for path in (REPO / "docs/platforms").glob("*.md")}
    assert written == {name: build.page(platform) for name, platform in platforms().items()}, "run `make docs`"


def test_every_schema_is_fresh(build: ModuleType) -> None:
    written = {document: json.loads((REPO / place).read_text()) for document, place in build.SCHEMAS.items()}
    assert written == {document: json.loads(build.schema_text(document)) for document in DOCUMENTS}, "run `make docs`"


def test_a_pipe_in_a_table_doesnt_make_a_column(build: ModuleType) -> None:
    row = Capability("a/b", Operation.WRITE, disruption=Disruption.NONE, how="x | json", source="<doc>")
    assert [*build.cells(row, ("how", "source", "disruption"))] == ["x \\| json", "&lt;doc>", "none"]
