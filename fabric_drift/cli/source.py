"""Where a check or a capture reads from: captures on disk, or the live devices of the inventory."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fabric_drift.report.harmless import clean
from fabric_drift.transport.limits import Limits

if TYPE_CHECKING:
    from fabric_drift.workflow.expectations import Device
    from fabric_drift.workflow.sources import Captured, Live


def captured(directory: Path) -> Captured:
    """Recordings on disk."""
    from fabric_drift.workflow.sources import Captured as Source  # noqa: PLC0415

    return Source(directory)


@dataclass(frozen=True, slots=True)
class Reach:
    """How live devices are reached."""

    inventory: Sequence[str]
    limits: Limits
    vault_files: Sequence[str]
    ask_vault: bool
    insecure: bool


def live(devices: Sequence[Device], known: Collection[str], reach: Reach) -> Live:
    """``devices`` of the ``known`` ones of the intent, as the inventory reaches them.

    Raises InventoryError when it and the intent are out of step.
    """
    from fabric_drift import inventory  # noqa: PLC0415
    from fabric_drift.workflow.sources import Live as Source  # noqa: PLC0415

    hosts = inventory.read(reach.inventory, vault_password_files=reach.vault_files, ask_vault_password=reach.ask_vault)
    others = set(known) - {device.name for device in devices}
    asked = {name: host for name, host in hosts.items() if name not in others}
    for warning in inventory.agree(asked, devices):
        sys.stderr.write(f"warning: {clean(warning)}\n")
    if reach.insecure:
        sys.stderr.write("warning: host keys are not verified: nothing proves that the right devices answer\n")
    return Source(hosts, reach.limits, verify_host_keys=not reach.insecure)
