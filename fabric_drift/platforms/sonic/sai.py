"""ASIC_DB -> the ``sai`` layer: what was asked of the ASIC. Objects get their names from COUNTERS_DB.

Sources: swss orchagent/{portsorch,qosorch,bufferorch}.cpp for the attributes; SAI headers for their defaults.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, TypeAlias

from fabric_drift.platform import Output
from fabric_drift.platforms.sonic import commands as c
from fabric_drift.platforms.sonic import sai_words as w
from fabric_drift.platforms.sonic import tables as t
from fabric_drift.platforms.sonic.buffers import NO_GROUP, Profiles, pools_of
from fabric_drift.platforms.sonic.config import unobserved_state
from fabric_drift.platforms.sonic.documents import Problems, Row, Table, Tables, dump_tables, load
from fabric_drift.platforms.sonic.ecn import ecn_of
from fabric_drift.state.device import DeviceState, Pfc, Port, PortQos, QosMaps, Queue
from fabric_drift.state.values import ABSENT, Unobserved

INDICES = {str(index): index for index in t.QUEUES}
Bound: TypeAlias = tuple[str, str] | tuple[()] | None
"""The oids of the buffer profile and of the WRED object that a queue or a priority group is bound to.

() where ASIC_DB has no such object, None where COUNTERS_DB has no name for it.
"""
NO_NAMES: tuple[Bound, ...] = (None,) * len(INDICES)
SOURCES = (c.ASIC_PORTS, c.ASIC_QUEUES, c.ASIC_GROUPS, c.ASIC_BUFFERS, c.NAME_MAPS)


def sai_state(outputs: Mapping[str, Output], problems: Problems, *, nvidia: bool) -> tuple[DeviceState, Tables]:
    """The layer, and its rows for evidence."""
    tables: Tables = {}
    for command in SOURCES:
        document = load(outputs, command)
        if isinstance(document, Unobserved):
            return unobserved_state(document), tables
        separator, prefix = ("\0", "") if command is c.NAME_MAPS else (":", "ASIC_STATE:")
        for name, rows in dump_tables(document, separator, problems, prefix).items():
            tables.setdefault(name.removeprefix(w.OBJECT), {}).update(rows)
    names = _name_map(tables, "PORT")
    if not names:
        return unobserved_state("COUNTERS_DB names no ports"), tables
    return _Asic(tables, problems, nvidia=nvidia).state(names), tables


def _name_map(tables: Tables, kind: str) -> Row:
    return tables.get(f"COUNTERS_{kind}_NAME_MAP", {}).get("", {})


class _Asic:
    """Joins objects by oid. Names of translated objects are their oids."""

    def __init__(self, tables: Tables, problems: Problems, *, nvidia: bool) -> None:
        self._tables = tables
        self._problems = problems
        self._nvidia = nvidia
        self._pool_names = {oid: name for name, oid in _name_map(tables, "BUFFER_POOL").items()}
        self._pools = {
            self._pool_names.get(oid, oid): w.pool_row(row) for oid, row in tables.get("BUFFER_POOL", {}).items()
        }
        profiles = {oid: w.profile_row(row, self._pool_names) for oid, row in tables.get("BUFFER_PROFILE", {}).items()}
        self._profiles = Profiles(profiles, self._pools, problems, name="SAI_OBJECT_TYPE_BUFFER_PROFILE:")
        self._maps: dict[str, Any] = {}
        self._ecn: dict[str, Any] = {}
        self._queues_of = self._by_port("QUEUE", "QUEUE", w.QUEUE_PROFILE)
        self._groups_of = self._by_port("PG", "INGRESS_PRIORITY_GROUP", w.GROUP_PROFILE)
        self._facts: dict[Any, dict[str, Any]] = {}
        self._known: dict[Any, PortQos] = {}

    def state(self, names: Row) -> DeviceState:
        """All ports that COUNTERS_DB names."""
        ports = {name: self._port(name, oid) for name, oid in names.items()}
        pools = pools_of(self._pools, self._problems, computed=False, name="SAI_OBJECT_TYPE_BUFFER_POOL:")
        return DeviceState(ports=ports, pools=pools)

    def _by_port(self, kind: str, table: str, profile: str) -> dict[str, list[Bound]]:
        """Port -> by index the oids of what an object is bound to."""
        rows = self._tables.get(table, {})
        found: defaultdict[str, list[Bound]] = defaultdict(list(NO_NAMES).copy)
        for key, oid in _name_map(self._tables, kind).items():
            port, _, text = key.rpartition(":")
            if text in INDICES:
                row = rows.get(oid)
                bound: Bound = () if row is None else (row.get(profile, w.NULL), row.get(w.QUEUE_WRED, w.NULL))
                found[port][INDICES[text]] = bound
        return found

    def _port(self, name: str, oid: str) -> Any:
        row = self._tables.get("PORT", {}).get(oid)
        if row is None:
            return Unobserved(f"ASIC_DB has no port {oid}, which COUNTERS_DB calls {name}")
        texts = tuple(map(row.get, w.PORT_ATTRIBUTES))
        facts = self._facts.get(texts)
        if facts is None:
            facts = self._facts[texts] = w.port_facts(row)
        for fact, value in facts.items():
            if isinstance(value, Unobserved):
                self._problems.add(value.reason, "not understood", ("ports", name, fact))
        return Port(qos=self._shared(name, row), **facts)

    def _shared(self, name: str, row: Row) -> PortQos:
        queues, groups = tuple(self._queues_of.get(name, NO_NAMES)), tuple(self._groups_of.get(name, NO_NAMES))
        key = (tuple(map(row.get, w.POLICY_ATTRIBUTES)), queues, groups)
        known = self._known.get(key)  # asked once: the hash of so many oids is what costs
        if known is None:
            known = self._known[key] = self._policy(name, row, queues, groups)
        return known

    def _policy(self, name: str, row: Row, queues: Any, groups: Any) -> PortQos:
        priorities, asymmetric = w.flow_control(row)
        path = ("ports", name, "qos")
        for value in (priorities, asymmetric):
            if isinstance(value, Unobserved):
                self._problems.add(value.reason, "not understood", (*path, "pfc"))
        return PortQos(
            maps=QosMaps(**{item.fact: self._map(row.get(w.PORT_MAPS[item.fact], w.NULL), item) for item in t.MAPS}),
            pfc=Pfc(priorities=priorities, asymmetric=asymmetric),
            queues=self._queues(name, queues),
            priority_groups=self._groups(name, groups),
        )

    def _queues(self, port: str, rows: Sequence[Bound]) -> dict[int, Any]:
        unnamed = Unobserved(f"COUNTERS_QUEUE_NAME_MAP does not name the queues of {port}")
        return {
            queue: unnamed if bound is None else self._queue(f"{port}:{queue}", bound)
            for queue, bound in enumerate(rows)
        }

    def _queue(self, name: str, bound: tuple[str, str] | tuple[()]) -> Any:
        if not bound:
            return Unobserved(f"ASIC_DB has no object of queue {name}")
        profile, wred = bound
        return Queue(ecn=self._marking(wred), buffer=self._bound(profile, ABSENT, self._profiles.buffer))

    def _groups(self, port: str, rows: Sequence[Bound]) -> dict[int, Any]:
        unnamed = Unobserved(f"COUNTERS_PG_NAME_MAP does not name the priority groups of {port}")
        return {
            group: unnamed if bound is None else self._group(f"{port}:{group}", bound)
            for group, bound in enumerate(rows)
        }

    def _group(self, name: str, bound: tuple[str, str] | tuple[()]) -> Any:
        if not bound:
            return Unobserved(f"ASIC_DB has no object of priority group {name}")
        return self._bound(bound[0], NO_GROUP, self._profiles.group)

    def _bound(self, oid: str, nothing: Any, translate: Any) -> Any:
        if oid == w.NULL:
            return nothing
        if not self._profiles.known(oid):
            return Unobserved(f"ASIC_DB has no buffer profile {oid}")
        return translate(oid)

    def _marking(self, oid: str) -> Any:
        if oid == w.NULL:
            return ABSENT
        if oid not in self._ecn:
            row = self._tables.get("WRED", {}).get(oid)
            self._ecn[oid] = (
                Unobserved(f"ASIC_DB has no WRED object {oid}")
                if row is None
                else ecn_of(oid, w.wred_row(row), nvidia=self._nvidia, problems=self._problems)
            )
        return self._ecn[oid]

    def _map(self, oid: str, item: t.NamedMap) -> Any:
        if oid == w.NULL:
            return ABSENT
        if oid not in self._maps:
            row = self._tables.get("QOS_MAP", {}).get(oid)
            self._maps[oid] = self._entries(oid, row, item) if row is not None else Unobserved(f"ASIC_DB has no {oid}")
        return self._maps[oid]

    def _entries(self, oid: str, row: Table | Row, item: t.NamedMap) -> Any:
        text = str(row.get(w.MAP_LIST))
        found = _map_list(text, *w.MAP_MEMBERS[item.fact])
        if isinstance(found, str):
            return self._problems.add(f"{oid} {w.MAP_LIST} = {text}", found, ("ports",))
        return found


@lru_cache(maxsize=256)  # a fleet has few maps; the text alone decides
def _map_list(text: str, key: str, value: str) -> Mapping[int, int] | str:
    """The entries of a QoS map, or why they aren't understood."""
    try:
        entries = json.loads(text)["list"]
        found = {int(entry["key"][key]): int(entry["value"][value]) for entry in entries}
    except (ValueError, TypeError, KeyError, RecursionError):
        return "not a list of map entries"
    return MappingProxyType(found) if len(found) == len(entries) else "one key twice"
