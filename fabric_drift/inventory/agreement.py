"""The intent says what a device must be, the inventory how to reach it. Both must name the same devices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from fabric_drift.inventory.host import Host, InventoryError

ABSENCE_ALLOWED = frozenset(("planned", "spare"))


class Device(Protocol):
    """What is asked of a device of the intent."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def platform(self) -> str: ...  # noqa: D102
    @property
    def lifecycle(self) -> str: ...  # noqa: D102


def agree(hosts: Mapping[str, Host], devices: Iterable[Device]) -> tuple[str, ...]:
    """Raises InventoryError when intent and inventory are out of step; returns warnings.

    ``devices`` have name, platform and lifecycle. A planned or spare device needn't be in the inventory yet.
    A host that the intent doesn't know is only told: an inventory holds more than the fabric.
    """
    known = {device.name: device for device in devices}
    missing = [name for name, device in known.items() if name not in hosts and device.lifecycle not in ABSENCE_ALLOWED]
    if missing:
        raise InventoryError(
            f"the intent has {', '.join(sorted(missing))}, the inventory has not",
            remedy="Add them to the inventory, or set their lifecycle to planned or spare in the intent",
            code="FD-INV-002",
        )
    clashes = sorted(
        f"{name} is {host.platform} in the inventory and {known[name].platform} in the intent"
        for name, host in hosts.items()
        if name in known and host.platform and host.platform != known[name].platform
    )
    if clashes:
        raise InventoryError(
            "; ".join(clashes), remedy="Correct fabric_drift_platform or the intent", code="FD-INV-003"
        )
    foreign = sorted(set(hosts) - set(known))
    told = [f"the inventory has {', '.join(foreign)}, the intent has not: not checked"] if foreign else []
    return (*told, *(warning for name in sorted(set(hosts) & set(known)) for warning in hosts[name].warnings))
