"""What previewing and applying a change say: plain values, for the play, the reports and the tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from fabric_drift.change import Plan, Refusal, Stage
from fabric_drift.platform import Disruption


class Part(str, Enum):
    """A portion of one device's plan that may run when all earlier parts are done everywhere (law 7).

    The members are in their order. A step that changes something in place runs with the additive ones.
    """

    ADD_ON_SWITCHES = "add_on_switches"
    ADD_ON_HOSTS = "add_on_hosts"
    ADD_TO_JOBS = "add_to_jobs"
    REMOVE_FROM_JOBS = "remove_from_jobs"
    REMOVE_FROM_HOSTS = "remove_from_hosts"
    REMOVE_FROM_SWITCHES = "remove_from_switches"


class PreviewStatus(str, Enum):
    """What would become of one device."""

    UNCHANGED = "unchanged"
    """Nothing differs that we manage."""
    PLANNED = "planned"
    REFUSED = "refused"
    """It differs and nothing may be done: see ``problems``."""
    AWAY = "away"
    """The intent's lifecycle says that it isn't there."""
    FAILED = "failed"
    """Not reached, another device, not understood, unsupported: see ``problems``."""


class Status(str, Enum):
    """How an apply ended on one device. There is no other end."""

    UNCHANGED = "unchanged"
    CHANGED = "changed"
    UNDONE = "undone"
    """It is as before, read back and compared."""
    REFUSED = "refused"
    """Nothing was sent that changes the device."""
    FAILED_BEFORE_CHANGE = "failed_before_change"
    """A stage before COMMIT failed; cleaned up, read back and compared."""
    NEEDS_HUMAN = "needs_human"
    """``by_hand`` holds the exact commands; ``problems`` says why and in which state it is believed to be."""
    NOT_ATTEMPTED = "not_attempted"
    """Another device failed before it was its turn."""


FINE = frozenset((Status.UNCHANGED, Status.CHANGED))


@dataclass(frozen=True, slots=True)
class Consent:
    """What the operator accepts beyond the safe default, by name.

    ``allow``: names of disruptions (everything up to the highest of them; ``unknown`` only covers unknown),
    and ``in_place``, for changes of a class, DSCP, PFC or MTU in place on devices that aren't drained.
    ``drained``: devices that are drained although the intent doesn't say so. ``unseen``: devices whose
    health, as neighbours, needn't be readable.
    """

    allow: frozenset[str] = frozenset()
    drained: frozenset[str] = frozenset()
    unseen: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Approval:
    """What was approved for one device; every part is a hash. Equal hashes: nothing that matters has moved."""

    intent: str
    rendered: str
    steps: Mapping[Part, tuple[str, ...]] = field(default_factory=dict)
    """Per part, a hash of every step with its undo and the running values that it replaces. A managed fact that
    was as intended and no longer is shows as another step."""


@dataclass(frozen=True, slots=True)
class DevicePreview:
    """One device before a change. ``plan`` is empty (no steps) where nothing is to be done."""

    device: str
    platform: str
    status: PreviewStatus
    plan: Plan | None = None
    parts: Mapping[Part, Plan] = field(default_factory=dict)
    """The plan by parts, in their order; empty parts are left out."""
    refusals: tuple[Refusal, ...] = ()
    """Of the platform, of missing consent, and of the order."""
    problems: tuple[str, ...] = ()
    """In the grammar of errors."""
    approval: Approval | None = None
    notes: tuple[str, ...] = ()

    @property
    def disruption(self) -> Disruption:
        """The worst of its steps."""
        return self.plan.disruption if self.plan else Disruption.NONE

    @property
    def shape(self) -> str:
        """Equal for devices whose plans do the same; empty where there is nothing to do."""
        return self.plan.shape if self.plan and self.plan.steps else ""


@dataclass(frozen=True, slots=True)
class Wave:
    """Devices that may change at the same time, when all earlier waves have ended well."""

    number: int
    part: Part
    devices: tuple[str, ...]
    is_canary: bool = False
    """Holds the first device of a shape."""


@dataclass(frozen=True, slots=True)
class PreviewResult:
    """The whole preview, devices in the order of their names."""

    fabric: str
    devices: tuple[DevicePreview, ...]
    waves: tuple[Wave, ...] = ()

    @property
    def shapes(self) -> dict[str, tuple[str, ...]]:
        """Shape -> its devices."""
        found: dict[str, tuple[str, ...]] = {}
        for device in self.devices:
            if device.shape:
                found[device.shape] = (*found.get(device.shape, ()), device.device)
        return found


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one device ended. ``stages``: those that were begun, in order."""

    device: str
    status: Status
    plan: Plan | None = None
    """The steps that were applied or tried (one part)."""
    problems: tuple[str, ...] = ()
    by_hand: str = ""
    stages: tuple[Stage, ...] = ()
    run_id: str = ""
    log: str = ""
    """Path of the run log."""
    notes: tuple[str, ...] = ()
    is_stale: bool = False
    """Refused because something has moved since the approval."""

    @property
    def ok(self) -> bool:
        """Whether the device is as intended (for this part)."""
        return self.status in FINE
