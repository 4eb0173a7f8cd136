"""GUIDs of compute and I/O nodes reach the routing engine, and leave it again when the intent drops them."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from fabric_drift.change import Stage
from fabric_drift.intent.infiniband import load
from fabric_drift.platforms.opensm import PLATFORM
from tests.intent.infiniband.editing import INTENT, edited
from tests.lab.infiniband.subnet import Subnet
from tests.lab.infiniband.test_apply import UNTIL_COMMIT, applied, files, planned, walk

pytestmark = pytest.mark.lab
ROLES = ("roots: spine", 'roots: spine\n  compute: [{hosts: ["gpu[001-005]"]}]\n  io: [{hosts: [gpu006]}]')


def settled(subnet: Subnet) -> set[tuple[str, str]]:
    """What drifts once the sweep is over."""
    for _ in range(50):
        found = subnet.drifted()
        if not found:
            break
        time.sleep(0.2)
    return found


def test_ftree_runs_with_compute_and_io_nodes_and_without_them_again(own_subnet: Subnet, tmp_path: Path) -> None:
    own_subnet.lab.up()
    own_subnet.fabric = load(edited(tmp_path / "intent", ROLES))
    titles = [step.title for step in planned(own_subnet).steps]
    assert titles == [
        "cn_guids.conf: rewritten, then restart",
        "io_guids.conf: rewritten, then restart",
        "opensm.conf: cn_guid_file, io_guid_file, then restart",
    ]
    before = files(own_subnet)
    procedure = PLATFORM.procedure(planned(own_subnet), "undone")
    walk(own_subnet, procedure, *UNTIL_COMMIT)
    assert "files are as they were" in walk(own_subnet, procedure, Stage.UNDO)
    assert files(own_subnet) == before
    assert not own_subnet.node("sm1").path("/etc/opensm/io_guids.conf").exists()
    applied(own_subnet, "sm1", "roles")
    assert settled(own_subnet) == set()  # the engine at work is ftree, and nothing is complained of
    assert planned(own_subnet).steps == ()
    own_subnet.fabric = load(INTENT)
    applied(own_subnet, "sm1", "plain")
    assert settled(own_subnet) == set()
    assert planned(own_subnet).steps == ()
    assert own_subnet.node("sm1").path("/etc/opensm/cn_guids.conf").read_text() == ""


def test_programs_that_are_older_than_the_check_leave_the_files_unobserved(calm: Subnet) -> None:
    program = calm.node("sm1").path("/usr/local/libexec/fabric_drift/ib_status.py")
    text = program.read_text()
    assert '    "io": "/etc/opensm/io_guids.conf",\n' in text
    try:
        program.write_text(text.replace('    "io": "/etc/opensm/io_guids.conf",\n', ""))
        assert calm.unobserved() == {("saved", "guid_files")}
    finally:
        program.write_text(text)
