"""A check as an Ansible play asks for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fabric_drift import registry
from fabric_drift.inventory import InventoryError
from fabric_drift.transport import Recording, captures
from fabric_drift.workflow import play
from tests.workflow.toy import Toy, ToyDevice, answers, changed, expectations


@pytest.fixture(autouse=True)
def toyland(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play, "from_intent", lambda _: expectations(ToyDevice("leaf1"), ToyDevice("leaf2")))
    monkeypatch.setattr(registry, "platforms", lambda: {"toy": Toy()})


def asked(tmp_path: Path, hosts: list[str], **changes: Any) -> dict[str, Any]:
    captures.write(tmp_path, Recording("leaf1", "toy", answers("leaf1", running=changed(pfc=[]))))
    captures.write(tmp_path, Recording("leaf2", "toy", answers("leaf2")))
    arguments = {"intent": "x", "captures": str(tmp_path), "output": [], "fail_on": "low", **changes}
    inventory = ["leaf1", "leaf2", "ntp"]
    return play.check_hosts({name: {} for name in inventory}, hosts, inventory, arguments)


def test_findings_and_a_verdict_come_back_for_each_host(tmp_path: Path) -> None:
    told = asked(tmp_path, ["leaf1", "leaf2", "ntp"])
    assert {name: device["ok"] for name, device in told["devices"].items()} == {"leaf1": False, "leaf2": True}
    assert [finding["fact"] for finding in told["findings"]["leaf1"]] == ["ports/Ethernet0/qos/pfc/priorities"]
    assert told["devices"]["leaf1"]["message"] == "1 facts are not as intended, 0 were not seen"
    assert told["summary"][-1] == "checked 2 of 2"
    assert told["exit_code"] == 4


def test_the_result_is_plain_data(tmp_path: Path) -> None:
    told = asked(tmp_path, ["leaf1", "leaf2"])
    assert json.loads(json.dumps(told)) == told


def test_only_the_hosts_of_the_play_are_checked(tmp_path: Path) -> None:
    assert list(asked(tmp_path, ["leaf2"])["devices"]) == ["leaf2"]


def test_a_play_without_any_device_says_that_nothing_was_checked(tmp_path: Path) -> None:
    told = asked(tmp_path, ["ntp"])
    assert told["devices"] == {}
    assert any("nothing was checked" in line for line in told["report"])


def test_a_device_that_the_inventory_lacks_fails_the_play(tmp_path: Path) -> None:
    arguments = {"intent": "x", "captures": str(tmp_path), "output": [], "fail_on": "low"}
    with pytest.raises(InventoryError, match="the intent has leaf2, the inventory has not"):
        play.check_hosts({"leaf1": {}}, ["leaf1"], ["leaf1"], arguments)


def test_reports_are_written_on_the_controller(tmp_path: Path) -> None:
    report = tmp_path / "report.md"
    asked(tmp_path, ["leaf1", "leaf2"], output=[f"md:{report}"])
    assert report.read_text().startswith("# Fabric toyland: drift\n")
