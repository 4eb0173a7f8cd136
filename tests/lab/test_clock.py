"""The lab's clock: timers of devices run when they are due, in order, whatever became of the one who set them."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric_drift.lab import fabrics
from fabric_drift.lab.clock import LabClock, arm, disarm, now_s, take_due
from fabric_drift.lab.device import RunningDevice
from fabric_drift.lab.directory import LabDirectory
from fabric_drift.lab.emulator import Store
from fabric_drift.lab.sonic import EMULATOR

LEAF = next(device for device in fabrics.pod1() if device.name == "leaf1")


def test_the_clock_runs_can_be_put_forward_and_survives_its_process(tmp_path: Path) -> None:
    time = [100.0]
    clock = LabClock(tmp_path / "clock.json", lambda: time[0])
    assert clock.seconds == 0
    time[0] += 5
    assert clock.advance(60) == 65
    time[0] = 7.0
    assert LabClock(tmp_path / "clock.json", lambda: time[0]).seconds == 65


@pytest.mark.parametrize("seconds", [-1, float("inf"), float("nan")])
def test_a_clock_never_goes_back_nor_to_the_end_of_time(tmp_path: Path, seconds: float) -> None:
    with pytest.raises(ValueError, match="put forward"):
        LabClock(tmp_path / "clock.json").advance(seconds)


def test_timers_that_are_due_leave_the_list_in_the_order_they_were_due() -> None:
    store: Store = {"clock": 10.0}
    for unit, after in (("late", 30), ("second", 5), ("first", 1)):
        arm(store, unit, f"run {unit}", after)
    store["clock"] = 15.0
    assert [timer["unit"] for timer in take_due(store)] == ["first", "second"]
    assert store["timers"] == [{"due": 40.0, "unit": "late", "command": "run late"}]
    assert take_due(store) == []


def test_a_timer_has_a_name_of_its_own_and_can_be_disarmed() -> None:
    store: Store = {}
    arm(store, "undo", "hostname", 5)
    with pytest.raises(ValueError, match="undo"):
        arm(store, "undo", "hostname", 9)
    assert disarm(store, "undo")
    assert not disarm(store, "undo")
    assert now_s(store) == 0


def test_a_device_runs_its_timers_and_logs_them_even_when_the_lab_was_down_meanwhile(tmp_path: Path) -> None:
    directory = LabDirectory(tmp_path)
    device = RunningDevice(directory, LEAF, EMULATOR)
    device.tick(100.0)
    device.run("admin", "config interface mtu Ethernet0 9000")
    arm(device._store.value, "undo", "config interface mtu Ethernet0 9100", 60)
    device._store.save()
    assert device.tick(130.0) == []

    again = RunningDevice(directory, LEAF, EMULATOR)
    assert again.tick(161.0) == ["undo"]
    assert '"timer:undo"' in again.commands_log.read_text()
    assert again.run("admin", "sonic-db-cli CONFIG_DB hget 'PORT|Ethernet0' mtu").stdout == "9100\n"
    assert again.tick(300.0) == []


def test_an_untouched_device_takes_no_notice_of_the_time(tmp_path: Path) -> None:
    device = RunningDevice(LabDirectory(tmp_path), LEAF, EMULATOR)
    assert device.tick(1e9) == []
    assert not (tmp_path / "leaf1" / "store.json").exists()
