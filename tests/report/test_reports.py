"""Every report says the same result, ends with what was looked at, and shows hostile text as text."""

from __future__ import annotations

import json as standard
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from fabric_drift.report import outputs
from fabric_drift.report.document import json_schema
from fabric_drift.report.files import write_private
from fabric_drift.report.groups import grouped
from fabric_drift.report.harmless import value_text
from fabric_drift.report.json import json
from fabric_drift.report.markdown import markdown
from fabric_drift.report.outputs import OutputError, destinations
from fabric_drift.report.text import text
from fabric_drift.result import CheckResult
from fabric_drift.state import ABSENT, Unobserved
from tests.report.meeting import meets
from tests.report.results import CLEAN, NASTY, RESULT, finding

GOLDEN = Path(__file__).parent / "golden"
FORMATS: dict[str, Callable[[CheckResult], str]] = {"text": text, "md": markdown, "json": json}


@pytest.mark.parametrize("form", ["text", "md"])
def test_the_report_reads_as_agreed(form: str) -> None:
    assert FORMATS[form](RESULT) == (GOLDEN / f"check.{form}").read_text()


def test_the_text_ends_with_what_was_found_and_what_was_looked_at() -> None:
    found, looked_at = text(RESULT).splitlines()[-2:]
    assert found == (
        "drift: 11 (6 critical, 1 high, 4 medium); 1 waived; 701 facts not seen; 1,234 facts as intended; "
        "1 outside the managed scope"
    )
    assert looked_at == "checked 1 of 4; 1 incomplete; 1 unreachable; 1 expected down"


def test_a_clean_fabric_is_two_lines() -> None:
    assert text(CLEAN) == "drift: 0; 7 facts as intended\nchecked 1 of 1\n"


def test_the_same_finding_on_many_ports_is_one_block() -> None:
    assert text(RESULT).count("ports/*/qos/pfc/priorities") == 1
    assert "    leaf1, leaf2: Ethernet[0-16/8]\n" in text(RESULT)


def test_layers_that_say_the_same_are_one_block_with_the_evidence_of_each() -> None:
    assert text(RESULT).count("ports/*/fec") == 1
    assert "~ ports/*/fec [saved, running]  rs -> none  medium FD-PORT-005" in text(RESULT)
    assert "leaf1 said (show saved:7) fec none\n    leaf1 said (show running:7) fec none" in text(RESULT)


def test_entries_of_a_map_that_say_the_same_are_one_block() -> None:
    entries = [
        finding(device, "Ethernet0", "qos", "maps", "dscp_to_tc", str(dscp), expected=0, actual=1)
        for device in ("leaf1", "leaf2")
        for dscp in (8, 9, 10, 46)
    ]
    other = finding("leaf1", "Ethernet0", "qos", "maps", "dscp_to_tc", "11", expected=0, actual=1)
    facts = [group.fact for group in grouped([*entries, other])]
    assert facts == ["ports/*/qos/maps/dscp_to_tc/11", "ports/*/qos/maps/dscp_to_tc/[8-10], 46"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({dscp: 3 if dscp == 26 else 0 for dscp in range(64)}, "{0-25: 0, 26: 3, 27-63: 0}"),
        (((0, 3), (3, 7), (6, "strict")), "0:3,3:7,6:strict"),
        ((), "none"),
        (True, "yes"),
        (ABSENT, "absent"),
        (Unobserved("refused"), "not seen (refused)"),
    ],
)
def test_values_are_short_words(value: object, shown: str) -> None:
    assert value_text(value) == shown


def test_verbose_adds_waived_foreign_and_notes() -> None:
    quiet, verbose = text(RESULT), text(RESULT, verbose=True)
    for mark in ("w ports/*/fec", "i ports/*", "note: LLDP is off", "no whole answer: show x", "spare, not expected"):
        assert mark in verbose
        assert mark not in quiet


def test_colour_changes_nothing_but_colour() -> None:
    coloured = text(RESULT, colour=True)
    assert "\x1b[1;31m~ ports/*/qos/pfc/priorities" in coloured
    for code in ("\x1b[1;31m", "\x1b[31m", "\x1b[33m", "\x1b[0m"):
        coloured = coloured.replace(code, "")
    assert coloured == text(RESULT)


@pytest.mark.parametrize("result", [RESULT, CLEAN, NASTY], ids=["full", "clean", "nasty"])
def test_json_meets_its_schema_and_says_nothing_that_is_not_in_it(result: CheckResult) -> None:
    meets(standard.loads(json(result)), json_schema())


def test_json_keeps_every_finding_and_device() -> None:
    report = standard.loads(json(RESULT))
    assert [device["status"] for device in report["devices"]] == [
        "checked", "incomplete", "unreachable", "expected_down",
    ]  # fmt: skip
    assert len(report["findings"]) == len(list(RESULT.findings))
    extra = next(item for item in report["findings"] if item["rule"] == "FD-QOS-002")
    assert (extra["expected"], extra["actual"]) == ({"absent": True}, 3)


@pytest.mark.parametrize("form", FORMATS)
def test_no_control_character_gets_out(form: str) -> None:
    out = FORMATS[form](NASTY)
    assert all(character.isprintable() or character == "\n" for character in out)


def test_a_hostile_text_makes_no_cell_of_its_own() -> None:
    rows = [line for line in markdown(NASTY).splitlines() if line.startswith("| `~`")]
    assert rows
    assert all(row.count("|") == 9 for row in rows)


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_result_gives_the_same_bytes(form: str) -> None:
    assert FORMATS[form](RESULT) == FORMATS[form](RESULT)


def test_several_reports_are_written_private_and_atomic(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    places = destinations(["text", f"json:{tmp_path / 'r.json'}", f"md:{tmp_path / 'r.md'}"])
    outputs.write(RESULT, places, verbose=False, colour=False)
    assert capsys.readouterr().out == text(RESULT)
    assert (tmp_path / "r.json").read_text() == json(RESULT)
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.json", "r.md"]


def test_a_report_that_can_not_be_replaced_stays_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "r.json"
    file.write_text("old")

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_private(file, "new")
    assert file.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["r.json"]


@pytest.mark.parametrize(
    ("wanted", "problem"),
    [
        (["html"], "'html' is no format"),
        (["text", "json"], "can't share standard output"),
        (["json:/nowhere/r.json"], "can't be written"),
    ],
)
def test_a_report_that_has_no_place_is_refused_before_any_device_is_read(wanted: list[str], problem: str) -> None:
    with pytest.raises(OutputError, match=problem):
        destinations(wanted)
