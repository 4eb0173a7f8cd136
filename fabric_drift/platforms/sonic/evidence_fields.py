"""Which fields of a profile decide one fact: in CONFIG_DB's and APPL_DB's words, and in SAI's."""

from __future__ import annotations

import json
from collections.abc import Iterator

from fabric_drift.platforms.sonic import sai_words as w
from fabric_drift.platforms.sonic.documents import Row

COLOURS = ("green", "red", "yellow")
ENABLES = tuple(f"wred_{colour}_enable" for colour in COLOURS)
THRESHOLDS = ("min_threshold", "max_threshold", "drop_probability")
FIELDS: dict[str, tuple[str, ...]] = {
    "kmin_bytes": ("green_min_threshold",),
    "kmax_bytes": ("green_max_threshold",),
    "max_probability_percent": ("green_drop_probability",),
    "colours": ("ecn", *ENABLES),
    "wred_drop": ENABLES,
    "colour_thresholds": tuple(f"{colour}_{part}" for colour in COLOURS[1:] for part in THRESHOLDS),
    "pool": ("pool",),
    "lossless": ("xoff",),
    "reserved_bytes": ("size",),
    "size_bytes": ("size",),
    "xoff_bytes": ("xoff",),
    "xon_bytes": ("xon",),
    "xon_offset_bytes": ("xon_offset",),
    "static_bytes": ("static_th",),
    "alpha_exponent": ("dynamic_th",),
}
"""Fact of a queue's marking or of a buffer -> fields of its profile. What isn't here is shown with all fields."""

ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "ecn": ("SAI_WRED_ATTR_ECN_MARK_MODE",),
    **{f"wred_{colour}_enable": (f"SAI_WRED_ATTR_{colour.upper()}_ENABLE",) for colour in COLOURS},
    **{
        f"{colour}_{part}": (f"SAI_WRED_ATTR_{colour.upper()}_{part.upper()}",)
        for colour in COLOURS
        for part in THRESHOLDS
    },
    **{
        field: tuple(attribute for attribute, name in w.PROFILE_ATTRIBUTES.items() if name == field)
        for field in w.PROFILE_ATTRIBUTES.values()
    },
    "pool": ("SAI_BUFFER_PROFILE_ATTR_POOL_ID",),
}
"""Field -> the SAI attributes that may hold it."""

POOL_ATTRIBUTES = {
    "type": "SAI_BUFFER_POOL_ATTR_TYPE",
    "mode": "SAI_BUFFER_POOL_ATTR_THRESHOLD_MODE",
    "size": "SAI_BUFFER_POOL_ATTR_SIZE",
    "xoff": "SAI_BUFFER_POOL_ATTR_XOFF_SIZE",
}


def fields_of(fact: str, row: Row) -> tuple[str, ...]:
    """The fields of a row in CONFIG_DB's words that decide ``fact``, or all it has."""
    return FIELDS.get(fact) or tuple(sorted(row))


def attributes_of(fact: str, row: Row) -> Iterator[str]:
    """The attributes of an object of the ASIC that decide ``fact``, or all it has."""
    if fact not in FIELDS:
        yield from sorted(row)
        return
    for field in FIELDS[fact]:
        known = ATTRIBUTES[field]
        yield from [attribute for attribute in known if attribute in row] or known[:1]


def map_entry(fact: str, key: str, listing: str) -> str:
    """The one entry of a map's list that holds ``key``, without the members that it doesn't use; else the list."""
    source, target = w.MAP_MEMBERS[fact]
    try:
        entries = json.loads(listing)["list"]
        found = next(entry for entry in entries if str(entry["key"][source]) == key)
        return json.dumps({"key": {source: int(key)}, "value": {target: found["value"][target]}})
    except (ValueError, LookupError, TypeError, StopIteration, RecursionError):
        return listing
