"""The only order in which a fabric may change (design law 7), as a pure function over plans and topology."""

from __future__ import annotations

from collections.abc import Mapping

from fabric_drift.change import Plan
from fabric_drift.workflow.outcome import Part, Wave
from fabric_drift.workflow.topology import Topology


def waves(plans: Mapping[str, Mapping[Part, Plan]], topology: Topology, *, batch: int = 8) -> tuple[Wave, ...]:
    """Waves of at most ``batch`` devices, part after part; a device is in at most one wave per part.

    Within a wave no two devices are of one redundancy group or neighbours of each other. The first device of
    a shape goes alone with other first devices (canaries).
    """
    raise NotImplementedError
