"""What a UFM, its proxy or its network does wrong: unobserved or an error, never a match and never another state."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fabric_drift.errors import Unreachable
from fabric_drift.finding import Verdict
from fabric_drift.inventory.host import Secret
from fabric_drift.lab.ufm.faults import FAULTS
from fabric_drift.platforms.ufm.commands import FIRST
from fabric_drift.result import DeviceStatus
from fabric_drift.transport import captures
from fabric_drift.workflow.capture import capture
from fabric_drift.workflow.exit_code import exit_code
from fabric_drift.workflow.expectations import from_intent
from fabric_drift.workflow.sources import Captured
from tests.lab.ufm.conftest import Lab
from tests.platforms.ufm.emulation import send

VERSION = "app/ufm_version"
FAST = [kind for kind in FAULTS if kind != "hang"]
HARMLESS = {
    ("lost-guids", VERSION), ("lost-guids", "app/smconf"), ("lost-guids", "qos_conf=true"), ("cut-guids", VERSION),
    ("cut-guids", "app/smconf"), ("cut-guids", "qos_conf=true"), ("partial", VERSION),
}  # fmt: skip
"""Faults that don't change the answer at that place: there is nothing to cut in it."""
PLACES = (VERSION, "app/smconf", "pkeys?guids_data", "qos_conf=true", "0x10?guids_data")


@pytest.mark.parametrize("kind", FAST)
@pytest.mark.parametrize("place", PLACES)
def test_a_spoilt_answer_never_looks_like_a_healthy_or_a_drifted_ufm(lab: Lab, kind: str, place: str) -> None:
    healthy = lab.device()
    lab.ufm.fault(kind, place)
    result = lab.device()
    assert result.facts[Verdict.DRIFT] == 0, "a lost answer is no drift"
    if (kind, place) in HARMLESS:
        assert result.facts == healthy.facts
        return
    assert result.status is not DeviceStatus.CHECKED
    assert result.facts[Verdict.MATCH] < healthy.facts[Verdict.MATCH]
    assert result.facts[Verdict.UNOBSERVED] + result.facts[Verdict.ERROR] > 0


@pytest.mark.parametrize("kind", ["lost-guids", "cut-guids", "partial", "empty", "broken"])
@pytest.mark.parametrize("place", PLACES)
def test_drift_is_never_hidden_as_a_match_by_a_spoilt_answer(lab: Lab, kind: str, place: str) -> None:
    send(lab.ufm, "POST", "/ufmRest/resources/pkeys/", {"pkey": "0x10", "guids": ["0c42a10300000081"]})
    lab.ufm.fault(kind, place)
    result = lab.device()
    assert result.facts[Verdict.DRIFT] or result.facts[Verdict.UNOBSERVED] or result.facts[Verdict.ERROR]


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("unauthorised", DeviceStatus.UNAUTHORISED),
        ("forbidden", DeviceStatus.UNAUTHORISED),
        ("html", DeviceStatus.UNAUTHORISED),
        ("missing", DeviceStatus.UNPARSED),
        ("broken", DeviceStatus.UNPARSED),
        ("redirect", DeviceStatus.UNPARSED),
        ("short", DeviceStatus.UNREACHABLE),
        ("truncated", DeviceStatus.UNPARSED),
        ("empty", DeviceStatus.UNPARSED),
    ],
)
def test_a_fault_of_everything_is_told_by_who_must_act(lab: Lab, kind: str, status: DeviceStatus) -> None:
    lab.ufm.fault(kind)
    result = lab.check()
    assert result.devices[0].status is status
    assert exit_code(result) == 3


def test_a_ufm_that_hangs_is_unreachable_in_time(lab: Lab) -> None:
    lab.ufm.fault("hang")
    lab.limits = replace(lab.limits, command_seconds=0.2, device_seconds=1)
    assert lab.device().status is DeviceStatus.UNREACHABLE


def test_one_answer_that_hangs_costs_only_its_facts(lab: Lab) -> None:
    lab.ufm.fault("hang", "app/smconf")
    lab.limits = replace(lab.limits, command_seconds=0.3)
    result = lab.device()
    assert result.status is DeviceStatus.INCOMPLETE
    assert any("app/smconf" in line for line in result.refused)
    assert result.facts[Verdict.MATCH] > 20


def test_another_ufm_at_the_address_is_not_compared(lab: Lab, tmp_path: Path) -> None:
    """Its certificate is good, and of another name than the manager of the intent."""
    from fabric_drift.lab.ufm.server import Ufm, serve  # noqa: PLC0415

    with serve(Ufm(), tmp_path, "ufm2") as port:
        lab.host = replace(lab.host, port=port, tls_name="ufm2", ca_file=str(tmp_path / "ca.pem"))
        assert lab.device().status is DeviceStatus.WRONG_DEVICE
        lab.host = replace(lab.host, tls_name="ufm1")
        assert lab.device().status is DeviceStatus.UNREACHABLE


def test_a_release_that_nobody_has_read_the_guide_of_is_unsupported(lab: Lab) -> None:
    send(lab.ufm, "POST", "/_lab/model", {"release": "7.0.1"})
    assert lab.device().status is DeviceStatus.UNSUPPORTED


@pytest.mark.parametrize("release", ["6.12.0", "6.19.3", "6.24.1"])
def test_releases_with_a_guide_are_read(lab: Lab, release: str) -> None:
    send(lab.ufm, "POST", "/_lab/model", {"release": release})
    assert lab.device().release == release
    assert lab.device().status is (DeviceStatus.INCOMPLETE if release == "6.12.0" else DeviceStatus.CHECKED)


def test_without_hardware_off_the_check_stays_incomplete(lab: Lab, tmp_path: Path) -> None:
    """UFM's word is not the hardware: whoever doesn't say that it is enough is told so, each time."""
    source = from_intent_text(tmp_path, lambda text: text.replace(", hardware: off", ""))
    result = replace_expectations(lab, source).check()
    (device,) = result.devices
    unseen = {"/".join(f.path) for f in device.findings if f.verdict is Verdict.UNOBSERVED}
    assert unseen == {"infiniband/manager/state", "infiniband/subnet"}
    assert device.facts[Verdict.UNOBSERVED] > 500
    assert exit_code(result) == 3


def from_intent_text(folder: Path, change: object) -> Path:
    from tests.lab.ufm.conftest import INTENT  # noqa: PLC0415

    target = folder / "infiniband"
    target.mkdir()
    for file in (INTENT / "infiniband").iterdir():
        text = file.read_text()
        (target / file.name).write_text(change(text) if file.suffix == ".yml" else text)  # type: ignore[operator]
    return folder


def replace_expectations(lab: Lab, folder: Path) -> Lab:
    return Lab(lab.ufm, lab.host, expectations=from_intent(folder))


def test_a_capture_judged_later_equals_the_check_now(lab: Lab, tmp_path: Path) -> None:
    send(lab.ufm, "POST", "/ufmRest/resources/pkeys/", {"pkey": "0x40", "guids": ["0c42a10300000001"]})
    lab.ufm.fault("broken", "0x20?guids")
    live = lab.check()
    capture(lab.expectations, lab.live(), tmp_path)
    assert lab.check(Captured(tmp_path)) == live


def test_a_capture_of_a_healthy_ufm_equals_the_check_too(lab: Lab, tmp_path: Path) -> None:
    live = lab.check()
    capture(lab.expectations, lab.live(), tmp_path)
    lab.ufm.fault("hang")  # nobody is asked any more
    assert lab.check(Captured(tmp_path)) == live


def test_a_capture_of_a_refused_login_says_so_later(lab: Lab, tmp_path: Path) -> None:
    lab.host = replace(lab.host, password=Secret("hunter2"))
    result = capture(lab.expectations, lab.live(), tmp_path)
    assert result.captured == ()
    assert lab.device(Captured(tmp_path)).status is DeviceStatus.UNAUTHORISED


def test_no_secret_is_in_a_capture(lab: Lab, tmp_path: Path) -> None:
    send(lab.ufm, "POST", "/_lab/smconf", {"m_key": "0x00c0ffee00c0ffee", "sm_key": 987654321})
    capture(lab.expectations, lab.live(), tmp_path)
    kept = "".join(path.read_text() for path in tmp_path.rglob("*") if path.is_file())
    for secret in ("c0ffee", "987654321", '123456"', "authorization", "Basic "):
        assert secret not in kept
    options = captures.read(tmp_path, "ufm1", "ufm").outputs["GET /ufmRest/app/smconf"].stdout
    assert '"m_key": "<scrubbed>"' in options
    assert {"infiniband/options/m_key", "infiniband/options/sm_key"} == set(lab.told())


def test_an_inventory_without_it_is_told(lab: Lab) -> None:
    from fabric_drift.workflow.sources import Live  # noqa: PLC0415

    (device,) = lab.check(Live({})).devices
    assert device.status is DeviceStatus.UNREACHABLE
    assert Unreachable.kind == "unreachable"


def test_every_command_is_in_the_published_list(lab: Lab) -> None:
    lab.check()
    asked = {request for request in lab.ufm.requests if "0x" not in request}
    assert asked == {command.text for command in FIRST}
