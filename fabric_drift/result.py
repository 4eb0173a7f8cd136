"""What a check found: per device a status, counts of facts and findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

from fabric_drift.finding import Finding, Severity, Verdict


class DeviceStatus(str, Enum):
    """What became of one device. Only ``CHECKED`` means that every managed fact was seen."""

    CHECKED = "checked"
    INCOMPLETE = "incomplete"
    """Read and compared, but some facts could not be seen."""
    UNREACHABLE = "unreachable"
    UNAUTHORISED = "unauthorised"
    WRONG_DEVICE = "wrong_device"
    """Another device answered than the one asked for."""
    UNPARSED = "unparsed"
    """It answered, and nothing of it was understood."""
    UNSUPPORTED = "unsupported"
    """Its release isn't one of the platform's, or the platform can't express what the intent asks."""
    EXPECTED_DOWN = "expected_down"
    """Not there, and the intent's lifecycle says that this is all right."""
    INTERNAL_ERROR = "internal_error"
    """A fault of this program."""


READ = frozenset((DeviceStatus.CHECKED, DeviceStatus.INCOMPLETE))


@dataclass(frozen=True, slots=True)
class DeviceResult:
    """One device. ``facts`` counts facts (per layer), so its numbers are larger than those of findings."""

    name: str
    platform: str
    status: DeviceStatus
    lifecycle: str = "active"
    release: str = ""
    problem: str = ""
    """Why it wasn't checked, in the grammar of errors."""
    findings: tuple[Finding, ...] = ()
    facts: Mapping[Verdict, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    """Commands without a whole answer, with the reason."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The whole run, devices in the order of their names."""

    fabric: str
    devices: tuple[DeviceResult, ...]
    warnings: tuple[str, ...] = ()

    @property
    def findings(self) -> Iterator[Finding]:
        """All findings, by device and path."""
        return (finding for device in self.devices for finding in device.findings)

    @property
    def facts(self) -> dict[Verdict, int]:
        """Counts of facts over all devices."""
        total: Counter[Verdict] = Counter()
        for device in self.devices:
            total.update(device.facts)
        return {verdict: total[verdict] for verdict in Verdict}

    @property
    def statuses(self) -> dict[DeviceStatus, int]:
        """How many devices ended how."""
        found = Counter(device.status for device in self.devices)
        return {status: found[status] for status in DeviceStatus}

    def drift(self, at_least: Severity = Severity.INFO) -> int:
        """How many drift findings there are at or above a severity."""
        return sum(f.verdict is Verdict.DRIFT and f.severity >= at_least for f in self.findings)

    @property
    def incomplete(self) -> bool:
        """Whether some device or fact went unchecked that should have been checked."""
        fine = {DeviceStatus.CHECKED, DeviceStatus.EXPECTED_DOWN}
        return any(device.status not in fine for device in self.devices)
