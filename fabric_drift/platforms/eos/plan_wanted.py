"""The lines that an expected state asks for, keyed like those of a configuration, family by family."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from fabric_drift.platforms.eos.plan_lines import Family, entries
from fabric_drift.platforms.eos.plan_tree import family_of
from fabric_drift.platforms.eos.profile import profile_lines, profile_queues
from fabric_drift.platforms.eos.render import FEC
from fabric_drift.platforms.eos.render_device import device_lines
from fabric_drift.state import DeviceState, DeviceWatchdog, Port, PortQos
from fabric_drift.state.values import Path

Line = tuple[str, str]
"""Queue header ("" for none) and line."""
Policy = tuple[Line, ...]

INTERFACE_FAMILIES: tuple[Family, ...] = (
    ("mtu_bytes",),
    ("admin_up",),
    ("fec",),
    ("qos", "global_pause"),
    ("qos", "dcbx"),
)
ON_THE_LINK = frozenset(INTERFACE_FAMILIES) - {("mtu_bytes",)}
"""Families that belong to the port itself where the port is a member of a LAG."""


def family_of_path(path: Path) -> Family:
    """``("ports", "Ethernet1/1", "qos", "queues", "3", "ecn", "weight")`` -> ``("qos", "queues", "3")``."""
    below = path[2:] if path[0] == "ports" else path[:1]
    if below[:1] == ("qos",):
        return below[: 3 if below[1:2] in (("maps",), ("pfc",), ("queues",)) else 2]
    return below[:1]


def policy(qos: PortQos, watchdog: DeviceWatchdog) -> Policy:
    """The lines of a qos profile for ``qos``."""
    plain = (("", line) for line in profile_lines(qos, watchdog))
    queues = ((f"tx-queue {queue.number}", line) for queue in profile_queues(qos) for line in queue.lines)
    return (*plain, *queues)


def only(lines: Policy, families: frozenset[Family]) -> Iterator[Line]:
    """Those that decide one of ``families``."""
    return (line for line in lines if family_of(*line) in families)


@lru_cache(maxsize=256)
def interface_lines(
    mtu: int | None, admin_up: bool | None, fec: str | None, pause: bool | None, dcbx: str | None
) -> Policy:
    """The lines of an interface, policy aside; what equals EOS's default has none."""
    lines = [f"mtu {mtu}"] if mtu is not None else []
    lines += ["shutdown"] if admin_up is False else []
    lines += [FEC[fec]] if fec in FEC else []
    lines += ["flowcontrol send on", "flowcontrol receive on"] if pause else []
    lines += [f"dcbx mode {dcbx}"] if dcbx not in (None, "off") else []
    return tuple(("", line) for line in lines)


def of_port(port: Port) -> Policy:
    """``interface_lines`` of an expected port."""
    qos = port.qos if isinstance(port.qos, PortQos) else PortQos()
    return interface_lines(
        port.mtu_bytes if isinstance(port.mtu_bytes, int) else None,
        port.admin_up if isinstance(port.admin_up, bool) else None,
        port.fec if isinstance(port.fec, str) else None,
        qos.global_pause if isinstance(qos.global_pause, bool) else None,
        qos.dcbx if isinstance(qos.dcbx, str) else None,
    )


def of_device(expected: DeviceState) -> list[str]:
    """The global lines, one entry of a map each."""
    ports = expected.ports if isinstance(expected.ports, Mapping) else {}
    return [entry for line in device_lines(expected, ports) for entry in entries(line)]
