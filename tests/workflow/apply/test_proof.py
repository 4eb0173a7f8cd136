"""What counts as proven, as worse, and as an answer."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from fabric_drift.change import Action, Health
from fabric_drift.platform import Output
from fabric_drift.workflow.expectations import Device
from fabric_drift.workflow.observe import Observation, changing, is_fact, observe
from fabric_drift.workflow.proof import effects, shortfalls, unsaved
from fabric_drift.workflow.vitals import Vitals, facing_only, from_json, worsened
from fabric_drift.workflow.vitals import as_json as vitals_as_json
from fabric_drift.workflow.walk import judged
from tests.faults.bench import PaperBench

WHOLE = {"Ethernet0": {"mtu": 9100, "pfc": [3, 4]}, "Ethernet8": {"mtu": 9100, "pfc": [3, 4]}}


@pytest.fixture
def bench(tmp_path: Path) -> PaperBench:
    return PaperBench(tmp_path)


def look(bench: PaperBench) -> Observation:
    scene = bench.scene()
    device: Device = scene.expectations.devices["leaf1"]
    return asyncio.run(observe(scene, device, changing(scene, device)))


def test_a_change_that_every_layer_shows_is_proven(bench: PaperBench) -> None:
    before = look(bench)
    bench.world.edit("leaf1", running=WHOLE)
    after = look(bench)
    assert shortfalls(before, after, before.plan) == ()
    assert effects(before, after) == {
        ("ports", name, "qos", "pfc", "priorities"): ([3], [3, 4]) for name in ("Ethernet0", "Ethernet8")
    }
    assert unsaved(before, after, before.plan)[0].startswith("saved configuration: ports/Ethernet0/qos/pfc/priorities")


def test_a_step_that_isnt_done_is_told(bench: PaperBench) -> None:
    before = look(bench)
    bench.world.edit("leaf1", running={**WHOLE, "Ethernet8": {"mtu": 9100, "pfc": [3]}})
    found = shortfalls(before, look(bench), before.plan)
    assert "still to do: port of Ethernet8" in found
    assert not any("Ethernet0" in line for line in found)


def test_hardware_that_doesnt_follow_is_told(bench: PaperBench) -> None:
    before = look(bench)
    bench.world.edit("leaf1", running=WHOLE, deaf_hardware=True)
    found = shortfalls(before, look(bench), before.plan)
    assert found
    assert all(line.startswith("hardware: ports/Ethernet") for line in found)


def test_a_fact_that_was_right_and_is_wrong_now_is_told(bench: PaperBench) -> None:
    before = look(bench)
    bench.world.edit("leaf1", running={**WHOLE, "Ethernet8": {"mtu": 1500, "pfc": [3, 4]}})
    assert any("mtu_bytes is 1500 instead of 9100" in line for line in shortfalls(before, look(bench), before.plan))


def test_native_rows_arent_mistaken_for_facts() -> None:
    assert is_fact(("ports", "Ethernet0", "mtu_bytes"))
    assert not is_fact(("CONFIG_DB", "PORT", "Ethernet0", "mtu"))


def test_a_neighbour_is_only_asked_about_its_ports_that_face_the_device() -> None:
    health = Health(
        frozenset({"Ethernet1/1", "Ethernet2/1"}),
        frozenset({"Ethernet1/1 leaf1 Ethernet0", "Ethernet2/1 leaf2 Ethernet0"}),
        frozenset({"10.0.0.1"}),
        {"Ethernet1/1/3": 1, "Ethernet2/1/3": 2},
        {"Ethernet2/1/3": 4},
    )
    assert facing_only(health, frozenset({"Ethernet1/1"})) == Health(
        frozenset({"Ethernet1/1"}), frozenset({"Ethernet1/1 leaf1 Ethernet0"}), frozenset(), {"Ethernet1/1/3": 1}, {}
    )


def test_a_neighbour_that_isnt_heard_any_more_is_worse() -> None:
    before = Vitals(Health(), {"spine1": Health(frozenset({"a"}))})
    assert worsened(before, before) == ()
    assert worsened(before, Vitals()) == (
        "on the neighbour spine1: port a went down",
        "on the neighbour spine1: health can't be read: it was not asked",
    )


def test_health_comes_back_from_the_run_log() -> None:
    vitals = Vitals(Health(frozenset({"a"}), unreadable=("x",)), {"n": Health(lossless_drops={"a/3": 1})})
    assert from_json(vitals_as_json(vitals)) == vitals


@pytest.mark.parametrize(
    ("output", "problem", "is_clear"),
    [
        (Output("done\n"), "", True),
        (Output("done\n% Invalid input here\n"), "the device refused: % Invalid input here", True),
        (Output("done\n", "no space\n", 1), "exit status 1: no space", True),
        (Output("", "", 1), "exit status 1: no message", True),
        (Output("what?\n"), "the answer doesn't show 'done'", False),
        (Output("done\n", exit_status=None, error="the connection failed"), "the connection failed", False),
    ],
)
def test_an_action_succeeds_only_by_all_its_signs(output: Output, problem: str, is_clear: bool) -> None:
    assert judged(Action("commit", refused_by=("^% ",), must_show="done"), output) == (problem, is_clear)


def test_a_secret_in_a_refusal_isnt_repeated() -> None:
    said, _ = judged(Action("x"), Output("", "line 3: username a secret 0 hunter2\n", 1))
    assert "hunter2" not in said
