"""What every device of a change shares: the intent, the way to devices, the operator's consent, the clock."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import Protocol

from fabric_drift.registry import platform as registered
from fabric_drift.workflow.access import Access
from fabric_drift.workflow.expectations import Expectations
from fabric_drift.workflow.outcome import Consent
from fabric_drift.workflow.sources import PlatformOf


class Clock(Protocol):
    """Time that never goes back."""

    def now(self) -> float:
        """Seconds since whenever."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Lets ``seconds`` pass."""
        ...


class Monotonic:
    """The machine's own; setting the wall clock doesn't move it."""

    def now(self) -> float:
        """Seconds since whenever."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Lets ``seconds`` pass."""
        await asyncio.sleep(seconds)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a device may take to come back to itself. Seconds."""

    settle: float = 90.0
    """Links train, neighbours are learnt: up to 40 s on SONiC (SONiC sheet 0.2), LLDP another 30 s."""
    poll: float = 5.0
    after_timer: float = 120.0
    """How long after its deadline an undo by the device itself may last."""
    undo_attempts: int = 3


@dataclass(frozen=True, slots=True)
class Scene:
    """Shared by all devices of a run."""

    expectations: Expectations
    access: Access
    platform: PlatformOf = registered
    consent: Consent = field(default_factory=Consent)
    clock: Clock = field(default_factory=Monotonic)
    patience: Patience = field(default_factory=Patience)
    who: str = ""
    revision: str = ""
    """Git revision of the intent, for the run log."""
