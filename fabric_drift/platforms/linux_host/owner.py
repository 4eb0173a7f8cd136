"""Who writes the DCB registers beside us, and who is at the other end of a port."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabric_drift.platform import Output
from fabric_drift.platforms.linux_host.answers import Problem, clip, load_json, unseen
from fabric_drift.platforms.linux_host.commands import LLDPAD, NEIGHBOURS, NETWORK_MANAGER
from fabric_drift.state.device import Neighbour
from fabric_drift.state.values import ABSENT, Missing, Unobserved

_DEAD = ("inactive", "failed", "unknown", "deactivating")


def lldpad_runs(outputs: Mapping[str, Output]) -> bool | Unobserved:
    """Whether lldpad, which rewrites DCB at start and link up, is active."""
    output = outputs.get(LLDPAD)
    said = output.stdout.strip() if output and not output.error else ""
    if said == "active":
        return True
    if said in _DEAD:
        return False
    return unseen(LLDPAD, output) or Unobserved(f"`{LLDPAD}` says {clip(said)!r}")


def network_manager_sets(outputs: Mapping[str, Output], netdev: str) -> bool | Unobserved:
    """Whether a connection of NetworkManager for ``netdev``, or for any interface, sets DCB."""
    output = outputs.get(NETWORK_MANAGER)
    if output is None or output.error or "sudo:" in output.stderr or output.exit_status not in (0, 1, 2):
        return unseen(NETWORK_MANAGER, output) or Unobserved(f"`{NETWORK_MANAGER}` wasn't answered")
    if output.exit_status == 2 and "No such file" not in output.stderr:  # noqa: PLR2004 - grep: error
        return Unobserved(f"`{NETWORK_MANAGER}`: {clip(output.stderr)}")
    interfaces: dict[str, str] = {}
    setting: set[str] = set()
    for line in output.stdout.splitlines():
        file, _, text = line.partition(":")
        if text.startswith("interface-name="):
            interfaces[file] = text.removeprefix("interface-name=").strip()
        elif text.startswith("priority-flow-control="):
            setting.add(file)
    return any(interfaces.get(file, netdev) == netdev for file in setting)


def dcb_owner(outputs: Mapping[str, Output], netdev: str, flags: Any) -> str | Missing:
    """Name of the writer: os, firmware, lldpad or networkmanager."""
    if isinstance(flags, frozenset) and "host" not in flags:
        return "firmware"
    lldpad = lldpad_runs(outputs)
    manager = network_manager_sets(outputs, netdev)
    if lldpad is True:
        return "lldpad"
    if manager is True:
        return "networkmanager"
    for reason in (flags, lldpad, manager):
        if isinstance(reason, Unobserved):
            return reason
    return "os"


def dcbx_of(flags: Any, lldpad: bool | Unobserved) -> tuple[Any, Any]:
    """(``dcbx``, ``dcbx_willing``): with the OS in control and no lldpad, nobody negotiates and nothing is taken.

    ``willing`` of ``dcb ets`` says nothing on mlx5: the driver leaves it 0 (en_dcbnl.c, ieee_getets).
    """
    if isinstance(flags, Unobserved):
        return flags, flags
    if "host" not in flags:
        return "firmware", Unobserved("the firmware negotiates; whether it is willing isn't read")
    if isinstance(lldpad, Unobserved):
        return lldpad, lldpad
    if lldpad:
        return ("ieee" if "ieee" in flags else "cee"), Unobserved("lldpad negotiates; its settings aren't read")
    return "off", False


def read_neighbours(outputs: Mapping[str, Output]) -> tuple[dict[str, Any] | Unobserved, tuple[Problem, ...]]:
    """Neighbour by netdev from lldpd; a netdev that isn't there has none. Source: lldpd, format json0."""
    output = outputs.get(NEIGHBOURS)
    reason = unseen(NEIGHBOURS, output)
    if reason or output is None:
        return reason or Unobserved("not run"), ()
    found: dict[str, Any] = {}
    problems: list[Problem] = []
    try:
        for row in _interfaces(load_json(output.stdout)):
            name = str(row["name"])
            neighbour: Neighbour | Unobserved = _neighbour(row)
            if name in found:
                problems.append(Problem(name, "a second LLDP neighbour on one port", ("neighbour",)))
                neighbour = Unobserved("LLDP shows more than one neighbour")
            found[name] = neighbour
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        return Unobserved("the answer of lldpctl isn't readable"), (
            Problem(output.stdout[:200], f"not lldpctl's json0: {type(error).__name__}", ("neighbour",)),
        )
    return found, tuple(problems)


def _interfaces(data: Any) -> list[Any]:
    return [row for block in data["lldp"] for row in block.get("interface", [])]


def _neighbour(row: Any) -> Neighbour:
    """Name the port by its id where that is an interface name, else by its description (SONiC: the id is an alias)."""
    port = row["port"][0]
    identity = port["id"][0]
    description = _first_value(port.get("descr", []))
    named = identity.get("type") == "ifname" or not isinstance(description, str)
    device = _first_value(row["chassis"][0].get("name", []))
    return Neighbour(device=device, port=str(identity["value"]) if named else description)


def _first_value(items: Any) -> str | Missing:
    return str(items[0]["value"]) if items else ABSENT
