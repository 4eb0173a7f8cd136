"""How long and how much one device may take."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one run. A device that needs 30 s per command still fits into the defaults."""

    connect_seconds: float = 20.0
    command_seconds: float = 60.0
    device_seconds: float = 600.0
    answer_bytes: int = 32 * 1024 * 1024
    """Larger answers are cut and told."""
    concurrency: int = 64
    """Devices read at the same time; commands of one device run one after the other."""
