"""The device that answered: the one that was asked for, with a release that its platform can read."""

from __future__ import annotations

from fabric_drift.errors import Unparsed, Unreachable, Unsupported
from fabric_drift.platform import Platform, Reading, Target
from fabric_drift.state import DeviceState
from fabric_drift.state.tree import children, is_subtree
from fabric_drift.workflow.expectations import Device
from fabric_drift.workflow.identity import observed, release_allowed, same_host, wanted_hostname


class WrongDevice(Unreachable):
    """Another device answered than the one that was asked for."""

    kind = "wrong_device"


def identified(device: Device, expected: DeviceState, reading: Reading, platform: Platform) -> Target:
    """The device as it was observed. Raises WrongDevice, Unparsed or Unsupported."""
    release = _release(device, expected, reading, platform)
    return Target(
        device=device.name,
        release=release,
        hardware=observed(reading, "hardware")[1] if observed(reading, "hardware")[0] else device.hardware,
        asic=observed(reading, "asic")[1] if observed(reading, "asic")[0] else device.asic,
        ports=_ports(reading),
        names=reading.names,
    )


def _release(device: Device, expected: DeviceState, reading: Reading, platform: Platform) -> str:
    """The observed release of the right device. Raises WrongDevice, Unparsed or Unsupported."""
    layer, answered = observed(reading, "hostname")
    wanted = wanted_hostname(expected, device.name)
    if layer is None:
        raise Unparsed(
            f"it doesn't say its name ({answered}), so nothing was compared",
            where=device.name,
            remedy="Read its answers with `fabric-drift capture`",
            code="FD-ID-003",
        )
    if not same_host(wanted, answered):
        raise WrongDevice(
            f"{answered!r} answered instead of {wanted!r}, so nothing was compared",
            where=device.name,
            remedy="Check ansible_host in the inventory, or the device's host name",
            code="FD-ID-001",
        )
    layer, release = observed(reading, "release")
    if layer is None:
        raise Unparsed(
            f"it doesn't say its release ({release}), so nothing was compared",
            where=device.name,
            remedy="Read its answers with `fabric-drift capture`",
            code="FD-ID-003",
        )
    if not release_allowed(release, platform.releases):
        raise Unsupported(
            f"release {release} isn't one that {platform.name} is known to read ({', '.join(platform.releases)})",
            where=device.name,
            remedy="Use a supported release; a capture of this one helps to support it",
            code="FD-ID-004",
        )
    return release


def _ports(reading: Reading) -> tuple[str, ...]:
    names: set[str] = set()
    for state in reading.states.values():
        if is_subtree(state.ports):
            names.update(name for name, _ in children(state.ports))
    return tuple(sorted(names))
