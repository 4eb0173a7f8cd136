"""What a review says. Plain frozen values; the formats beside this file only print them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from fabric_drift.finding import Source
from fabric_drift.platform import Disruption
from fabric_drift.review.rows import Row
from fabric_drift.review.steps import Step


class Kind(str, Enum):
    """What happens to the devices of a shape."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class NativeDiff:
    """Folded diff of native artefacts of the first device of a shape; ``names`` are those that differ alike.

    ``lines``: those of the first of ``names``, without line ends; a change that comes many times is there once.
    """

    names: tuple[str, ...]
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row of a shape: ``port_count`` over all its devices, and the lines of the intent that decide."""

    row: Row
    port_count: int
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """Devices that change alike. ``native`` and ``steps`` are those of the first of ``devices``.

    Devices of other hardware or releases are in one shape where native difference and evidence are the same.
    ``problem``: what the platform can't express; then there is no native difference and no step. ``id`` is
    stable: same change, same id.
    """

    id: str
    kind: Kind
    platform: str
    hardware: tuple[str, ...]
    releases: tuple[str, ...]
    roles: tuple[str, ...]
    devices: tuple[str, ...]
    changes: tuple[RowChange, ...]
    native: tuple[NativeDiff, ...]
    steps: tuple[Step, ...]
    problem: str = ""

    @property
    def disruption(self) -> Disruption:
        """The worst of its steps; NONE where nothing is written."""
        return max((step.disruption for step in self.steps), default=Disruption.NONE)


@dataclass(frozen=True, slots=True)
class RolloutStep:
    """One step of the rollout over all shapes: which shapes and devices take part, and the worst disruption."""

    title: str
    devices: tuple[str, ...]
    shapes: tuple[str, ...]
    disruption: Disruption


@dataclass(frozen=True, slots=True)
class Concern:
    """Something that a reviewer must not miss, and on how many devices."""

    text: str
    devices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Review:
    """The whole answer. ``unchanged``: devices of both revisions whose expected state is the same."""

    intent: str
    base: str
    head: str
    shapes: tuple[Shape, ...]
    unchanged: int
    rollout: tuple[RolloutStep, ...]
    concerns: tuple[Concern, ...]

    @property
    def changed_devices(self) -> int:
        """Devices that change, come or go."""
        return sum(len(shape.devices) for shape in self.shapes)

    @property
    def disruption(self) -> Disruption:
        """The worst of all steps; UNKNOWN where one has no evidence."""
        return max((shape.disruption for shape in self.shapes), default=Disruption.NONE)

    @property
    def known_disruption(self) -> Disruption:
        """The worst for which there is evidence."""
        levels = (proof.disruption for shape in self.shapes for step in shape.steps for proof in step.proofs)
        return max((level for level in levels if level is not Disruption.UNKNOWN), default=Disruption.NONE)

    @property
    def problems(self) -> tuple[Concern, ...]:
        """Every reason why the change can't be rendered, and for which devices."""
        return tuple(Concern(shape.problem, shape.devices) for shape in self.shapes if shape.problem)
