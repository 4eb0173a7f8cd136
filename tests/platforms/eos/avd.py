"""A state in AVD's structured configuration: the independent way to the same lines."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pyavd  # type: ignore[import-untyped]

from fabric_drift.state import DeviceState, DeviceWatchdog, Ecn, Pfc, Port, PortQos, QosMaps, Queue, Watchdog

ACTIONS = {"drop": "drop", "alert": "notify-only"}
TRUST = {"dscp": "dscp", "pcp": "cos", "none": "disabled"}


def configuration(structured: dict[str, Any]) -> str:
    """AVD's text for ``structured``, which must meet AVD's schema."""
    result = pyavd.validate_structured_config(structured)
    violations = result.validation_result.violations
    assert not violations, violations
    return str(pyavd.get_device_config(structured))


def lines(text: str) -> set[tuple[str, ...]]:
    """A configuration as the set of its lines, each with its parents; order is forgotten, separators dropped."""
    found: set[tuple[str, ...]] = set()
    parents: list[tuple[int, str]] = []
    for raw in text.splitlines():
        line = raw.strip()
        if not line or line.startswith("!") or line == "end":
            continue
        depth = len(raw) - len(raw.lstrip())
        parents = [parent for parent in parents if parent[0] < depth]
        found.add((*(parent for _, parent in parents), line))
        parents.append((depth, line))
    return found


def structured(state: DeviceState, profile_of: Mapping[str, str]) -> dict[str, Any]:
    """``state`` for AVD; ``profile_of``: port -> name of its qos profile."""
    ports: Mapping[str, Port] = state.ports  # type: ignore[assignment]
    policies: dict[str, PortQos] = {profile_of[name]: port.qos for name, port in ports.items()}  # type: ignore[misc]
    first = next(iter(policies.values()))
    assert isinstance(first.maps, QosMaps)
    config: dict[str, Any] = {
        "hostname": "leaf9",
        "qos": _qos(first.maps),
        "qos_profiles": [_profile(name, policy) for name, policy in policies.items()],
        "ethernet_interfaces": [_interface(name, port, profile_of[name]) for name, port in ports.items()],
    }
    if isinstance(state.watchdog, DeviceWatchdog):
        config["priority_flow_control"] = {"watchdog": _global_watchdog(state.watchdog)}
    return config


def _seconds(value_ms: Any, decimals: int) -> str:
    return f"{Decimal(value_ms) / 1000:.{decimals}f}"


def _global_watchdog(watchdog: DeviceWatchdog) -> dict[str, Any]:
    rows = {"timeout": (watchdog.detect_ms, 2), "recovery_time": (watchdog.restore_ms, 2)}
    rows["polling_interval"] = (watchdog.poll_ms, 3)
    timers = {key: _seconds(value, decimals) for key, (value, decimals) in rows.items() if isinstance(value, int)}
    return timers if watchdog.action == "errdisable" else {**timers, "action": ACTIONS[str(watchdog.action)]}


def _qos(maps: QosMaps) -> dict[str, Any]:
    tables: dict[str, Any] = {
        name: getattr(maps, name) for name in ("dscp_to_tc", "pcp_to_tc", "tc_to_queue", "tc_to_dscp")
    }
    rewrite = tables["tc_to_dscp"] if isinstance(tables["tc_to_dscp"], Mapping) else {}
    queues = {tc: queue for tc, queue in tables["tc_to_queue"].items() if tc != 7}
    return {
        "rewrite_dscp": bool(rewrite),
        "map": {
            "dscp": _by_class(tables["dscp_to_tc"]),
            "cos": _by_class(tables["pcp_to_tc"]),
            "traffic_class": [f"{tc} to tx-queue {queue}" for tc, queue in queues.items()]
            + [f"{tc} to dscp {dscp}" for tc, dscp in rewrite.items()],
        },
    }


def _by_class(table: Mapping[int, int]) -> list[str]:
    return [
        f"{' '.join(str(key) for key in sorted(table) if table[key] == tc)} to traffic-class {tc}"
        for tc in sorted(set(table.values()))
    ]


def _interface(name: str, port: Port, profile: str) -> dict[str, Any]:
    fec = {"rs": {"reed_solomon": True}, "fc": {"fire_code": True}, "none": {"enabled": False}}.get(str(port.fec))
    return {
        "name": name,
        "shutdown": not port.admin_up,
        "mtu": port.mtu_bytes,
        "service_profile": profile,
        **({"error_correction_encoding": fec} if fec else {}),
    }


def _profile(name: str, policy: PortQos) -> dict[str, Any]:
    pfc = policy.pfc
    assert isinstance(pfc, Pfc)
    control: dict[str, Any] = {}
    if pfc.priorities:
        control["enabled"] = True
        control["priorities"] = [{"priority": number, "no_drop": True} for number in pfc.priorities]  # type: ignore[union-attr]
    if isinstance(pfc.watchdog, Watchdog):
        control["watchdog"] = _watchdog(pfc.watchdog)
    queues: Mapping[int, Queue] = policy.queues  # type: ignore[assignment]
    shares = dict(policy.scheduling)  # type: ignore[arg-type]
    weights = sum(share for share in shares.values() if isinstance(share, int))
    return {
        "name": name,
        "trust": TRUST[str(policy.trust)],
        "tx_queues": [_queue(number, shares[number], weights, queues[number]) for number in range(8)],
        **({"priority_flow_control": control} if control else {}),
    }


def _watchdog(watchdog: Watchdog) -> dict[str, Any]:
    action = {"action": ACTIONS[str(watchdog.action)]} if watchdog.action != "errdisable" else {}
    return {
        "enabled": True,
        "timer": {
            "timeout": _seconds(watchdog.detect_ms, 2),
            "polling_interval": _seconds(watchdog.poll_ms, 3),
            "recovery_time": _seconds(watchdog.restore_ms, 2),
        },
        **action,
    }


def _queue(number: int, share: int | str, weights: int, queue: Queue) -> dict[str, Any]:
    result: dict[str, Any] = {"id": number}
    if isinstance(share, int):
        result |= {"priority": "no priority", "bandwidth_percent": 100 // weights * share}
    else:
        result["priority"] = "priority strict"
    if isinstance(queue.ecn, Ecn):
        result["random_detect"] = {"ecn": {"threshold": _threshold(queue.ecn)}}
    return result


def _threshold(ecn: Ecn) -> dict[str, Any]:
    in_bytes = isinstance(ecn.kmin_bytes, int)
    low, high = (ecn.kmin_bytes, ecn.kmax_bytes) if in_bytes else (ecn.kmin_ns, ecn.kmax_ns)
    factor = 1 if in_bytes else 1000
    optional = {"max_probability": ecn.max_probability_percent, "weight": ecn.weight}
    return {
        "units": "bytes" if in_bytes else "microseconds",
        "min": low // factor,  # type: ignore[operator]
        "max": high // factor,  # type: ignore[operator]
        **{key: value for key, value in optional.items() if isinstance(value, int)},
    }
