"""Managed ports: headroom, ECN, watchdog, pause, speed, breakout, port-channels."""

from __future__ import annotations

from fabric_drift.intent.ecn import matching
from fabric_drift.intent.fabric import Device, Fabric, TreePath
from fabric_drift.intent.faults import Faults, locate
from fabric_drift.intent.hardware import Buffers, SwitchHardware
from fabric_drift.intent.ports import PortView, ecn_place, headroom_row, view
from fabric_drift.intent.topology import MAY_BE_SILENT
from fabric_drift.intent.units import MBPS, format_quantity


def check_port(fabric: Fabric, port: PortView, faults: Faults) -> None:
    """One managed port; everything that depends only on its policy is checked once."""
    if faults.once(("port policy", id(port.policy))):
        _check_pause(port, faults)
        _check_watchdog(port, faults)
    known = port.speed_mbps is not None and port.cable_m is not None
    if not known and port.device.lifecycle not in MAY_BE_SILENT:
        if faults.once(("uncabled", locate(fabric.root, port.intent.path).where)):
            problem = (
                f"{port.device.name} {port.name} is managed, and neither a cable nor settings say its speed and cable"
            )
            faults.add("FD-INT-044", port.intent.path, problem)
    elif known and not port.device.is_host:
        key = (port.device.hardware, port.speed_mbps, port.cable_m, id(port.policy))
        if faults.once(key):
            _check_headroom(fabric, port, faults)
            _check_ecn(fabric, port, faults)


def _check_pause(port: PortView, faults: Faults) -> None:
    resolved = port.resolved
    if port.policy.pfc_priorities and resolved.get("global_pause", default=False):
        path = resolved.path_of("global_pause") or ()
        faults.add("FD-INT-042", path, "global pause is on where classes are lossless")


def _check_watchdog(port: PortView, faults: Faults) -> None:
    resolved = port.resolved
    poll = resolved.get("watchdog", "poll")
    for timer in ("detect", "restore"):
        value = resolved.get("watchdog", timer)
        if poll is not None and value is not None and poll > value and faults.once(("watchdog", poll)):
            path = resolved.path_of("watchdog", "poll") or ()
            faults.add("FD-INT-037", path, f"poll {poll} ms is longer than {timer} {value} ms")


def _check_headroom(fabric: Fabric, port: PortView, faults: Faults) -> None:
    lossless = [item.name for item in port.policy.classes if item.lossless]
    hardware = fabric.document.hardware[port.device.hardware]
    if not lossless or not isinstance(hardware, SwitchHardware) or hardware.buffers == "unmanaged":
        return
    path: tuple[str, ...] = ("hardware", port.device.hardware)
    if not isinstance(hardware.buffers, Buffers):
        if faults.once(("no buffers", port.device.hardware)):
            faults.add("FD-INT-036", path, f"nothing is said about buffers, and {lossless[0]} is lossless")
        return
    assert port.speed_mbps is not None
    assert port.cable_m is not None
    if not hardware.buffers.headroom or headroom_row(hardware.buffers, port.speed_mbps, port.cable_m):
        return
    if faults.once(("headroom", port.device.hardware, port.speed_mbps, port.cable_m)):
        speed = format_quantity(port.speed_mbps, MBPS).replace(" ", "")
        problem = (
            f"no row covers {speed} at {port.cable_m} m, where {lossless[0]} is lossless"
            f" ({port.device.name} {port.name})"
        )
        faults.add("FD-INT-036", (*path, "buffers", "headroom"), problem)


def _check_ecn(fabric: Fabric, port: PortView, faults: Faults) -> None:
    rules = fabric.document.ecn
    marked = {rule.class_ for rule in rules}
    for item in port.policy.classes:
        if item.name not in marked:
            continue
        place = ecn_place(port, item.name)
        found = matching(rules, place)
        key = ("ecn", tuple(found) or (item.name, port.speed_mbps))
        if len(found) == 1 or not faults.once(key):
            continue
        speed = format_quantity(port.speed_mbps or 0, MBPS).replace(" ", "")
        text = f"{item.name} on {port.device.chip or port.device.asic} at {speed} ({port.intent.role} ports)"
        if found:
            faults.add("FD-INT-034", ("ecn", found[1]), f"two rules are equally specific for {text}")
        else:
            remedy = "Add a rule, or one with marking: off"
            faults.add("FD-INT-034", ("ecn",), f"no rule covers {text}", remedy)


def check_device(fabric: Fabric, device: Device, polls: dict[int, TreePath], faults: Faults) -> None:
    """What the ports of one device must agree on."""
    if not faults.once(("device", device.entry)):
        return
    if len(polls) > 1 and faults.once(("polls", frozenset(polls.values()))):
        values = " and ".join(f"{poll} ms" for poll in sorted(polls))
        faults.add("FD-INT-048", ("devices", device.entry), f"ports of {device.name} want to poll every {values}")
    _check_breakouts(fabric, device, faults)
    _check_port_channels(fabric, device, faults)


def _check_breakouts(fabric: Fabric, device: Device, faults: Faults) -> None:
    taken: dict[tuple[int, int], str] = {}
    modes: dict[int, str] = {}
    for name, intent in device.ports.items():
        breakout = intent.settings.breakout
        if breakout is None:
            continue
        count, _, speed = breakout.mode.partition("x")
        port = view(fabric, device, name)
        wanted = int(speed.removesuffix("G")) * MBPS["G"]
        other = taken.setdefault((breakout.cage, breakout.lane), name)
        mode = modes.setdefault(breakout.cage, breakout.mode)
        problem = ""
        if breakout.lane > int(count):
            problem = f"{name} is port {breakout.lane} of a cage that is split in {count}"
        elif other != name:
            problem = f"{name} and {other} are the same lane {breakout.lane} of cage {breakout.cage}"
        elif mode != breakout.mode:
            problem = f"cage {breakout.cage} is split as {mode} and as {breakout.mode}"
        elif port.speed_mbps not in (None, wanted):
            problem = f"{name} runs at {port.speed_mbps} Mb/s and its cage is split as {breakout.mode}"
        if problem:
            faults.add("FD-INT-045", (*intent.path, "settings", "breakout"), problem)


def _check_port_channels(fabric: Fabric, device: Device, faults: Faults) -> None:
    speeds: dict[str, set[int | None]] = {}
    for name, intent in device.ports.items():
        if intent.port_channel:
            speeds.setdefault(intent.port_channel, set()).add(view(fabric, device, name).speed_mbps)
    for lag, found in sorted(speeds.items()):
        if len(found) > 1:
            path = ("devices", device.entry, "port_channels", lag)
            faults.add("FD-INT-046", path, f"the members of {lag} have different speeds")
