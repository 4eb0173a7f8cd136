"""The global lines, from a localised state: maps in full (also where they equal EOS's default), then the watchdog."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from fabric_drift.platforms.eos.defaults import FIXED_TC, WATCHDOG_ACTION
from fabric_drift.platforms.eos.localise_qos import GLOBAL_MAPS
from fabric_drift.platforms.eos.units import seconds
from fabric_drift.state import DeviceState, DeviceWatchdog, Port, PortQos, QosMaps

ACTIONS = {"drop": "drop", "alert": "notify-only"}


def device_lines(expected: DeviceState, ports: Mapping[str, Port]) -> Iterator[str]:
    """Rewriting, maps, watchdog, in the order of EOS >= 4.35."""
    maps = _maps(ports)
    if "tc_to_dscp" in maps:
        yield "qos rewrite dscp"
    yield from _grouped("cos", maps.get("pcp_to_tc", {}))
    yield from _grouped("dscp", maps.get("dscp_to_tc", {}))
    yield from (f"qos map traffic-class {tc} to dscp {dscp}" for tc, dscp in sorted(maps.get("tc_to_dscp", {}).items()))
    for tc, queue in sorted(maps.get("tc_to_queue", {}).items()):
        if tc != FIXED_TC:
            yield f"qos map traffic-class {tc} to tx-queue {queue}"
    if isinstance(expected.watchdog, DeviceWatchdog):
        yield from _watchdog(expected.watchdog)


def _maps(ports: Mapping[str, Port]) -> dict[str, Mapping[int, int]]:
    """The maps of the switch: those of any port that has them, for ``localise`` has seen to it that all agree."""
    found: dict[str, Mapping[int, int]] = {}
    for port in ports.values():
        maps = port.qos.maps if isinstance(port.qos, PortQos) else None
        if isinstance(maps, QosMaps):
            tables = {name: getattr(maps, name) for name in GLOBAL_MAPS}
            found |= {name: table for name, table in tables.items() if isinstance(table, Mapping)}
    return found


def _grouped(kind: str, table: Mapping[int, int]) -> Iterator[str]:
    values: dict[int, list[str]] = defaultdict(list)
    for value, tc in sorted(table.items()):
        values[tc].append(str(value))
    yield from (f"qos map {kind} {' '.join(listed)} to traffic-class {tc}" for tc, listed in sorted(values.items()))


def _watchdog(watchdog: DeviceWatchdog) -> Iterator[str]:
    prefix = "priority-flow-control pause watchdog"
    if isinstance(watchdog.detect_ms, int):
        yield f"{prefix} default timeout {seconds(watchdog.detect_ms, 2)}"
    if isinstance(watchdog.restore_ms, int):
        yield f"{prefix} default recovery-time {seconds(watchdog.restore_ms, 2)}"
    if isinstance(watchdog.poll_ms, int):
        yield f"{prefix} default polling-interval {seconds(watchdog.poll_ms, 3)}"
    if isinstance(watchdog.action, str) and watchdog.action != WATCHDOG_ACTION:
        yield f"{prefix} action {ACTIONS[watchdog.action]}"
