"""What must not get worse on a SONiC switch: links, neighbours, BGP, lost lossless packets, PFC storms.

Counters come from COUNTERS_DB, not from ``show``: the numbers of ``show`` start anew whenever the user clears them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from fabric_drift.change import Health
from fabric_drift.finding import Layer
from fabric_drift.platform import Command, Output
from fabric_drift.platforms.sonic import commands as c
from fabric_drift.platforms.sonic.documents import Problems, Row, Table, dump_tables, load
from fabric_drift.platforms.sonic.keys import number, priorities
from fabric_drift.state.values import Unobserved

BGP = Command("vtysh -c 'show bgp summary json'", privileged=True)
COUNTERS = Command(r"sonic-db-dump -n COUNTERS_DB -k COUNTERS\:oid\:0x1\[5a\]\* -y", privileged=True)
"""Queues (0x15...) and priority groups (0x1a...): the object type is the top byte of an id that syncd gives out."""
PFC = Command("sonic-cfggen -d --var-json PORT_QOS_MAP", privileged=True)
DROPPED = "SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS"
STORMS = "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED"
PORT_FLAGS = ("PortConfigDone", "PortInitDone")


def health_commands() -> tuple[Command, ...]:
    """See ``fabric_drift.change.Changer.health_commands``."""
    return (c.APPL_PORTS, c.APPL_LLDP, BGP, PFC, c.NAME_MAPS, COUNTERS)


def health(outputs: Mapping[str, Output]) -> Health:
    """See ``fabric_drift.change.Changer.health``: never raises."""
    reader = _Reader(outputs)
    return Health(
        ports_up=reader.ports_up(),
        neighbours=reader.neighbours(),
        bgp_established=reader.bgp(),
        lossless_drops=reader.counted("COUNTERS_PG_NAME_MAP", DROPPED, lossless=True),
        watchdog_storms=reader.counted("COUNTERS_QUEUE_NAME_MAP", STORMS, lossless=False),
        unreadable=tuple(sorted(set(reader.unreadable))),
    )


class _Reader:
    def __init__(self, outputs: Mapping[str, Output]) -> None:
        self._outputs = outputs
        self.unreadable: list[str] = []

    def _document(self, command: Command) -> dict[str, Any]:
        found = load(self._outputs, command)
        if isinstance(found, Unobserved):
            self.unreadable.append(found.reason)
            return {}
        return found

    def _dump(self, command: Command, separator: str, table: str) -> Table:
        problems = Problems(Layer.NOS, command.text)
        rows = dump_tables(self._document(command), separator, problems).get(table, {})
        self.unreadable += [f"{item.line}: {item.reason}" for item in problems.found]
        return rows

    def ports_up(self) -> frozenset[str]:
        rows = self._dump(c.APPL_PORTS, ":", "PORT_TABLE")
        if not rows:
            self.unreadable.append("APPL_DB has no PORT_TABLE rows")
        return frozenset(
            name for name, row in rows.items() if name not in PORT_FLAGS and row.get("oper_status") == "up"
        )

    def neighbours(self) -> frozenset[str]:
        rows = self._dump(c.APPL_LLDP, ":", "LLDP_ENTRY_TABLE")
        return frozenset(
            f"{port} {row.get('lldp_rem_sys_name', '')} {row.get('lldp_rem_port_id', '')}" for port, row in rows.items()
        )

    def bgp(self) -> frozenset[str]:
        """Sessions of every address family; a switch without BGP answers ``{}`` and has none to lose."""
        families = self._document(BGP)
        peers: set[str] = set()
        for family, content in families.items():
            listed = content.get("peers") if isinstance(content, dict) else None
            for peer, row in listed.items() if isinstance(listed, dict) else ():
                if isinstance(row, dict) and row.get("state") == "Established":
                    peers.add(f"{family} {peer}")
        return frozenset(peers)

    def counted(self, names: str, field: str, *, lossless: bool) -> dict[str, int]:
        """Count by "port/index", of the indices that PFC is enabled on where only ``lossless`` ones matter."""
        by_name = self._dump(c.NAME_MAPS, ":", names).get("", {})
        counters = self._dump(COUNTERS, ":", "COUNTERS")
        wanted = self._lossless() if lossless else None
        found: dict[str, int] = {}
        for name, oid in by_name.items():
            port, _, index = name.rpartition(":")
            text = counters.get(oid, {}).get(field)
            if wanted is not None and (port, index) not in wanted:
                continue
            if text is None:
                if wanted is not None:
                    self.unreadable.append(f"COUNTERS:{oid} of {name} has no {field}")
                continue
            value = number(text)
            if value is None:
                self.unreadable.append(f"COUNTERS:{oid} {field} = {json.dumps(text)[:60]}")
            else:
                found[f"{port}/{index}"] = value
        return found

    def _lossless(self) -> set[tuple[str, str]]:
        """(port, priority) of every PFC priority; its group has the same number unless a map says otherwise."""
        found: set[tuple[str, str]] = set()
        for port, row in self._document(PFC).items():
            fields: Row = row if isinstance(row, dict) else {}
            text = fields.get("pfc_enable", "")
            enabled = priorities(text) if isinstance(text, str) else None
            if enabled is None:
                self.unreadable.append(f"PORT_QOS_MAP|{port} pfc_enable is not a list of priorities")
            found |= {(port, str(priority)) for priority in enabled or ()}
        return found
