"""What EOS's ``parse`` returns: a Reading that also keeps the running configuration, for ``plan``."""

from __future__ import annotations

from dataclasses import dataclass

from fabric_drift.platform import Reading
from fabric_drift.platforms.eos.state import Effective


@dataclass(frozen=True, slots=True)
class EosReading(Reading):
    """``running``: None where it could not be read. ``saved_is_running``: nothing waits to be saved."""

    running: Effective | None = None
    saved_is_running: bool = False
