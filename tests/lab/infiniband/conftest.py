"""One simulated subnet for all tests of this folder; a test that changes it puts it back."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from fabric_drift.intent.infiniband import load
from fabric_drift.lab.infiniband.fabric import Size
from fabric_drift.lab.infiniband.lab import InfinibandLab
from fabric_drift.lab.infiniband.simulator import InfinibandLabError, require_packages
from tests.lab.infiniband.subnet import INTENT, Subnet


def need_packages() -> None:
    """Skips where the Debian packages are missing; with the marker ``lab``, CI turns that into a failure."""
    try:
        require_packages()
    except InfinibandLabError as error:
        pytest.skip(str(error))


def started(folder: Path, size: Size) -> Subnet:
    """A lab with the intent of ibpod on its SM nodes, up and in sync."""
    found = Subnet(InfinibandLab(folder, size), load(INTENT))
    found.install()
    return found


@pytest.fixture(scope="session")
def subnet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Subnet]:
    need_packages()
    found = started(tmp_path_factory.mktemp("ib"), Size())
    try:
        found.lab.up()
        yield found
    finally:
        found.lab.down()


@pytest.fixture
def own_subnet(tmp_path: Path) -> Iterator[Subnet]:
    """A lab of its own, not yet up, for tests that can't put back what they do."""
    need_packages()
    found = started(tmp_path, Size())
    try:
        yield found
    finally:
        found.lab.down()


@pytest.fixture
def calm(subnet: Subnet) -> Iterator[Subnet]:
    """The shared lab for tests that touch files of its nodes and never OpenSM: the files are put back."""
    folders = [node.path("/etc/opensm/x").parent for node in subnet.lab.sm_nodes.values()]
    before = {path: path.read_bytes() for folder in folders for path in folder.iterdir()}
    yield Subnet(subnet.lab, load(INTENT))
    for path, data in before.items():
        path.write_bytes(data)
    for node in subnet.lab.sm_nodes.values():
        node.path("/var/lib/fabric_drift/lock").unlink(missing_ok=True)
        for run in node.path("/var/lib/fabric_drift/x").parent.glob("run-*"):
            shutil.rmtree(run)
