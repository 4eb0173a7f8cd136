"""``expect``: the expected state of one device."""

from __future__ import annotations

from fabric_drift.errors import IntentError
from fabric_drift.expect import nic, switch
from fabric_drift.intent.fabric import Device, Fabric
from fabric_drift.intent.ports import PortView, buffers_of, views
from fabric_drift.state.device import DeviceState, Port


def expect(fabric: Fabric, device_name: str) -> DeviceState:
    """What ``device_name`` should be, as far as the intent manages it; the rest is UNSAID.

    Ports of one policy, also on different devices, point to one ``PortQos``. Raises IntentError for an
    unknown device.
    """
    device = find(fabric, device_name)
    managed = list(views(fabric, device))
    ports = {view.name: expected_port(fabric, view) for view in managed}
    if device.is_host:
        return DeviceState(ports=ports, job=nic.job(fabric, managed), unreferenced={})
    buffers = buffers_of(fabric, device)
    return DeviceState(
        ports=ports,
        pools=switch.pools(buffers),
        watchdog=switch.device_watchdog(managed),
        buffer_model=switch.device_buffer_model(fabric, device),
        unreferenced={},
    )


def expected_port(fabric: Fabric, view: PortView) -> Port:
    """One managed port of a switch or host."""
    return nic.nic_port(fabric, view) if view.device.is_host else switch.switch_port(fabric, view)


def find(fabric: Fabric, device_name: str) -> Device:
    """The device. Raises IntentError when the intent doesn't have it."""
    device = fabric.devices.get(device_name)
    if device is None:
        raise IntentError(
            f"no device is called {device_name!r}",
            where=fabric.root.where,
            remedy="Declare it under devices or correct its name",
            code="FD-INT-021",
        )
    return device
