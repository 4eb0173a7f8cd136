"""One device read, recognised and planned: where every change starts, and where it is proven."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from typing import Protocol, cast

from fabric_drift.change import Changer, Plan
from fabric_drift.errors import FabricDriftError, Unparsed, Unsupported
from fabric_drift.finding import Layer
from fabric_drift.platform import Platform, Reading, Target
from fabric_drift.state import UNSAID, DeviceState, Path
from fabric_drift.state.tree import field_names
from fabric_drift.workflow.approval import facts_of, of_rendered
from fabric_drift.workflow.expectations import Device
from fabric_drift.workflow.findings import at
from fabric_drift.workflow.fingerprint import digest
from fabric_drift.workflow.identity import release_allowed, without_checked
from fabric_drift.workflow.judge import refuse_silence
from fabric_drift.workflow.neighbours import Peers, translated
from fabric_drift.workflow.scene import Scene
from fabric_drift.workflow.target import identified


class ChangingPlatform(Platform, Changer, Protocol):
    """A platform that can also change a device."""


@dataclass(frozen=True, slots=True)
class Observation:
    """A device at one moment. ``expected`` is localised, without what identifies the device.

    ``reading`` calls neighbours by the names of the intent, as a check does. ``asked``: facts of neighbours that only
    the neighbours themselves could name.
    """

    reading: Reading
    target: Target
    expected: DeviceState
    plan: Plan
    rendered: str
    """Hash of the native configuration that is expected of this device."""
    asked: frozenset[Path] = frozenset()

    @property
    def running(self) -> DeviceState:
        """The layer that plans start from."""
        return self.reading.states.get(Layer.RUNNING, DeviceState())

    def hashes(self) -> dict[str, str]:
        """Layer -> hash of all its facts that don't change by themselves."""
        return {layer: digest(facts) for layer, facts in facts_of(self.reading.states).items()}


def changing(scene: Scene, device: Device) -> ChangingPlatform:
    """The device's platform. Raises Unsupported for one that can only be read."""
    platform = scene.platform(device.platform)
    if not all(callable(getattr(platform, name, None)) for name in ("plan", "procedure", "health", "health_commands")):
        raise Unsupported(
            f"{platform.name} can be read but not changed by fabric-drift",
            where=device.name,
            remedy="Change it by hand, from what `fabric-drift render` prints",
            code="FD-CHG-004",
        )
    return cast("ChangingPlatform", platform)


async def observe(scene: Scene, device: Device, platform: ChangingPlatform) -> Observation:
    """The device now, over a new connection. Raises our errors only: a platform's fault becomes one of them."""
    recording = await scene.access.read(device, platform)
    if recording.failure is not None:
        raise recording.failure
    refuse_silence(device.name, recording.outputs)
    try:
        return _observation(scene, device, platform, platform.parse(recording.outputs))
    except FabricDriftError:
        raise
    except Exception as error:  # a platform is foreign code; the device's run must still come to an end
        raise fault(device.name, error) from error


def fault(device: str, error: Exception) -> FabricDriftError:
    """A fault of ours, as an error that a run can end with."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    name = place.filename.rpartition("fabric_drift/")[2]
    return Unparsed(
        f"a fault of fabric-drift: {type(error).__name__} in {name}:{place.lineno}",
        where=device,
        remedy="Report it with the capture of the device and the run log",
        code="FD-BUG-001",
    )


def _observation(scene: Scene, device: Device, platform: ChangingPlatform, reading: Reading) -> Observation:
    wanted = scene.expectations.expect(device.name)
    target = identified(device, wanted, reading, platform)
    if device.releases and not release_allowed(target.release, device.releases):
        raise Unsupported(
            f"it runs {target.release}, which the intent doesn't allow ({', '.join(device.releases)})",
            where=device.name,
            remedy="Upgrade the device, or allow the release in the intent",
            code="FD-CHG-005",
        )
    expected = platform.localise(without_checked(wanted), target)
    plan = platform.plan(reading, expected, target)
    _stays_inside(device.name, plan, expected)
    peers = Peers(scene.expectations.expect, frozenset(scene.expectations.devices))
    reading, asked = translated(expected, reading, peers)
    rendered = of_rendered(platform.render(expected, target))
    return Observation(reading, target, expected, plan, rendered, frozenset(asked))


def is_fact(path: Path) -> bool:
    """Whether it is a fact's path. Native rows have paths too, which begin with a name that no state has."""
    return path[:1] in {(name,) for name in field_names(DeviceState)}


def _stays_inside(device: str, plan: Plan, expected: DeviceState) -> None:
    """What the intent doesn't manage is never touched (design law 4), whatever a platform plans."""
    if plan.device != device:
        raise Unparsed(f"a plan for {plan.device}", where=device, remedy="Report this", code="FD-CHG-006")
    for step in plan.steps:
        for path in filter(is_fact, step.paths):
            scope = path[:2] if path[:1] == ("ports",) else path[:1]
            if at(expected, scope) is UNSAID:
                raise Unsupported(
                    f"{step.title}: would change {'/'.join(path)}, which the intent doesn't manage",
                    where=device,
                    remedy="Report this with the capture of the device",
                    code="FD-CHG-006",
                )
