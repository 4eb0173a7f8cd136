"""Error counters of ports, by PerfMgt Gets: totals since somebody last cleared them. Standard library only.

Layouts: InfiniBand Architecture Specification, volume 1, 16.1.3.1 (ClassPortInfo) and 16.1.3.5 (PortCounters).
"""

from __future__ import annotations

from typing import Any

CLASS_PORT_INFO, PORT_COUNTERS = 0x01, 0x12
ALL_PORTS, ALL_PORT_SELECT = 255, 0x100

FIELDS = (
    ("symbol_errors", 4, 2), ("link_recoveries", 6, 1), ("link_downed", 7, 1), ("receive_errors", 8, 2),
    ("remote_physical_errors", 10, 2), ("switch_relay_errors", 12, 2), ("transmit_discards", 14, 2),
    ("transmit_constraint_errors", 16, 1), ("receive_constraint_errors", 17, 1), ("vl15_dropped", 22, 2),
)  # fmt: skip
"""Name, first byte, bytes. PortXmitWait (40) counts waiting, not errors."""
HALVES = 19
"""LocalLinkIntegrityErrors and ExcessiveBufferOverrunErrors, four bits each."""


def counts(data: Any) -> Any:
    """The counters that aren't zero."""
    found = {name: int.from_bytes(data[first : first + size], "big") for name, first, size in FIELDS}
    found.update(local_integrity_errors=data[HALVES] >> 4, buffer_overruns=data[HALVES] & 15)
    return {name: count for name, count in sorted(found.items()) if count}


def read(reader: Any) -> Any:
    """Puts ``errors`` into the ports of ``reader`` that have a link."""
    for node in reader.nodes:
        ports = [p for p in range(1, node["ports"] + 1) if reader.is_up(f"{node['guid']}/{p}")]
        if node["kind"] == "switch" and node["lid"] and sums_to_zero(reader.fabric, node["lid"]):
            for port in ports:
                reader.ports[f"{node['guid']}/{port}"]["errors"] = {}
            continue
        for port in ports:
            name = f"{node['guid']}/{port}"
            lid = node["lid"] if node["kind"] == "switch" else reader.ports[name]["lid"]
            data = reader.fabric.performance(lid, PORT_COUNTERS, port) if lid else None
            if data is None:
                reader.no_answer(name, "errors")
            else:
                reader.ports[name]["errors"] = counts(data)


def sums_to_zero(fabric: Any, lid: Any) -> Any:
    """Whether a switch that adds up its ports says that all their counters are zero: two MADs, not one a port."""
    about = fabric.performance(lid, CLASS_PORT_INFO, 0)
    if about is None or not int.from_bytes(about[2:4], "big") & ALL_PORT_SELECT:
        return False
    total = fabric.performance(lid, PORT_COUNTERS, ALL_PORTS)
    return total is not None and total[1] == ALL_PORTS and not counts(total)
