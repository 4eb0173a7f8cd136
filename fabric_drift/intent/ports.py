"""One managed port with everything that decides its state: policy, cable, speed, buffer row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fabric_drift.intent.ecn import Place
from fabric_drift.intent.fabric import Device, Fabric, Link, PortIntent
from fabric_drift.intent.hardware import Buffers, HeadroomRow, SwitchHardware
from fabric_drift.intent.layers import Resolved, resolve
from fabric_drift.intent.policy import Policy, policy_of


@dataclass(frozen=True, slots=True)
class PortView:
    """``speed_mbps``, ``cable_m`` and ``fec``: the settings' word, else the cable plan's, else None."""

    device: Device
    name: str
    intent: PortIntent
    policy: Policy
    resolved: Resolved
    """The policy's settings with the layers of this very port."""
    link: Link | None
    speed_mbps: int | None
    cable_m: int | None
    fec: str | None


def view(fabric: Fabric, device: Device, port: str) -> PortView:
    """One managed port. Raises KeyError for a port that the intent doesn't manage."""
    intent = device.ports[port]
    policy = policy_of(fabric, device, port, intent)
    link = fabric.links_of.get(device.name, {}).get(port)
    resolved = resolve(fabric, device, port, intent)
    speed = resolved.get("speed", default=link.speed_mbps if link else None)
    cable = resolved.get("cable", default=link.cable_m if link else None)
    fec = resolved.get("fec", default=(link.fec or None) if link else None)
    return PortView(device, port, intent, policy, resolved, link, speed, cable, fec)


def views(fabric: Fabric, device: Device) -> Iterator[PortView]:
    """All managed ports of a device, in the order of the intent."""
    for port in device.ports:
        yield view(fabric, device, port)


def buffers_of(fabric: Fabric, device: Device) -> Buffers | None:
    """The buffer table of a switch, or None where buffers aren't managed."""
    hardware = fabric.document.hardware[device.hardware]
    if isinstance(hardware, SwitchHardware) and isinstance(hardware.buffers, Buffers):
        return hardware.buffers
    return None


def headroom_row(buffers: Buffers, speed_mbps: int, cable_m: int) -> tuple[int, HeadroomRow] | None:
    """(index, row) of the shortest row of this speed that covers the cable; None where none does.

    Rounded up, never to the nearest: a row for 40 m is too small for a cable of 60 m.
    """
    fitting = [
        (row.cable, index, row)
        for index, row in enumerate(buffers.headroom)
        if row.speed == speed_mbps and row.cable >= cable_m
    ]
    if not fitting:
        return None
    _, index, row = min(fitting, key=lambda item: item[:2])
    return index, row


def ecn_place(port: PortView, traffic_class: str) -> Place:
    """What ECN rules are compared with for one class on one port."""
    return (traffic_class,), (port.intent.role,), (port.device.asic, port.device.chip), (port.speed_mbps,)
