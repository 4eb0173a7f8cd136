"""Timers and who is at the other end of a cable: ``systemd-run``, ``lldpctl``."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from typing import Any

from fabric_drift.lab import clock
from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.linux_host import nic as mlx5
from fabric_drift.lab.linux_host.nic import Nic


def systemd_run(store: Store, args: Sequence[str], root: bool) -> Answer:
    """``systemd-run --unit=U --on-active=SECONDS [other options] COMMAND``: a transient timer, gone after a boot."""
    options = dict(arg.lstrip("-").partition("=")[::2] for arg in args if arg.startswith("--"))
    command = [arg for arg in args if not arg.startswith("--")]
    unit, seconds = options.get("unit", ""), options.get("on-active", "").removesuffix("s")
    if not root:
        return Answer(stderr="Failed to start transient timer unit: Access denied\n", exit_status=1)
    if not unit or not seconds.isdecimal() or not command:
        return Answer(stderr="systemd-run: only --unit, --on-active and a command are emulated\n", exit_status=1)
    try:
        clock.arm(store, unit, shlex.join(command), float(seconds))
    except ValueError:
        text = f"Failed to start transient timer unit: Unit {unit}.timer was already loaded or has a fragment file.\n"
        return Answer(stderr=text, exit_status=1)
    return Answer(stderr=f"Running timer as unit: {unit}.timer\nWill run service as unit: {unit}.service\n")


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
