"""Class -> map entries. Maps are complete: what no class lists goes where the default class goes."""

from __future__ import annotations

from typing import Any

from fabric_drift.intent.policy import Policy
from fabric_drift.state.device import QosMaps
from fabric_drift.state.values import ABSENT, UNSAID

EIGHT = range(8)
DSCPS = range(64)


def switch_maps(policy: Policy) -> QosMaps:
    """Maps of a switch port. Traffic classes of no class keep the queue of their number and the default group."""
    default = policy.default
    lossless = [item for item in policy.classes if item.lossless]
    trust = policy.resolved.get("trust", default="dscp")
    return QosMaps(
        dscp_to_tc=dscp_map(policy, "traffic_class") if trust == "dscp" else UNSAID,
        pcp_to_tc=_pcp_to_tc(policy) if trust == "pcp" else UNSAID,
        tc_to_queue={tc: tc for tc in EIGHT} | {item.traffic_class: item.queue for item in policy.classes},
        tc_to_priority_group=dict.fromkeys(EIGHT, default.priority_group)
        | {item.traffic_class: item.priority_group for item in policy.classes},
        pfc_priority_to_queue={number: number for number in EIGHT}
        | {item.pfc_priority: item.queue for item in lossless},
        pfc_priority_to_priority_group={number: number for number in EIGHT}
        | {item.pfc_priority: item.priority_group for item in lossless},
        tc_to_dscp=_rewrite(policy),
    )


def nic_maps(policy: Policy) -> QosMaps:
    """Maps of a NIC port. Priorities of no class keep the traffic class of their number."""
    trust = policy.resolved.get("trust", default="dscp")
    return QosMaps(
        dscp_to_priority=dscp_map(policy, "priority") if trust == "dscp" else UNSAID,
        priority_to_tc={number: number for number in EIGHT}
        | {item.priority: item.nic_traffic_class for item in policy.classes},
        priority_to_buffer=_priority_to_buffer(policy),
    )


def dscp_map(policy: Policy, number: str) -> dict[int, int]:
    """All 64 DSCPs -> a number of their class."""
    entries = dict.fromkeys(DSCPS, getattr(policy.default, number))
    for item in policy.classes:
        entries |= dict.fromkeys(item.dscps, getattr(item, number))
    return entries


def _pcp_to_tc(policy: Policy) -> dict[int, int]:
    entries = dict.fromkeys(EIGHT, policy.default.traffic_class)
    for item in policy.classes:
        entries |= dict.fromkeys(item.pcps, item.traffic_class)
    return entries


def _rewrite(policy: Policy) -> Any:
    wanted = policy.resolved.get("rewrite_dscp")
    if wanted is None:
        return UNSAID
    entries = {item.traffic_class: wanted[item.name] for item in policy.classes if item.name in wanted}
    return entries or ABSENT


def _priority_to_buffer(policy: Policy) -> Any:
    """UNSAID unless a class names its receive buffer; then the other priorities share the default class's, or 0."""
    if all(item.nic_receive_buffer is None for item in policy.classes):
        return UNSAID
    entries = dict.fromkeys(EIGHT, policy.default.nic_receive_buffer or 0)
    for item in policy.classes:
        if item.nic_receive_buffer is not None:
            entries[item.priority] = item.nic_receive_buffer
    return entries
