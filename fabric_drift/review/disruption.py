"""How much a write disturbs, by the platform's table of capabilities. No row is no evidence: unknown."""

from __future__ import annotations

from collections.abc import Sequence

from fabric_drift.platform import Capability, Operation
from fabric_drift.review.side import Planned
from fabric_drift.state.values import Path

ANY = "*"


def write_capability(table: Sequence[Capability], device: Planned, path: Path) -> Capability | None:
    """The row that speaks of writing ``path`` on ``device``; of several releases the worst one's row.

    None where one of the releases that the intent allows has no row: that is unknown, not yes.
    """
    writes = [row for row in table if row.operation is Operation.WRITE and _covers(row.fact, path)]
    writes = [row for row in writes if _names(row.hardware, device.hardware, device.asic)]
    chosen: list[Capability] = []
    for release in device.releases or ("",):
        fitting = [row for row in writes if _is_release(row.releases, release)]
        if not fitting:
            return None
        chosen.append(max(fitting, key=_precision))
    return max(chosen, key=lambda row: (not row.supported, row.disruption))


def _covers(pattern: str, path: Path) -> bool:
    parts = [part for part in pattern.split("/") if part]
    return len(parts) <= len(path) and all(want in (ANY, have) for want, have in zip(parts, path, strict=False))


def _names(allowed: Sequence[str], *names: str) -> bool:
    return ANY in allowed or any(name in allowed for name in names if name)


def _is_release(allowed: Sequence[str], release: str) -> bool:
    """``4.32`` speaks of 4.32.2F too."""
    return ANY in allowed or any(release == row or release.startswith(f"{row}.") for row in allowed)


def _precision(row: Capability) -> tuple[int, int, int, int, int]:
    """Longest pattern first; then fewest wildcards, named release, named hardware, and the worse answer."""
    parts = row.fact.split("/")
    return len(parts), -parts.count(ANY), ANY not in row.releases, ANY not in row.hardware, int(row.disruption)
