"""check and capture against the lab, typed as a user types them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.conftest import Pod

pytestmark = pytest.mark.lab
PLATFORMS = {
    "sonic": ("leaf1", "leaf2", "spine1"),
    "eos": ("leaf3", "leaf4", "spine2"),
    "linux_host": ("gpu1", "gpu2", "gpu3"),
}
FAULTS = {
    "refuse": "unreachable",
    "hang": "unreachable",
    "drop:1": "unreachable",
    "wrong-hostname": "wrong_device",
    "changed-host-key": "unreachable",
    "truncate": "",
    "interleave": "",
    "garble": "",
    "non-utf8": "",
    "big:40": "",
    "drop:3": "",
    "sudo-refused:.": "",
}
"""Fault -> the status it must end in; empty: any but checked."""
EVERY_THIRD = [tuple(FAULTS)[start : start + 3] for start in range(0, len(FAULTS), 3)]


def test_a_fabric_that_booted_with_the_rendered_configuration_is_in_sync(pod: Pod) -> None:
    done = pod.check()
    assert done.stdout.splitlines()[-1] == "checked 14 of 14"
    assert (done.returncode, done.stderr) == (0, "")


def test_a_check_of_captures_equals_the_live_check_byte_for_byte(pod: Pod, tmp_path: Path) -> None:
    pod.do("lab", "drift", "leaf3", "extra/pfc_priority")
    pod.do("lab", "fault", "gpu2", "wrong-hostname")
    pod.do("lab", "fault", "gpu3", "refuse")
    try:
        live = pod.check("-o", f"json:{tmp_path / 'live.json'}")
        assert pod.run("capture", "-i", str(pod.inventory), "-d", str(tmp_path / "captures")).returncode == 3
        offline = pod.run("check", "--captures", str(tmp_path / "captures"), "-o", f"json:{tmp_path / 'offline.json'}")
    finally:
        pod.do("lab", "fault", "gpu2", "none")
        pod.do("lab", "fault", "gpu3", "none")
        reload(pod, "leaf3", tmp_path)
    assert (live.returncode, offline.returncode) == (4, 4)
    assert (tmp_path / "live.json").read_bytes() == (tmp_path / "offline.json").read_bytes()


def reload(pod: Pod, device: str, tmp_path: Path) -> None:
    pod.do("render", device, "--output", str(tmp_path / "again"))
    pod.do("lab", "load", str(tmp_path / "again"))


@pytest.mark.parametrize("faults", EVERY_THIRD, ids=" ".join)
def test_a_bad_day_never_ends_as_a_match(pod: Pod, tmp_path: Path, faults: tuple[str, ...]) -> None:
    report = tmp_path / "report.json"
    spoiled = {device: fault for devices in PLATFORMS.values() for device, fault in zip(devices, faults, strict=True)}
    if "sudo-refused:." in spoiled.values():  # EOS has no sudo
        spoiled = {device: fault for device, fault in spoiled.items() if device not in PLATFORMS["eos"]}
    for device, fault in spoiled.items():
        pod.do("lab", "fault", device, fault)
    try:
        done = pod.check(*spoiled, "--command-timeout", "5", "--device-timeout", "5", "-o", f"json:{report}")
    finally:
        for device in spoiled:
            pod.do("lab", "fault", device, "none")
    assert done.returncode in (3, 4)
    for found in json.loads(report.read_text())["devices"]:
        wanted = FAULTS[spoiled[found["name"]]]
        assert found["status"] == wanted if wanted else found["status"] != "checked", found


def test_a_refused_command_leaves_its_facts_unseen(pod: Pod, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    pod.do("lab", "fault", "leaf2", "sudo-refused:config_db")
    try:
        assert pod.check("leaf2", "-o", f"json:{report}").returncode == 3
    finally:
        pod.do("lab", "fault", "leaf2", "none")
    result: dict[str, Any] = json.loads(report.read_text())
    assert {finding["verdict"] for finding in result["findings"]} == {"unobserved", "information"}
    assert {f["layer"] for f in result["findings"] if f["verdict"] == "unobserved"} == {"saved"}
    assert result["devices"][0]["refused"] == [
        "cat /etc/sonic/config_db.json: exit status 1: sudo: a password is required"
    ]


def test_an_account_that_may_run_just_the_listed_commands_is_enough(pod: Pod) -> None:
    allow = pod.directory / "allow"
    allow.mkdir(exist_ok=True)
    for log in pod.directory.rglob("refused.log"):
        log.unlink()
    try:
        for platform in PLATFORMS:
            (allow / f"{platform}.json").write_text(pod.do("commands", "-p", platform, "-f", "json"))
        done = pod.check()
        assert done.stdout.splitlines()[-1] == "checked 14 of 14"
        assert list(pod.directory.rglob("refused.log")) == []
    finally:
        for platform in PLATFORMS:
            (allow / f"{platform}.json").unlink(missing_ok=True)
