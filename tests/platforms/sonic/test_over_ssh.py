"""A whole change over real SSH: files by standard input, a client that dies, and the switch that helps itself."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import asyncssh
import pytest

from fabric_drift.change import Procedure, Stage
from fabric_drift.lab import control
from fabric_drift.platforms.sonic import PLATFORM
from tests.lab.conftest import Lab, sonic_switches, start_lab
from tests.platforms.sonic.changing import APPLYING, Switch
from tests.platforms.sonic.test_plan import intent

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    running = start_lab(tmp_path_factory.mktemp("lab"), sonic_switches())
    yield running
    assert control.stop(running.directory)


def _walk(lab: Lab, device: str, procedure: Procedure, *stages: Stage) -> None:
    """Every stage over a connection of its own; all actions have to succeed."""

    async def main() -> None:
        for stage in stages:
            async with lab.connect(device) as connection:
                for action in procedure.stages[stage]:
                    result = await connection.run(action.command, input=action.stdin or None)
                    if result.exit_status is None:
                        raise ConnectionResetError(action.command)
                    assert result.exit_status == 0, (action.command, result.stderr)

    asyncio.run(asyncio.wait_for(main(), 60))


def _priorities(lab: Lab) -> str:
    return lab.text("leaf2", "sonic-db-cli CONFIG_DB hget 'PORT_QOS_MAP|Ethernet0' pfc_enable")


def test_the_switch_undoes_a_change_whose_client_died_and_keeps_one_that_was_confirmed(lab: Lab) -> None:
    plan = Switch("leaf2").plan(intent("leaf2"))
    _walk(lab, "leaf2", PLATFORM.procedure(plan, "r1"), *APPLYING)
    assert _priorities(lab) == "3\n"
    fired = lab.order(do="clock", advance=plan.deadline_s + 1)["fired"]
    assert fired == [{"device": "leaf2", "unit": "fabric-drift-undo-r1"}]
    assert _priorities(lab) == "3,4\n"

    _walk(lab, "leaf2", PLATFORM.procedure(plan, "r2"), *APPLYING, Stage.CONFIRM)
    assert lab.order(do="clock", advance=100_000)["fired"] == []
    assert _priorities(lab) == "3\n"
    store = Path(lab.directory.device("leaf2") / "store.json").read_text()
    assert '"timers":[]' in store


def test_a_connection_that_is_cut_while_files_are_written_ends_as_before(lab: Lab) -> None:
    plan = Switch("spine1").plan(intent("spine1"))
    procedure = PLATFORM.procedure(plan, "r1")
    before = lab.text("spine1", "sonic-cfggen -d --print-data")
    lab.order(do="fault", device="spine1", fault="drop:4")
    with pytest.raises((asyncssh.Error, ConnectionResetError)):
        _walk(lab, "spine1", procedure, *APPLYING)
    lab.order(do="fault", device="spine1", fault="none")
    lab.order(do="clock", advance=plan.deadline_s + 901)
    assert lab.text("spine1", "sonic-cfggen -d --print-data") == before
    _walk(lab, "spine1", PLATFORM.procedure(plan, "r2"), *APPLYING, Stage.CONFIRM)
