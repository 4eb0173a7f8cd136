"""Ranges and references of the document -> one Fabric with every device, port and cable by its own name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from fabric_drift.intent.cables import Cable, pair_ends
from fabric_drift.intent.document import Document
from fabric_drift.intent.fabric import Device, Fabric, Link, PortIntent, TreePath
from fabric_drift.intent.faults import Faults
from fabric_drift.intent.hardware import HostHardware, Rail, SwitchHardware
from fabric_drift.intent.nodes import Node
from fabric_drift.intent.ranges import expand
from fabric_drift.intent.topology import DeviceEntry

_SUB_INTERFACE = re.compile(r".+[0-9]\.[0-9]+")


def build(document: Document, root: Node, cables: Iterable[Cable], faults: Faults) -> Fabric:
    """The resolved fabric. Faults are collected; after any, the result must not be used."""
    devices: dict[str, Device] = {}
    for key, entry in document.devices.items():
        for name in _expand(key, ("devices", key), faults):
            if name in devices:
                problem = f"{name} is already declared under {devices[name].entry}"
                faults.add("FD-INT-023", ("devices", key), problem)
            elif devices and devices[next(reversed(devices))].entry == key:
                devices[name] = replace(devices[next(reversed(devices))], name=name)
            else:
                devices[name] = _device(document, name, key, entry, faults)
    faults.stop()  # a cable to a device that could not be read is no fault of its own
    written = chain(_written(document, root, faults), cables)
    links = tuple(_links(document, devices, written, faults))
    links_of: dict[str, dict[str, Link]] = {}
    for link in links:
        _plug(link, links_of, faults)
    return Fabric(document.name, devices, links, document, root, links_of)


def _expand(text: str, path: TreePath, faults: Faults) -> tuple[str, ...]:
    try:
        return expand(text)
    except ValueError as error:
        faults.add("FD-INT-011", path, str(error))
        return ()


def _device(document: Document, name: str, key: str, entry: DeviceEntry, faults: Faults) -> Device:
    hardware = document.hardware[entry.hardware]
    platform = entry.platform or document.roles[entry.role].platform or ""
    is_host = isinstance(hardware, HostHardware)
    ports = _host_ports(document, key, entry, faults) if is_host else _switch_ports(document, key, entry, faults)
    return Device(
        name=name,
        role=entry.role,
        platform=platform,
        releases=entry.releases or document.releases[platform],
        hardware=entry.hardware,
        asic=hardware.asic if isinstance(hardware, SwitchHardware) else "",
        chip=(hardware.chip or "") if isinstance(hardware, SwitchHardware) else "",
        is_host=is_host,
        lifecycle=entry.lifecycle,
        redundancy_group=entry.redundancy_group or "",
        plane=entry.plane or "",
        ports=ports,
        settings=entry.settings,
        entry=key,
    )


def _switch_ports(document: Document, key: str, entry: DeviceEntry, faults: Faults) -> dict[str, PortIntent]:
    ports: dict[str, PortIntent] = {}
    existing = switch_port_names(document, entry.hardware, faults)
    lags = {lag: members for lag, members in entry.port_channels.items() if lag in entry.ports}
    for lag in sorted(set(entry.port_channels) - set(lags)):
        faults.add("FD-INT-046", ("devices", key, "port_channels", lag), f"{lag} has no role under ports")
    for text, item in entry.ports.items():
        path: TreePath = ("devices", key, "ports", text)
        intent = PortIntent(item.role, item.settings, path, port_channel=text if text in lags else "")
        for written in lags.get(text, (text,)):
            for port in _expand(written, path, faults):
                fault = _switch_port_fault(port, intent, existing, ports)
                if fault is None:
                    ports[port] = intent
                elif faults.once((fault[0], path)):
                    faults.add(fault[0], path, fault[1])
    return ports


def _switch_port_fault(
    port: str, intent: PortIntent, existing: frozenset[str], taken: dict[str, PortIntent]
) -> tuple[str, str] | None:
    """(code, problem) of one port name, or None; a range that is wrong as a whole is told once."""
    if _SUB_INTERFACE.fullmatch(port):
        return "FD-INT-025", f"{port} is a sub-interface and inherits from {port.rpartition('.')[0]}"
    if existing and port not in existing:
        return "FD-INT-022", f"the hardware has no port {port}"
    if port in taken:
        code = "FD-INT-046" if intent.port_channel or taken[port].port_channel else "FD-INT-024"
        return code, f"{port} already has the role {taken[port].role}"
    return None


def switch_port_names(document: Document, hardware: str, faults: Faults) -> frozenset[str]:
    """Every port name of a switch model; empty where the model doesn't list them."""
    model = document.hardware[hardware]
    texts = model.ports if isinstance(model, SwitchHardware) else ()
    return frozenset(name for text in texts for name in _expand(text, ("hardware", hardware, "ports"), faults))


def rails_of(document: Document, entry: DeviceEntry) -> tuple[Rail, ...]:
    """The NICs of the hosts of an entry: its own list, else the hardware's."""
    hardware = document.hardware[entry.hardware]
    if entry.rails is not None:
        return entry.rails
    return hardware.rails if isinstance(hardware, HostHardware) else ()


def _selectors(rails: tuple[Rail, ...]) -> dict[str, Rail]:
    """rail:1, the PCI address and guid:0x... -> the rail."""
    found: dict[str, Rail] = {}
    for rail in rails:
        found[rail.selector] = found[rail.key] = rail
    return found


def _host_ports(document: Document, key: str, entry: DeviceEntry, faults: Faults) -> dict[str, PortIntent]:
    ports: dict[str, PortIntent] = {}
    rails = rails_of(document, entry)
    selectors = _selectors(rails)
    if len(selectors) < 2 * len(rails):
        faults.add("FD-INT-024", ("devices", key), "two NICs have the same rail and plane, PCI address or GUID")
    for text, item in entry.ports.items():
        path: TreePath = ("devices", key, "ports", text)
        for name in _expand(text, path, faults):
            rail = selectors.get(name)
            if rail is None:
                faults.add("FD-INT-022", path, f"{entry.hardware} has no NIC {name}", "Write rail:N or a PCI address")
            elif rail.key in ports:
                faults.add("FD-INT-024", path, f"{name} already has the role {ports[rail.key].role}")
            else:
                ports[rail.key] = PortIntent(item.role, item.settings, path, rail=rail)
    return ports


def _links(document: Document, devices: dict[str, Device], cables: Iterable[Cable], faults: Faults) -> Iterator[Link]:
    """Cables whose ends are known."""
    keys = _PortKeys(document, faults)
    for cable in cables:
        where = f"{cable.file}:{cable.line}"
        a_port = keys.find(devices, cable.a_device, cable.a_port, where)
        b_port = keys.find(devices, cable.b_device, cable.b_port, where)
        if a_port is not None and b_port is not None:
            yield _link(devices, cable, a_port, b_port)


def _link(devices: dict[str, Device], cable: Cable, a_port: str, b_port: str) -> Link:
    a, b = devices[cable.a_device], devices[cable.b_device]
    ends = (a.ports.get(a_port), b.ports.get(b_port))
    rails = [end.rail for end in ends if end and end.rail]
    rail = cable.rail if cable.rail is not None or not rails else rails[0].rail
    plane = cable.plane or next((item.plane for item in rails if item.plane), "") or a.plane or b.plane
    speed, length = cable.speed_mbps, cable.cable_m
    return Link(a.name, a_port, b.name, b_port, speed, length, plane, rail, cable.fec, cable.file, cable.line)


def _plug(link: Link, links_of: dict[str, dict[str, Link]], faults: Faults) -> None:
    """Puts a cable into both of its ports, unless one is taken."""
    ends = ((link.a_device, link.a_port), (link.b_device, link.b_port))
    if ends[0] == ends[1]:
        faults.add("FD-INT-024", (), f"the cable of {' '.join(ends[0])} ends where it starts", where=link.where)
        return
    for device, port in ends:
        other = links_of.get(device, {}).get(port)
        if other is not None:
            faults.add("FD-INT-024", (), f"{device} {port} already has the cable of {other.where}", where=link.where)
            return
    for device, port in ends:
        links_of.setdefault(device, {})[port] = link


def _written(document: Document, root: Node, faults: Faults) -> Iterator[Cable]:
    """Cables of the YAML files."""
    written = root.child("links")
    for index, entry in enumerate(document.links):
        node = written.child(index) if written else None
        file, line = (node.file, node.line) if node else (root.file, root.line)
        a, b = entry.a.split(" "), entry.b.split(" ")
        try:
            for ends in pair_ends((a[0], a[1]), (b[0], b[1])):
                yield Cable(*ends, entry.speed, entry.cable, entry.fec or "", entry.plane or "", entry.rail, file, line)
        except ValueError as error:
            faults.add("FD-INT-011", ("links", index), str(error))


class _PortKeys:
    """Finds the key of a port as cable plans call it; says once per row what is unknown."""

    def __init__(self, document: Document, faults: Faults) -> None:
        self._document = document
        self._faults = faults
        self._names: dict[str, dict[str, str] | None] = {}

    def find(self, devices: dict[str, Device], device: str, port: str, where: str) -> str | None:
        """The key of ``port``, or None with an error."""
        known = devices.get(device)
        if known is None:
            if self._faults.once(("unknown device", device)):
                self._faults.add("FD-INT-021", (), f"no device is called {device!r}", where=where)
            return None
        names = self._names_of(known)
        if names is None:  # the model doesn't list its ports
            return port
        key = names.get(port)
        if key is None:
            self._faults.add("FD-INT-022", (), f"{device} has no port {port}", where=where)
        return key

    def _names_of(self, device: Device) -> dict[str, str] | None:
        if device.entry not in self._names:
            self._names[device.entry] = self._list(device)
        return self._names[device.entry]

    def _list(self, device: Device) -> dict[str, str] | None:
        if device.is_host:
            entry = self._document.devices[device.entry]
            return {name: rail.key for name, rail in _selectors(rails_of(self._document, entry)).items()}
        names = switch_port_names(self._document, device.hardware, self._faults)
        return {name: name for name in names} or None
