"""The documented options of the action plugins are the ones they take, and the roles pass on what they promise."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

REPO = Path(__file__).parents[2]
NAMES = sorted(file.stem for file in (REPO / "plugins" / "action").glob("*.py"))
ROLES = {
    "drift_report": ("fabric_check", {"drift_report_fail"}),
    "roce_host": ("fabric_apply", set()),
    "roce_switch": ("fabric_apply", set()),
}
"""Role -> (action it wraps, options that don't reach the action)."""


def action(name: str) -> Path:
    return REPO / "plugins" / "action" / f"{name}.py"


def constant(file: Path, name: str) -> Any:
    """A constant of a module, without importing it; a constant may use constants above it by name."""
    known: dict[str, Any] = {}
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            known[node.targets[0].id] = node.value
    if name not in known:
        pytest.fail(f"{file} has no {name}")
    return ast.literal_eval(Inlined(known).visit(known[name]))


class Inlined(ast.NodeTransformer):
    """Puts the value in the place of a name."""

    def __init__(self, known: dict[str, Any]) -> None:
        self.known = known

    def visit_Name(self, node: ast.Name) -> Any:
        return self.known[node.id]


def documented(name: str) -> dict[str, Any]:
    text = constant(REPO / "plugins" / "modules" / f"{name}.py", "DOCUMENTATION")
    options: dict[str, Any] = yaml.safe_load(text)["options"]
    return {
        option: {key: value for key, value in told.items() if key != "description"} for option, told in options.items()
    }


@pytest.mark.parametrize("name", NAMES)
def test_the_module_documents_exactly_the_arguments_of_the_action(name: str) -> None:
    assert documented(name) == constant(action(name), "ARGUMENTS")


@pytest.mark.parametrize("name", NAMES)
def test_the_action_is_a_thin_door(name: str) -> None:
    assert len(action(name).read_text().splitlines()) <= 60


@pytest.mark.parametrize("name", NAMES)
def test_ansible_doc_shows_the_action(name: str) -> None:
    command = [str(Path(sys.executable).parent / "ansible-doc"), f"fabric_drift.fabric.{name}"]
    shown = subprocess.run(command, check=True, capture_output=True, text=True, cwd=REPO).stdout
    assert all(option in shown for option in documented(name))


@pytest.mark.parametrize("role", sorted(ROLES))
def test_every_option_of_the_role_reaches_the_action(role: str) -> None:
    name, own = ROLES[role]
    folder = REPO / "roles" / role
    specs = yaml.safe_load((folder / "meta" / "argument_specs.yml").read_text())["argument_specs"]["main"]["options"]
    tasks = yaml.safe_load((folder / "tasks" / "main.yml").read_text())
    (task,) = [task for task in tasks if f"fabric_drift.fabric.{name}" in task]
    passed = task[f"fabric_drift.fabric.{name}"]
    assert {f"{role}_{option}" for option in passed} | own == set(specs)
    assert set(passed) <= set(documented(name))


@pytest.mark.parametrize("role", sorted(path.name for path in (REPO / "roles").iterdir()))
def test_a_role_stays_small(role: str) -> None:
    assert len(yaml.safe_load((REPO / "roles" / role / "tasks" / "main.yml").read_text())) <= 10


def test_the_collection_is_found_beside_the_playbooks() -> None:
    link = REPO / "playbooks" / "collections" / "ansible_collections" / "fabric_drift" / "fabric"
    assert link.is_symlink()
    assert link.resolve() == REPO


def test_python_package_and_collection_have_one_version() -> None:
    project = tomllib.loads((REPO / "pyproject.toml").read_text())["project"]
    assert yaml.safe_load((REPO / "galaxy.yml").read_text())["version"] == project["version"]
