"""ansible-playbook is killed while it changes a device: the device ends whole or as before, and the next run is usual.

Killed alone, its worker goes on: workers have sessions of their own, so that a signal to the terminal's process group
doesn't reach them either. "All of it" is therefore the playbook and all its descendants, at the same moment.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fabric_drift.lab import control
from fabric_drift.lab.directory import LabDirectory
from fabric_drift.workflow import journal
from tests.end_to_end.conftest import INTENT, REPO, Pod
from tests.end_to_end.test_check import reload
from tests.faults.lab_bench import KINDS

pytestmark = [pytest.mark.lab, pytest.mark.timeout(280)]
DEVICES = {"sonic": "leaf1", "eos": "leaf3", "linux_host": "gpu5"}
BY_HAND = {
    "sonic": "ports/Ethernet0/qos/pfc/watchdog",
    "eos": "extra/pfc_priority",
    "linux_host": "ports/0000:18:00.0/qos/pfc/priorities",
}
AFTER_ARM, AFTER_COMMIT = ("end", "arm"), ("end", "commit")
AT_CONFIRM = ("begin", "confirm")
BEYOND_EVERY_TIMER_S = 3600
PATIENCE_S = 90.0
AT_UNDO = ("begin", "undo")
HANG = "hang"
"""From the moment on the device does nothing that it is told over a new connection."""


@dataclass(frozen=True)
class Play:
    """Runs of the playbook that put one device right, all with the same run log."""

    pod: Pod
    device: str
    folder: Path

    def command(self) -> list[str]:
        told = {"intent": str(INTENT), "run_log": str(self.runs), "look_every": 1, "allow": "unknown,port_flap"}
        playbook = str(REPO / "playbooks" / "roce_lossless.yml")
        return ["ansible-playbook", "-i", str(self.pod.inventory), playbook, "-e", json.dumps(told), "-l", self.device]

    @property
    def runs(self) -> Path:
        return self.folder / "runs"

    def again(self) -> tuple[int, str]:
        """(exit status, the device's line of the recap)."""
        done = self.pod.execute(self.command(), self.folder)
        recap = done.stdout.partition("PLAY RECAP")[2]
        return done.returncode, next(line for line in recap.splitlines() if line.startswith(self.device))

    def records(self) -> list[dict[str, Any]]:
        """Of the first run of the device, the one that is killed."""
        return [record for log in journal.runs(self.runs, self.device)[:1] for record in journal.read(log)]

    def has(self, event: str, stage: str | None = None) -> bool:
        return any(r["event"] == event and r.get("stage") == stage for r in self.records())

    def status(self) -> str:
        return str(journal.first(self.records(), "outcome").get("status", "cut"))

    def fault(self, kind: str) -> None:
        control.order(LabDirectory(self.pod.directory), {"do": "fault", "device": self.device, "fault": kind})

    def drift(self) -> list[tuple[str, str, str]]:
        """What a check finds: that a fact is not as intended, or wasn't seen."""
        report = self.folder / "report.json"
        done = self.pod.check(self.device, "-o", f"json:{report}")
        result = json.loads(report.read_text())
        assert result["devices"][0]["status"] == "checked", done.stdout + done.stderr
        found = [f for f in result["findings"] if f["verdict"] != "information"]
        return sorted((f["layer"], f["verdict"], str(f["path"])) for f in found)

    def left(self, platform: str) -> list[str]:
        return KINDS[platform].left(json.loads((self.pod.directory / self.device / "store.json").read_text()))


@pytest.fixture
def play(pod: Pod, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Play]:
    platform: str = request.node.callspec.params["platform"]
    play = Play(pod, DEVICES[platform], tmp_path)
    if platform == "linux_host":
        pod.do("lab", "exec", play.device, "lab gate drained")
    pod.do("lab", "drift", play.device, BY_HAND[platform])
    yield play
    play.fault("none")
    reload(pod, play.device, tmp_path)


def wait_for(happened: Callable[[], bool], what: str, pause: float = 0.002) -> None:
    ends = time.monotonic() + PATIENCE_S
    while not happened():
        assert time.monotonic() < ends, f"{what} didn't happen in {PATIENCE_S} s"
        time.sleep(pause)


def descendants(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            found += [child, *descendants(child)]
    return found


def is_running(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def killed(play: Play, moment: tuple[str, str], *, workers_too: bool, fault: str = "none") -> list[int]:
    """Starts the playbook and kills it at ``moment``. Returns the processes that were its descendants."""
    with (play.folder / "killed.txt").open("w") as told:
        process = subprocess.Popen(
            play.command(), stdout=told, stderr=told, env=play.pod.environment, cwd=play.folder, start_new_session=True
        )
    workers: list[int] = []
    try:
        wait_for(lambda: play.has(*moment) or process.poll() is not None, " ".join(moment))
        workers = descendants(process.pid)
        play.fault(fault)
        for pid in (process.pid, *(workers if workers_too else ())):
            os.kill(pid, signal.SIGKILL)
    except BaseException:
        for pid in (process.pid, *descendants(process.pid)):
            os.kill(pid, signal.SIGKILL)
        raise
    finally:
        process.wait()
    assert workers, "the playbook had no worker: " + (play.folder / "killed.txt").read_text()
    assert process.returncode == -signal.SIGKILL
    return workers


@pytest.mark.parametrize(
    ("platform", "moment"), [("sonic", AFTER_COMMIT), ("eos", AT_CONFIRM), ("linux_host", AFTER_ARM)]
)
def test_when_only_the_parent_is_killed_its_worker_ends_the_change(
    play: Play, platform: str, moment: tuple[str, str]
) -> None:
    workers = killed(play, moment, workers_too=False)
    assert play.status() == "cut", "killed too late"
    wait_for(lambda: play.has("outcome"), "the end of the change", 0.1)
    wait_for(lambda: not any(map(is_running, workers)), "the end of the workers", 0.1)
    play.fault("none")
    assert play.status() == "changed"
    assert (play.drift(), play.left(platform)) == ([], [])
    status, recap = play.again()
    assert (status, "changed=0" in recap) == (0, True), recap


@pytest.mark.parametrize(
    ("platform", "moment", "fault", "timer_fires", "ends"),
    [
        ("sonic", AFTER_ARM, "none", True, ("failed_before_change", "undone")),
        ("sonic", AFTER_COMMIT, "none", False, ("undone",)),
        ("eos", AFTER_COMMIT, "none", True, ("undone",)),
        ("linux_host", AT_CONFIRM, HANG, True, ("undone",)),
    ],
)
def test_when_all_of_it_is_killed_the_device_ends_as_before_and_the_next_run_but_one_changes_it(
    play: Play, platform: str, moment: tuple[str, str], *, fault: str, timer_fires: bool, ends: tuple[str, ...]
) -> None:
    before = play.drift()
    workers = killed(play, moment, workers_too=True, fault=fault)
    wait_for(lambda: not any(map(is_running, workers)), "the end of the workers", 0.1)
    play.fault("none")
    assert play.status() == "cut", "killed too late"
    assert play.left(platform), "nothing guards the device"
    if timer_fires:
        play.pod.do("lab", "clock", "advance", str(BEYOND_EVERY_TIMER_S))
        assert play.drift() == before
    assert play.again()[0] != 0, "a run that was cut must be told"
    assert play.status() in ends
    assert (play.drift(), play.left(platform)) == (before, [])
    status, recap = play.again()
    assert (status, "changed=0" in recap) == (0, False), recap
    assert (play.drift(), play.left(platform)) == ([], [])


@pytest.mark.parametrize(
    ("platform", "bad_day", "workers_too"),
    [
        ("sonic", "after:systemctl is-active=>leaf1: lab-fault patch_fails_after:0", False),
        ("eos", "after:commit timer=>leaf3: lab fault refuses:show configuration sessions", True),
    ],
)
def test_killed_while_it_undoes_a_failed_change_the_device_is_as_before(
    play: Play, platform: str, bad_day: str, *, workers_too: bool
) -> None:
    before = play.drift()
    play.fault(bad_day)
    workers = killed(play, AT_UNDO, workers_too=workers_too)
    assert play.status() == "cut", "killed too late"
    if workers_too:
        assert play.again()[0] != 0, "a run that was cut must be told"
    else:
        wait_for(lambda: play.has("outcome"), "the end of the undo", 0.1)
    wait_for(lambda: not any(map(is_running, workers)), "the end of the workers", 0.1)
    assert play.status() == "undone"
    assert (play.drift(), play.left(platform)) == (before, [])
