"""What is shipped: the collection by Ansible's own builder, the same from Git, and the wheel that carries it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

REPO = Path(__file__).parents[2]
GALAXY = str(Path(sys.executable).parent / "ansible-galaxy")
SHIPPED = {
    path.relative_to(REPO).as_posix()
    for pattern in ("meta/*.yml", "plugins/*/*.py", "roles/*/*/*.yml", "playbooks/*.yml")
    for path in REPO.glob(pattern)
}
FOREIGN = ("fabric_drift/", "tests/", "intent/", "docs/", "playbooks/collections", "pyproject.toml", "ansible.cfg", ".")


def foreign(names: Iterable[str]) -> list[str]:
    return [name for name in sorted(names) if name.startswith(FOREIGN)]


def test_the_parts_are_the_ones_that_are_promised() -> None:
    playbooks = {"drift_report", "roce_lossless", "rollback"}
    actions = {"fabric_check", "fabric_preview", "fabric_apply", "fabric_rollback", "fabric_tree"}
    assert {f"playbooks/{name}.yml" for name in playbooks} <= SHIPPED
    assert {f"plugins/{kind}/{name}.py" for kind in ("action", "modules") for name in actions} <= SHIPPED


def test_the_collection_holds_its_parts_and_nothing_else(tmp_path: Path) -> None:
    subprocess.run(
        [GALAXY, "collection", "build", "--output-path", str(tmp_path), str(REPO)], check=True, capture_output=True
    )
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as content:
        names = {member.name for member in content if member.isfile()}
    assert names >= SHIPPED
    assert foreign(names) == []


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """The files that Git knows, as a repository of their own: this one may be a shallow or a linked checkout."""
    copy = tmp_path / "fabric"
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], check=True, capture_output=True, cwd=REPO
    )
    for name in listed.stdout.decode().split("\0"):
        if name and (REPO / name).exists():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(REPO / name, copy / name, follow_symlinks=False)
    for command in (["init", "-q"], ["add", "-A"], ["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "t"]):
        subprocess.run(["git", *command], check=True, capture_output=True, cwd=copy)
    return copy


def test_the_collection_installs_from_git(repository: Path, tmp_path: Path) -> None:
    target = tmp_path / "installed"
    environment = {**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(target)}
    command = [GALAXY, "collection", "install", f"git+file://{repository}", "-p", str(target)]
    subprocess.run(command, check=True, capture_output=True, env=environment, cwd=tmp_path)
    installed = target / "ansible_collections" / "fabric_drift" / "fabric"
    names = {path.relative_to(installed).as_posix() for path in installed.rglob("*") if path.is_file()}
    assert names >= SHIPPED
    assert foreign(names) == []
    playbook = [str(Path(GALAXY).parent / "ansible-playbook"), "--syntax-check", "fabric_drift.fabric.roce_lossless"]
    done = subprocess.run(playbook, capture_output=True, text=True, env=environment, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr


def test_the_wheel_carries_the_collection(tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "-w", str(tmp_path), str(REPO)], check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as content:
        names = set(content.namelist())
    assert names >= {f"ansible_collections/fabric_drift/fabric/{name}" for name in SHIPPED}
    assert "fabric_drift/cli/__init__.py" in names
