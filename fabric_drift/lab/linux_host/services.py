"""Services, timers and who is at the other end of a cable: ``systemctl``, ``systemd-run``, ``lldpctl``."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from typing import Any

from fabric_drift.lab import clock
from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.linux_host import nic as mlx5
from fabric_drift.lab.linux_host.nic import Nic

INACTIVE = 3
NOT_LOADED = 5
VERBS = {"start": "active", "restart": "active", "stop": "inactive"}


def systemctl(store: Store, args: Sequence[str], root: bool) -> Answer:
    """``systemctl VERB UNIT``; a unit that isn't installed is inactive too (systemd 249)."""
    words = [word for word in args if word not in {"--quiet", "--now", "--no-block"}]
    match words:
        case ["is-active", unit]:
            is_active = _is_active(store, unit)
            return Answer("active\n" if is_active else "inactive\n", exit_status=0 if is_active else INACTIVE)
        case ["is-enabled", unit]:
            on = unit.removesuffix(".service") in store.get("enabled", ())
            return Answer("enabled\n" if on else "disabled\n", exit_status=0 if on else 1)
        case ["daemon-reload"] if root:
            return Answer()
        case ["stop", unit] if root and unit.endswith(".timer"):
            found = clock.disarm(store, unit.removesuffix(".timer"))
            text = f"Failed to stop {unit}: Unit {unit} not loaded.\n"
            return Answer() if found else Answer(stderr=text, exit_status=NOT_LOADED)
        case ["start" | "stop" | "restart" | "enable" | "disable" as verb, unit]:
            if not root:
                return Answer(stderr=f"Failed to {verb} {unit}: Access denied\n", exit_status=4)
            _set(store, verb, unit.removesuffix(".service"), now="--now" in args)
            return Answer()
        case _:
            return Answer(stderr="Unknown operation.\n", exit_status=1)


def _is_active(store: Store, unit: str) -> bool:
    if unit.endswith(".timer"):
        return any(timer["unit"] == unit.removesuffix(".timer") for timer in clock.timers(store))
    return bool(store["services"].get(unit.removesuffix(".service"), "missing") == "active")


def _set(store: Store, verb: str, unit: str, *, now: bool) -> None:
    if verb in VERBS:
        store["services"][unit] = VERBS[verb]
        return
    enabled = set(store.get("enabled", ())) - {unit}
    store["enabled"] = sorted(enabled | {unit} if verb == "enable" else enabled)
    if now:
        store["services"][unit] = "active" if verb == "enable" else "inactive"


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
