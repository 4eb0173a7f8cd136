"""The documented options of the action plugins are the ones they take, and the roles pass on what they promise."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

REPO = Path(__file__).parents[2]
NAMES = sorted(file.stem for file in (REPO / "plugins" / "action").glob("*.py"))
OVER_ANSIBLE = {"fabric_tree"}
"""Actions that reach the host as any module of Ansible does; the others have connections of their own."""
ROLES = {
    "drift_report": ("fabric_check", {"drift_report_fail"}),
    "roce_host": ("fabric_apply", set()),
    "roce_switch": ("fabric_apply", set()),
}
"""Role -> (action it wraps, options that don't reach the action)."""


KEYWORDS = ("type", "elements", "required", "default", "choices")
LOADED = """
import json, os, sys
from ansible.plugins.loader import action_loader, init_plugin_loader
init_plugin_loader([os.path.abspath("playbooks/collections")])
actions = {name: action_loader.get(f"fabric_drift.fabric.{name}", class_only=True) for name in sys.argv[1:]}
print(json.dumps({name: action.all_arguments() for name, action in actions.items()}))
"""


def action(name: str) -> Path:
    return REPO / "plugins" / "action" / f"{name}.py"


def told(*command: str) -> Any:
    """The JSON that a command prints in the checkout."""
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, cwd=REPO).stdout)


@pytest.fixture(scope="module")
def documented() -> dict[str, dict[str, Any]]:
    """By action: its options as ansible-doc shows them, without words and without what is the default anyway."""
    full = told(str(Path(sys.executable).parent / "ansible-doc"), "-j", *(f"fabric_drift.fabric.{n}" for n in NAMES))
    return {
        name: {
            option: {key: said[key] for key in KEYWORDS if said.get(key) is not None}
            for option, said in full[f"fabric_drift.fabric.{name}"]["doc"]["options"].items()
        }
        for name in NAMES
    }


def test_ansible_doc_shows_exactly_the_arguments_of_the_actions(documented: dict[str, dict[str, Any]]) -> None:
    assert documented == told(sys.executable, "-c", LOADED, *NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_action_is_a_thin_door(name: str) -> None:
    assert len(action(name).read_text().splitlines()) <= 60


@pytest.mark.parametrize("name", NAMES)
def test_ansible_doc_shows_the_action_to_people(name: str, documented: dict[str, dict[str, Any]]) -> None:
    command = [str(Path(sys.executable).parent / "ansible-doc"), f"fabric_drift.fabric.{name}"]
    shown = subprocess.run(command, check=True, capture_output=True, text=True, cwd=REPO).stdout
    assert all(option in shown for option in documented[name])
    assert ("usual connection variables" in " ".join(shown.split())) == (name not in OVER_ANSIBLE)


def test_without_the_python_package_the_task_fails_and_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "fabric_drift").mkdir()
    (tmp_path / "fabric_drift" / "__init__.py").write_text("raise ImportError('not installed')\n")
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    environment["ANSIBLE_COLLECTIONS_PATH"] = str(REPO / "playbooks" / "collections")
    command = [str(Path(sys.executable).parent / "ansible"), "localhost", "-m", "fabric_drift.fabric.fabric_check"]
    done = subprocess.run(
        [*command, "-a", "intent=intent/pod1"],
        check=False, capture_output=True, text=True, cwd=tmp_path, env=environment,
    )  # fmt: skip
    assert done.returncode != 0
    assert f"Python package missing: run {sys.executable} -m pip install fabric-drift" in done.stdout + done.stderr


@pytest.mark.parametrize("role", sorted(ROLES))
def test_every_option_of_the_role_reaches_the_action(role: str, documented: dict[str, dict[str, Any]]) -> None:
    name, own = ROLES[role]
    folder = REPO / "roles" / role
    specs = yaml.safe_load((folder / "meta" / "argument_specs.yml").read_text())["argument_specs"]["main"]["options"]
    tasks = yaml.safe_load((folder / "tasks" / "main.yml").read_text())
    (task,) = [task for task in tasks if f"fabric_drift.fabric.{name}" in task]
    passed = task[f"fabric_drift.fabric.{name}"]
    assert {f"{role}_{option}" for option in passed} | own == set(specs)
    assert set(passed) <= set(documented[name])


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
