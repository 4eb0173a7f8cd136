"""Wave after wave, and what a failure means for the waves behind it."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric_drift.change import Stage
from fabric_drift.workflow.outcome import Approval, PreviewResult, Status
from fabric_drift.workflow.preview import preview
from fabric_drift.workflow.rollout import Rollout, rollout
from tests.faults.bench import PaperBench


@pytest.fixture
def bench(tmp_path: Path) -> PaperBench:
    return PaperBench(tmp_path)


def approvals(result: PreviewResult) -> dict[str, Approval]:
    return {item.device: item.approval for item in result.devices if item.approval}


def rolled(bench: PaperBench, result: PreviewResult, on_stale: str = "stop") -> Rollout:
    log = bench.directory / "log"
    return rollout(bench.scene(), result.waves, approvals(result), run_log=log, on_stale=on_stale)


def ends(found: Rollout) -> list[tuple[str, str]]:
    return [(turn.outcome.device, turn.outcome.status.value) for turn in found.turns]


def test_a_whole_fabric_changes_in_its_order_and_the_second_run_changes_nothing(bench: PaperBench) -> None:
    assert ends(rolled(bench, preview(bench.scene()))) == [
        ("spine1", "changed"), ("leaf1", "changed"), ("gpu1", "changed"),
    ]  # fmt: skip
    again = preview(bench.scene())
    assert again.waves == ()
    assert {item.status.value for item in again.devices} == {"unchanged"}


def test_the_first_failure_stops_what_comes_behind_it(bench: PaperBench) -> None:
    bench.world.edit("leaf1", refuses="Ethernet8")
    found = rolled(bench, preview(bench.scene()))
    assert ends(found) == [("spine1", "changed"), ("leaf1", "undone"), ("gpu1", "not_attempted")]
    assert not found.ok
    assert found.devices(Status.NOT_ATTEMPTED) == ("gpu1",)


def test_a_stale_device_stops_all_unless_asked_otherwise(bench: PaperBench) -> None:
    result = preview(bench.scene())
    bench.world.edit("spine1", running={"Ethernet0": {"mtu": 1500, "pfc": [3]}})
    assert ends(rolled(bench, result)) == [
        ("spine1", "refused"), ("leaf1", "not_attempted"), ("gpu1", "not_attempted"),
    ]  # fmt: skip


def test_skipping_a_stale_device_lets_its_part_go_on_but_no_later_part(bench: PaperBench) -> None:
    result = preview(bench.scene())
    bench.world.edit("spine1", running={"Ethernet0": {"mtu": 1500, "pfc": [3]}})
    assert ends(rolled(bench, result, "skip")) == [
        ("spine1", "refused"), ("leaf1", "changed"), ("gpu1", "not_attempted"),
    ]  # fmt: skip


def test_skipping_is_for_stale_devices_only(bench: PaperBench) -> None:
    bench.world.edit("spine1", refuses="Ethernet8")
    found = rolled(bench, preview(bench.scene()), "skip")
    assert ends(found) == [("spine1", "undone"), ("leaf1", "not_attempted"), ("gpu1", "not_attempted")]
    assert found.turns[0].outcome.stages[-1] is Stage.UNDO


def test_nobody_guesses_what_to_do_with_a_stale_device(bench: PaperBench) -> None:
    with pytest.raises(ValueError, match="stop or skip"):
        rolled(bench, preview(bench.scene()), "ignore")
