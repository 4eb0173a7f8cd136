"""Interface + its qos profile + the global lines -> the effective policy of a port, once per distinct triple.

The interface wins over its profile, line by line; a hidden default stands in where both are silent. Where EOS's
behaviour isn't documented the fact is Unobserved, with the line that would settle it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from fabric_drift.platforms.eos.body import Body
from fabric_drift.platforms.eos.defaults import (
    COS_TO_TC,
    DSCP_TO_TC,
    QUEUE_PRIORITY,
    TC_TO_QUEUE,
    TRAFFIC_CLASSES,
    WATCHDOG_ACTION,
)
from fabric_drift.platforms.eos.lines import Settings, first
from fabric_drift.state import ABSENT, DeviceWatchdog, Pfc, PortQos, QosMaps, Queue, Unobserved, Watchdog
from fabric_drift.state.device import Fact

UNMARKED = Queue(ecn=ABSENT)
QUEUES = range(8)
ROUND_ROBIN = "round-robin"
"""A queue that takes turns, with a share that nobody configured: certainly not strict, and equal to no weight."""


@dataclass(frozen=True, slots=True, eq=False)
class Device:
    """What the global lines say for every port."""

    settings: Settings
    maps: QosMaps
    watchdog: Fact[DeviceWatchdog]


@lru_cache(maxsize=1024)
def device(globals_: Body) -> Device:
    """The device-wide part of the policy; one object per distinct set of global lines."""
    settings = globals_.settings
    maps = QosMaps(
        dscp_to_tc=_map(settings, "dscp_to_tc", DSCP_TO_TC),
        pcp_to_tc=_map(settings, "pcp_to_tc", COS_TO_TC),
        tc_to_queue=_map(settings, "tc_to_queue", TC_TO_QUEUE),
        tc_to_dscp=_rewrite(settings),
    )
    return Device(settings, maps, _device_watchdog(settings))


def _map(settings: Settings, name: str, defaults: dict[int, int]) -> dict[int, Any]:
    return {key: settings.get((name, key), value) for key, value in defaults.items()}


def _rewrite(settings: Settings) -> Fact[dict[int, Any]]:
    if not settings.get(("rewrite_dscp",), False):
        return ABSENT
    unknown = Unobserved("EOS rewrites DSCP, and its default for this traffic class is documented nowhere")
    return {tc: settings.get(("tc_to_dscp", tc), unknown) for tc in TRAFFIC_CLASSES}


def _device_watchdog(settings: Settings) -> Fact[DeviceWatchdog]:
    names = ("wd_poll_ms", "wd_detect_ms", "wd_restore_ms", "wd_action", "wd_override")
    if not any((name,) in settings for name in names):
        return ABSENT
    return DeviceWatchdog(
        poll_ms=settings.get(("wd_poll_ms",), ABSENT),
        detect_ms=settings.get(("wd_detect_ms",), ABSENT),
        restore_ms=settings.get(("wd_restore_ms",), ABSENT),
        action=_global_action(settings),
    )


def _global_action(settings: Settings) -> Fact[str]:
    """``override action drop`` stands above everything."""
    action: Fact[str] = first(
        ("wd_override",), settings, default=first(("wd_action",), settings, default=WATCHDOG_ACTION)
    )
    return action


@lru_cache(maxsize=4096)
def port_qos(interface: Body, profile: Body, link: Body, global_: Device) -> PortQos:
    """The effective policy of a port. ``link``: the port's own lines; ``interface`` is its LAG where it has one."""
    both = {**profile.settings, **interface.settings}
    priorities = _priorities(interface.settings, profile.settings, both, global_.settings)
    return PortQos(
        trust=both.get(("trust",), _default_trust(both, global_.settings)),
        maps=global_.maps,
        pfc=Pfc(priorities=priorities, watchdog=_watchdog(both, global_)),
        global_pause=_pause(link.settings),
        scheduling=_scheduling(both),
        queues={queue: _queue(both, queue) for queue in QUEUES},
        dcbx=link.settings.get(("dcbx",), "off"),
    )


def _default_trust(both: Settings, global_: Settings) -> Fact[str]:
    """Routed ports trust DSCP, switched ones CoS (EOS User Manual, QoS trust)."""
    switched = first(("switched",), both, global_, default=True)
    if isinstance(switched, Unobserved):
        return switched
    return "pcp" if switched else "dscp"


def _priorities(ours: Settings, theirs: Settings, both: Settings, global_: Settings) -> Fact[tuple[int, ...]]:
    on = both.get(("pfc_on",), False)
    if isinstance(on, Unobserved):
        return on
    if not on or global_.get(("all_off",), False):
        return ()
    lists = [{slot[1]: value for slot, value in level.items() if slot[0] == "no_drop"} for level in (ours, theirs)]
    if all(lists) and lists[0] != lists[1]:
        return Unobserved("interface and profile both list PFC priorities; whether EOS merges them isn't documented")
    chosen = lists[0] or lists[1]
    for value in chosen.values():
        if isinstance(value, Unobserved):
            return value
    return tuple(sorted(int(priority) for priority, no_drop in chosen.items() if no_drop))


def _pause(link: Settings) -> Fact[bool]:
    values = [link.get(("pause", way), False) for way in ("receive", "send")]
    return next((value for value in values if isinstance(value, Unobserved)), any(values))


def _watchdog(both: Settings, global_: Device) -> Fact[Watchdog]:
    """Without ``priorities``: EOS watches every no-drop priority, so they are no fact of their own."""
    enabled = both.get(("wd_on",))
    if isinstance(enabled, Unobserved):
        return enabled
    if enabled is None and ("wd_detect_ms",) in global_.settings:
        return Unobserved(
            "whether the global timeout alone watches this port isn't documented; "
            "configure `priority-flow-control pause watchdog` for the port, with or without `no`"
        )
    if not enabled:
        return ABSENT
    return Watchdog(
        detect_ms=_timer(both, global_.settings, "wd_detect_ms"),
        restore_ms=_timer(both, global_.settings, "wd_restore_ms"),
        poll_ms=_poll(both, global_.settings),
        action=_action(both, global_.settings),
    )


def _timer(both: Settings, global_: Settings, slot: str) -> Fact[int]:
    unknown = Unobserved("neither the port nor the global lines set this timer, and EOS's own isn't documented")
    value: Fact[int] = first((slot,), both, global_, default=unknown)
    return value


def _poll(both: Settings, global_: Settings) -> Fact[int]:
    poll: Fact[int] | str = first(("wd_poll_ms",), both, global_, default="auto")
    return Unobserved("EOS computes the polling interval itself") if isinstance(poll, str) else poll


def _action(both: Settings, global_: Settings) -> Fact[str]:
    everywhere = _global_action(global_)
    own: Fact[str] = first(("wd_action",), both, default=everywhere)
    return everywhere if ("wd_override",) in global_ else own


def _scheduling(both: Settings) -> Fact[tuple[tuple[int, int | str], ...]]:
    rows: list[tuple[int, int | str]] = []
    for queue in QUEUES:
        row = _share(both, queue)
        if isinstance(row, Unobserved):
            return row
        rows.append((queue, row))
    divisor = math.gcd(*(share for _, share in rows if isinstance(share, int))) or 1
    return tuple((queue, share // divisor if isinstance(share, int) else share) for queue, share in rows)


def _share(both: Settings, queue: int) -> int | str | Unobserved:
    priority, percent = both.get(("priority", queue)), both.get(("percent", queue))
    if isinstance(priority, Unobserved) or priority == "strict":
        return priority
    if priority is None and percent is not None:
        return Unobserved(f"queue {queue} has a share but no priority line, and the default differs between ASICs")
    if priority is None:
        return QUEUE_PRIORITY
    if percent is None:
        return ROUND_ROBIN
    share: int | Unobserved = percent
    return share


def _queue(both: Settings, queue: int) -> Queue:
    threshold = both.get(("ecn", queue))
    if threshold is None:
        return UNMARKED
    return Queue(ecn=threshold if isinstance(threshold, Unobserved) else threshold.ecn())
