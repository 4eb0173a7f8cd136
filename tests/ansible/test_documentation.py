"""The documented options of fabric_check are the ones it takes, and the role passes on what it promises."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

REPO = Path(__file__).parents[2]
ACTION = REPO / "plugins" / "action" / "fabric_check.py"
ROLE = REPO / "roles" / "drift_report"


def constant(file: Path, name: str) -> Any:
    """A constant of a module, without importing it."""
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == name:
            return ast.literal_eval(node.value)
    pytest.fail(f"{file} has no {name}")


def documented() -> dict[str, Any]:
    options: dict[str, Any] = yaml.safe_load(constant(REPO / "plugins/modules/fabric_check.py", "DOCUMENTATION"))[
        "options"
    ]
    return {
        name: {key: value for key, value in option.items() if key != "description"} for name, option in options.items()
    }


def test_the_module_documents_exactly_the_arguments_of_the_action() -> None:
    assert documented() == constant(ACTION, "ARGUMENTS")


def test_the_action_is_a_thin_door() -> None:
    assert len(ACTION.read_text().splitlines()) <= 60


def test_every_option_of_the_role_reaches_the_action() -> None:
    specs = yaml.safe_load((ROLE / "meta" / "argument_specs.yml").read_text())["argument_specs"]["main"]["options"]
    (task,) = [
        t for t in yaml.safe_load((ROLE / "tasks" / "main.yml").read_text()) if "fabric_drift.fabric.fabric_check" in t
    ]
    passed = task["fabric_drift.fabric.fabric_check"]
    assert {f"drift_report_{name}" for name in passed} | {"drift_report_fail"} == set(specs)
    assert set(passed) <= set(documented())


def test_the_collection_is_found_beside_the_playbooks() -> None:
    link = REPO / "playbooks" / "collections" / "ansible_collections" / "fabric_drift" / "fabric"
    assert link.is_symlink()
    assert link.resolve() == REPO


def test_python_package_and_collection_have_one_version() -> None:
    project = tomllib.loads((REPO / "pyproject.toml").read_text())["project"]
    assert yaml.safe_load((REPO / "galaxy.yml").read_text())["version"] == project["version"]
