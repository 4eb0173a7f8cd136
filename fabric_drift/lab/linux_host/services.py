"""Services and who is at the other end of a cable: ``systemctl``, ``lldpctl``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.linux_host import nic as mlx5
from fabric_drift.lab.linux_host.nic import Nic

INACTIVE = 3
VERBS = {"start": "active", "stop": "inactive", "enable": "", "disable": ""}


def systemctl(store: Store, args: Sequence[str], root: bool) -> Answer:
    """``systemctl is-active|start|stop UNIT``; a unit that isn't installed is inactive too (systemd 249)."""
    match list(args):
        case ["is-active", unit]:
            state = store["services"].get(unit.removesuffix(".service"), "missing")
            is_active = state == "active"
            return Answer("active\n" if is_active else "inactive\n", exit_status=0 if is_active else INACTIVE)
        case ["start" | "stop" as verb, unit]:
            if not root:
                return Answer(stderr=f"Failed to {verb} {unit}: Access denied\n", exit_status=4)
            store["services"][unit.removesuffix(".service")] = VERBS[verb]
            return Answer()
        case _:
            return Answer(stderr="Unknown operation.\n", exit_status=1)


def _neighbour(number: int, nic: Nic) -> dict[str, Any]:
    port = {"id": [{"type": "ifname", "value": nic["peer_port"]}], "ttl": [{"value": "120"}]}
    return {
        "name": nic["netdev"],
        "via": "LLDP",
        "rid": str(number),
        "age": "0 day, 01:00:00",
        "chassis": [{"name": [{"value": nic["peer_device"]}]}],
        "port": [port],
    }


def lldpctl(store: Store, args: Sequence[str], root: bool) -> Answer:
    """``lldpctl -f json0``."""
    if list(args) != ["-f", "json0"]:
        return Answer(stderr="lldpctl: only -f json0 is emulated\n", exit_status=1)
    if not root or store["services"].get("lldpd") != "active":
        text = "[WARN/control] unable to connect to socket /run/lldpd.socket: Permission denied\n"
        return Answer(
            stderr=text if not root else text.replace("Permission denied", "Connection refused"), exit_status=1
        )
    linked = [nic for nic in store["nics"].values() if mlx5.is_up(nic) and nic["peer_device"]]
    interfaces = [_neighbour(number, nic) for number, nic in enumerate(linked, start=1)]
    return Answer(json.dumps({"lldp": [{"interface": interfaces}]}, indent=2) + "\n")
