"""Links of an emulated switch: which are up, and a log of those that went down.

``store["flaps"]``: ``{"at": seconds on the lab's clock, "port": name, "by": cause}`` whenever a port that was up loses
its link, be it for a moment. ``store["link_down"]``: ports that are down on this side; ``store["peer_down"]``: ports
whose other side is down, as the daemon was told by the neighbour.
"""

from __future__ import annotations

from fabric_drift.lab.clock import now_s
from fabric_drift.lab.emulator import Store
from fabric_drift.lab.sonic.badday import trouble
from fabric_drift.lab.sonic.configdb import table

RETRAINED = ("speed", "fec", "autoneg")
"""A change of these restarts the link (orchagent/portsorch.cpp sets the port down to change them)."""


def is_up(store: Store, port: str) -> bool:
    """Whether the link of a port is up."""
    fields = table(store, "PORT").get(port, {})
    enabled = fields.get("admin_status") == "up" and port in store["peers"]
    return enabled and port not in store.get("peer_down", ()) and port not in store.get("lost", ())


def follow(store: Store, cause: str) -> None:
    """Logs the ports that lost their link since the last call."""
    memory: dict[str, dict[str, str]] = store.setdefault("links", {})
    for port, fields in table(store, "PORT").items():
        now = {name: fields.get(name, "") for name in RETRAINED} if is_up(store, port) else {}
        before = memory.get(port, {})
        if before and now != before and port not in store.get("peer_down", ()):  # the neighbour's is in the log
            _flapped(store, port, cause)
            now = now if is_up(store, port) else {}
        memory[port] = now
    store["link_down"] = [port for port, now in memory.items() if not now and port not in store.get("peer_down", ())]


def all_flap(store: Store, cause: str) -> None:
    """Every link that is up goes down and comes again, as at a restart."""
    memory: dict[str, dict[str, str]] = store.get("links", {})
    for port, state in memory.items():
        if state:
            _flapped(store, port, cause)
            memory[port] = {}


def _flapped(store: Store, port: str, cause: str) -> None:
    store.setdefault("flaps", []).append({"at": now_s(store), "port": port, "by": cause})
    if trouble(store, "no_link") in {port, "*"} and port not in store.setdefault("lost", []):
        store["lost"].append(port)
