"""The Redis databases of an emulated switch by name: keys, values, patterns, and values that don't follow.

``store["stuck"]`` is {DATABASE: {KEY: {field: value or None}}}: what is written there by hand stays, whatever the
configuration says; it stands for hardware or managers that don't follow.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from fnmatch import fnmatchcase

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.sonic import appldb, asicdb
from fabric_drift.lab.sonic.configdb import Table, config

NAMES = ("APPL_DB", "ASIC_DB", "COUNTERS_DB", "CONFIG_DB", "FLEX_COUNTER_DB", "STATE_DB")
NUMBERS = {
    "0": "APPL_DB",
    "1": "ASIC_DB",
    "2": "COUNTERS_DB",
    "4": "CONFIG_DB",
    "5": "FLEX_COUNTER_DB",
    "6": "STATE_DB",
}
# The part of a pattern that names types of ASIC objects: a star in it only at its end, so that it can't mean the oid.
_ONE_ASIC_TYPE = re.compile(r"ASIC_STATE:([^:*?]+\*?)(?::|$)")
# redis-dump-load adds both to every key; the moment of this capture is as good as any.
_NO_EXPIRY = {"expireat": 1764439200.0, "ttl": -0.001}


def _config_db(store: Store) -> Table:
    return {
        f"{name}|{key}": fields or {"NULL": "NULL"}
        for name, rows in config(store).items()
        for key, fields in rows.items()
    }


_COMPUTED: dict[str, Callable[[Store], Table]] = {
    "APPL_DB": appldb.appl_db,
    "ASIC_DB": asicdb.asic_db,
    "COUNTERS_DB": asicdb.counters_db,
    "CONFIG_DB": _config_db,
    "FLEX_COUNTER_DB": lambda _store: {},
    "STATE_DB": appldb.state_db,
}


def database(store: Store, name: str, pattern: str = "*") -> Table:
    """The keys of one database, at least those that match. Raises KeyError for a name that doesn't exist."""
    kinds = _ONE_ASIC_TYPE.match(pattern)
    rows = asicdb.asic_db(store, kinds[1]) if name == "ASIC_DB" and kinds else _COMPUTED[name](store)
    for key, overrides in store["stuck"].get(name, {}).items():
        fields = {**rows.get(key, {}), **overrides}
        kept = {field: value for field, value in fields.items() if value is not None}
        if kept:
            rows[key] = kept
        else:
            rows.pop(key, None)
    return rows


def override(store: Store, name: str, key: str, fields: dict[str, str | None]) -> None:
    """Holds ``fields`` of a computed row, None for "isn't there", until the switch boots."""
    store["stuck"].setdefault(name, {}).setdefault(key, {}).update(fields)


def matching(store: Store, name: str, pattern: str) -> Table:
    """The keys that match a Redis pattern (``*``, ``?``, ``[QW]``), sorted."""
    rows = database(store, name, pattern)
    return {key: rows[key] for key in sorted(rows) if fnmatchcase(key, pattern)}


def dump(store: Store, name: str, pattern: str, *, pretty: bool) -> str:
    """The keys that match, as ``sonic-db-dump`` prints them: JSON, with types and expiry."""
    plain = {
        key: {**_NO_EXPIRY, "type": "hash", "value": fields} for key, fields in matching(store, name, pattern).items()
    }
    return json.dumps(plain, indent=2 if pretty else None, sort_keys=True) + ("" if not pretty else "\n")
