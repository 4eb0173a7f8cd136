"""Troubles of a device itself: the same on every kind, on disk, as many at once as wanted, and none ends them."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from fabric_drift.lab import fabrics
from fabric_drift.lab.control import LabError
from fabric_drift.lab.device import RunningDevice
from fabric_drift.lab.directory import LabDirectory
from fabric_drift.lab.emulators import emulator
from fabric_drift.lab.troubles import UnknownTroubleError
from fabric_drift.lab.wiring import Wiring
from tests.lab.conftest import Lab

POD = {device.name: device for device in fabrics.pod1()}
DROPS = "show interfaces counters queue detail | json"
NAME = {"leaf1": "hostname", "leaf3": "show hostname | json", "gpu1": "hostname"}


@pytest.fixture
def devices(tmp_path: Path) -> dict[str, RunningDevice]:
    """One of each kind, and the EOS spine that feels what the leaves do."""
    names = (*NAME, "spine2")
    found = {n: RunningDevice(LabDirectory(tmp_path), POD[n], emulator(POD[n].emulator)) for n in names}
    wiring = Wiring(POD, found.get)
    for name, device in found.items():
        device.changed = partial(wiring.carry, name)
    return found


@pytest.mark.parametrize("name", NAME)
def test_a_refused_command_has_no_effect_and_others_go_on(devices: dict[str, RunningDevice], name: str) -> None:
    device = devices[name]
    device.trouble(f"refuses:{NAME[name].split()[-1].replace('json', 'hostname')}")
    assert device.run("admin", NAME[name]).exit_status == 1
    device.trouble("none")
    assert device.run("admin", NAME[name]).exit_status == 0


def test_a_device_says_one_thing_for_another(devices: dict[str, RunningDevice]) -> None:
    devices["leaf1"].trouble("says:202505=>202211")
    answer = devices["leaf1"].run("admin", "cat /etc/sonic/sonic_version.yml").stdout
    assert ("release: '202211'" in answer, "202505" in answer) == (True, False)


@pytest.mark.parametrize("name", ["leaf1", "gpu1"])
def test_timers_that_never_fire_are_still_there(devices: dict[str, RunningDevice], name: str) -> None:
    device = devices[name]
    device.run("admin", "sudo -n systemd-run --unit=later --on-active=5s true")
    device.trouble("no-timers")
    assert (device.tick(1000.0), [timer["unit"] for timer in device.store["timers"]]) == ([], ["later"])
    device.trouble("none")
    assert device.store["timers"] == []


def test_a_clock_that_jumps_fires_timers_at_once_and_stays_ahead(devices: dict[str, RunningDevice]) -> None:
    device = devices["leaf1"]
    device.run("admin", "sudo -n systemd-run --unit=later --on-active=500s true")
    device.trouble("clock-ahead:600")
    assert "later" not in device.run("admin", "systemctl list-timers").stdout
    device.trouble("none")
    device.run("admin", "sudo -n systemd-run --unit=more --on-active=500s true")
    assert device.store["timers"][0]["due"] == 1100.0


def test_a_stale_answer_is_that_of_the_first_time(devices: dict[str, RunningDevice]) -> None:
    device = devices["leaf3"]
    device.trouble("stale:show interfaces counters queue")
    before = device.run("admin", DROPS)
    device.run("admin", "lab drop Ethernet1/1 3 100")
    assert device.run("admin", DROPS) == before
    device.trouble("none")
    assert device.run("admin", DROPS) != before


def test_what_follows_from_a_command_happens_on_another_device_once(devices: dict[str, RunningDevice]) -> None:
    devices["leaf1"].trouble("after:mtu=>spine2: lab drop Ethernet1/1 3 100")
    for mtu in (9000, 9100):
        devices["leaf1"].run("admin", f"sudo -n config interface mtu Ethernet0 {mtu}")
    assert devices["spine2"].store["ports"]["Ethernet1/1"]["drops"] == {"3": 100}


def test_what_follows_may_be_a_trouble_that_goes_on(devices: dict[str, RunningDevice]) -> None:
    more = "lab fault whenever:show interfaces counters=>spine2: lab drop Ethernet1/1 3 1"
    devices["leaf1"].trouble(f"after:mtu=>spine2: {more}")
    devices["spine2"].run("admin", DROPS)
    devices["leaf1"].run("admin", "sudo -n config interface mtu Ethernet0 9000")
    for _ in range(3):
        devices["spine2"].run("admin", DROPS)
    assert devices["spine2"].store["ports"]["Ethernet1/1"]["drops"] == {"3": 3}


def test_troubles_outlive_the_lab_and_end_together(devices: dict[str, RunningDevice], tmp_path: Path) -> None:
    devices["leaf1"].trouble("no-timers")
    assert devices["leaf1"].trouble("refuses:undo") == ("no-timers", "refuses:undo")
    again = RunningDevice(LabDirectory(tmp_path), POD["leaf1"], emulator("sonic"))
    assert again.run("admin", "undo").exit_status == 1
    assert again.trouble("none") == ()


@pytest.mark.parametrize("text", ["refuses", "refuses:(", "says:x", "no-timers:1", "clock-ahead:-1", "after:x", "what"])
def test_a_trouble_that_makes_no_sense_is_refused(devices: dict[str, RunningDevice], text: str) -> None:
    with pytest.raises(UnknownTroubleError):
        devices["leaf1"].trouble(text)


@pytest.mark.lab
def test_lab_fault_sets_troubles_beside_a_fault_of_the_way_and_none_ends_both(lab: Lab) -> None:
    lab.order(do="fault", device="leaf2", fault="no-timers")
    assert lab.order(do="fault", device="leaf2", fault="slow:0") == "slow:0, no-timers"
    (row,) = (row for row in lab.order(do="status") if row["device"] == "leaf2")
    assert row["fault"] == "slow:0, no-timers"
    with pytest.raises(LabError, match="refuses:PATTERN"):
        lab.order(do="fault", device="leaf2", fault="refuses:(")
    assert lab.order(do="fault", device="leaf2", fault="none") == "none"
