"""The JSON answers: identity, and what the NOS says of links and neighbours."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fabric_drift.platform import Output
from fabric_drift.platforms.eos.commands import HOSTNAME, INTERFACES_STATUS, LLDP_NEIGHBORS, VERSION
from fabric_drift.platforms.eos.config import is_port
from fabric_drift.state import DeviceState, Identity, Neighbour, Port, Unobserved
from fabric_drift.state.device import Fact

MISSING = Output(error="the command was not run")
MAX_BYTES = 64_000_000
"""An answer beyond this is refused unread; the largest modular switch answers well below 10 MB."""


def why_not(output: Output) -> str:
    """Why ``output`` is no whole answer; empty where it is."""
    if output.error:
        return output.error
    if output.exit_status != 0:
        return f"the command ended with status {output.exit_status}"
    if len(output.stdout) > MAX_BYTES:
        return f"the answer is longer than {MAX_BYTES} characters"
    if output.stdout.lstrip().startswith("%"):
        return f"the switch refused: {output.stdout.strip()[:80]}"
    return ""


def read_object(outputs: Mapping[str, Output], command: str) -> Mapping[str, Any] | Unobserved:
    """The JSON object that ``command`` answered."""
    output = outputs.get(command, MISSING)
    reason = why_not(output)
    if reason:
        return Unobserved(f"`{command}`: {reason}")
    try:
        value = json.loads(output.stdout)
    except (ValueError, RecursionError):
        return Unobserved(f"`{command}` answered no whole JSON document")
    if not isinstance(value, dict):
        return Unobserved(f"`{command}` answered no JSON object")
    return value


def identity(outputs: Mapping[str, Output]) -> Identity:
    """Who answered; the ASIC isn't told by any of the commands."""
    version = read_object(outputs, VERSION)
    return Identity(
        hostname=_text(read_object(outputs, HOSTNAME), HOSTNAME, "hostname"),
        release=_text(version, VERSION, "version"),
        hardware=_text(version, VERSION, "modelName"),
    )


def _text(answer: Mapping[str, Any] | Unobserved, command: str, key: str) -> Fact[str]:
    if isinstance(answer, Unobserved):
        return answer
    value = answer.get(key)
    return value if isinstance(value, str) and value else Unobserved(f"`{command}` has no {key}")


def nos_state(outputs: Mapping[str, Output], who: Identity) -> DeviceState:
    """Links and neighbours as the NOS sees them."""
    answer = read_object(outputs, INTERFACES_STATUS)
    statuses = answer if isinstance(answer, Unobserved) else answer.get("interfaceStatuses")
    if not isinstance(statuses, dict):
        unknown = statuses if isinstance(statuses, Unobserved) else _no_key(INTERFACES_STATUS, "interfaceStatuses")
        return DeviceState(identity=who, ports=unknown)
    neighbours = _neighbours(outputs)
    ports = {name: _port(status) for name, status in statuses.items() if is_port(name)}
    return DeviceState(
        identity=who,
        ports={name: replace(port, neighbour=_neighbour(neighbours, name, port)) for name, port in ports.items()},
    )


def _no_key(command: str, key: str) -> Unobserved:
    return Unobserved(f"`{command}` has no {key}")


def _port(status: Any) -> Port:
    link = status.get("linkStatus") if isinstance(status, dict) else None
    if not isinstance(link, str):
        unknown = _no_key(INTERFACES_STATUS, "linkStatus")
        return Port(admin_up=unknown, oper_up=unknown, speed_mbps=unknown)
    return Port(
        admin_up=link != "disabled",
        oper_up=link == "connected",
        speed_mbps=_speed(status.get("bandwidth")),
    )


def _speed(bandwidth: Any) -> Fact[int]:
    if isinstance(bandwidth, bool) or not isinstance(bandwidth, int) or bandwidth < 0:
        return _no_key(INTERFACES_STATUS, "bandwidth")
    if bandwidth == 0:
        return Unobserved("the port has no speed while it is down")
    return bandwidth // 1_000_000


def _neighbours(outputs: Mapping[str, Output]) -> Mapping[str, list[Neighbour]] | Unobserved:
    answer = read_object(outputs, LLDP_NEIGHBORS)
    rows = answer if isinstance(answer, Unobserved) else answer.get("lldpNeighbors")
    if not isinstance(rows, list):
        return rows if isinstance(rows, Unobserved) else _no_key(LLDP_NEIGHBORS, "lldpNeighbors")
    found: dict[str, list[Neighbour]] = defaultdict(list)
    for row in rows:
        match row:
            case {"port": str(port), "neighborDevice": str(device), "neighborPort": str(far)} if port:
                found[port].append(Neighbour(device=device, port=far))
            case _:
                return Unobserved(f"`{LLDP_NEIGHBORS}` has a row without port, neighborDevice or neighborPort")
    return found


def _neighbour(neighbours: Mapping[str, list[Neighbour]] | Unobserved, name: str, port: Port) -> Fact[Neighbour]:
    """Silence isn't "nobody": the link may be down, or the other end may not speak LLDP."""
    if isinstance(neighbours, Unobserved):
        return neighbours
    rows = neighbours.get(name, [])
    if len(rows) > 1:
        return Unobserved(f"{len(rows)} LLDP neighbours answer on the port")
    if not rows:
        return Unobserved("the link is down" if port.oper_up is False else "LLDP knows no neighbour on the port")
    return rows[0]
