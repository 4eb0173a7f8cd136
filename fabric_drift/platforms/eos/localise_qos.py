"""The policy of a port as EOS would show it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fabric_drift.platforms.eos.defaults import (
    COS_TO_TC,
    DSCP_TO_TC,
    FIXED_TC,
    QUEUE_PRIORITY,
    TC_TO_QUEUE,
    TRAFFIC_CLASSES,
)
from fabric_drift.platforms.eos.localise_ecn import localise_queue
from fabric_drift.platforms.eos.localise_pfc import localise_pfc
from fabric_drift.platforms.eos.qos import QUEUES, UNMARKED
from fabric_drift.platforms.eos.refuse import Refuser
from fabric_drift.state import ABSENT, UNSAID, DeviceWatchdog, Pfc, Port, PortQos, PriorityGroup, QosMaps, is_said
from fabric_drift.state.device import Fact

GLOBAL_MAPS = ("dscp_to_tc", "pcp_to_tc", "tc_to_queue", "tc_to_dscp")
NIC_MAPS = ("dscp_to_priority", "priority_to_tc", "priority_to_buffer")


def localise_qos(qos: PortQos, watchdog: Fact[DeviceWatchdog], refuse: Refuser) -> PortQos:
    """``qos`` in EOS's terms. Raises Unsupported."""
    _refuse_what_eos_lacks(qos, refuse)
    pfc = localise_pfc(qos.pfc, watchdog, refuse.below(("pfc",)))
    return replace(
        qos,
        maps=_maps(qos.maps, pfc, refuse.below(("maps",))),
        pfc=pfc,
        scheduling=_scheduling(qos.scheduling, refuse),
        queues=_queues(qos, refuse),
        priority_groups=UNSAID,
        cable_length_m=UNSAID,
        dcbx_willing=UNSAID,
    )


def _refuse_what_eos_lacks(qos: PortQos, refuse: Refuser) -> None:
    if is_said(qos.receive_buffers_bytes):
        raise refuse(("receive_buffers_bytes",), "a switch port has no NIC receive buffers", "Move them to hosts")
    if qos.dcbx in ("cee", "firmware"):
        raise refuse(("dcbx",), f"EOS has no DCBX mode {qos.dcbx}", "Use off or ieee")
    if qos.dcbx_willing is True:
        raise refuse(("dcbx_willing",), "EOS takes no DCB configuration from its peer", "Use false on switches")
    groups = qos.priority_groups
    if not isinstance(groups, Mapping):
        return
    for number, group in groups.items():
        if isinstance(group, PriorityGroup) and group != PriorityGroup(lossless=group.lossless):
            raise refuse(
                ("priority_groups", str(number)),
                "buffer sizes of priority groups aren't translated for EOS (platform trident mmu)",
                "Leave buffers of EOS switches out of the intent: EOS sizes headroom of no-drop priorities itself",
            )


def _maps(maps: Fact[QosMaps], pfc: Fact[Pfc], refuse: Refuser) -> Fact[QosMaps]:
    if not isinstance(maps, QosMaps):
        return maps
    for name in NIC_MAPS:
        if is_said(getattr(maps, name)):
            raise refuse((name,), "only NICs have this map", "Move it to hosts")
    _check_lossless_chain(maps, pfc, refuse)
    return QosMaps(
        dscp_to_tc=_filled(maps, "dscp_to_tc", DSCP_TO_TC, refuse),
        pcp_to_tc=_filled(maps, "pcp_to_tc", COS_TO_TC, refuse),
        tc_to_queue=_tc_to_queue(maps, refuse),
        tc_to_dscp=_rewrite(maps.tc_to_dscp, refuse),
    )


def _filled(maps: QosMaps, name: str, defaults: Mapping[int, int], refuse: Refuser) -> Fact[Mapping[int, int]]:
    given: Fact[Mapping[int, int]] = getattr(maps, name)
    if not isinstance(given, Mapping):
        return given
    for key, value in given.items():
        if key not in defaults or value not in TRAFFIC_CLASSES:
            raise refuse((name, str(key)), f"{key} -> {value} is outside of EOS's map", "Use traffic classes 0-7")
    return {key: given.get(key, value) for key, value in defaults.items()}


def _tc_to_queue(maps: QosMaps, refuse: Refuser) -> Fact[Mapping[int, int]]:
    filled = _filled(maps, "tc_to_queue", TC_TO_QUEUE, refuse)
    if isinstance(filled, Mapping):
        for tc, queue in filled.items():
            if (tc == FIXED_TC) != (queue == FIXED_TC):
                raise refuse(
                    ("tc_to_queue", str(tc)),
                    f"EOS reserves queue {FIXED_TC} for traffic class {FIXED_TC}",
                    f"Map only traffic class {FIXED_TC} to queue {FIXED_TC}",
                )
    return filled


def _rewrite(rewrite: Fact[Mapping[int, int]], refuse: Refuser) -> Fact[Mapping[int, int]]:
    """An intent without rewriting means that DSCP leaves as it came; a switch that rewrites has drifted."""
    if rewrite is UNSAID:
        return ABSENT
    if isinstance(rewrite, Mapping) and set(rewrite) != set(TRAFFIC_CLASSES):
        raise refuse(
            ("tc_to_dscp",),
            "EOS rewrites the DSCP of every traffic class or of none, and its defaults aren't documented",
            "Give all traffic classes 0-7",
        )
    return rewrite


def _check_lossless_chain(maps: QosMaps, pfc: Fact[Pfc], refuse: Refuser) -> None:
    """A PFC priority of EOS is the traffic class of the same number; anything else can't be configured."""
    priorities = pfc.priorities if isinstance(pfc, Pfc) and isinstance(pfc.priorities, tuple) else ()
    queues, groups = _table(maps.tc_to_queue), _table(maps.tc_to_priority_group)
    paused, pausing = _table(maps.pfc_priority_to_queue), _table(maps.pfc_priority_to_priority_group)
    for priority in priorities:
        queue, group = queues.get(priority, priority), groups.get(priority, priority)
        if paused.get(priority, queue) != queue:
            raise refuse(
                ("pfc_priority_to_queue", str(priority)),
                f"on EOS priority {priority} pauses the queue of traffic class {priority}, which is {queue}",
                f"Use queue {queue}",
            )
        others = {tc for tc, other in groups.items() if other == group} - {priority}
        if pausing.get(priority, group) != group or others:
            raise refuse(
                ("tc_to_priority_group",),
                f"on EOS priority {priority} is sent for traffic class {priority} alone",
                f"Give traffic class {priority} a priority group of its own",
            )


def _table(fact: Fact[Mapping[int, int]]) -> Mapping[int, int]:
    return fact if isinstance(fact, Mapping) else {}


def _scheduling(
    rows: Fact[tuple[tuple[int, int | str], ...]], refuse: Refuser
) -> Fact[tuple[tuple[int, int | str], ...]]:
    """Queues that nobody named are strict, as EOS leaves them."""
    if not isinstance(rows, tuple):
        return rows
    given = dict(rows)
    if not set(given) <= set(QUEUES):
        raise refuse(("scheduling",), f"EOS has no queue {max(given)}", "Use queues 0-7")
    weights = [share for share in given.values() if isinstance(share, int)]
    divisor = math.gcd(*weights) or 1
    if sum(weights) > 100 * divisor:
        raise refuse(("scheduling",), "EOS shares whole percents", "Use shares that are whole percents")
    full = {queue: given.get(queue, QUEUE_PRIORITY) for queue in QUEUES}
    return tuple((queue, share // divisor if isinstance(share, int) else share) for queue, share in full.items())


def _queues(qos: PortQos, refuse: Refuser) -> Any:
    if not isinstance(qos.queues, Mapping):
        return qos.queues
    for number in qos.queues:
        if number not in QUEUES:
            raise refuse(("queues", str(number)), f"EOS has no queue {number}", "Use queues 0-7")
    return {
        number: localise_queue(qos.queues.get(number, UNMARKED), refuse.below(("queues", str(number))))
        for number in QUEUES
    }


def check_one_map_per_switch(ports: Mapping[str, Port], refuse: Refuser) -> None:
    """EOS maps are global: raises Unsupported where two ports want different ones."""
    first: dict[str, tuple[str, Any]] = {}
    for port, facts in ports.items():
        maps = facts.qos.maps if isinstance(facts.qos, PortQos) else None
        for name in GLOBAL_MAPS if isinstance(maps, QosMaps) else ():
            wanted = getattr(maps, name)
            if not is_said(wanted) and wanted is not ABSENT:
                continue
            other, value = first.setdefault(name, (port, wanted))
            if value != wanted:
                raise refuse(
                    ("ports", port, "qos", "maps", name),
                    f"EOS has one such map per switch, and {other} wants another",
                    "Use the same classes on all ports of the switch",
                )
