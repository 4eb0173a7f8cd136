"""Benches of the lab's devices: each is as intended but for one change by hand, which is what is put right."""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

from fabric_drift.workflow.consent import NAMES
from fabric_drift.workflow.expectations import Expectations, from_intent
from fabric_drift.workflow.outcome import Consent
from fabric_drift.workflow.render import rendered
from fabric_drift.workflow.scene import Clock, Patience, Scene
from tests.faults.access import WorldClock
from tests.faults.lab_access import LabAccess, LabWorld

REPO = Path(__file__).resolve().parents[2]
BOOT_SECONDS = 60.0
LOOKS_EVERY_S = 20.0
"""Less often than on real devices: every look at an emulated one is real time."""
PCI = "0000:18:00.0"


@dataclass(frozen=True)
class Kind:
    """What a bench knows of one platform's emulator: how to hurt it, and where it keeps its configuration."""

    device: str
    neighbour: str
    drift: tuple[str, ...]
    another_drift: tuple[str, ...]
    config: Callable[[Mapping[str, Any]], Any]
    left: Callable[[Mapping[str, Any]], list[str]]
    port: str
    """One that faces ``neighbour``."""
    undoes: str
    """What its commands that undo look like."""
    hurts: Mapping[str, tuple[tuple[str, str], ...]]
    """Name -> (device, command or, behind FAULT, trouble of the lab)."""
    health_only: str
    reboot: str
    normal: tuple[str, ...] = ()
    """Makes the device write its configuration as it would by itself: without what is the default anyway."""
    other: str = "leaf2"


def _sonic_left(store: Mapping[str, Any]) -> list[str]:
    """Somebody else's lock stays."""
    return [timer["unit"] for timer in store.get("timers", ()) if timer.get("description") != "somebody"]


def _eos_left(store: Mapping[str, Any]) -> list[str]:
    ours = ((name, session) for name, session in store["sessions"].items() if name.startswith("fabric-drift"))
    pending = [name for name, session in ours if "pending" in session["state"]]
    return [*pending, *(timer["unit"] for timer in store.get("timers", ()))]


def _host_config(store: Mapping[str, Any]) -> Any:
    files = {name: text for name, text in store["files"].items() if name.startswith("/etc/")}
    nics = {pci: {key: value for key, value in nic.items() if key != "is_dark"} for pci, nic in store["nics"].items()}
    return {"nics": nics, "files": files}


FAULT = "lab fault "


def _flapping(*circumstances: str) -> tuple[tuple[str, str], ...]:
    """A host whose PFC somebody changed, so that putting it right takes the link down; and what the lab does to it."""
    by_hand = "sudo -n mlnx_qos -i enp24s0np0 --pfc 0,0,0,1,1,0,0,0"
    return (("gpu1", by_hand), *(("gpu1", f"sudo -n lab {one}") for one in circumstances))


def drops(switch: str, port: str) -> str:
    """The trouble of an EOS switch that loses lossless packets from now on: some more whenever it is asked."""
    return f"{FAULT}whenever:show interfaces counters queue=>{switch}: lab drop {port} 3 100"


ECN_BY_HAND = (
    "configure\nqos profile ROCE\ntx-queue 3\nrandom-detect ecn minimum-threshold 999999 bytes"
    " maximum-threshold 4000000 bytes max-mark-probability 20\nend"
)
LOCKED_BY_SOMEBODY = "sudo -n systemd-run --unit=fabric-drift-lock --description=somebody --on-active=900s true"
KINDS: dict[str, Kind] = {
    "sonic": Kind(
        device="leaf1",
        neighbour="spine2",
        drift=("sudo -n ecnconfig -p ROCE_ECN -gmin 800000", "sudo -n config save -y"),
        another_drift=("sudo -n ecnconfig -p ROCE_ECN -gmax 12800000",),
        config=lambda store: {"running": store["running"], "saved": store["saved"]},
        left=_sonic_left,
        port="Ethernet160",
        undoes=r"fabric-drift-undo-\S+-now",
        hurts={
            "deaf hardware": (("leaf1", "lab-fault asic_stuck"),),
            "own drops after commit": (("leaf1", "lab-fault drops:Ethernet0/3:100"),),
            "neighbour drops after commit": (("leaf1", f"{FAULT}after:commit=>spine2: lab drop Ethernet1/1 3 100"),),
            "full disk": (("leaf1", "lab-fault disk_full"),),
            "refuses the second port": (("leaf1", "lab-fault patch_fails_after:0"),),
            "timer in the commit": (("leaf1", "lab-fault timer_in_patch"),),
            "locked by somebody": (("leaf1", LOCKED_BY_SOMEBODY),),
            "other release": (("leaf1", f"{FAULT}says:202505=>202211"),),
        },
        health_only="vtysh -c 'show bgp summary json'",
        reboot="sudo -n reboot",
    ),
    "eos": Kind(
        device="leaf3",
        neighbour="spine2",
        drift=(
            ECN_BY_HAND,
            "write memory",
        ),
        another_drift=("configure\npriority-flow-control pause watchdog action notify-only\nend",),
        config=lambda store: {"running": store["running"], "startup": store["startup"]},
        left=_eos_left,
        port="Ethernet21/1",
        undoes=r"configure session \S+ abort|configure replace",
        hurts={
            "deaf hardware": (
                ("leaf3", "configure\ninterface Ethernet2/1\nshutdown\nend"),
                ("leaf3", "write memory"),
                ("leaf3", f"{FAULT}stale:show interfaces status"),
            ),
            "own drops after commit": (
                ("leaf3", f"{FAULT}after:commit timer=>leaf3: {drops('leaf3', 'Ethernet1/1')}"),
            ),
            "neighbour drops after commit": (
                ("leaf3", f"{FAULT}after:commit timer=>spine2: {drops('spine2', 'Ethernet9/1')}"),
            ),
            "full disk": (("leaf3", "lab flash full"),),
            "locked by somebody": (("leaf3", "configure session somebody\nend"),),
            "other release": (("leaf3", f"{FAULT}says:4.30.5M=>4.21.0F"),),
            "refuses the second port": (("leaf3", f"{FAULT}refuses:random-detect ecn"),),
        },
        health_only="show ip bgp summary vrf all | json",
        reboot="lab reboot",
        normal=(
            "copy running-config flash:normal.cfg",
            "configure replace flash:normal.cfg",
            "delete flash:normal.cfg",
            "write memory",
        ),
        other="leaf4",
    ),
    "linux_host": Kind(
        device="gpu1",
        neighbour="leaf3",
        drift=(
            "sudo -n sh -c 'echo 49 > /sys/class/net/enp24s0np0/ecn/roce_np/cnp_dscp'",
            f"sudo -n sed -i 's/^cnp_dscp=.*/cnp_dscp=49/' /etc/roce-qos/{PCI}.conf",
        ),
        another_drift=("sudo -n sh -c 'echo 7 > /sys/class/net/enp24s0np0/ecn/roce_np/cnp_802p_prio'",),
        config=_host_config,
        left=lambda store: [timer["unit"] for timer in store.get("timers", ())],
        port="0000:9a:00.0",
        undoes="roce-qos change undo",
        hurts={
            "deaf hardware": (("gpu1", f"{FAULT}stale:/sys/class/net/enp24s0np0/ecn"),),
            "neighbour drops after commit": (
                ("gpu1", f"{FAULT}after:change commit=>leaf3: {drops('leaf3', 'Ethernet1/1')}"),
            ),
            "full disk": (("gpu1", "sudo -n lab disk full"),),
            "locked by somebody": (("gpu1", "sudo -n roce-qos change begin somebody"),),
            "other release": (("gpu1", f'{FAULT}says:VERSION_ID="22.04"=>VERSION_ID="14.04"'),),
            "refuses the second port": (("gpu1", "sudo -n lab die-after-writes 6"),),
            "drain gate says no": _flapping("gate busy"),
            "drain gate hangs": _flapping("gate hang"),
            "drain gate lies": _flapping("gate drained", "job start mlx5_0"),
        },
        health_only="ip -j -d link show",
        reboot="sudo -n lab reboot",
        other="gpu2",
    ),
}


@cache
def expectations() -> Expectations:
    return from_intent(REPO / "intent" / "pod1")


@cache
def files_of(name: str) -> dict[str, str]:
    return {file.name: file.text for file in rendered(expectations(), expectations().devices[name])}


@cache
def _prepared(name: str) -> Path:
    """A directory to copy: booting the devices takes longer than most faults."""
    directory = Path(tempfile.mkdtemp(prefix=f"bench-{name}-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    (directory / "intended.json").touch()
    LabBench(directory, name).prepare()
    return directory


@dataclass
class LabBench:
    directory: Path
    name: str
    deadline_s: float = 3600.0
    world: LabWorld = field(init=False)

    def __post_init__(self) -> None:
        self.kind = KINDS[self.name]
        self.device = self.kind.device
        self.world = LabWorld(self.directory, frozenset((self.device, self.kind.neighbour)))
        if not (self.directory / "intended.json").exists():
            shutil.copytree(_prepared(self.name), self.directory, dirs_exist_ok=True)

    def prepare(self) -> None:
        """As intended, and then one change by hand, saved."""
        for name in (self.device, self.kind.neighbour, self.kind.other):
            self.world.device(name).load(files_of(name))
            self.world.save(name)
        self.world.typed(self.device, *self.kind.normal)
        (self.directory / "intended.json").write_text(json.dumps(self.state()))
        self.world.typed(self.device, *self.kind.drift)

    @property
    def hurts(self) -> dict[str, Callable[[], object]]:
        world, kind = self.world, self.kind
        known: dict[str, Callable[[], object]] = {
            "other device": lambda: world.set(answers={self.device: kind.other}),
            "unreachable": lambda: world.set(unreachable=[self.device]),
            "neighbour unreachable": lambda: world.set(unreachable=[kind.neighbour]),
            "health unreadable": lambda: world.set(deaf={self.device: [kind.health_only]}),
            "timer fires": lambda: world.pass_time(self.deadline_s),
            "reboot": self._reboot,
            "port down": lambda: self._fault(f"cut:{kind.port}"),
            "neighbour loses the link": lambda: self._fault(f"far-cut:{kind.port}"),
            "broken timer": lambda: self._fault("no-timers"),
            "broken undo": lambda: self._fault(f"refuses:{kind.undoes}"),
            "device's clock jumps": lambda: self._fault(f"clock-ahead:{self.deadline_s:.0f}"),
        }
        return known | {hurt: partial(self._hurt, events) for hurt, events in kind.hurts.items()}

    def _hurt(self, events: Sequence[tuple[str, str]]) -> None:
        for name, text in events:
            if text.startswith(FAULT):
                self.world.device(name).trouble(text.removeprefix(FAULT))
            else:
                self.world.typed(name, text)

    def _fault(self, text: str) -> None:
        self.world.device(self.device).trouble(text)

    def _reboot(self) -> None:
        self.world.typed(self.device, self.kind.reboot)
        self.world.set(up_at={self.device: self.world.now() + BOOT_SECONDS})

    def scene(self, consent: Consent | None = None) -> Scene:
        mine = expectations()
        near = mine.topology().neighbours(self.device).keys()
        agreed = Consent(allow=frozenset(NAMES), unseen=frozenset(near - {self.kind.neighbour}))
        clock: Clock = WorldClock(self.world)  # type: ignore[arg-type]
        return Scene(
            mine, LabAccess(self.world), consent=consent or agreed, clock=clock, patience=Patience(poll=LOOKS_EVERY_S)
        )

    def state(self) -> Any:
        return json.loads(json.dumps(self.kind.config(self.world.store(self.device))))

    def is_whole(self) -> bool:
        return bool(self.state() == json.loads((self.directory / "intended.json").read_text()))

    def left_behind(self) -> list[str]:
        return self.kind.left(self.world.store(self.device))

    def pass_time(self, seconds: float) -> None:
        self.world.device(self.device)
        self.world.pass_time(seconds)

    def look_again(self) -> None:
        self.world.devices.clear()

    def edit_by_hand(self) -> None:
        self.world.typed(self.device, *self.kind.another_drift)
