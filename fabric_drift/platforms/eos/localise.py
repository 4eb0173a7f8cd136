"""An expected state as EOS would show it: defaults filled in, what has no meaning here dropped, the rest refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from fabric_drift.platform import Target
from fabric_drift.platforms.eos import localise_qos
from fabric_drift.platforms.eos.config import is_port
from fabric_drift.platforms.eos.defaults import WATCHDOG_ACTION
from fabric_drift.platforms.eos.localise_pfc import check_timers
from fabric_drift.platforms.eos.refuse import Refuser
from fabric_drift.state import ABSENT, UNSAID, DeviceState, DeviceWatchdog, Identity, Port, PortQos, is_said
from fabric_drift.state.device import Fact

MTU_BYTES = (68, 65535)
"""What AVD 6.4's schema accepts; the highest MTU of a platform is for the switch to refuse."""


def localise(expected: DeviceState, target: Target) -> DeviceState:
    """See ``Platform.localise``. Raises Unsupported for the first thing that EOS can't express."""
    refuse = Refuser(target.device)
    if is_said(expected.pools) and expected.pools:
        raise refuse(
            ("pools",), "buffer pools aren't translated for EOS", "Leave pools of EOS switches out of the intent"
        )
    if is_said(expected.job):
        raise refuse(("job",), "a switch runs no jobs", "Move the job environment to hosts")
    watchdog = _device_watchdog(expected.watchdog, refuse)
    return replace(
        expected,
        identity=_identity(expected.identity),
        ports=_ports(expected, expected.watchdog, refuse),
        pools=UNSAID,
        buffer_model=UNSAID,
        watchdog=watchdog,
    )


def _identity(identity: Fact[Identity]) -> Fact[Identity]:
    return replace(identity, asic=UNSAID) if isinstance(identity, Identity) else identity


def _device_watchdog(watchdog: Fact[DeviceWatchdog], refuse: Refuser) -> Fact[DeviceWatchdog]:
    if not isinstance(watchdog, DeviceWatchdog):
        return watchdog
    check_timers(watchdog, refuse.below(("watchdog",)))
    if watchdog.action == "forward":
        remedy = "Use drop, alert or errdisable"
        raise refuse(("watchdog", "action"), "EOS has no watchdog that forwards", remedy)
    return _whole(watchdog)


def _whole(watchdog: DeviceWatchdog) -> Fact[DeviceWatchdog]:
    """What the intent leaves out isn't configured: EOS has these lines once per switch, so an extra one is drift."""
    unsaid = [name for name in ("poll_ms", "detect_ms", "restore_ms") if getattr(watchdog, name) is UNSAID]
    action = WATCHDOG_ACTION if watchdog.action is UNSAID else watchdog.action
    whole = replace(watchdog, action=action, **dict.fromkeys(unsaid, ABSENT))
    return ABSENT if whole == DeviceWatchdog(ABSENT, ABSENT, ABSENT, WATCHDOG_ACTION) else whole


def _ports(expected: DeviceState, watchdog: Fact[DeviceWatchdog], refuse: Refuser) -> Fact[dict[str, Port]]:
    if not isinstance(expected.ports, Mapping):
        return expected.ports
    known: dict[int, PortQos] = {}
    ports = {}
    for name, port in expected.ports.items():
        if not is_port(name):
            raise refuse(("ports", name), "not the name of an Ethernet port of EOS", "Use names like Ethernet9/1")
        ports[name] = _port(name, port, watchdog, refuse, known)
    localise_qos.check_one_map_per_switch(ports, refuse)
    return ports


def _port(name: str, port: Port, watchdog: Fact[DeviceWatchdog], refuse: Refuser, known: dict[int, PortQos]) -> Port:
    if is_said(port.nic):
        raise refuse(("ports", name, "nic"), "a switch port has no NIC", "Move NIC facts to hosts")
    if isinstance(port.mtu_bytes, int) and not MTU_BYTES[0] <= port.mtu_bytes <= MTU_BYTES[1]:
        remedy = f"Use {MTU_BYTES[0]} to {MTU_BYTES[1]}"
        raise refuse(("ports", name, "mtu_bytes"), f"{port.mtu_bytes} is no MTU of EOS", remedy)
    if not isinstance(port.qos, PortQos):
        return port
    key = id(port.qos)
    if key not in known:
        known[key] = localise_qos.localise_qos(port.qos, watchdog, refuse.below(("ports", name, "qos")))
    return replace(port, qos=known[key])
