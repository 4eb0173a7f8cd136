"""Expected state of switch ports."""

from __future__ import annotations

from typing import Any

from fabric_drift.expect import link
from fabric_drift.expect.maps import EIGHT, switch_maps
from fabric_drift.expect.policy import or_unsaid, scheduling, switch_pfc, watches
from fabric_drift.intent.ecn import EcnRule, matching
from fabric_drift.intent.fabric import Device, Fabric
from fabric_drift.intent.hardware import Buffers, GroupBuffer
from fabric_drift.intent.ports import PortView, buffers_of, ecn_place, headroom_row
from fabric_drift.state.device import (
    DeviceWatchdog,
    Ecn,
    Pool,
    Port,
    PortQos,
    PriorityGroup,
    Queue,
    QueueBuffer,
)
from fabric_drift.state.values import ABSENT, UNSAID


def switch_port(fabric: Fabric, view: PortView) -> Port:
    """A managed port of a switch."""
    resolved = view.policy.resolved
    return Port(
        admin_up=resolved.get("admin", default="up") == "up",
        oper_up=link.oper_up(fabric, view),
        speed_mbps=or_unsaid(view.speed_mbps),
        mtu_bytes=or_unsaid(resolved.get("mtu")),
        fec=or_unsaid(view.fec),
        qos=_shared_qos(fabric, view),
        neighbour=link.neighbour(fabric, view),
    )


def _shared_qos(fabric: Fabric, view: PortView) -> PortQos:
    key = ("qos", id(view.policy), view.device.hardware, view.speed_mbps, view.cable_m)
    known = fabric.memo.get(key)
    if known is None:
        known = fabric.memo[key] = _qos(fabric, view)
    return known


def _qos(fabric: Fabric, view: PortView) -> PortQos:
    policy, resolved = view.policy, view.policy.resolved
    buffers = buffers_of(fabric, view.device)
    return PortQos(
        trust=resolved.get("trust", default="dscp"),
        maps=switch_maps(policy),
        pfc=switch_pfc(policy),
        global_pause=resolved.get("global_pause", default=False),
        scheduling=scheduling(policy, is_host=False),
        queues={queue: _queue(fabric, view, buffers, queue) for queue in EIGHT},
        priority_groups=_priority_groups(view, buffers) if buffers else UNSAID,
        cable_length_m=or_unsaid(view.cable_m) if buffers else UNSAID,
        dcbx=or_unsaid(resolved.get("dcbx")),
        dcbx_willing=or_unsaid(resolved.get("dcbx_willing")),
    )


def _queue(fabric: Fabric, view: PortView, buffers: Buffers | None, queue: int) -> Queue:
    classes = [item for item in view.policy.classes if item.queue == queue]
    rules = fabric.document.ecn
    found = [index for item in classes for index in matching(rules, ecn_place(view, item.name))]
    rule = rules[found[0]] if found else None
    buffer: Any = UNSAID
    if buffers and classes:
        group = buffers.egress_lossless if classes[0].lossless else buffers.egress_lossy
        buffer = _queue_buffer(group) if group else UNSAID
    return Queue(ecn=ecn_of(rule) if rule and rule.marking else ABSENT, buffer=buffer)


def ecn_of(rule: EcnRule) -> Ecn:
    """The marking of a rule, in the basis it is written in."""
    assert rule.kmin is not None
    assert rule.kmax is not None
    suffix = {"bytes": "bytes", "ns": "ns", "percent": "fill_percent"}[rule.kmin.basis]
    thresholds: dict[str, Any] = {f"kmin_{suffix}": rule.kmin.value, f"kmax_{suffix}": rule.kmax.value}
    return Ecn(
        **thresholds,
        max_probability_percent=or_unsaid(rule.probability),
        weight=or_unsaid(rule.weight),
        colours=UNSAID if rule.colours is None else tuple(sorted(rule.colours)),
        wred_drop=or_unsaid(rule.wred_drop),
    )


def _queue_buffer(group: GroupBuffer) -> QueueBuffer:
    return QueueBuffer(
        pool=or_unsaid(group.pool),
        reserved_bytes=or_unsaid(group.reserved),
        static_bytes=or_unsaid(group.static),
        alpha_exponent=or_unsaid(group.alpha),
    )


def _priority_groups(view: PortView, buffers: Buffers) -> Any:
    """Lossless groups with the headroom row of this speed and cable; lossy ones where the table says them."""
    groups: dict[int, PriorityGroup] = {}
    for item in view.policy.classes:
        if item.lossless:
            groups[item.priority_group] = _lossless_group(view, buffers)
        elif buffers.lossy is not None:
            lossy = buffers.lossy
            groups[item.priority_group] = PriorityGroup(
                lossless=False,
                pool=or_unsaid(lossy.pool),
                static_bytes=or_unsaid(lossy.static),
                alpha_exponent=or_unsaid(lossy.alpha),
            )
    return groups


def _lossless_group(view: PortView, buffers: Buffers) -> PriorityGroup:
    limits = buffers.lossless
    found = None
    if view.speed_mbps is not None and view.cable_m is not None:
        found = headroom_row(buffers, view.speed_mbps, view.cable_m)
    row = found[1] if found else None
    return PriorityGroup(
        lossless=True,
        pool=or_unsaid(limits.pool),
        size_bytes=or_unsaid(row and row.size),
        xoff_bytes=or_unsaid(row and row.xoff),
        xon_bytes=or_unsaid(row and row.xon),
        xon_offset_bytes=or_unsaid(row and row.xon_offset),
        static_bytes=or_unsaid(limits.static),
        alpha_exponent=or_unsaid(limits.alpha),
    )


def pools(buffers: Buffers | None) -> Any:
    """All pools of a switch, or UNSAID."""
    if buffers is None or buffers.pools is None:
        return UNSAID
    return {
        name: Pool(
            direction=pool.direction,
            mode=pool.mode,
            size_bytes=or_unsaid(pool.size),
            xoff_bytes=or_unsaid(pool.shared_headroom),
        )
        for name, pool in sorted(buffers.pools.items())
    }


def device_watchdog(views: list[PortView]) -> Any:
    """The poll interval, which a device has once, or UNSAID where no port is watched."""
    watched = [view.policy for view in views if watches(view.policy)]
    polls = [poll for poll in (policy.resolved.get("watchdog", "poll") for policy in watched) if poll is not None]
    return DeviceWatchdog(poll_ms=polls[0]) if polls else UNSAID


def device_buffer_model(fabric: Fabric, device: Device) -> Any:
    """Static or dynamic, or UNSAID where buffers aren't managed."""
    buffers = buffers_of(fabric, device)
    return buffers.model if buffers else UNSAID
