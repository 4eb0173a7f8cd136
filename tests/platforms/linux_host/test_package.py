"""The package: it builds, its units and hooks are well-formed, and its Python is old enough for old hosts."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from fabric_drift.platforms.linux_host import conf
from fabric_drift.platforms.linux_host.procedure import FLAPPING, VERSION

FILES = Path(__file__).parents[3] / "fabric_drift" / "platforms" / "linux_host" / "files"
TREE = FILES / "tree"
MODULES = sorted((TREE / "usr/lib/roce-qos/roce_qos").glob("*.py"))
HOOKS = sorted((TREE / "usr/share/roce-qos").glob("drain-gate.*"))
CLUSTERS = {
    "slurm drained": ("slurm", {"scontrol": "echo NodeName=n State=IDLE+DRAIN Reason=x", "squeue": ":"}, 0),
    "slurm draining": ("slurm", {"scontrol": "echo NodeName=n State=ALLOCATED+DRAIN", "squeue": "echo 17"}, 1),
    "slurm idle": ("slurm", {"scontrol": "echo NodeName=n State=IDLE ThreadsPerCore=1", "squeue": ":"}, 1),
    "slurm drained with a job": ("slurm", {"scontrol": "echo NodeName=n State=IDLE+DRAIN", "squeue": "echo 17"}, 1),
    "slurm away": ("slurm", {"scontrol": "exit 1", "squeue": ":"}, 1),
    "squeue away": ("slurm", {"scontrol": "echo NodeName=n State=IDLE+DRAIN", "squeue": "exit 1"}, 1),
    "slurm not installed": ("slurm", {}, 1),
    "kubernetes drained": (
        "kubernetes",
        {"kubectl": "case $* in *'get node'*) echo true;; *) echo DaemonSet/x;; esac"},
        0,
    ),
    "kubernetes cordoned": ("kubernetes", {"kubectl": "case $* in *'get node'*) echo true;; *) echo Job/x;; esac"}, 1),
    "kubernetes open": ("kubernetes", {"kubectl": "case $* in *'get node'*) :;; *) echo DaemonSet/x;; esac"}, 1),
    "a pod of nobody": ("kubernetes", {"kubectl": "case $* in *'get node'*) echo true;; *) echo /x;; esac"}, 1),
    "kubernetes away": ("kubernetes", {"kubectl": "exit 1"}, 1),
    "pods not listed": ("kubernetes", {"kubectl": "case $* in *'get node'*) echo true;; *) exit 1;; esac"}, 1),
}


def test_the_debian_package_builds_and_holds_every_file(tmp_path: Path) -> None:
    if shutil.which("dpkg-deb") is None:
        pytest.skip("needs dpkg-deb, which only Debian has")
    tree = tmp_path / "tree"
    shutil.copytree(TREE, tree, ignore=shutil.ignore_patterns("__pycache__"))
    package = tmp_path / "roce-qos.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "--build", tree, package], check=True, capture_output=True)
    listed = subprocess.run(["dpkg-deb", "-c", package], check=True, capture_output=True, text=True).stdout
    names = {line.split()[5].removeprefix("./") for line in listed.splitlines() if not line.startswith("d")}
    assert names == {str(path.relative_to(tree)) for path in tree.rglob("*") if path.is_file()} - {
        f"DEBIAN/{name}" for name in ("control", "postinst", "postrm", "prerm")
    }
    modes = {line.split()[5].rpartition("/")[2]: line.split()[0] for line in listed.splitlines()}
    assert modes["roce-qos"] == modes["drain-gate.slurm"] == "-rwxr-xr-x"


def test_the_installed_program_runs_from_the_package(tmp_path: Path) -> None:
    launcher = (TREE / "usr/sbin/roce-qos").read_text().replace("/usr/lib/", f"{TREE}/usr/lib/")
    (tmp_path / "roce-qos").write_text(launcher)
    shown = subprocess.run(
        ["python3", "-I", tmp_path / "roce-qos", "--version"], check=True, capture_output=True, text=True
    )
    version = re.search(r"^Version: (.*)$", (TREE / "DEBIAN/control").read_text(), re.MULTILINE)
    assert version
    assert shown.stdout == f"roce-qos {version[1]}\n"
    assert re.match(VERSION, shown.stdout)
    assert f"Version:        {version[1]}\n" in (FILES / "roce-qos.spec").read_text()


def test_the_rpm_builds_and_holds_every_file_of_root(tmp_path: Path) -> None:
    if shutil.which("rpmbuild") is None:
        pytest.skip("needs rpmbuild: apt-get install rpm, dnf install rpm-build")
    tree = tmp_path / "tree"
    shutil.copytree(TREE, tree, ignore=shutil.ignore_patterns("__pycache__"))
    folders = [f"--define=_topdir {tmp_path / 'out'}", f"--define=tree {tree}"]
    subprocess.run(["rpmbuild", "-bb", *folders, FILES / "roce-qos.spec"], check=True, capture_output=True)
    (package,) = (tmp_path / "out").rglob("*.rpm")
    query: list[str | Path] = ["rpm", "-qp", "--qf", r"[%{FILEMODES:perms} %{FILEUSERNAME} %{FILENAMES}\n]", package]
    listed = subprocess.run(query, check=True, capture_output=True, text=True).stdout.split()
    rows = list(zip(*[iter(listed)] * 3, strict=True))
    files = {name.removeprefix("/"): mode for mode, _, name in rows if not mode.startswith("d")}
    assert files.keys() == {str(path.relative_to(tree)) for path in (tree / "usr").rglob("*") if path.is_file()}
    assert {user for _, user, _ in rows} == {"root"}
    assert files["usr/sbin/roce-qos"] == files["usr/share/roce-qos/drain-gate.slurm"] == "-rwxr-xr-x"


@pytest.mark.parametrize("name", ["postinst", "postrm", "prerm"])
def test_the_scripts_of_the_debian_package_are_executable_shell(name: str) -> None:
    script = TREE / "DEBIAN" / name
    assert os.access(script, os.X_OK)
    subprocess.run(["sh", "-n", script], check=True)


def test_the_rpm_lists_every_folder_of_the_tree() -> None:
    spec = (FILES / "roce-qos.spec").read_text().partition("%files")[2]
    listed = tuple(line for line in spec.split() if line.startswith("/"))
    for path in (path for path in (TREE / "usr").rglob("*") if path.is_file()):
        assert f"/{path.relative_to(TREE)}".startswith(listed), path


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_it_is_python_3_8(module: Path) -> None:
    tree = ast.parse(module.read_text(), feature_version=(3, 8))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    assert imports or module.name == "__init__.py", "annotations would be evaluated, and 3.8 can't"


def test_it_needs_nothing_but_the_standard_library() -> None:
    names = {
        name
        for module in MODULES
        for node in ast.walk(ast.parse(module.read_text()))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    known = {
        "__future__",
        "collections.abc",
        "fcntl",
        "json",
        "os",
        "pathlib",
        "re",
        "subprocess",
        "sys",
        "syslog",
        "time",
    }
    assert {name for name in names if not name.startswith("roce_qos")} <= known | {"typing"}


def test_the_program_and_the_renderer_know_the_same_keys_in_the_same_order() -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(MODULES[0].parents[1])!r}); from roce_qos.conf import KEYS; print(*KEYS)"
    )
    keys = subprocess.run(["python3", "-B", "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert [key for key in keys if key != "rdma_cm_folder"] == [key.name for key in conf.KEYS]
    settings = next(module for module in MODULES if module.stem == "settings").read_text()
    flaps = re.search(r"FLAPS = frozenset\(\((.*?)\)\)", settings, re.DOTALL)
    assert flaps
    assert set(re.findall(r'"(\w+)"', flaps[1])) == FLAPPING


@pytest.mark.parametrize("unit", sorted((TREE / "usr/lib/systemd/system").iterdir()), ids=lambda path: path.name)
def test_systemd_finds_nothing_wrong_with_the_units(unit: Path, tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("needs systemd-analyze")
    real = tmp_path / unit.name.replace("@.", "@enp24s0np0.")
    real.write_text(unit.read_text().replace("/usr/sbin/roce-qos", "/bin/true").replace("file:", "file://"))
    told = subprocess.run(["systemd-analyze", "verify", "--man=no", real], check=False, capture_output=True, text=True)
    assert [line for line in told.stderr.splitlines() if real.name in line] == []


def test_jobs_start_after_the_settings_and_a_reload_starts_them_again() -> None:
    unit = (TREE / "usr/lib/systemd/system/roce-qos@.service").read_text()
    assert "BindsTo=sys-subsystem-net-devices-%i.device" in unit
    assert "Before=slurmd.service kubelet.service" in unit
    rule = (TREE / "usr/lib/udev/rules.d/90-roce-qos.rules").read_text()
    assert 'ENV{SYSTEMD_WANTS}+="roce-qos@$name.service"' in rule


@pytest.mark.parametrize(("hook", "tools", "status"), CLUSTERS.values(), ids=CLUSTERS)
def test_the_example_gates_say_yes_only_to_a_drained_host(
    hook: str, tools: dict[str, str], status: int, tmp_path: Path
) -> None:
    for name, body in tools.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / name).chmod(0o755)
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    script = TREE / "usr/share/roce-qos" / f"drain-gate.{hook}"
    done = subprocess.run(["sh", script], env=environment, check=False, capture_output=True, text=True, timeout=30)
    assert (done.returncode, bool(done.stderr)) == (status, bool(status))
