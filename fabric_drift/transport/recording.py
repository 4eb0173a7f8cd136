"""What one device answered: the value that live reading makes, captures keep and the check judges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fabric_drift.errors import FabricDriftError
from fabric_drift.platform import Output


@dataclass(frozen=True, slots=True)
class Recording:
    """Scrubbed answers by ``Command.text``, in the order they were asked, or why there are none."""

    device: str
    platform: str
    outputs: Mapping[str, Output] = field(default_factory=dict)
    failure: FabricDriftError | None = None
