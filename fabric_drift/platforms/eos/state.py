"""A sorted configuration -> the state of its layer, and the lines of it that aren't translated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fabric_drift.finding import Layer
from fabric_drift.platform import UnparsedLine
from fabric_drift.platforms.eos.body import EMPTY, Body, read_body
from fabric_drift.platforms.eos.config import Config, Section, is_port
from fabric_drift.platforms.eos.defaults import MTU_BYTES
from fabric_drift.platforms.eos.lines import NO_FACT, NOT_UNDERSTOOD, Remark, Settings, family, first
from fabric_drift.platforms.eos.qos import Device, device, port_qos
from fabric_drift.state import UNSAID, DeviceState, Port, PortQos, Unobserved
from fabric_drift.state.device import Fact
from fabric_drift.state.values import Path

NO_SUCH_PROFILE = "no such qos profile in this configuration"
FEC = {"reed-solomon": "rs", "fire-code": "fc", "none": "none"}


@dataclass(frozen=True, slots=True)
class Effective:
    """A configuration with its bodies read: what the state, the remarks and the evidence are made from."""

    config: Config
    global_: Body
    device: Device
    profiles: dict[str, Body]
    interfaces: dict[str, Body]
    defaults: Settings
    """Of ``interface defaults``: mtu, shutdown."""

    def channel(self, port: str) -> str | None:
        """The port-channel that ``port`` is a member of, where that is configured as an interface."""
        group = self.interfaces[port].settings.get(("channel",))
        if not isinstance(group, int):
            return None
        name = f"Port-Channel{group}"
        return name if name in self.interfaces else None

    def policy_interface(self, port: str) -> str:
        """The interface whose lines decide over the policy of ``port``: its port-channel, or itself."""
        return self.channel(port) or port

    def profile(self, port: str) -> str | None:
        """The name of the qos profile that is attached to ``port``."""
        name = self.interfaces[self.policy_interface(port)].settings.get(("service_profile",))
        return name if isinstance(name, str) else None

    def ports(self) -> Iterator[str]:
        """Names of the physical ports."""
        return (name for name in self.interfaces if is_port(name))


def effective(config: Config) -> Effective:
    """``config`` with every body read."""
    global_ = config.global_.body("global")
    return Effective(
        config,
        global_,
        device(global_),
        {name: section.body("profile") for name, section in config.profiles.items()},
        {name: section.body("interface") for name, section in config.interfaces.items()},
        _interface_defaults(config.interface_defaults)[0],
    )


def _interface_defaults(section: Section) -> tuple[Settings, list[int]]:
    """Settings, and indices of lines that aren't understood. ``shutdown`` is nested below ``ethernet``."""
    settings: Settings = {}
    unknown: list[int] = []
    for index, raw in enumerate(section.lines):
        line = raw.strip(" ")
        if line in ("", "!", "ethernet") or line.startswith("!!"):
            continue
        body = read_body("interface", ("   " + line,))
        if body.remarks or not set(body.settings) <= {("mtu",), ("shutdown",)}:
            unknown.append(index)
        settings.update(body.settings)
    return settings, unknown


def device_state(eff: Effective) -> DeviceState:
    """The state that the configuration describes."""
    return DeviceState(
        ports={name: _port(eff, name) for name in eff.ports()},
        watchdog=eff.device.watchdog,
        unreferenced=dict(_unreferenced(eff)),
    )


def _unreferenced(eff: Effective) -> Iterator[tuple[str, str]]:
    used = {body.settings.get(("service_profile",)) for body in eff.interfaces.values()}
    yield from ((f"qos profile/{name}", "unreferenced") for name in eff.profiles if name not in used)
    applied = eff.config.applied_buffer_profiles
    yield from (
        (f"mmu queue profile/{name}", "unreferenced") for name in eff.config.buffer_profiles if name not in applied
    )


def _port(eff: Effective, name: str) -> Port:
    settings = eff.interfaces[name].settings
    shared = eff.interfaces[eff.policy_interface(name)].settings
    shutdown: Fact[bool] = first(("shutdown",), settings, eff.defaults, default=False)
    return Port(
        admin_up=shutdown if isinstance(shutdown, Unobserved) else not shutdown,
        speed_mbps=_speed(settings),
        mtu_bytes=first(("mtu",), shared, eff.defaults, default=MTU_BYTES),
        fec=_fec(settings),
        qos=_qos(eff, name),
    )


def _speed(settings: Settings) -> Fact[int]:
    """Only a forced speed is configuration; else the layer says nothing."""
    speed: Fact[int] | None = settings.get(("speed",))
    return UNSAID if speed is None else speed


def _fec(settings: Settings) -> Fact[str]:
    chosen = [slot[1] for slot in settings if slot[0] == "fec"]
    if len(chosen) > 1:
        return Unobserved("several encodings are configured; the link decides")
    return FEC[str(chosen[0])] if chosen else "auto"


def _qos(eff: Effective, port: str) -> PortQos:
    interface = eff.interfaces[eff.policy_interface(port)]
    name = eff.profile(port)
    profile = eff.profiles.get(name, EMPTY) if name else EMPTY
    return port_qos(interface, profile, eff.interfaces[port], eff.device)


def unparsed(eff: Effective, layer: Layer, command: str, offset: int) -> Iterator[UnparsedLine]:
    """Every line of an owned section that isn't wholly translated, in the order of the text.

    ``offset``: lines of the answer above the configuration.
    """
    found = [*_strange(eff), *_global(eff), *_profiles(eff), *_interfaces(eff), *_buffers(eff)]
    for number, line, reason, path in sorted(found):
        yield UnparsedLine(layer, command, number + offset, line, reason, path)


Found = tuple[int, str, str, Path]


def _strange(eff: Effective) -> Iterator[Found]:
    for number, line, reason in eff.config.strange:
        path = () if NOT_UNDERSTOOD in reason else ("untranslated", line.strip(" "))
        yield number, line, reason, path
    section = eff.config.interface_defaults
    for index in _interface_defaults(section)[1]:
        yield section.numbers[index], section.lines[index], NOT_UNDERSTOOD, ("ports",)


def _at(section: Section, index: int, remark: Remark, path: Path) -> Found:
    path = ("untranslated", section.lines[index].strip(" ")) if remark.below is None else path
    return section.numbers[index], section.lines[index], remark.reason, path


def _global(eff: Effective) -> Iterator[Found]:
    for index, remark in eff.global_.remarks:
        is_pfc = eff.config.global_.lines[index].strip().startswith("priority-flow-control")
        reach = ("ports",) if remark.below and not is_pfc else ()  # PFC's may be about the watchdog of the switch
        number, line, reason, path = _at(eff.config.global_, index, remark, reach)
        yield number, line[3:], reason, path


def _profiles(eff: Effective) -> Iterator[Found]:
    """A line of a profile is told once for each port it may decide over, so that no fact of theirs passes as fine."""
    users: dict[str, list[str]] = {}
    if any(body.remarks for body in eff.profiles.values()):
        for port in eff.ports():
            users.setdefault(eff.profile(port) or "", []).append(port)
    for name, body in eff.profiles.items():
        section = eff.config.profiles[name]
        for index, remark in body.remarks:
            if remark.below is None or name not in users:
                yield _at(section, index, replace(remark, below=None), ())
                continue
            for port in users[name]:
                yield _at(section, index, remark, ("ports", port, *(remark.below or ("qos",))))


def _interfaces(eff: Effective) -> Iterator[Found]:
    members = {port: channel for port in eff.ports() if (channel := eff.channel(port))}
    for name, body in eff.interfaces.items():
        section = eff.config.interfaces[name]
        reached = [name] if is_port(name) else [port for port, channel in members.items() if channel == name]
        for index, remark in body.remarks:
            for port in reached[:1] if remark.below is None else reached or [name]:
                yield _at(section, index, remark, ("ports", port, *(remark.below or ())))
    yield from _dangling(eff)
    yield from _ignored_on_members(eff, members)


def _dangling(eff: Effective) -> Iterator[Found]:
    for name, body in eff.interfaces.items():
        profile = body.settings.get(("service_profile",))
        if not isinstance(profile, str) or profile in eff.profiles:
            continue
        section = eff.config.interfaces[name]
        for number, line in zip(section.numbers, section.lines, strict=True):
            if line.strip(" ") == f"service-profile {profile}":
                yield number, line, NO_SUCH_PROFILE, ("ports", name, "qos")


def _ignored_on_members(eff: Effective, members: dict[str, str]) -> Iterator[Found]:
    for port, channel in members.items():
        section = eff.config.interfaces[port]
        for number, line in zip(section.numbers, section.lines, strict=True):
            below = family(line.strip(" "))
            if below in (("qos",), ("qos", "pfc"), ("mtu_bytes",)):
                reason = f"the port is a member of {channel}; whether its own line counts isn't documented"
                yield number, line, reason, ("ports", port, *below)


def _buffers(eff: Effective) -> Iterator[Found]:
    for name, number in eff.config.applied_buffer_profiles.items():
        line = f"platform trident mmu queue profile {name} apply"
        yield number, line, NO_FACT, ("untranslated", line)
        section = eff.config.buffer_profiles.get(name)
        for index, raw in enumerate(section.lines if section else ()):
            if section and raw.strip(" ") not in ("", "!"):
                yield section.numbers[index], raw, NO_FACT, ("untranslated", f"{section.header}/{raw.strip(' ')}")
