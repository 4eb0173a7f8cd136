"""Health of a device and of its neighbours' ends of its links, before and after. What can't be read is worse."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fabric_drift.change import Health, worse
from fabric_drift.errors import FabricDriftError
from fabric_drift.workflow.expectations import MAY_BE_AWAY, Device
from fabric_drift.workflow.observe import changing
from fabric_drift.workflow.scene import Scene


@dataclass(frozen=True, slots=True)
class Vitals:
    """``neighbours``: only what concerns the ports that face the device."""

    own: Health = field(default_factory=Health)
    neighbours: Mapping[str, Health] = field(default_factory=dict)

    def blind(self) -> tuple[str, ...]:
        """Everything that could not be read, one sentence each."""
        told = [f"health can't be read: {reason}" for reason in self.own.unreadable]
        for name, health in sorted(self.neighbours.items()):
            told += [f"health of the neighbour {name} can't be read: {reason}" for reason in health.unreadable]
        return tuple(told)


async def vitals(scene: Scene, device: Device) -> Vitals:
    """Never raises for what devices do: it says ``unreadable``.

    Neighbours that the intent lets be away and those in ``Consent.unseen`` aren't asked.
    """
    facing = scene.expectations.topology().neighbours(device.name)
    asked = [name for name in sorted(facing) if _counts(scene, name)]
    own, *others = await asyncio.gather(
        _health(scene, device), *(_health(scene, scene.expectations.devices[name]) for name in asked)
    )
    return Vitals(own, {name: facing_only(health, facing[name]) for name, health in zip(asked, others, strict=True)})


def _counts(scene: Scene, name: str) -> bool:
    device = scene.expectations.devices.get(name)
    return device is not None and device.lifecycle not in MAY_BE_AWAY and name not in scene.consent.unseen


async def _health(scene: Scene, device: Device) -> Health:
    try:
        platform = changing(scene, device)
        recording = await scene.access.ask(device, platform.health_commands())
        if recording.failure is not None:
            return Health(unreadable=(recording.failure.text(),))
        return platform.health(recording.outputs)
    except FabricDriftError as error:
        return Health(unreadable=(error.text(),))
    except Exception as error:  # noqa: BLE001  a platform is foreign code: its fault means that we can't see
        return Health(unreadable=(f"a fault of fabric-drift: {type(error).__name__}",))


def facing_only(health: Health, ports: frozenset[str]) -> Health:
    """What a neighbour says of some of its ports; keys are "port", "port/priority" or "port device port"."""
    return Health(
        ports_up=health.ports_up & ports,
        neighbours=frozenset(name for name in health.neighbours if name.split(" ", 1)[0] in ports),
        bgp_established=frozenset(name for name in health.bgp_established if name in ports),
        lossless_drops=_of_ports(health.lossless_drops, ports),
        watchdog_storms=_of_ports(health.watchdog_storms, ports),
        unreadable=health.unreadable,
    )


def _of_ports(counters: Mapping[str, int], ports: frozenset[str]) -> dict[str, int]:
    return {key: count for key, count in counters.items() if key in ports or key.rpartition("/")[0] in ports}


def worsened(before: Vitals, after: Vitals) -> tuple[str, ...]:
    """Every way in which ``after`` is worse, one sentence each; () when none."""
    told = list(worse(before.own, after.own))
    for name in sorted(before.neighbours.keys() | after.neighbours.keys()):
        found = worse(before.neighbours.get(name, Health()), after.neighbours.get(name, _GONE))
        told += [f"on the neighbour {name}: {what}" for what in found]
    return tuple(told)


_GONE = Health(unreadable=("it was not asked",))


def with_counters_of(vitals: Vitals, later: Vitals) -> Vitals:
    """``vitals`` with the counters of ``later``: where drops were agreed to, or can't be taken back."""

    def counted(own: Health, newer: Health) -> Health:
        return replace(own, lossless_drops=newer.lossless_drops, watchdog_storms=newer.watchdog_storms)

    return _each(vitals, later, counted)


def _each(first: Vitals, second: Vitals, join: Callable[[Health, Health], Health]) -> Vitals:
    neighbours = {name: join(h, second.neighbours.get(name, h)) for name, h in first.neighbours.items()}
    return Vitals(join(first.own, second.own), neighbours)


def as_json(vitals: Vitals) -> dict[str, Any]:
    """Plain form for the run log."""
    return {
        "own": _plain(vitals.own),
        "neighbours": {name: _plain(health) for name, health in sorted(vitals.neighbours.items())},
    }


def from_json(item: Mapping[str, Any]) -> Vitals:
    """The vitals of a run log's record. Raises KeyError or TypeError for anything else."""
    return Vitals(_health_of(item["own"]), {name: _health_of(one) for name, one in item["neighbours"].items()})


def _plain(health: Health) -> dict[str, Any]:
    return {
        "ports_up": sorted(health.ports_up),
        "neighbours": sorted(health.neighbours),
        "bgp_established": sorted(health.bgp_established),
        "lossless_drops": dict(sorted(health.lossless_drops.items())),
        "watchdog_storms": dict(sorted(health.watchdog_storms.items())),
        "unreadable": list(health.unreadable),
    }


def _health_of(item: Mapping[str, Any]) -> Health:
    return Health(
        ports_up=frozenset(item["ports_up"]),
        neighbours=frozenset(item["neighbours"]),
        bgp_established=frozenset(item["bgp_established"]),
        lossless_drops=item["lossless_drops"],
        watchdog_storms=item["watchdog_storms"],
        unreadable=tuple(item["unreadable"]),
    )
