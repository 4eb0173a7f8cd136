"""What a fault needs of a platform's devices: one under test, its neighbours, and the ways to hurt them.

A bench lives in a directory, so that a process can be killed on it and another go on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from fabric_drift.platform import Disruption
from fabric_drift.workflow.outcome import Consent
from fabric_drift.workflow.scene import Scene
from tests.faults.access import WorldAccess, WorldClock
from tests.faults.paper import Paper, paper_expectations
from tests.faults.world import World


class Bench(Protocol):
    """``hurts``: names of the faults in the device that it can have, with what makes them happen."""

    name: str
    device: str
    deadline_s: float

    @property
    def hurts(self) -> dict[str, Callable[[], object]]: ...

    def scene(self, consent: Consent | None = None) -> Scene: ...

    def state(self) -> Any:
        """All configuration of the device under test, running and saved."""
        ...

    def is_whole(self) -> bool:
        """Whether the device runs and has saved what is intended."""
        ...

    def left_behind(self) -> list[str]:
        """Locks, timers, files of ours that are still there."""
        ...

    def pass_time(self, seconds: float) -> None: ...

    def look_again(self) -> None:
        """Another process was at the devices: nothing that was kept in mind counts."""
        ...

    def edit_by_hand(self) -> None:
        """Somebody changes a managed fact, not to what is intended."""
        ...


@dataclass
class PaperBench:
    directory: Path
    name: str = "paper"
    device: str = "leaf1"
    deadline_s: float = 300.0
    platform: Paper = field(default_factory=lambda: Paper(disruption=Disruption.NONE))

    def __post_init__(self) -> None:
        self.world = World(self.directory / "world.json")
        if not self.world.path.exists():
            World.fresh(self.world.path)

    @property
    def hurts(self) -> dict[str, Callable[[], object]]:
        edit = self.world.edit
        return {
            "deaf hardware": lambda: edit(self.device, deaf_hardware=True),
            "neighbour drops after commit": lambda: edit(self.device, storm_after=["spine1"]),
            "own drops after commit": lambda: edit(self.device, storm_after=["leaf1"]),
            "health unreadable": lambda: edit(self.device, blind=True),
            "neighbour unreachable": lambda: edit("spine1", unreachable=True),
            "port down": lambda: edit(self.device, down=["Ethernet8"]),
            "neighbour loses the link": lambda: edit("spine1", down=["Ethernet0"]),
            "other device": lambda: edit(self.device, hostname="leaf2"),
            "other release": lambda: edit(self.device, release="9.9"),
            "unreachable": lambda: edit(self.device, unreachable=True),
            "full disk": lambda: edit(self.device, full_disk=True),
            "broken undo": lambda: edit(self.device, broken_undo=True),
            "broken timer": lambda: edit(self.device, broken_timer=True),
            "locked by somebody": lambda: edit(self.device, lock="somebody"),
            "reboot": lambda: self.world.reboot(self.device),
            "timer fires": lambda: self.world.pass_time(self.deadline_s),
            "timer in the commit": lambda: edit(self.device, timer_in_commit=True),
            "refuses the second port": lambda: edit(self.device, refuses="Ethernet8"),
            "device's clock jumps": self._clock_jumps,
        }

    def _clock_jumps(self) -> None:
        """The device believes that its timer is over."""
        timer = self.world.device(self.device)["timer"]
        if timer:
            self.world.edit(self.device, timer={**timer, "at": self.world.now()})
        self.world.pass_time(0)

    def scene(self, consent: Consent | None = None) -> Scene:
        return Scene(
            paper_expectations(),
            WorldAccess(self.world),
            platform=lambda _: self.platform,
            consent=consent or Consent(),
            clock=WorldClock(self.world),
        )

    def state(self) -> Any:
        device = self.world.device(self.device)
        return {key: device[key] for key in ("running", "saved")}

    def is_whole(self) -> bool:
        state = self.state()
        return state["running"] == state["saved"] and all(
            port == {"mtu": 9100, "pfc": [3, 4]} for port in state["running"].values()
        )

    def left_behind(self) -> list[str]:
        device = self.world.device(self.device)
        lock = device["lock"] if device["lock"] != "somebody" else ""
        return [what for what, found in (("lock", lock), ("timer", device["timer"])) if found]

    def pass_time(self, seconds: float) -> None:
        self.world.pass_time(seconds)

    def look_again(self) -> None:
        """The world is read anew each time."""

    def edit_by_hand(self) -> None:
        running = self.world.device(self.device)["running"]
        self.world.edit(self.device, running={**running, "Ethernet0": {"mtu": 9000, "pfc": [3]}})


def bench(name: str, directory: Path) -> Bench:
    """The bench of a platform; ``paper`` is the engine's own."""
    if name == "paper":
        return PaperBench(directory)
    from tests.faults.lab_bench import LabBench  # noqa: PLC0415  the lab is slow to import

    return LabBench(directory, name)


NAMES = ("paper", "sonic", "eos", "linux_host")
GATES = ("drain gate says no", "drain gate hangs", "drain gate lies")
ONLY_HOSTS = dict.fromkeys(GATES, "only hosts have a drain gate")
CANNOT_HAVE: dict[str, dict[str, str]] = {
    "paper": ONLY_HOSTS,
    "sonic": ONLY_HOSTS,
    "eos": {**ONLY_HOSTS, "timer in the commit": "a commit is one step of the switch itself"},
    "linux_host": {
        "own drops after commit": "a host's health has no drops of its own: the switch port that faces it counts them",
        "timer in the commit": "the program takes a lock for each run: the timer's undo waits, as it does for our own",
    },
}
"""By bench: faults that make no sense there, and why."""
