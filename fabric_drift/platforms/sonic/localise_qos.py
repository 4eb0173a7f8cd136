"""The policy of a port as SONiC would show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from fabric_drift.platform import Target
from fabric_drift.platforms.sonic import tables as t
from fabric_drift.platforms.sonic.ecn import PERCENT, colours_of
from fabric_drift.platforms.sonic.headroom import Headroom, Lookup
from fabric_drift.platforms.sonic.objects import STRICT, scheduling_of
from fabric_drift.platforms.sonic.refuse import one_of, refusal, within
from fabric_drift.state.device import (
    DeviceWatchdog,
    Ecn,
    Pfc,
    PortQos,
    PriorityGroup,
    QosMaps,
    Queue,
    QueueBuffer,
    Watchdog,
)
from fabric_drift.state.values import ABSENT, UNSAID, NotApplicable, Path, is_said

IDENTITY = {index: index for index in t.QUEUES}
NIC_MAPS = ("dscp_to_priority", "priority_to_tc", "priority_to_buffer")
FILL = {
    "tc_to_queue": IDENTITY,
    "tc_to_priority_group": dict.fromkeys(t.QUEUES, 0),
    "pfc_priority_to_queue": IDENTITY,
    "pfc_priority_to_priority_group": IDENTITY,
}
"""What becomes of traffic classes and priorities that no class of the intent uses: whole maps leave no doubt."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What the device brings to every port."""

    target: Target
    asic: str
    dynamic: bool
    pool_mode: str
    lookup: Lookup
    watchdog: DeviceWatchdog
    poll_ms: Any

    @property
    def nvidia(self) -> bool:
        """Whether it is a Spectrum."""
        return self.asic in t.NVIDIA_ASICS


def localise_qos(qos: PortQos, speed: Any, path: Path, setting: Setting) -> PortQos:
    """``qos`` in SONiC's terms; raises Unsupported."""
    _no_such_thing(qos, path, setting.target)
    pfc = _pfc(qos.pfc, (*path, "pfc"), setting)
    priorities = pfc.priorities if isinstance(pfc, Pfc) and isinstance(pfc.priorities, tuple) else ()
    return replace(
        qos,
        maps=_maps(qos, priorities, (*path, "maps"), setting),
        pfc=pfc,
        scheduling=_scheduling(qos.scheduling, (*path, "scheduling"), setting.target),
        queues=_queues(qos.queues, (*path, "queues"), setting),
        priority_groups=_groups(qos, speed, priorities, path, setting),
        global_pause=UNSAID,
        dcbx=UNSAID,
        dcbx_willing=UNSAID,
        receive_buffers_bytes=UNSAID,
    )


def _no_such_thing(qos: PortQos, path: Path, target: Target) -> None:
    """802.3x pause and DCBX: community SONiC has neither, so "off" is what it is."""
    if is_said(qos.global_pause) and qos.global_pause:
        raise refusal(target, (*path, "global_pause"), "SONiC has no 802.3x pause", "Turn global pause off")
    if is_said(qos.dcbx) and qos.dcbx != "off":
        raise refusal(target, (*path, "dcbx"), "SONiC speaks no DCBX", "Set dcbx to off for this platform")
    if is_said(qos.dcbx_willing) and qos.dcbx_willing:
        raise refusal(target, (*path, "dcbx_willing"), "SONiC speaks no DCBX", "Make the other end not willing")
    one_of(target, (*path, "trust"), qos.trust, ("dscp", "pcp", "none"))


def _maps(qos: PortQos, priorities: tuple[int, ...], path: Path, setting: Setting) -> Any:
    maps = qos.maps
    if not isinstance(maps, QosMaps):
        return maps
    values: dict[str, Any] = dict.fromkeys(NIC_MAPS, UNSAID)
    for item in t.MAPS:
        value = getattr(maps, item.fact)
        if item.fact == "pfc_priority_to_queue" and value is UNSAID and priorities:
            value = IDENTITY
        if isinstance(value, Mapping):
            _check_map(value, item, (*path, item.fact), setting.target)
            value = {**FILL.get(item.fact, {}), **value}
        values[item.fact] = value
    if qos.trust == "dscp" and isinstance(maps.pcp_to_tc, Mapping):
        values["pcp_to_tc"] = NotApplicable("the port trusts DSCP, and SONiC binds one classifier")
    if setting.asic and setting.asic not in t.PFC_TO_GROUP_ASICS:
        values["pfc_priority_to_priority_group"] = _no_group_map(
            values["pfc_priority_to_priority_group"], path, setting
        )
    return replace(maps, **values)


def _no_group_map(value: Any, path: Path, setting: Setting) -> Any:
    """Only some ASICs have the map; elsewhere a priority belongs to the group of its number."""
    if not isinstance(value, Mapping):
        return value
    if any(priority != group for priority, group in value.items()):
        raise refusal(
            setting.target,
            (*path, "pfc_priority_to_priority_group"),
            f"{setting.asic} has no map of PFC priorities to priority groups",
            "Use the priority group of the same number",
        )
    return ABSENT


def _check_map(value: Mapping[int, int], item: t.NamedMap, path: Path, target: Target) -> None:
    keys = t.TRAFFIC_CLASSES if item.fact.startswith("tc_to") else item.keys
    values = t.TRAFFIC_CLASSES if item.fact.endswith("to_tc") else item.values
    values = t.QUEUES if item.fact == "tc_to_queue" else values
    for key, mapped in sorted(value.items()):
        within(target, (*path, str(key)), key, keys, "")
        within(target, (*path, str(key)), mapped, values, "")


def _scheduling(value: Any, path: Path, target: Target) -> Any:
    if not isinstance(value, tuple):
        return value
    scheduling = scheduling_of(dict(value))
    for queue, treatment in scheduling:
        within(target, path, queue, t.QUEUES, "")
        if isinstance(treatment, int):
            within(target, path, treatment, t.WEIGHTS, "")
        elif treatment != STRICT:
            raise refusal(target, path, f"queue {queue}: {treatment} is not rendered", "Use strict or a share")
    return scheduling


def _pfc(pfc: Any, path: Path, setting: Setting) -> Any:
    if not isinstance(pfc, Pfc):
        return pfc
    priorities = tuple(sorted(pfc.priorities)) if isinstance(pfc.priorities, tuple) else pfc.priorities
    for priority in priorities if isinstance(priorities, tuple) else ():
        within(setting.target, (*path, "priorities"), priority, t.QUEUES, "")
    return replace(pfc, priorities=priorities, watchdog=_watchdog(pfc, priorities, (*path, "watchdog"), setting))


def _watchdog(pfc: Pfc, priorities: Any, path: Path, setting: Setting) -> Any:
    if not isinstance(pfc.watchdog, Watchdog):
        return pfc.watchdog
    own, device, target = pfc.watchdog, setting.watchdog, setting.target
    result = Watchdog(
        priorities=own.priorities if own.priorities is not UNSAID else priorities,
        detect_ms=own.detect_ms if own.detect_ms is not UNSAID else device.detect_ms,
        restore_ms=own.restore_ms if own.restore_ms is not UNSAID else device.restore_ms,
        action=own.action if own.action is not UNSAID else device.action,
    )
    one_of(target, (*path, "action"), result.action, t.ACTIONS)
    for name, value, allowed in (
        ("detect_ms", result.detect_ms, t.DETECT_MS),
        ("restore_ms", result.restore_ms, t.RESTORE_MS),
    ):
        within(target, (*path, name), value, allowed, " ms")
        if is_said(value) and is_said(setting.poll_ms) and value < setting.poll_ms:
            problem = f"{value} ms is shorter than the polling interval of {setting.poll_ms} ms"
            raise refusal(target, (*path, name), problem, "Poll at least as often")
    return result


def _queues(queues: Any, path: Path, setting: Setting) -> Any:
    if not isinstance(queues, Mapping):
        return queues
    result: dict[int, Any] = {queue: Queue(ecn=ABSENT) for queue in t.QUEUES}
    for number, queue in queues.items():
        within(setting.target, (*path, str(number)), number, t.QUEUES, "")
        result[number] = queue
        if isinstance(queue, Queue):
            place = (*path, str(number))
            result[number] = replace(queue, ecn=_ecn(queue.ecn, (*place, "ecn"), setting))
            if isinstance(queue.buffer, QueueBuffer):
                within(setting.target, (*place, "buffer"), queue.buffer.alpha_exponent, t.ALPHA_EXPONENTS, "")
    return result


def _ecn(ecn: Any, path: Path, setting: Setting) -> Any:
    if not isinstance(ecn, Ecn):
        return ecn
    target = setting.target
    for fact in ("kmin_ns", "kmax_ns", "kmin_fill_percent", "kmax_fill_percent"):
        if is_said(getattr(ecn, fact)):
            raise refusal(target, (*path, fact), "SONiC has ECN thresholds in bytes only", "Give them in bytes")
    if is_said(ecn.weight):
        raise refusal(target, (*path, "weight"), "SONiC has no averaging weight in CONFIG_DB", "Leave the weight out")
    within(target, (*path, "max_probability_percent"), ecn.max_probability_percent, PERCENT, " %")
    kmin, kmax = ecn.kmin_bytes, ecn.kmax_bytes
    if isinstance(kmin, int) and isinstance(kmax, int) and kmin > kmax:
        raise refusal(target, (*path, "kmin_bytes"), f"{kmin} is above kmax_bytes {kmax}", "Swap the thresholds")
    drop = ecn.wred_drop if ecn.wred_drop is not UNSAID else not setting.nvidia
    if not setting.nvidia and drop is False:
        problem = "outside NVIDIA marking needs wred_*_enable, which also drops what can't be marked"
        raise refusal(target, (*path, "wred_drop"), problem, "Leave wred_drop out or set it to true")
    others = ABSENT if ecn.colour_thresholds is UNSAID else ecn.colour_thresholds
    return replace(ecn, colours=colours_of(ecn), colour_thresholds=others, wred_drop=drop)


def _groups(qos: PortQos, speed: Any, priorities: tuple[int, ...], path: Path, setting: Setting) -> Any:
    """All groups; lossless ones with what the device derives where the intent doesn't say it."""
    asked: dict[int, Any]
    if isinstance(qos.priority_groups, Mapping):
        asked = dict(qos.priority_groups)
    elif qos.priority_groups is UNSAID and isinstance(qos.pfc, Pfc):
        asked = {_group_of(qos, priority): PriorityGroup(lossless=True) for priority in priorities}
    else:
        return qos.priority_groups
    result: dict[int, Any] = {group: PriorityGroup(lossless=False) for group in t.QUEUES}
    for number, group in sorted(asked.items()):
        place = (*path, "priority_groups", str(number))
        within(setting.target, place, number, t.QUEUES, "")
        result[number] = group
        if isinstance(group, PriorityGroup):
            within(setting.target, (*place, "alpha_exponent"), group.alpha_exponent, t.ALPHA_EXPONENTS, "")
            if group.lossless is True and not setting.dynamic:
                result[number] = _derived(group, qos.cable_length_m, speed, path, setting)
    return result


def _group_of(qos: PortQos, priority: int) -> int:
    groups = qos.maps.pfc_priority_to_priority_group if isinstance(qos.maps, QosMaps) else UNSAID
    return groups.get(priority, priority) if isinstance(groups, Mapping) else priority


def _derived(group: PriorityGroup, cable: Any, speed: Any, path: Path, setting: Setting) -> PriorityGroup:
    """What buffermgrd makes of speed and cable, where the device's table is known and the intent is silent."""
    if not setting.lookup or not isinstance(cable, int) or not isinstance(speed, int):
        return group
    row = setting.lookup.get((speed, cable))
    if row is None:
        lengths = ", ".join(f"{length} m" for mbps, length in sorted(setting.lookup) if mbps == speed)
        raise refusal(
            setting.target,
            (*path, "cable_length_m"),
            f"pg_profile_lookup.ini has no row of {speed} Mb/s and {cable} m: the port would get no lossless buffer",
            f"Use the next longer of {lengths}" if lengths else "Add rows of this speed to the table",
        )
    facts = _row_facts(row, group, setting.pool_mode)
    return replace(group, **{name: value for name, value in facts.items() if getattr(group, name) is UNSAID})


def _row_facts(row: Headroom, group: PriorityGroup, pool_mode: str) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "pool": t.LOSSLESS_POOL,
        "size_bytes": row.size,
        "xon_bytes": row.xon,
        "xoff_bytes": row.xoff,
        "xon_offset_bytes": ABSENT if row.xon_offset is None else row.xon_offset,
    }
    if not (is_said(group.alpha_exponent) or is_said(group.static_bytes)):
        facts["alpha_exponent" if pool_mode == "dynamic" else "static_bytes"] = row.threshold
    return facts
