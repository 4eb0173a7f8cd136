"""A node whose files UFM owns is read, and every change of it is refused: twice, here and on the node itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fabric_drift.expect.infiniband import expect
from fabric_drift.intent.infiniband import load
from fabric_drift.platform import Output, Target
from fabric_drift.platforms.opensm import PLATFORM, ib_change, ib_status
from fabric_drift.platforms.opensm.commands import STATUS

INTENT = Path(__file__).parents[3] / "intent" / "ibpod" / "infiniband"
TARGET = Target("sm1", "3.3.23")


def planned(*, owned_by_ufm: bool) -> Any:
    document = {
        "schema": 1, "hostname": "sm1", "version": "3.3.23", "files": dict.fromkeys(ib_status.FILES), "unread": {},
        "owned_by_ufm": owned_by_ufm, "console": None, "log": None,
    }  # fmt: skip
    reading = PLATFORM.parse({STATUS.text: Output(json.dumps(document))})
    return PLATFORM.plan(reading, PLATFORM.localise(expect(load(INTENT), "sm1"), TARGET), TARGET)


def test_a_plan_for_it_has_no_step_and_says_who_owns_it() -> None:
    plan = planned(owned_by_ufm=True)
    assert plan.steps == ()
    assert [refusal.problem for refusal in plan.refusals] == ["UFM owns the files of this node"]
    assert planned(owned_by_ufm=False).steps, "the same node without UFM would be changed"


def test_the_node_itself_refuses_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    owned = tmp_path / "opensm.conf"
    owned.touch()
    monkeypatch.setattr(ib_change, "UFM", owned)
    monkeypatch.setattr(ib_change, "HOME", tmp_path / "home")
    assert ib_change.main(["begin", "run"]) == 1
    assert "UFM owns the files of this node" in capsys.readouterr().err
    assert not (tmp_path / "home").exists()
