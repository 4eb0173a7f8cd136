"""What switch ports and NIC ports have in common: PFC, scheduling, settings that are facts as they are."""

from __future__ import annotations

from math import gcd
from typing import Any

from fabric_drift.expect.maps import EIGHT
from fabric_drift.intent.policy import Policy
from fabric_drift.state.device import Pfc, Watchdog
from fabric_drift.state.values import ABSENT, UNSAID


def or_unsaid(value: Any) -> Any:
    """The intent's None is the state's UNSAID: not managed."""
    return UNSAID if value is None else value


def scheduling(policy: Policy, *, is_host: bool) -> tuple[tuple[int, int | str], ...]:
    """Sorted (queue or NIC traffic class, strict or weight); weights divided by their greatest common divisor.

    Queues of no class are left out, unless the intent says ``unused_queues``.
    """
    unused = policy.resolved.get("unused_queues")
    wanted: dict[int, int | str] = {} if unused is None else dict.fromkeys(EIGHT, unused)
    for item in policy.classes:
        wanted[item.nic_traffic_class if is_host else item.queue] = item.scheduling
    divisor = gcd(*(share for share in wanted.values() if isinstance(share, int))) or 1
    return tuple(
        (queue, share // divisor if isinstance(share, int) else share) for queue, share in sorted(wanted.items())
    )


def switch_pfc(policy: Policy) -> Pfc:
    """PFC of a switch port with its watchdog."""
    return Pfc(
        priorities=policy.pfc_priorities,
        asymmetric=or_unsaid(policy.resolved.get("pfc_asymmetric")),
        watchdog=_watchdog(policy),
    )


def _watchdog(policy: Policy) -> Any:
    resolved = policy.resolved
    if not resolved.has("watchdog"):
        return UNSAID
    if not watches(policy):
        return ABSENT
    return Watchdog(
        priorities=policy.pfc_priorities,
        detect_ms=or_unsaid(resolved.get("watchdog", "detect")),
        restore_ms=or_unsaid(resolved.get("watchdog", "restore")),
        action=or_unsaid(resolved.get("watchdog", "action")),
    )


def watches(policy: Policy) -> bool:
    """Whether the watchdog guards any priority of ports with this policy."""
    has_watchdog = policy.resolved.has("watchdog") and policy.resolved.get("watchdog", "enabled", default=True)
    return bool(has_watchdog and policy.pfc_priorities)
