"""A change as an Ansible play asks for it: accounts, and a preview that a fleet's operator can read."""

from __future__ import annotations

from pathlib import Path

from fabric_drift.change import Refusal
from fabric_drift.workflow import told
from fabric_drift.workflow.live import LiveAccess
from fabric_drift.workflow.outcome import DevicePreview, PreviewResult, PreviewStatus
from fabric_drift.workflow.play_change import clean_lines, scene_for
from tests.workflow.toy import expectations

READER = {"ansible_host": "192.0.2.1", "ansible_user": "drift", "ansible_ssh_private_key_file": "/keys/drift"}
CHANGER = {"fabric_drift_change_user": "admin", "fabric_drift_change_key_file": "/keys/admin"}


def account(tmp_path: Path, **variables: str) -> tuple[str, tuple[str, ...]]:
    scene, _ = scene_for(expectations(), {"leaf1": variables}, ["leaf1"], ["leaf1"], {"intent": str(tmp_path)})
    assert isinstance(scene.access, LiveAccess)
    endpoint = scene.access.endpoints["leaf1"]
    return endpoint.user, tuple(endpoint.key_files)


def test_the_account_that_may_change_is_used_where_there_is_one(tmp_path: Path) -> None:
    assert account(tmp_path, **READER, **CHANGER) == ("admin", ("/keys/admin",))


def test_without_one_the_usual_account_is_used(tmp_path: Path) -> None:
    assert account(tmp_path, **READER) == ("drift", ("/keys/drift",))


def refused(name: str, *problems: str) -> DevicePreview:
    refusals = tuple(Refusal(("ports", "p"), problem, "Drain it") for problem in problems)
    return DevicePreview(name, "toy", PreviewStatus.REFUSED, refusals=refusals)


def test_devices_that_are_refused_for_the_same_reasons_are_told_together() -> None:
    devices = (refused("a", "flaps"), refused("b", "flaps"), refused("c", "reloads"))
    assert told.summary(PreviewResult("toyland", devices)) == [
        "refused: a, b",
        "  ports/p: flaps. Drain it",
        "refused: c",
        "  ports/p: reloads. Drain it",
        "3 refused",
    ]


def test_the_devices_own_name_is_not_repeated_in_its_problem() -> None:
    device = DevicePreview("a", "toy", PreviewStatus.FAILED, problems=("a: no answer. Check it [FD-SSH-001]",))
    assert told.summary(PreviewResult("toyland", (device,)))[1] == "  no answer. Check it [FD-SSH-001]"


def test_native_text_keeps_its_lines_and_loses_its_control_characters() -> None:
    assert clean_lines({"diff": {"prepared": "- a\x1b[2J\n+ b\r\n"}, "message": "one\ntwo"}) == {
        "diff": {"prepared": "- a\\x1b[2J\n+ b\\r\n"},
        "message": "one\\ntwo",
    }
