"""What must not get worse on a switch. Keys of the answers: ANTA 1.10 (status, drops) and NAPALM 5.2 (LLDP, BGP).

PFC watchdog storms are left out: the keys of ``show priority-flow-control counters watchdog`` are documented nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from fabric_drift.change import Health
from fabric_drift.finding import Layer
from fabric_drift.platform import Command, Output
from fabric_drift.platforms.eos.commands import (
    BGP,
    DROPS,
    INTERFACES_STATUS,
    LLDP_NEIGHBORS,
    ONLY_HEALTH,
    RUNNING_CONFIG,
    VOQ_DROPS,
)
from fabric_drift.platforms.eos.config import is_port
from fabric_drift.platforms.eos.parse import parse
from fabric_drift.platforms.eos.show import read_object
from fabric_drift.state import Pfc, Port, PortQos, Unobserved

COMMANDS = (Command(RUNNING_CONFIG), Command(INTERFACES_STATUS), Command(LLDP_NEIGHBORS, optional=True), *ONLY_HEALTH)

IS_OFF = re.compile(r"% *(?:LLDP is not enabled|LLDP not enabled|BGP (?:is )?inactive)", re.IGNORECASE)
HAS_NO_SUCH = re.compile(r"% *(?:Invalid input|Incomplete command|Unavailable command)", re.IGNORECASE)
Told = list[str]
"""Why something could not be read."""


def health(outputs: Mapping[str, Output]) -> Health:
    """See ``Changer.health``."""
    told: Told = []
    ports = frozenset(_ports_up(outputs, told))
    neighbours = frozenset(_neighbours(outputs, told))
    sessions = frozenset(_bgp(outputs, told))
    drops = dict(sorted(_drops(outputs, told)))
    return Health(ports, neighbours, sessions, drops, {}, tuple(told))


def _rows(outputs: Mapping[str, Output], command: str, key: str, kind: type, told: Told) -> Any:
    """What ``command`` answers under ``key``; nothing where the switch has switched off what was asked for."""
    output = outputs.get(command)
    if output is not None and not output.error and IS_OFF.search(output.stdout[:200]):
        return kind()
    answer = read_object(outputs, command)
    if isinstance(answer, Unobserved):
        told.append(answer.reason)
        return kind()
    if not isinstance(answer.get(key), kind):
        told.append(f"`{command}` has no {key}")
        return kind()
    return answer[key]


def _ports_up(outputs: Mapping[str, Output], told: Told) -> Iterator[str]:
    statuses = _rows(outputs, INTERFACES_STATUS, "interfaceStatuses", dict, told)
    for name, status in statuses.items():
        if isinstance(status, dict) and status.get("linkStatus") == "connected":
            yield name


def _neighbours(outputs: Mapping[str, Output], told: Told) -> Iterator[str]:
    for row in _rows(outputs, LLDP_NEIGHBORS, "lldpNeighbors", list, told):
        match row:
            case {"port": str(port), "neighborDevice": str(device), "neighborPort": str(far)}:
                yield f"{port} {device} {far}"
            case _:
                told.append(f"`{LLDP_NEIGHBORS}` has a row without port, neighborDevice or neighborPort")


def _bgp(outputs: Mapping[str, Output], told: Told) -> Iterator[str]:
    for vrf, content in _rows(outputs, BGP, "vrfs", dict, told).items():
        peers = content.get("peers") if isinstance(content, dict) else None
        if not isinstance(peers, dict):
            told.append(f"`{BGP}` has no peers of vrf {vrf}")
            continue
        for address, peer in peers.items():
            if isinstance(peer, dict) and peer.get("peerState") == "Established":
                yield address if vrf == "default" else f"{vrf} {address}"


def _drops(outputs: Mapping[str, Output], told: Told) -> Iterator[tuple[str, int]]:
    """Packets dropped per ``port/priority``, for priorities that the running configuration calls no-drop."""
    if all(_has_no_such(outputs.get(command)) for command in (DROPS, VOQ_DROPS)):
        return
    lossless = list(_lossless(outputs, told))
    if not lossless:
        return
    command, find = (VOQ_DROPS, _voq_drops) if _has_no_such(outputs.get(DROPS)) else (DROPS, _queue_drops)
    answer = read_object(outputs, command)
    if isinstance(answer, Unobserved):
        told.append(answer.reason)
        return
    for port, priority in lossless:
        count = find(answer, port, priority)
        if count is None:
            told.append(f"`{command}` doesn't count drops of {port}, traffic class {priority}")
        else:
            yield f"{port}/{priority}", count


def _has_no_such(output: Output | None) -> bool:
    """Whether the platform has no such command: only VOQ platforms count drops per ingress queue."""
    return output is not None and not output.error and bool(HAS_NO_SUCH.match(output.stdout.lstrip()))


def _lossless(outputs: Mapping[str, Output], told: Told) -> Iterator[tuple[str, int]]:
    ports = parse(outputs).states[Layer.RUNNING].ports
    if not isinstance(ports, Mapping):
        told.append(ports.reason if isinstance(ports, Unobserved) else f"`{RUNNING_CONFIG}` has no ports")
        return
    for name, port in ports.items():
        priorities = _priorities(port) if is_port(name) else ()
        yield from ((name, priority) for priority in priorities)


def _priorities(port: Port) -> tuple[int, ...]:
    pfc = port.qos.pfc if isinstance(port.qos, PortQos) else None
    return pfc.priorities if isinstance(pfc, Pfc) and isinstance(pfc.priorities, tuple) else ()


def _at(value: Any, *path: str) -> Any:
    for part in path:
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _sum(counters: Any, *path: str) -> int | None:
    """The sum of a counter over the members of an object; None where one has none."""
    if not isinstance(counters, dict) or not counters:
        return None
    values = [_at(counter, *path) for counter in counters.values()]
    numbers = [value for value in values if isinstance(value, int) and not isinstance(value, bool)]
    return sum(numbers) if len(numbers) == len(values) else None


def _queue_drops(answer: Mapping[str, Any], port: str, priority: int) -> int | None:
    base = ("egressQueueCounters", "interfaces", port, "ucastQueues", "trafficClasses", f"TC{priority}")
    return _sum(_at(dict(answer), *base, "dropPrecedences"), "droppedPackets")


def _voq_drops(answer: Mapping[str, Any], port: str, priority: int) -> int | None:
    found = _at(dict(answer), "interfaces", port, "trafficClasses", f"TC{priority}")
    if not isinstance(found, dict):
        return None
    both = {name: found.get(name) for name in ("ingressVoqCounters", "egressQueueCounters")}
    return _sum(both, "countersSum", "droppedPackets")
