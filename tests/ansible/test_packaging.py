"""What is shipped: the collection by Ansible's own builder, and the wheel that carries it."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

REPO = Path(__file__).parents[2]
SHIPPED = {
    "meta/runtime.yml",
    "plugins/action/fabric_check.py",
    "plugins/modules/fabric_check.py",
    "roles/drift_report/meta/argument_specs.yml",
    "roles/drift_report/tasks/main.yml",
    "playbooks/drift_report.yml",
}
FOREIGN = ("fabric_drift/", "tests/", "intent/", "docs/", "playbooks/collections", "pyproject.toml", "ansible.cfg", ".")


def test_the_collection_holds_its_parts_and_nothing_else(tmp_path: Path) -> None:
    tool = str(Path(sys.executable).parent / "ansible-galaxy")
    command = [tool, "collection", "build", "--output-path", str(tmp_path), str(REPO)]
    subprocess.run(command, check=True, capture_output=True)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as content:
        names = {member.name for member in content if member.isfile()}
    assert names >= SHIPPED
    assert [name for name in sorted(names) if name.startswith(FOREIGN)] == []


def test_the_wheel_carries_the_collection(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(tmp_path),
        str(REPO),
    ]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as content:
        names = set(content.namelist())
    assert names >= {f"ansible_collections/fabric_drift/fabric/{name}" for name in SHIPPED}
    assert "fabric_drift/cli/__init__.py" in names
