"""What a port does in effect: its own lines over those of its service-profile."""

from __future__ import annotations

import re
from typing import Any

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.eos import tree
from fabric_drift.lab.eos.defaults import default_trust

NO_DROP = re.compile(r"priority-flow-control priority ([0-7]) no-drop")
FORCED = re.compile(r"(\d+)(g|full)?")


def own_lines(store: Store, port: str) -> dict[str, str]:
    """The lines of the interface itself."""
    lines: dict[str, str] = tree.find(store["running"], [f"interface {port}"])["lines"]
    return lines


def effective_lines(store: Store, port: str) -> dict[str, str]:
    """Lines of the port's profile, overridden key by key by the interface's own."""
    own = own_lines(store, port)
    profile = own.get("service-profile", "").removeprefix("service-profile ")
    inherited = tree.find(store["running"], [f"qos profile {profile}"])["lines"] if profile else {}
    return {**inherited, **own}


def trust(store: Store, port: str) -> str:
    """dscp, cos or untrusted."""
    line = effective_lines(store, port).get("qos trust")
    if line is None:
        return default_trust(store["running"], f"interface {port}")
    return "untrusted" if line == "no qos trust" else line.removeprefix("qos trust ")


def no_drop_priorities(store: Store, port: str) -> list[int]:
    """Priorities that are paused for: none unless PFC is on, on the port and on the device."""
    lines = effective_lines(store, port)
    if "priority-flow-control" not in lines or "priority-flow-control all" in store["running"]["lines"]:
        return []
    found = [NO_DROP.fullmatch(line) for line in lines.values()]
    return sorted(int(match[1]) for match in found if match)


def counted_queues(store: Store, port: str) -> set[str]:
    """Queues whose ECN marks are counted. A profile's ``count`` isn't inherited (AVD pull request 2770)."""
    sections = tree.find(store["running"], [f"interface {port}"])["sections"]
    return {header.split()[1] for header, queue in sections.items() if "random-detect ecn count" in queue["lines"]}


def link(store: Store, port: str) -> dict[str, Any]:
    """Status and speed (bit/s) of a port as the hardware has them; a stuck value wins."""
    facts = store["ports"][port]
    own = own_lines(store, port)
    is_up = bool(facts["peer_device"]) and "shutdown" not in own and port not in store.get("peer_down", ())
    status = "connected" if is_up else ("disabled" if "shutdown" in own else "notconnect")
    speed = FORCED.search(own.get("speed", ""))
    mbps = int(speed[1]) * (1000 if speed[2] == "g" else 1) if speed else facts["speed_mbps"]
    shown = {"linkStatus": status, "bandwidth": mbps * 1_000_000}
    return {**shown, **store["stuck"].get(f"ports/{port}", {})}


def mtu_bytes(store: Store, port: str) -> int:
    """IP MTU as the hardware has it."""
    line = own_lines(store, port).get("mtu", "mtu 1500")
    return int(store["stuck"].get(f"ports/{port}", {}).get("mtu", line.removeprefix("mtu ")))
