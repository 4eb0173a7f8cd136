"""Expected state -> the expected state as SONiC would show it, or Unsupported with path and remedy."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fabric_drift.platform import Target
from fabric_drift.platforms.sonic import tables as t
from fabric_drift.platforms.sonic.adopt import BUFFER_MODEL
from fabric_drift.platforms.sonic.headroom import from_names
from fabric_drift.platforms.sonic.localise_qos import Setting, localise_qos
from fabric_drift.platforms.sonic.refuse import one_of, refusal, within
from fabric_drift.state.device import DeviceState, DeviceWatchdog, Pfc, Pool, Port, PortQos, Watchdog
from fabric_drift.state.values import UNSAID, is_said

PORT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,127}")
NVIDIA_HARDWARE = ("ACS-MSN", "ACS-SN", "Mellanox", "NVIDIA")
"""How HwSKUs of Spectrum switches begin."""


def asic_of(target: Target) -> str:
    """The ASIC's family as SONiC names it, from the HwSKU where the target doesn't say; else empty."""
    if target.asic:
        return target.asic
    return t.NVIDIA_ASICS[0] if target.hardware.startswith(NVIDIA_HARDWARE) else ""


def localise(expected: DeviceState, target: Target) -> DeviceState:
    """``expected`` in SONiC's terms.

    Raises Unsupported for a release, a fact or a value that SONiC can't express.
    """
    if target.release not in t.RELEASES:
        remedy = f"Use a release of {', '.join(t.RELEASES)}"
        raise refusal(
            target, ("identity", "release"), f"release {target.release or 'unknown'} is not supported", remedy
        )
    watchdog = expected.watchdog if isinstance(expected.watchdog, DeviceWatchdog) else DeviceWatchdog()
    poll = _poll(expected, watchdog, target)
    pools = _pools(expected.pools, target)
    setting = Setting(
        target=target,
        asic=asic_of(target),
        dynamic=_model(expected, target) == "dynamic",
        pool_mode=_pool_mode(pools),
        lookup=from_names(target.names),
        watchdog=watchdog,
        poll_ms=poll,
    )
    managed = isinstance(expected.ports, Mapping)
    return replace(
        expected,
        ports=_ports(expected.ports, setting) if isinstance(expected.ports, Mapping) else expected.ports,
        pools=pools,
        watchdog=DeviceWatchdog(poll_ms=poll) if is_said(expected.watchdog) or is_said(poll) else expected.watchdog,
        unreferenced={} if managed and expected.unreferenced is UNSAID else expected.unreferenced,
    )


def _model(expected: DeviceState, target: Target) -> str:
    one_of(target, ("buffer_model",), expected.buffer_model, ("static", "dynamic"))
    said = expected.buffer_model if isinstance(expected.buffer_model, str) else ""
    return said or target.names.get(BUFFER_MODEL, "static")


def _pool_mode(pools: Any) -> str:
    pool = pools.get(t.LOSSLESS_POOL) if isinstance(pools, Mapping) else None
    return pool.mode if isinstance(pool, Pool) and isinstance(pool.mode, str) else "dynamic"


def _pools(pools: Any, target: Target) -> Any:
    """Stock pools that the intent doesn't name are said nothing of: they are no drift."""
    if not isinstance(pools, Mapping):
        return pools
    for name, pool in pools.items():
        if isinstance(pool, Pool):
            one_of(target, ("pools", name, "direction"), pool.direction, ("ingress", "egress", "both"))
            one_of(target, ("pools", name, "mode"), pool.mode, ("static", "dynamic"))
    return {**dict.fromkeys(t.CONVENTIONAL_POOLS, UNSAID), **pools}


def _poll(expected: DeviceState, watchdog: DeviceWatchdog, target: Target) -> Any:
    """SONiC polls once per device; ports that ask for an interval must ask for the same."""
    asked = {}
    if isinstance(expected.ports, Mapping):
        asked = {port: _watchdog(value).poll_ms for port, value in sorted(expected.ports.items())}
    asked = {port: poll for port, poll in asked.items() if is_said(poll)}
    poll = watchdog.poll_ms if is_said(watchdog.poll_ms) else next(iter(asked.values()), UNSAID)
    for port, own in asked.items():
        if own != poll:
            path = ("ports", port, "qos", "pfc", "watchdog", "poll_ms")
            raise refusal(
                target, path, f"SONiC polls once per device, every {poll} ms", "Use one interval for all ports"
            )
    within(target, ("watchdog", "poll_ms"), poll, t.POLL_MS[target.release], " ms")
    return poll


def _watchdog(port: Any) -> Watchdog:
    """The watchdog of a port, one that says nothing where there is none."""
    qos = port.qos if isinstance(port, Port) else None
    pfc = qos.pfc if isinstance(qos, PortQos) else None
    watchdog = pfc.watchdog if isinstance(pfc, Pfc) else None
    return watchdog if isinstance(watchdog, Watchdog) else Watchdog()


def _ports(ports: Mapping[str, Port], setting: Setting) -> dict[str, Port]:
    memo: dict[Any, PortQos] = {}
    result = {}
    for name, port in sorted(ports.items()):
        path = ("ports", name)
        if not PORT_NAME.fullmatch(name):
            raise refusal(setting.target, path, "not a port of a single-ASIC switch", "Name it as PORT does, Ethernet0")
        if not isinstance(port, Port):
            result[name] = port
            continue
        within(setting.target, (*path, "mtu_bytes"), port.mtu_bytes, t.MTU_RANGE, " bytes")
        one_of(setting.target, (*path, "fec"), port.fec, t.FECS)
        qos = port.qos
        if isinstance(qos, PortQos):
            key = (id(qos), port.speed_mbps)
            if key not in memo:
                memo[key] = localise_qos(qos, port.speed_mbps, (*path, "qos"), setting)
            qos = memo[key]
        result[name] = replace(port, qos=qos)
    return result
