"""A capture is private, whole or not there, readable by people, and reads back as it was."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from fabric_drift.errors import FabricDriftError, Unauthorised, Unparsed, Unreachable
from fabric_drift.platform import Output
from fabric_drift.transport import Recording, captures

WHOLE = Recording(
    "leaf1",
    "toy",
    {
        "show identity": Output('{"hostname": "leaf1"}\r\n'),
        "show running": Output("", "sudo: a password is required\n", 1),
        "show saved": Output("half", "", None, "the connection ended before the command did"),
        "show ünicode / and more": Output("grün\n"),
    },
)


def test_a_recording_reads_back_as_it_was(tmp_path: Path) -> None:
    captures.write(tmp_path / "captures", WHOLE)
    assert captures.read(tmp_path / "captures", "leaf1", "toy") == WHOLE


def test_a_failure_reads_back_as_the_same_error(tmp_path: Path) -> None:
    failure = Unauthorised("no login", where="leaf1", remedy="Mend it", code="FD-SSH-004")
    captures.write(tmp_path, Recording("leaf1", "toy", failure=failure))
    back = captures.read(tmp_path, "leaf1", "toy").failure
    assert isinstance(back, Unauthorised)
    assert back.text() == failure.text()


def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    place = captures.write(tmp_path / "captures", WHOLE)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in place.iterdir()}
    assert modes == {0o600}
    assert stat.S_IMODE(place.stat().st_mode) == 0o700


def test_commands_are_files_that_a_person_can_grep(tmp_path: Path) -> None:
    place = captures.write(tmp_path, WHOLE)
    assert sorted(path.name for path in place.iterdir()) == [
        "01-show_identity.txt",
        "02-show_running.txt",
        "03-show_saved.txt",
        "04-show_nicode_and_more.txt",
        "index.json",
    ]


def test_a_new_capture_replaces_the_old_one_whole(tmp_path: Path) -> None:
    captures.write(tmp_path, WHOLE)
    captures.write(tmp_path, Recording("leaf1", "toy", {"show identity": Output("new")}))
    assert captures.read(tmp_path, "leaf1", "toy").outputs == {"show identity": Output("new")}
    assert [path.name for path in tmp_path.iterdir()] == ["leaf1"]


def test_a_write_that_fails_leaves_the_old_capture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    captures.write(tmp_path, WHOLE)

    def full(_path: Path, _text: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(captures, "_write_private", full)
    with pytest.raises(OSError, match="No space"):
        captures.write(tmp_path, Recording("leaf1", "toy", {"show identity": Output("new")}))
    assert captures.read(tmp_path, "leaf1", "toy") == WHOLE
    assert [path.name for path in tmp_path.iterdir()] == ["leaf1"]


def failure_of(tmp_path: Path) -> FabricDriftError:
    failure = captures.read(tmp_path, "leaf1", "toy").failure
    assert failure is not None
    return failure


def test_a_missing_capture_is_a_failure_of_that_device(tmp_path: Path) -> None:
    assert isinstance(failure_of(tmp_path), Unreachable)


@pytest.mark.parametrize(
    "damage",
    [
        {"schema": 2},
        {"device": "leaf2"},
        {"platform": "other"},
        {"commands": [{"command": "x", "file": "../../secret", "stderr": "", "exit_status": 0, "error": ""}]},
        {"commands": [{"command": "x", "file": "index.json", "stderr": "", "exit_status": "0", "error": ""}]},
        {"commands": [{"command": "x"}]},
        {"commands": 7},
        {"failure": {"kind": "nonsense"}},
    ],
)
def test_a_damaged_index_is_unparsed_and_leads_nowhere(tmp_path: Path, damage: dict[str, object]) -> None:
    index = captures.write(tmp_path, WHOLE) / "index.json"
    index.write_text(json.dumps({**json.loads(index.read_text()), **damage}))
    assert isinstance(failure_of(tmp_path), Unparsed)


def test_a_missing_answer_is_unparsed(tmp_path: Path) -> None:
    (captures.write(tmp_path, WHOLE) / "02-show_running.txt").unlink()
    assert isinstance(failure_of(tmp_path), Unparsed)


def test_a_device_name_can_not_leave_the_directory(tmp_path: Path) -> None:
    with pytest.raises(Unparsed, match="can't name a directory"):
        captures.write(tmp_path, Recording("../leaf1", "toy"))


def test_secrets_of_a_foreign_capture_go_when_it_is_read(tmp_path: Path) -> None:
    place = captures.write(tmp_path, WHOLE)
    (place / "01-show_identity.txt").write_text("enable password 7 0822455D0A16\n")
    assert captures.read(tmp_path, "leaf1", "toy").outputs["show identity"].stdout == "enable password 7 <scrubbed>\n"
