"""A reading that keeps the running rows, for who wants to change them."""

from __future__ import annotations

from dataclasses import dataclass, field

from fabric_drift.platform import Reading
from fabric_drift.platforms.sonic.config import Chassis
from fabric_drift.platforms.sonic.documents import Tables
from fabric_drift.platforms.sonic.headroom import Lookup
from fabric_drift.state.values import Unobserved

NOT_READ = Unobserved("not read")


@dataclass(frozen=True, slots=True)
class SonicReading(Reading):
    """``rows``: owned tables of the running CONFIG_DB. The rest of it, with its secrets, is not kept."""

    rows: Tables = field(default_factory=dict)
    chassis: Chassis = field(default_factory=lambda: Chassis(NOT_READ, NOT_READ))
    lookup: Lookup | Unobserved = NOT_READ
