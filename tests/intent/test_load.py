"""Loading a directory: all errors of all files at once, one per fault, whatever the fault is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fabric_drift.errors import IntentErrors
from fabric_drift.intent import json_schema, load
from fabric_drift.intent.codes import markdown
from fabric_drift.intent.nodes import parse, plain

REPO = Path(__file__).resolve().parent.parent.parent
POD1 = REPO / "intent" / "pod1"
HOSTILE = ("\n", "\r", "\t", "\x00", "\x1b", "\x7f", "\x85", "\u2028", "\u2029")


def _copy(tmp_path: Path) -> Path:
    directory = tmp_path / "pod1"
    shutil.copytree(POD1, directory, dirs_exist_ok=True)
    return directory


def _errors(directory: Path) -> list[str]:
    try:
        load(directory)
    except IntentErrors as error:
        return error.text().splitlines()
    return []


def test_faults_of_all_files_are_reported_together_in_the_order_of_their_places(tmp_path: Path) -> None:
    directory = _copy(tmp_path)
    for name, old, new in (
        ("fabric.yml", "priority: 3", "priority: 9"),
        ("fabric.yml", "trust: dscp", "trust: tos"),
        ("hardware.yml", "xoff: 231424 B", "xoff: 231424"),
        ("cables.csv", "leaf1,Ethernet0,400G,5 m", "leaf1,Ethernet0,400G,5"),
    ):
        path = directory / name
        path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(IntentErrors) as caught:
        load(directory)
    found = [(Path(error.where.partition(":")[0]).name, error.code) for error in caught.value.errors]
    assert found == [
        ("cables.csv", "FD-INT-006"),
        ("fabric.yml", "FD-INT-007"),
        ("fabric.yml", "FD-INT-009"),
        ("hardware.yml", "FD-INT-006"),
    ]


def test_an_error_reads_as_place_path_problem_remedy_code(tmp_path: Path) -> None:
    directory = _copy(tmp_path)
    path = directory / "fabric.yml"
    path.write_text(path.read_text().replace("priority: 3", "priority: 9", 1))
    with pytest.raises(IntentErrors) as caught:
        load(directory)
    assert caught.value.text() == (
        f"{path}:11: classes.rdma.priority: 9 is not a priority, traffic class, queue or group (0-7). "
        "Use a value inside the range. [FD-INT-007]"
    )


@pytest.mark.parametrize("place", ["nowhere", "empty", "file"])
def test_a_place_without_intent_is_one_error(tmp_path: Path, place: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("name: x\n")
    with pytest.raises(IntentErrors) as caught:
        load(tmp_path / place)
    assert [error.code for error in caught.value.errors] == ["FD-INT-015"]


def test_a_device_that_vanished_is_one_error_although_many_cables_end_there(tmp_path: Path) -> None:
    directory = _copy(tmp_path)
    path = directory / "topology.yml"
    path.write_text(path.read_text().replace("gpu[1-8]:", "gpu[1-7]:", 1))
    with pytest.raises(IntentErrors) as caught:
        load(directory)
    assert [error.code for error in caught.value.errors] == ["FD-INT-021"]


def test_a_fabric_may_be_one_file(tmp_path: Path) -> None:
    merged: dict[str, Any] = {}
    for name in ("fabric.yml", "hardware.yml", "topology.yml"):
        node = parse((POD1 / name).read_text(), name, [])
        assert node is not None
        merged |= plain(node)
    (tmp_path / "all.yml").write_text(json.dumps(merged))
    shutil.copy(POD1 / "cables.csv", tmp_path)
    assert list(load(tmp_path).devices) == list(load(POD1).devices)


def test_cables_may_be_written_as_ranges_in_yaml(tmp_path: Path) -> None:
    directory = _copy(tmp_path)
    cables = directory / "cables.csv"
    kept = [row for row in cables.read_text().splitlines() if not row.startswith("leaf1,Ethernet1")]
    cables.write_text("\n".join(row for row in kept if "leaf1,Ethernet1" not in row or row.startswith("gpu")) + "\n")
    topology = directory / "topology.yml"
    lines = """links:
  - {a: "leaf1 Ethernet[128-152/8]", b: "spine1 Ethernet[0-24/8]", speed: 400G, cable: 40 m}
  - {a: "leaf1 Ethernet[160-184/8]", b: "spine2 Ethernet[1-4]/1", speed: 400G, cable: 40 m}
"""
    topology.write_text(topology.read_text() + lines)
    fabric = load(directory)
    assert len(fabric.links) == 96
    assert fabric.links_of["leaf1"]["Ethernet176"].far("leaf1", "Ethernet176") == ("spine2", "Ethernet3/1")


def test_the_published_schema_is_fresh() -> None:
    published = json.loads((REPO / "intent" / "fabric.schema.json").read_text())
    assert published == json_schema()


def test_the_example_meets_the_published_schema() -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema comes with ansible-lint")
    validator = jsonschema.Draft202012Validator(json_schema())
    for name in ("fabric.yml", "hardware.yml", "topology.yml"):
        assert "yaml-language-server: $schema=../fabric.schema.json" in (POD1 / name).read_text()
        node = parse((POD1 / name).read_text(), name, [])
        assert node is not None
        assert list(validator.iter_errors(json.loads(json.dumps(plain(node))))) == []


def test_the_docs_list_every_code() -> None:
    assert markdown() in (REPO / "docs" / "intent.md").read_text()


def _texts(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        return [found for key, item in value.items() for found in _texts(item, (*path, key))]
    if isinstance(value, list):
        return [found for index, item in enumerate(value) for found in _texts(item, (*path, index))]
    return [path] if isinstance(value, str) else []


_FABRIC = yaml.load((POD1 / "fabric.yml").read_text(), Loader=yaml.BaseLoader)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(_texts(_FABRIC)), st.sampled_from(HOSTILE), st.booleans())
def test_no_value_may_hold_a_line_break_or_control_character(
    tmp_path: Path, path: tuple[Any, ...], hostile: str, at_end: bool
) -> None:
    directory = _copy(tmp_path)
    node = parse((POD1 / "fabric.yml").read_text(), "fabric.yml", [])
    assert node is not None
    tree = json.loads(json.dumps(plain(node)))
    parent = tree
    for part in path[:-1]:
        parent = parent[part]
    text = str(parent[path[-1]])
    parent[path[-1]] = text + hostile if at_end else hostile + text
    (directory / "fabric.yml").write_text(json.dumps(tree, ensure_ascii=True))
    with pytest.raises(IntentErrors) as caught:
        load(directory)
    assert "FD-INT-008" in {error.code for error in caught.value.errors}


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(_texts(_FABRIC)), st.sampled_from([{"no": {"such": "thing"}}, [["x"]], None]))
def test_a_value_of_the_wrong_kind_is_one_error(tmp_path: Path, path: tuple[Any, ...], wrong: Any) -> None:
    directory = _copy(tmp_path)
    node = parse((POD1 / "fabric.yml").read_text(), "fabric.yml", [])
    assert node is not None
    tree = json.loads(json.dumps(plain(node)))
    parent = tree
    for part in path[:-1]:
        parent = parent[part]
    parent[path[-1]] = wrong
    (directory / "fabric.yml").write_text(json.dumps(tree, indent=1))
    errors = _errors(directory)
    is_unsaid = wrong is None and not errors  # an optional key without a value is a key that isn't said
    assert is_unsaid or len(errors) == 1, errors
