"""The rows of one port in CONFIG_DB -> PortQos, one object per distinct set of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from fabric_drift.platforms.sonic import tables as t
from fabric_drift.platforms.sonic.buffers import NO_GROUP, Profiles, spread
from fabric_drift.platforms.sonic.documents import Problems, Row
from fabric_drift.platforms.sonic.headroom import Lookup
from fabric_drift.platforms.sonic.keys import number, priorities, reference
from fabric_drift.platforms.sonic.objects import Objects, scheduling_of
from fabric_drift.state.device import Pfc, PortQos, PriorityGroup, QosMaps, Queue, Watchdog
from fabric_drift.state.values import ABSENT, Path, Unobserved

Pairs = frozenset[tuple[str, str]]
"""The fields of a row, in no order."""


class PortRows(NamedTuple):
    """Everything that decides the policy of a port, hashable, without the port's name."""

    qos: Pairs
    queues: tuple[tuple[str, str | None, str | None], ...]
    """(index, scheduler, WRED profile)"""
    groups: tuple[tuple[str, str | None], ...]
    buffers: tuple[tuple[str, str | None], ...]
    cable: str | None
    watchdog: Pairs | None
    asymmetric: str | None
    derive: tuple[str, str] | None
    """(speed, admin_status) where missing lossless groups are what SONiC will derive, else None."""


class Fault(NamedTuple):
    """A problem of some port: ``TABLE|<port>rest``, and the path below the port."""

    table: str
    rest: str
    reason: str
    path: Path


@dataclass(slots=True)
class Context:
    """What the rows refer to."""

    objects: Objects
    profiles: Profiles
    pool_mode: str
    default_alpha: Any
    lookup: Lookup | Unobserved
    down_ports_lose_groups: bool
    dynamic: bool


def port_qos(rows: PortRows, context: Context) -> tuple[PortQos, tuple[Fault, ...]]:
    """The policy, and what wasn't understood of it."""
    builder = _Builder(rows, context)
    return builder.build(), tuple(builder.faults)


def report(faults: tuple[Fault, ...], port: str, problems: Problems) -> None:
    """The faults as problems of one port."""
    for fault in faults:
        problems.add(f"{fault.table}|{port}{fault.rest}", fault.reason, ("ports", port, *fault.path))


class _Builder:
    def __init__(self, rows: PortRows, context: Context) -> None:
        self.rows = rows
        self.qos = dict(rows.qos)
        self.context = context
        self.faults: list[Fault] = []

    def fault(self, table: str, rest: str, reason: str, path: Path) -> Unobserved:
        self.faults.append(Fault(table, rest, reason, path))
        return Unobserved(f"{table}{rest}: {reason}")

    def build(self) -> PortQos:
        maps, pfc = self._maps(), self._pfc()
        queues, scheduling = self._queues()
        return PortQos(
            trust=self._trust(),
            maps=maps,
            pfc=pfc,
            scheduling=scheduling,
            queues=queues,
            priority_groups=self._groups(pfc),
            cable_length_m=self._cable(),
        )

    def _trust(self) -> Any:
        dscp, pcp = "dscp_to_tc_map" in self.qos, "dot1p_to_tc_map" in self.qos
        if dscp and pcp:
            return Unobserved("a DSCP map and an 802.1p map are both bound: which one wins depends on the ASIC")
        if dscp:
            return "dscp"
        return "pcp" if pcp else "none"

    def _maps(self) -> QosMaps:
        values: dict[str, Any] = {}
        for item in t.MAPS:
            name = self.qos.get(item.reference)
            if name is None:
                values[item.fact] = ABSENT
                continue
            found = self.context.objects.map(item, reference(name))
            if found is None:
                rest = f" {item.reference} = {name}"
                path = ("qos", "maps", item.fact)
                found = self.fault("PORT_QOS_MAP", rest, "no such map: the port keeps its old one", path)
            values[item.fact] = found
        return QosMaps(**values)

    def _priorities(self, field: str, path: Path) -> Any:
        text = self.qos.get(field, "")
        found = priorities(text)
        if found is None:
            return self.fault("PORT_QOS_MAP", f" {field} = {text}", "not a list of priorities", path)
        return found

    def _pfc(self) -> Pfc:
        asymmetric: Any = {None: False, "off": False, "on": True}.get(self.rows.asymmetric)
        if asymmetric is None:
            rest = f" pfc_asym = {self.rows.asymmetric}"
            asymmetric = self.fault("PORT", rest, "neither on nor off", ("qos", "pfc", "asymmetric"))
        return Pfc(
            priorities=self._priorities("pfc_enable", ("qos", "pfc", "priorities")),
            asymmetric=asymmetric,
            watchdog=ABSENT if self.rows.watchdog is None else self._watchdog(dict(self.rows.watchdog)),
        )

    def _watchdog(self, row: Row) -> Watchdog:
        path = ("qos", "pfc", "watchdog")
        times: list[Any] = []
        for field, name, allowed in (
            ("detection_time", "detect_ms", t.DETECT_MS),
            ("restoration_time", "restore_ms", t.RESTORE_MS),
        ):
            value: Any = ABSENT if field not in row else number(row[field], allowed)
            if value is None:
                rest = f" {field} = {row[field]}"
                value = self.fault("PFC_WD", rest, "not in the range of this time", (*path, name))
            times.append(value)
        action: Any = row.get("action", "drop")
        if action not in t.ACTIONS:
            action = self.fault("PFC_WD", f" action = {action}", f"none of {', '.join(t.ACTIONS)}", (*path, "action"))
        for unknown in sorted(row.keys() - t.PFC_WD_FIELDS - t.PFC_WD_FOREIGN):
            self.fault("PFC_WD", f" {unknown} = {row[unknown]}", "a field that is not known here", path)
        watched = self._priorities("pfcwd_sw_enable", (*path, "priorities"))
        return Watchdog(priorities=watched, detect_ms=times[0], restore_ms=times[1], action=action)

    def _spread(self, table: str, rows: Any, path: Path) -> tuple[dict[int, Any], set[int]]:
        found, wrong, doubtful = spread(rows)
        for text, reason in wrong:
            self.fault(table, f"|{text}", reason, path)
        return found, doubtful

    def _queues(self) -> tuple[dict[int, Queue], Any]:
        self._spread("QUEUE", ((text, None) for text, *_ in self.rows.queues), ("qos", "queues"))
        schedulers = self._bound(((text, name) for text, name, _ in self.rows.queues), self._scheduler)
        marking = self._bound(((text, name) for text, _, name in self.rows.queues), self._ecn)
        buffers = self._queue_buffers()
        doubt = next((value for value in schedulers.values() if isinstance(value, Unobserved)), None)
        queues = {
            queue: Queue(ecn=marking.get(queue, ABSENT), buffer=buffers.get(queue, ABSENT))
            for queue in sorted({*t.QUEUES, *marking, *buffers})
        }
        return queues, doubt or scheduling_of(schedulers)

    @staticmethod
    def _bound(rows: Iterable[tuple[str, str | None]], translate: Callable[[int, str], Any]) -> dict[int, Any]:
        """Queue -> what one field of its QUEUE rows refers to; rows without the field say nothing."""
        found, _, doubtful = spread((text, name) for text, name in rows if name is not None)
        return {
            queue: Unobserved(f"two QUEUE rows disagree on queue {queue}")
            if queue in doubtful
            else translate(queue, name)
            for queue, name in sorted(found.items())
        }

    def _scheduler(self, queue: int, name: str) -> Any:
        found = self.context.objects.scheduler(reference(name))
        if found is None:
            found = self.fault("QUEUE", f"|{queue} scheduler = {name}", "no such scheduler", ("qos", "scheduling"))
        return found

    def _ecn(self, queue: int, name: str) -> Any:
        found = self.context.objects.ecn(reference(name))
        if found is None:
            path = ("qos", "queues", str(queue), "ecn")
            return self.fault("QUEUE", f"|{queue} wred_profile = {name}", "no such WRED profile", path)
        return found

    def _queue_buffers(self) -> dict[int, Any]:
        found, doubtful = self._spread("BUFFER_QUEUE", self.rows.buffers, ("qos", "queues"))
        result: dict[int, Any] = {}
        for queue, name in found.items():
            path = ("qos", "queues", str(queue), "buffer")
            if queue in doubtful:
                result[queue] = Unobserved(f"two BUFFER_QUEUE rows speak of queue {queue}")
            elif name is None or not self.context.profiles.known(reference(name)):
                result[queue] = self.fault("BUFFER_QUEUE", f"|{queue} profile = {name}", "no such profile", path)
            else:
                result[queue] = self.context.profiles.buffer(reference(name))
        return result

    def _groups(self, pfc: Pfc) -> dict[int, Any]:
        found, doubtful = self._spread("BUFFER_PG", self.rows.groups, ("qos", "priority_groups"))
        groups: dict[int, Any] = dict.fromkeys(t.QUEUES, NO_GROUP)
        for group, name in found.items():
            if group in doubtful:
                groups[group] = Unobserved(f"two BUFFER_PG rows speak of priority group {group}")
            else:
                groups[group] = self._group(group, name)
        if self.rows.derive is not None and isinstance(pfc.priorities, tuple):
            for group in pfc.priorities:
                if group not in found:
                    groups[group] = self._derived(*self.rows.derive)
        return groups

    def _group(self, group: int, name: str | None) -> Any:
        if name == "NULL" and self.context.dynamic:
            return PriorityGroup(lossless=True, alpha_exponent=self.context.default_alpha)
        if name is None or not self.context.profiles.known(reference(name)):
            path = ("qos", "priority_groups", str(group))
            return self.fault("BUFFER_PG", f"|{group} profile = {name}", "no such profile", path)
        return self.context.profiles.group(reference(name))

    def _derived(self, speed: str, admin: str) -> Any:
        """What buffermgrd will make of a saved configuration that doesn't hold the derived rows."""
        cable, mbps = self._cable(), number(speed)
        if not isinstance(cable, int) or cable == 0 or mbps is None:
            return NO_GROUP
        if admin != "up" and (admin != "down" or self.context.down_ports_lose_groups):
            return NO_GROUP
        name = f"pg_lossless_{mbps}_{cable}m_profile"
        if self.context.profiles.known(name):
            return self.context.profiles.group(name)
        if isinstance(self.context.lookup, Unobserved):
            return Unobserved(f"SONiC derives the group at boot, but {self.context.lookup.reason}")
        row = self.context.lookup.get((mbps, cable))
        if row is None:
            return NO_GROUP
        self.context.profiles.rows[name] = row.profile(self.context.pool_mode, t.LOSSLESS_POOL)
        return self.context.profiles.group(name)

    def _cable(self) -> Any:
        text = self.rows.cable
        if text is None:
            return ABSENT
        value = number(text.removesuffix("m")) if text.endswith("m") else None
        if value is None or value < 0:
            return self.fault("CABLE_LENGTH", f" = {text}", "not a length in metres", ("qos", "cable_length_m"))
        return value
