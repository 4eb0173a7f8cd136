"""YAML: words stay words, every value knows its line, nothing hostile gets through."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric_drift.errors import IntentError
from fabric_drift.intent.nodes import Node, parse, plain, read


def _read(text: str) -> tuple[Node | None, list[IntentError]]:
    errors: list[IntentError] = []
    return parse(text, "f.yml", errors), errors


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("off", "off"),
        ("on", "on"),
        ("no", "no"),
        ("yes", "yes"),
        ("y", "y"),
        ("true", True),
        ("null", None),
        ("26", 26),
        ("-3", -3),
        ("026", "026"),
        ("0x1f", "0x1f"),
        ("1:20", "1:20"),
        ("4.30", "4.30"),
        ("1e3", "1e3"),
        ("2026-11-29", "2026-11-29"),
        ("0000:18:00.0", "0000:18:00.0"),
        ("'26'", "26"),
        ("'true'", "true"),
        ("1_000", "1_000"),
    ],
)
def test_a_plain_value_is_what_it_looks_like(text: str, value: object) -> None:
    node, errors = _read(f"key: {text}\n")
    assert errors == []
    assert node is not None
    assert plain(node) == {"key": value}
    assert type(plain(node)["key"]) is type(value)


def test_every_value_knows_the_line_of_its_key() -> None:
    node, _ = _read("a: 1\nb:\n  c: 2\n  d:\n    - x\n    - y\n")
    assert node is not None
    below = node.value["b"]
    assert (node.value["a"].line, below.line, below.value["c"].line) == (1, 2, 3)
    assert [item.line for item in below.value["d"].value] == [5, 6]


def test_an_alias_is_the_value_of_its_anchor_at_the_line_of_the_alias() -> None:
    node, errors = _read("a: &x {b: 1}\nc: *x\n")
    assert errors == []
    assert node is not None
    assert plain(node) == {"a": {"b": 1}, "c": {"b": 1}}
    assert node.value["c"].line == 2


def test_aliases_of_aliases_cannot_fill_the_memory() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    node, errors = _read("\n".join(lines))
    assert node is None
    assert [error.code for error in errors] == ["FD-INT-013"]


def test_every_duplicate_key_is_told_and_the_first_value_kept() -> None:
    node, errors = _read("a: 1\na: 2\nb: {c: 1, c: 2}\n")
    assert node is not None
    assert plain(node) == {"a": 1, "b": {"c": 1}}
    assert [(error.code, error.where) for error in errors] == [("FD-INT-002", "f.yml:2"), ("FD-INT-002", "f.yml:3")]


@pytest.mark.parametrize("content", [b"name: \xff\xfe\n", b"name: a\x00b\n", b"\x80"])
def test_a_file_that_is_not_text_is_an_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "f.yml").write_bytes(content)
    errors: list[IntentError] = []
    assert read(tmp_path / "f.yml", "f.yml", errors) is None
    assert [error.code for error in errors] == ["FD-INT-001"]


def test_an_empty_file_says_nothing() -> None:
    node, errors = _read("# nothing\n")
    assert errors == []
    assert node is not None
    assert plain(node) == {}


_TREES: st.SearchStrategy[Any] = st.recursive(
    st.integers(-(10**9), 10**9) | st.booleans() | st.text("abc on.-", max_size=6),
    lambda inner: st.dictionaries(st.text("abcdef", min_size=1, max_size=4), inner, max_size=4),
    max_leaves=8,
)


@given(_TREES)
def test_what_json_says_is_read_unchanged(tree: Any) -> None:
    import json  # noqa: PLC0415

    node, errors = _read(json.dumps({"tree": tree}))
    assert errors == []
    assert node is not None
    assert plain(node) == {"tree": tree}


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused_and_never_raises(text: str) -> None:
    node, errors = _read(text)
    assert node is not None or errors
