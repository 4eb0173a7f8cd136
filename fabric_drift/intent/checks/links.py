"""Links: both ends must say the same, and MTUs must grow from host to switch."""

from __future__ import annotations

from typing import Any

from fabric_drift.intent.fabric import Fabric, Link
from fabric_drift.intent.faults import Faults
from fabric_drift.intent.ports import PortView, view

HEADERS_BYTES = 60
"""IPv4 20, UDP 8, BTH 12, RETH 16, ICRC 4 around the RDMA payload (InfiniBand Architecture, RoCEv2 annex)."""


def check_link(fabric: Fabric, link: Link, faults: Faults) -> None:
    """One cable. Both ends unmanaged: nothing to say."""
    a = _end(fabric, link.a_device, link.a_port)
    b = _end(fabric, link.b_device, link.b_port)
    for end in (a, b):
        if end is not None:
            _check_plan(end, link, faults)
    if a is None or b is None:
        return
    key = ("link", id(a.policy), id(b.policy), a.speed_mbps, b.speed_mbps, a.cable_m, b.cable_m, a.fec, b.fec)
    if faults.once(key):
        _check_ends(a, b, link, faults)
        _check_mtu(fabric, a, b, link, faults)


def _end(fabric: Fabric, device: str, port: str) -> PortView | None:
    known = fabric.devices[device]
    return view(fabric, known, port) if port in known.ports else None


def _check_plan(end: PortView, link: Link, faults: Faults) -> None:
    """What the settings of one end say against the cable plan."""
    pairs: tuple[tuple[str, Any, Any, str], ...] = (
        ("speed", end.speed_mbps, link.speed_mbps, "Mb/s"),
        ("cable", end.cable_m, link.cable_m, "m"),
        ("fec", end.fec, link.fec or end.fec, ""),
    )
    for key, said, planned, unit in pairs:
        if said != planned and faults.once(("plan", key, end.resolved.path_of(key), planned)):
            where = end.resolved.path_of(key) or ()
            problem = f"{said} {unit}".strip() + f" against {planned} {unit}".rstrip() + f" in {link.where}"
            faults.add("FD-INT-035", where, f"{problem} ({end.device.name} {end.name})")
    rail = end.intent.rail
    if rail is not None and link.rail is not None and link.rail != rail.rail:
        problem = f"{end.device.name} {end.name} is rail {rail.rail}, not {link.rail}"
        faults.add("FD-INT-035", (), problem, where=link.where)


def _check_ends(a: PortView, b: PortView, link: Link, faults: Faults) -> None:
    pairs: tuple[tuple[str, Any, Any], ...] = (
        ("FEC", a.fec or b.fec, b.fec or a.fec),
        ("PFC priorities", _priorities(a), _priorities(b)),
    )
    for what, mine, theirs in pairs:
        roles = tuple(sorted((a.intent.role, b.intent.role)))
        if mine != theirs and faults.once((what, roles, mine, theirs)):
            problem = f"{a.device.name} {a.name} has {what} {mine} and {b.device.name} {b.name} {theirs}"
            faults.add("FD-INT-035", (), problem, where=link.where)
    if a.resolved.get("dcbx_willing") and b.resolved.get("dcbx_willing"):
        path = a.resolved.path_of("dcbx_willing") or ()
        if faults.once(("willing", frozenset((path, b.resolved.path_of("dcbx_willing"))))):
            problem = f"{a.device.name} {a.name} and {b.device.name} {b.name} are both willing"
            faults.add("FD-INT-043", path, problem)


def _priorities(end: PortView) -> str:
    return ",".join(str(priority) for priority in end.policy.pfc_priorities) or "none"


def _check_mtu(fabric: Fabric, a: PortView, b: PortView, link: Link, faults: Faults) -> None:
    for end in (a, b):
        _check_rdma_mtu(fabric, end, faults)
    mine, theirs = a.resolved.get("mtu"), b.resolved.get("mtu")
    if mine is None or theirs is None or mine == theirs:
        return
    host, switch = (a, b) if a.device.is_host else (b, a)
    is_mixed = a.device.is_host != b.device.is_host
    if is_mixed and host.resolved.get("mtu") < switch.resolved.get("mtu"):
        return
    paths = (a.resolved.path_of("mtu"), b.resolved.path_of("mtu"))
    if faults.once(("mtu", frozenset(paths))):
        problem = f"{a.device.name} {a.name} has the MTU {mine} and {b.device.name} {b.name} {theirs}"
        faults.add("FD-INT-038", host.resolved.path_of("mtu") or (), f"{problem} ({link.where})")


def _check_rdma_mtu(fabric: Fabric, end: PortView, faults: Faults) -> None:
    mtu = end.resolved.get("mtu")
    path = end.resolved.path_of("mtu") or ()
    needed = fabric.document.rdma_mtu + HEADERS_BYTES
    if mtu is not None and mtu < needed and faults.once(("rdma mtu", path)):
        problem = f"{mtu} bytes do not hold an RDMA packet of {fabric.document.rdma_mtu} + {HEADERS_BYTES} bytes"
        faults.add("FD-INT-038", path, problem)
