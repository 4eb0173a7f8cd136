"""Waivers: scope, reason, owner, expiry; expired ones give the finding back."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from fabric_drift.errors import IntentErrors
from fabric_drift.finding import Finding, Layer, Verdict
from fabric_drift.workflow import waivers

TODAY = date(2026, 11, 29)
FEC = Finding("leaf1", ("ports", "Ethernet1/1", "fec"), Layer.RUNNING, Verdict.DRIFT, "rs", "none", rule="FD-PORT-005")


def load(tmp_path: Path, text: str) -> tuple[waivers.Waiver, ...]:
    file = tmp_path / "waivers.yml"
    file.write_text(text)
    return waivers.load(file)


def one(scope: str, expires: str = "2027-01-01") -> str:
    return f"waivers:\n  - {{{scope}, reason: optics are on order, owner: net-team, expires: {expires}}}\n"


@pytest.mark.parametrize(
    "scope",
    [
        "fact: ports/*/fec",
        "fact: ports/Ethernet1/1/fec",
        "fact: ports/*",
        "rule: FD-PORT-005, devices: leaf*",
        "rule: FD-PORT-005, devices: [spine1, leaf1], layer: running",
        f"id: {FEC.id}",
    ],
)
def test_a_waiver_in_scope_turns_drift_into_waived(tmp_path: Path, scope: str) -> None:
    (finding,) = waivers.apply([FEC], load(tmp_path, one(scope)), TODAY)
    assert finding.verdict is Verdict.WAIVED
    assert finding.message.endswith("waived until 2027-01-01 by net-team: optics are on order")
    assert str(finding.sources[-1]) == f"{tmp_path / 'waivers.yml'}:2"


@pytest.mark.parametrize(
    "scope",
    ["fact: ports/*/mtu_bytes", "rule: FD-PORT-005, devices: spine*", "fact: ports/*/fec, layer: saved", "id: 0"],
)
def test_a_waiver_out_of_scope_changes_nothing(tmp_path: Path, scope: str) -> None:
    scope = scope.replace("id: 0", "id: '0'")
    assert waivers.apply([FEC], load(tmp_path, one(scope)), TODAY) == (FEC,)


def test_what_was_not_seen_can_not_be_waived(tmp_path: Path) -> None:
    unseen = Finding("leaf1", FEC.path, Layer.RUNNING, Verdict.UNOBSERVED, "rs", "none")
    assert waivers.apply([unseen], load(tmp_path, one("fact: ports")), TODAY) == (unseen,)


def test_an_expired_waiver_gives_the_finding_back_and_warns(tmp_path: Path) -> None:
    expired = load(tmp_path, one("fact: ports/*/fec", "2026-11-28"))
    assert waivers.apply([FEC], expired, TODAY) == (FEC,)
    assert waivers.warnings(expired, [FEC], TODAY) == (
        f"{tmp_path / 'waivers.yml'}:2: waiver of net-team expired on 2026-11-28; its findings are back",
    )


def test_a_waiver_holds_on_its_last_day_and_warns(tmp_path: Path) -> None:
    last = load(tmp_path, one("fact: ports/*/fec", "2026-11-29"))
    found = waivers.apply([FEC], last, TODAY)
    assert found[0].verdict is Verdict.WAIVED
    assert "expires in 0 d" in waivers.warnings(last, found, TODAY)[0]


def test_a_waiver_without_anything_to_waive_warns(tmp_path: Path) -> None:
    assert "waives nothing" in waivers.warnings(load(tmp_path, one("fact: ports/*/fec")), [], TODAY)[0]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("waivers: [\n", "can't be read"),
        ("- a\n", "isn't a mapping with one list"),
        (one("devices: leaf1"), "would waive everything"),
        (one("fact: ports, colour: red"), "isn't a key of a waiver"),
        (one("fact: ports, fact: pools"), "is given twice"),
        (one("fact: ports", "soon"), "'soon' isn't a date"),
        (one("fact: ports, devices: 7"), "isn't a name, a pattern"),
        (one("id: 12345"), "12345 isn't text"),
        ("waivers: [{fact: ports, owner: me, expires: 2027-01-01}]", "reason: is missing"),
        ("waivers: [1]", "an entry isn't a mapping"),
        ("waivers: [{fact: !!python/object:os.system x, owner: me, reason: y, expires: 2027-01-01}]", "can't be read"),
    ],
)
def test_a_fault_is_told_with_file_and_line(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(IntentErrors) as caught:
        load(tmp_path, text)
    assert len(caught.value.errors) == 1
    assert problem in caught.value.text()
    assert caught.value.text().startswith(f"{tmp_path / 'waivers.yml'}:")
