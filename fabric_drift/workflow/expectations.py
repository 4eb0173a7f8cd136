"""The seam to the intent: which devices there are, what is expected of them, and which line says so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, Protocol

from fabric_drift.errors import IntentError
from fabric_drift.finding import Source
from fabric_drift.state import DeviceState, Path
from fabric_drift.workflow.fingerprint import of_files
from fabric_drift.workflow.topology import Topology, topology

if TYPE_CHECKING:
    from fabric_drift.intent.fabric import Fabric

NOT_CONTACTED = frozenset(("planned", "spare"))
MAY_BE_AWAY = frozenset(("planned", "spare", "drained", "maintenance"))


class Device(Protocol):
    """What a check asks of a device of the intent."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def role(self) -> str: ...  # noqa: D102
    @property
    def platform(self) -> str: ...  # noqa: D102
    @property
    def releases(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def hardware(self) -> str: ...  # noqa: D102
    @property
    def asic(self) -> str: ...  # noqa: D102
    @property
    def lifecycle(self) -> str: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Expectations:
    """An intent, as a check needs it."""

    name: str
    devices: Mapping[str, Device]
    expect: Callable[[str], DeviceState]
    sources: Callable[[str, Path], tuple[Source, ...]]
    explain: Callable[[str, Path], tuple[Any, ...]] = lambda _device, _path: ()
    """Steps with name, value and source; the last one wins."""
    topology: Callable[[], Topology] = Topology
    """Only a change asks for it: it walks all links."""
    fingerprint: Callable[[], str] = str
    """Hash of everything that was written, for approvals."""


def from_intent(directory: FilePath) -> Expectations:
    """The expectations of an intent directory: its Ethernet fabric, its InfiniBand subnet, or both.

    Raises IntentErrors with every fault, and IntentError where both planes have a device of one name.
    """
    subnet = directory / "infiniband"
    has_ethernet = any(path.suffix in (".yml", ".yaml") for path in directory.glob("*.y*ml"))
    if not subnet.is_dir():
        return _ethernet(directory)
    if not has_ethernet:
        return _infiniband(subnet)
    return _both(_ethernet(directory), _infiniband(subnet))


def _ethernet(directory: FilePath) -> Expectations:
    from fabric_drift import expect as derivation  # noqa: PLC0415  pydantic is slow to import
    from fabric_drift import intent  # noqa: PLC0415

    fabric = intent.load(directory)
    return Expectations(
        name=fabric.name,
        devices=fabric.devices,
        expect=lambda device: derivation.expect(fabric, device),
        sources=lambda device, path: derivation.sources(fabric, device, path),
        explain=lambda device, path: derivation.explain(fabric, device, path),
        topology=cache(lambda: _topology(fabric)),
        fingerprint=cache(lambda: of_files(directory)),
    )


def _topology(fabric: Fabric) -> Topology:
    devices = fabric.devices.values()
    return topology(
        hosts=[device.name for device in devices if device.is_host],
        groups={device.name: device.redundancy_group for device in devices},
        links=fabric.links,
    )


def _infiniband(directory: FilePath) -> Expectations:
    from fabric_drift.expect import infiniband as derivation  # noqa: PLC0415
    from fabric_drift.expect import infiniband_options  # noqa: PLC0415
    from fabric_drift.expect.infiniband_sources import sources  # noqa: PLC0415
    from fabric_drift.intent import infiniband as intent  # noqa: PLC0415

    fabric = intent.load(directory)
    infiniband_options.check(fabric)
    return Expectations(
        name=fabric.name,
        devices={**fabric.devices, **fabric.hosts},
        expect=lambda device: derivation.expect(fabric, device),
        sources=lambda device, path: sources(fabric, device, path),
        topology=cache(lambda: _managers(fabric.master.name, fabric.devices, fabric.hosts)),
        fingerprint=cache(lambda: of_files(directory)),
    )


def _managers(master: str, devices: Mapping[str, Device], hosts: Iterable[str]) -> Topology:
    """Standbys stand before the master: they are changed first, and one SM node at a time."""
    facing = {name: {master: frozenset(("subnet",))} for name in devices if name != master}
    return Topology(frozenset((master, *hosts)), facing, dict.fromkeys(devices, "subnet managers"))


def _both(ethernet: Expectations, infiniband: Expectations) -> Expectations:
    """One fabric with two planes: every question goes to the plane that has the device.

    A host may be in both: Ethernet's is its ports, and each plane says variables of its jobs, but none says another's.
    """
    shared = ethernet.devices.keys() & infiniband.devices.keys()
    _check_shared(ethernet, infiniband, sorted(shared))

    def plane(device: str, path: Path = ()) -> Expectations:
        if device in shared:
            is_its_job = path[:1] == ("job",) and _jobs(infiniband.expect(device)).keys() & {*path[1:2]}
            return infiniband if is_its_job else ethernet
        return infiniband if device in infiniband.devices else ethernet

    def expect(device: str) -> DeviceState:
        found = plane(device).expect(device)
        return _with_jobs(found, infiniband.expect(device)) if device in shared else found

    return Expectations(
        name=ethernet.name,
        devices={**infiniband.devices, **ethernet.devices},
        expect=expect,
        sources=lambda device, path: plane(device, path).sources(device, path),
        explain=lambda device, path: plane(device, path).explain(device, path),
        topology=cache(lambda: _joined(ethernet.topology(), infiniband.topology())),
        fingerprint=cache(lambda: ethernet.fingerprint() + infiniband.fingerprint()),
    )


def _check_shared(ethernet: Expectations, infiniband: Expectations, shared: Sequence[str]) -> None:
    """Raises IntentError for a device that is two things, or a variable of jobs that both planes say."""
    for name in shared:
        if ethernet.devices[name].platform != infiniband.devices[name].platform:
            problem = f"{name} is a device of both planes"
            raise IntentError(problem, remedy="Give the SM node a name of its own", code="FD-INT-023")
    for name in shared[:1]:  # the names of variables are the same on all hosts
        twice = sorted(_jobs(ethernet.expect(name)).keys() & _jobs(infiniband.expect(name)).keys())
        if twice:
            line = next(iter(infiniband.sources(name, ("job", twice[0]))), None)
            raise IntentError(
                f"{twice[0]} is said by the jobs of both planes", where=f"{line.file}:{line.line}" if line else "",
                remedy="Let one of the two say it", code="FD-INT-068",
            )  # fmt: skip


def _jobs(state: DeviceState) -> Mapping[str, str]:
    return state.job if isinstance(state.job, Mapping) else {}


def _with_jobs(ethernet: DeviceState, infiniband: DeviceState) -> DeviceState:
    return replace(ethernet, job=dict(sorted({**_jobs(ethernet), **_jobs(infiniband)}.items())))


def _joined(one: Topology, other: Topology) -> Topology:
    return Topology(one.hosts | other.hosts, {**one.facing, **other.facing}, {**one.groups, **other.groups})
