"""What SONiC's YANG models refuse, as far as the lossless path goes: references to nothing, values out of range."""

from __future__ import annotations

from collections.abc import Iterator

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.sonic.configdb import Config, Fields
from fabric_drift.lab.sonic.gcu_rules import release
from fabric_drift.lab.sonic.orchagent import MAP_FIELDS

REFERENCES: dict[str, dict[str, str]] = {
    "PORT_QOS_MAP": {field: table for field, (table, _) in MAP_FIELDS.items()},
    "QUEUE": {"scheduler": "SCHEDULER", "wred_profile": "WRED_PROFILE"},
    "BUFFER_PG": {"profile": "BUFFER_PROFILE"},
    "BUFFER_QUEUE": {"profile": "BUFFER_PROFILE"},
    "BUFFER_PROFILE": {"pool": "BUFFER_POOL"},
}
OF_PORTS = ("BUFFER_PG", "BUFFER_QUEUE", "QUEUE")
RANGES: dict[tuple[str, str], range] = {
    ("PORT", "mtu"): range(68, 9217),
    ("PFC_WD", "detection_time"): range(100, 5001),
    ("PFC_WD", "restoration_time"): range(100, 60001),
    ("SCHEDULER", "weight"): range(1, 101),
    ("BUFFER_PROFILE", "dynamic_th"): range(-8, 8),
}
LISTS = ("BUFFER_PORT_INGRESS_PROFILE_LIST", "BUFFER_PORT_EGRESS_PROFILE_LIST")
KNOWN_WATCHDOG = {"action", "detection_time", "restoration_time", "pfc_stat_history"}
EMPTY_ALLOWED = 202505


def complaint(store: Store, config: Config) -> str:
    """The first thing that the models refuse; empty when the configuration is valid."""
    return next(_complaints(store, config), "")


def _complaints(store: Store, config: Config) -> Iterator[str]:
    yield from _references(config)
    yield from _lists(config)
    yield from _values(config)
    yield from _watchdog(store, config.get("PFC_WD", {}))
    if release(store) < EMPTY_ALLOWED:
        for port, fields in config.get("PORT_QOS_MAP", {}).items():
            if "" in (fields.get("pfc_enable"), fields.get("pfcwd_sw_enable")):
                yield f'Unsatisfied pattern - "" (PORT_QOS_MAP|{port}).'


def _values(config: Config) -> Iterator[str]:
    for (table, field), allowed in RANGES.items():
        for key, fields in config.get(table, {}).items():
            value = fields.get(field)
            if value is not None and not (value.lstrip("-").isdigit() and int(value) in allowed):
                yield f'Value "{value}" does not satisfy the constraint of {table}|{key} {field}.'
    for name, fields in config.get("WRED_PROFILE", {}).items():
        for colour in ("green", "yellow", "red"):
            low, high = (fields.get(f"{colour}_{end}_threshold") for end in ("min", "max"))
            if high is not None and (low is None or int(low) > int(high)):
                yield f"WRED_PROFILE|{name}: {colour}_max_threshold is below {colour}_min_threshold."


def _references(config: Config) -> Iterator[str]:
    for table, fields in REFERENCES.items():
        for key, row in config.get(table, {}).items():
            for field, target in fields.items():
                name = row.get(field)
                allowed = {"NULL"} if table == "BUFFER_PG" else set()
                if name is not None and name not in config.get(target, {}) and name not in allowed:
                    yield f'Leafref "{target}" of value "{name}" points to a non-existing leaf ({table}|{key}).'


def _lists(config: Config) -> Iterator[str]:
    for table in LISTS:
        for key, row in config.get(table, {}).items():
            for name in row.get("profile_list", "").split(","):
                if name not in config.get("BUFFER_PROFILE", {}):
                    yield f'Leafref "BUFFER_PROFILE" of value "{name}" points to a non-existing leaf ({table}|{key}).'
    ports = config.get("PORT", {})
    for table in OF_PORTS:
        for key in config.get(table, {}):
            port = key.partition("|")[0]
            if port not in ports:
                yield f'Leafref "PORT" of value "{port}" points to a non-existing leaf ({table}|{key}).'


def _watchdog(store: Store, rows: dict[str, Fields]) -> Iterator[str]:
    poll = rows.get("GLOBAL", {}).get("POLL_INTERVAL", "")
    for port, fields in rows.items():
        known = {"POLL_INTERVAL"} if port == "GLOBAL" else KNOWN_WATCHDOG
        yield from (
            f'Node "{field}" not found as a child of PFC_WD "{port}".' for field in sorted(fields.keys() - known)
        )
    longest = 1000 if release(store) >= 202511 else 3000  # noqa: PLR2004 - the release that shortened it
    if poll and int(poll) not in range(100, longest + 1):
        yield f'Unsatisfied range - value "{poll}" is out of the allowed range (POLL_INTERVAL).'
    for port, fields in rows.items():
        times = [fields[name] for name in ("detection_time", "restoration_time") if name in fields]
        if poll and any(int(poll) > int(time) for time in times):
            yield f'Must condition not satisfied: POLL_INTERVAL {poll} is above a time of "{port}".'
