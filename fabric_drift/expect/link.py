"""What the cable plan makes of a port: its link is up, and who is at the other end."""

from __future__ import annotations

from typing import Any

from fabric_drift.intent.fabric import Fabric
from fabric_drift.intent.layers import resolve
from fabric_drift.intent.ports import PortView
from fabric_drift.intent.topology import MAY_BE_SILENT
from fabric_drift.state.device import Neighbour
from fabric_drift.state.values import UNSAID


def oper_up(fabric: Fabric, view: PortView) -> Any:
    """True where nothing excuses a dark link: a cable, both devices at work, both ends meant to be up."""
    if view.link is None or view.device.lifecycle in MAY_BE_SILENT:
        return UNSAID
    name, port = view.link.far(view.device.name, view.name)
    far = fabric.devices[name]
    intent = far.ports.get(port)
    if far.lifecycle in MAY_BE_SILENT or intent is None:
        return UNSAID
    ends = (view.resolved, resolve(fabric, far, port, intent))
    return True if all(end.get("admin", default="up") == "up" for end in ends) else UNSAID


def neighbour(fabric: Fabric, view: PortView) -> Any:
    """Who LLDP must show; nobody is expected of a device that may be silent."""
    if view.link is None:
        return UNSAID
    name, port = view.link.far(view.device.name, view.name)
    return UNSAID if fabric.devices[name].lifecycle in MAY_BE_SILENT else Neighbour(device=name, port=port)
