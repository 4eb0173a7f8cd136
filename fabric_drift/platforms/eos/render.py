"""A localised state -> eos.cfg: whole owned sections, one qos profile per distinct policy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import jinja2

from fabric_drift.platform import Rendered, Target
from fabric_drift.platforms.eos import names
from fabric_drift.platforms.eos.profile import Queue, profile_lines, profile_queues
from fabric_drift.platforms.eos.refuse import Refuser
from fabric_drift.platforms.eos.render_device import device_lines
from fabric_drift.state import DeviceState, DeviceWatchdog, Port, PortQos

FILE = "eos.cfg"
FEC = {"rs": "error-correction encoding reed-solomon", "fc": "error-correction encoding fire-code"} | {
    "none": "no error-correction encoding"
}


@dataclass(slots=True)
class Profile:
    """A qos profile and the ports that it serves."""

    lines: tuple[str, ...]
    queues: tuple[Queue, ...]
    ports: list[str] = field(default_factory=list)
    name: str = ""


@dataclass(slots=True)
class Interface:
    """An interface and its lines."""

    name: str
    lines: list[str]


def render(expected: DeviceState, target: Target) -> tuple[Rendered, ...]:
    """See ``Platform.render``. Raises Unsupported where a LAG's members want different things."""
    ports = dict(expected.ports) if isinstance(expected.ports, Mapping) else {}
    ports = {name: ports[name] for name in sorted(ports, key=_natural)}
    profiles = _profiles(ports, expected)
    interfaces = list(_interfaces(ports, profiles, target))
    text = _template().render(profiles=profiles, interfaces=interfaces, device=list(device_lines(expected, ports)))
    return (Rendered(FILE, text),)


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(  # noqa: S701  device configuration, not HTML
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=False,
        keep_trailing_newline=True,
    )
    return environment.get_template(f"{FILE}.j2")


def _natural(name: str) -> tuple[int, ...]:
    return tuple(int(part) for part in name.removeprefix("Ethernet").split("/"))


def _profiles(ports: Mapping[str, Port], expected: DeviceState) -> list[Profile]:
    """Profiles in the order of their first port; ports with the same lines share one."""
    watchdog = expected.watchdog if isinstance(expected.watchdog, DeviceWatchdog) else DeviceWatchdog()
    found: dict[tuple[object, ...], Profile] = {}
    by_object: dict[int, Profile] = {}
    for name, port in ports.items():
        if not isinstance(port.qos, PortQos):
            continue
        key = id(port.qos)
        if key not in by_object:
            lines, queues = tuple(profile_lines(port.qos, watchdog)), tuple(profile_queues(port.qos))
            by_object[key] = found.setdefault((lines, queues), Profile(lines, queues))
        by_object[key].ports.append(name)
    return [profile for profile in found.values() if profile.lines or profile.queues]


def _interfaces(ports: Mapping[str, Port], profiles: list[Profile], target: Target) -> Iterator[Interface]:
    """Port-channels first, as EOS lists them; a member keeps only what belongs to its own link."""
    for profile, name in zip(profiles, names.choose([item.ports for item in profiles], target.names), strict=True):
        profile.name = name
    profiles.sort(key=lambda profile: profile.name)
    served = {port: profile.name for profile in profiles for port in profile.ports}
    policies = {name: (_mtu(port), _service(served.get(name))) for name, port in ports.items()}
    yield from _channels(policies, target)
    for name, port in ports.items():
        mtu, service = ([], []) if names.channel(target.names, name) else policies[name]
        yield Interface(name, [*_admin(port), *mtu, *_link(port), *service])


def _channels(policies: Mapping[str, tuple[list[str], list[str]]], target: Target) -> Iterator[Interface]:
    """What the members of each port-channel want, written once, under the port-channel."""
    found = {channel for port in policies if (channel := names.channel(target.names, port))}
    for channel in sorted(found):
        members = names.members(target.names, channel)
        refuse = Refuser(target.device, ("ports", members[0]))
        strangers = [port for port in members if port not in policies]
        if strangers:
            problem = f"{channel} has a member that isn't managed: {strangers[0]}"
            raise refuse((), problem, "Manage all members of a LAG or none")
        wanted = [policies[port] for port in members]
        if any(policy != wanted[0] for policy in wanted):
            problem = f"the members of {channel} want different policies"
            raise refuse((), problem, "Give all members of a LAG the same role")
        yield Interface(channel, [*wanted[0][0], *wanted[0][1]])


def _admin(port: Port) -> list[str]:
    return [] if not isinstance(port.admin_up, bool) else ["no shutdown" if port.admin_up else "shutdown"]


def _mtu(port: Port) -> list[str]:
    return [f"mtu {port.mtu_bytes}"] if isinstance(port.mtu_bytes, int) else []


def _service(profile: str | None) -> list[str]:
    return [f"service-profile {profile}"] if profile else []


def _link(port: Port) -> list[str]:
    lines = []
    qos = port.qos if isinstance(port.qos, PortQos) else PortQos()
    if qos.global_pause is True:
        lines += ["flowcontrol send on", "flowcontrol receive on"]
    if isinstance(port.fec, str) and port.fec in FEC:
        lines.append(FEC[port.fec])
    if isinstance(qos.dcbx, str) and qos.dcbx != "off":
        lines.append(f"dcbx mode {qos.dcbx}")
    return lines
