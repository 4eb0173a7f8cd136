"""Localised expected state -> the owned sections of config_db.json."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from fabric_drift.platform import Rendered, Target
from fabric_drift.platforms.sonic import tables as t
from fabric_drift.platforms.sonic.allocation import Allocation
from fabric_drift.platforms.sonic.documents import Row, Tables
from fabric_drift.platforms.sonic.kept import closed
from fabric_drift.platforms.sonic.localise import asic_of
from fabric_drift.platforms.sonic.refuse import refusal
from fabric_drift.platforms.sonic.render_buffers import Buffers, is_dynamic
from fabric_drift.platforms.sonic.render_qos import map_row, scheduler_row, watchdog_row, wred_row
from fabric_drift.state.device import DeviceState, DeviceWatchdog, Ecn, Pfc, Pool, Port, PortQos, QosMaps, Queue
from fabric_drift.state.values import Path, is_said

FILE = "config_db.json"
DEFAULT_MAP = "ROCE"
PORT_FIELDS = (
    ("speed_mbps", "speed", str),
    ("mtu_bytes", "mtu", str),
    ("fec", "fec", str),
    ("admin_up", "admin_status", lambda up: "up" if up else "down"),
)


def render(expected: DeviceState, target: Target) -> tuple[Rendered, ...]:
    """``config_db.json`` with whole owned tables of the managed ports, keys sorted.

    Rows that SONiC derives by itself are written only where the intent gives all their bytes. What rows of other
    tables go on naming is among them, so that nothing names an object that is gone. Raises Unsupported for what can't
    be written.
    """
    tables = _Renderer(expected, target).tables()
    filled = {name: rows for name, rows in tables.items() if rows}  # Redis has no empty tables, GCU refuses them
    nvidia = asic_of(target) in t.NVIDIA_ASICS
    whole = closed(filled, target, nvidia=nvidia, dynamic=is_dynamic(expected, target))
    return (Rendered(FILE, json.dumps(whole, indent=4, sort_keys=True) + "\n"),)


class _Renderer:
    def __init__(self, expected: DeviceState, target: Target) -> None:
        self._expected = expected
        self._target = target
        self._names = Allocation(target.names)
        self._tables: Tables = {}
        self._buffers = Buffers(expected, target, self._names)

    def tables(self) -> Tables:
        ports = self._expected.ports if isinstance(self._expected.ports, Mapping) else {}
        for name, port in self._in_order(ports):
            self._port(name, port)
        self._device()
        for name, rows in self._names.rows.items():
            self._put(name).update(rows)
        return self._tables

    def _in_order(self, ports: Mapping[str, Any]) -> list[tuple[str, Port]]:
        """The commonest policy first: it gets the names that the device has."""
        known = [(name, port) for name, port in sorted(ports.items()) if isinstance(port, Port)]
        shared = Counter(id(port.qos) for _, port in known)
        first: dict[int, str] = {}
        for name, port in known:
            first.setdefault(id(port.qos), name)
        return sorted(known, key=lambda item: (-shared[id(item[1].qos)], first[id(item[1].qos)], item[0]))

    def _put(self, table: str) -> dict[str, Row]:
        return self._tables.setdefault(table, {})

    def _port(self, name: str, port: Port) -> None:
        row: Row = {}
        for fact, field, text in PORT_FIELDS:
            value = getattr(port, fact)
            if is_said(value):
                row[field] = text(value)
        qos = port.qos
        if isinstance(qos, PortQos):
            if isinstance(qos.pfc, Pfc) and is_said(qos.pfc.asymmetric):
                row["pfc_asym"] = "on" if qos.pfc.asymmetric else "off"
            self._policy(name, port, qos)
        if row:
            self._put("PORT")[name] = row

    def _policy(self, name: str, port: Port, qos: PortQos) -> None:
        bindings = self._bindings(qos)
        if bindings:
            self._put("PORT_QOS_MAP")[name] = bindings
        if isinstance(qos.pfc, Pfc):
            watchdog = watchdog_row(qos.pfc)
            if watchdog:
                self._put("PFC_WD")[name] = watchdog
        if is_said(qos.cable_length_m):
            self._put("CABLE_LENGTH").setdefault(t.AZURE, {})[name] = f"{qos.cable_length_m}m"
        for queue, row in self._queues(name, qos).items():
            self._put("QUEUE")[f"{name}|{queue}"] = row
        for table, key, profile in self._buffers.rows(name, port, qos):
            self._put(table)[f"{name}|{key}"] = {"profile": profile}

    def _bindings(self, qos: PortQos) -> Row:
        row: Row = {}
        if isinstance(qos.maps, QosMaps):
            for item in t.MAPS:
                content = map_row(getattr(qos.maps, item.fact))
                if content:
                    row[item.reference] = self._names.name(item.table, "", content, DEFAULT_MAP)
        if isinstance(qos.pfc, Pfc):
            watchdog = qos.pfc.watchdog
            for field, value in (
                ("pfc_enable", qos.pfc.priorities),
                ("pfcwd_sw_enable", getattr(watchdog, "priorities", ())),
            ):
                if isinstance(value, tuple) and value:  # an empty text is refused before 202505
                    row[field] = ",".join(str(priority) for priority in value)
        return row

    def _queues(self, name: str, qos: PortQos) -> dict[int, Row]:
        rows: dict[int, Row] = {}
        for number, treatment in qos.scheduling if isinstance(qos.scheduling, tuple) else ():
            content, default = scheduler_row(treatment)
            chosen = self._names.name("SCHEDULER", f"queue/{number}", content, default)
            rows.setdefault(number, {})["scheduler"] = chosen
        for number, queue in sorted(qos.queues.items()) if isinstance(qos.queues, Mapping) else ():
            if isinstance(queue, Queue) and isinstance(queue.ecn, Ecn):
                path: Path = ("ports", name, "qos", "queues", str(number), "ecn")
                content = wred_row(queue.ecn, path, self._target, nvidia=asic_of(self._target) in t.NVIDIA_ASICS)
                chosen = self._names.name("WRED_PROFILE", f"queue/{number}", content, "ROCE_ECN")
                rows.setdefault(number, {})["wred_profile"] = chosen
        return rows

    def _device(self) -> None:
        expected = self._expected
        if isinstance(expected.watchdog, DeviceWatchdog) and is_said(expected.watchdog.poll_ms):
            self._put("PFC_WD")["GLOBAL"] = {"POLL_INTERVAL": str(expected.watchdog.poll_ms)}
        if isinstance(expected.buffer_model, str):
            model = "dynamic" if expected.buffer_model == "dynamic" else "traditional"
            self._put("DEVICE_METADATA")["localhost"] = {"buffer_model": model}
        for name, pool in expected.pools.items() if isinstance(expected.pools, Mapping) else ():
            if isinstance(pool, Pool):
                self._put("BUFFER_POOL")[name] = self._pool(name, pool)
        default = self._buffers.default_alpha
        if default is not None:
            row = {"default_dynamic_th": str(default)}
            self._put("DEFAULT_LOSSLESS_BUFFER_PARAMETER")[t.AZURE] = row
        self._switch_wide()

    def _pool(self, name: str, pool: Pool) -> Row:
        if not (is_said(pool.direction) and is_said(pool.mode)):
            remedy = "Give the pool's direction and mode"
            raise refusal(self._target, ("pools", name), "SONiC needs a pool's direction and mode", remedy)
        row = {"type": str(pool.direction), "mode": str(pool.mode)}
        if is_said(pool.size_bytes):
            row["size"] = str(pool.size_bytes)
        if is_said(pool.xoff_bytes):
            row["xoff"] = str(pool.xoff_bytes)
        return row

    def _switch_wide(self) -> None:
        """Broadcom classifies by the map of PORT_QOS_MAP|global (sonic-utilities db_migrator creates it there)."""
        named = Counter(row.get("dscp_to_tc_map", "") for row in self._put("PORT_QOS_MAP").values())
        named.pop("", None)
        if asic_of(self._target) == "broadcom" and named:
            commonest = min(named, key=lambda name: (-named[name], name))
            self._put("PORT_QOS_MAP")["global"] = {"dscp_to_tc_map": commonest}
