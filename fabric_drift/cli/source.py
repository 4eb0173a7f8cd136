"""Where a check or a capture reads from: captures on disk, or the live devices of the inventory."""

from __future__ import annotations

import sys
from collections.abc import Sequence
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


def live(
    devices: Sequence[Device],
    inventory: Sequence[str],
    limits: Limits,
    *,
    vault_files: Sequence[str],
    ask_vault: bool,
    insecure: bool,
) -> Live:
    """The devices as the inventory reaches them. Raises InventoryError when it and the intent are out of step."""
    from fabric_drift import inventory as reachability  # noqa: PLC0415
    from fabric_drift.workflow.sources import Live as Source  # noqa: PLC0415

    hosts = reachability.read(inventory, vault_password_files=vault_files, ask_vault_password=ask_vault)
    for warning in reachability.agree(hosts, devices):
        sys.stderr.write(f"warning: {clean(warning)}\n")
    if insecure:
        sys.stderr.write("warning: host keys are not verified: nothing proves that the right devices answer\n")
    return Source(hosts, limits, verify_host_keys=not insecure)
