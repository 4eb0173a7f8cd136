"""Show commands that answer in text."""

from __future__ import annotations

from collections.abc import Callable

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.eos import policy, tree
from fabric_drift.lab.eos.text import running


def _head(store: Store, command: str, *notes: str) -> list[str]:
    name = store["running"]["lines"].get("hostname", "hostname localhost").removeprefix("hostname ")
    hardware, release = store["hardware"], store["release"]
    return [f"! Command: {command}", *notes, f"! device: {name} ({hardware}, EOS-{release})", "!"]


def configuration(store: Store, root: tree.Section, command: str, *notes: str) -> str:
    """A whole configuration: head, lines, ``end``."""
    lines = [*_head(store, command, *notes), *running(root, store["release"]), "!", "end"]
    return "\n".join(lines) + "\n"


def running_config(store: Store) -> str:
    """``show running-config``."""
    return configuration(store, store["running"], "show running-config")


def startup_config(store: Store) -> str:
    """``show startup-config``."""
    note = "! Startup-config last modified at  Sat Nov 28 02:00:00 2026 by admin"
    return configuration(store, store["startup"], "show startup-config", note)


def lldp_neighbors(store: Store) -> str:
    """``show lldp neighbors``, with short port names."""
    lines = ["Port          Neighbor Device ID       Neighbor Port ID    TTL", "-" * 62]
    for port, facts in store["ports"].items():
        if policy.link(store, port)["linkStatus"] == "connected":
            short = port.replace("Ethernet", "Et")
            lines.append(f"{short:<13} {facts['peer_device']:<24} {facts['peer_port']:<19} 120")
    return "\n".join(lines) + "\n"


def hostname(store: Store) -> str:
    """``show hostname``."""
    name = store["running"]["lines"].get("hostname", "hostname localhost").removeprefix("hostname ")
    return f"Hostname: {name}\nFQDN:     {name}\n"


def version(store: Store) -> str:
    """``show version``: the first lines of it."""
    return f"Arista {store['hardware']}\nHardware version: 11.00\n\nSoftware image version: {store['release']}\n"


TEXT_COMMANDS: dict[str, Callable[[Store], str]] = {
    "show running-config": running_config,
    "show startup-config": startup_config,
    "show lldp neighbors": lldp_neighbors,
    "show hostname": hostname,
    "show version": version,
}
