"""One side of a review: the devices that an intent names and what it expects of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from fabric_drift.errors import Unsupported
from fabric_drift.finding import Source
from fabric_drift.platform import Platform as PlatformContract
from fabric_drift.platform import Target
from fabric_drift.state.device import DeviceState
from fabric_drift.state.values import Path


class Planned(Protocol):
    """What a review needs to know of a device of the intent; read-only, as ``intent.Device`` is."""

    @property
    def name(self) -> str:
        """Its name in the intent."""
        ...

    @property
    def role(self) -> str:
        """Its role: leaf, spine, gpu_host, ..."""
        ...

    @property
    def platform(self) -> str:
        """The platform that renders it."""
        ...

    @property
    def hardware(self) -> str:
        """HwSKU, model or board."""
        ...

    @property
    def asic(self) -> str:
        """ASIC family, empty where unknown."""
        ...

    @property
    def releases(self) -> Sequence[str]:
        """Releases that the intent allows."""
        ...


def no_sources(_device: str, _path: Path) -> tuple[Source, ...]:
    """The default of ``Side.sources``: nothing is known."""
    return ()


@dataclass(frozen=True, slots=True)
class Side:
    """``label`` names the revision for people; ``sources`` gives the lines that decide a fact."""

    label: str
    devices: Mapping[str, Planned]
    expected: Callable[[str], DeviceState]
    sources: Callable[[str, Path], tuple[Source, ...]] = field(default=no_sources)


def target_of(device: Planned, state: DeviceState) -> Target:
    """What to render for when no device may be asked: the newest release that the intent allows."""
    ports = tuple(sorted(state.ports)) if isinstance(state.ports, Mapping) else ()
    return Target(
        device=device.name,
        release=max(device.releases, key=_version, default=""),
        hardware=device.hardware,
        asic=device.asic,
        ports=ports,
    )


@dataclass(frozen=True, slots=True)
class Native:
    """One device in its platform's words.

    ``problem``: why it can't be said in them, without the device's name; then the rest is empty.
    """

    state: DeviceState
    files: Mapping[str, str]
    problem: str = ""


def native(side: Side, name: str, platform: PlatformContract) -> Native:
    """Device ``name`` of ``side`` as its platform would configure it; nothing where the side hasn't got it."""
    if name not in side.devices:
        return Native(DeviceState(), {})
    state = side.expected(name)
    target = target_of(side.devices[name], state)
    try:
        localised = platform.localise(state, target)
        return Native(localised, {item.name: item.text for item in platform.render(localised, target)})
    except Unsupported as error:
        anywhere = Unsupported(error.problem, what=error.what, remedy=error.remedy, code=error.code)
        return Native(DeviceState(), {}, anywhere.text())


def _version(release: str) -> tuple[tuple[int, str], ...]:
    """An order of releases in which 4.32.2F is above 4.9.1F."""
    digits = "".join(letter if letter.isdigit() else f" {letter} " for letter in release).split()
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in digits)
