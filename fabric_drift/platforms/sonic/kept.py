"""Rows that must not get lost: what rendered tables leave out, while rows that aren't rendered go on naming it.

Rendered tables take the place of the switch's. Tunnels and profile lists aren't the intent's, buffer tables only where
it speaks of them, and each of them may name an object of a table that is rendered. A reading knows those objects and
the lists, and hands them on with its names. A Spectrum that nobody has read gets the profile lists of the stock
templates and what they name (sonic-buildimage device/mellanox/.../buffers_defaults_objects.j2: alike for all HwSKUs);
other ASICs have no lists there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from fabric_drift.platform import Target
from fabric_drift.platforms.sonic import tables as t
from fabric_drift.platforms.sonic.adopt import BUFFER_MODEL, PROFILE_LISTS, TUNNEL_REFERENCES, listed
from fabric_drift.platforms.sonic.documents import Row, Tables
from fabric_drift.platforms.sonic.keys import reference
from fabric_drift.platforms.sonic.refuse import refusal

NAME_KEY = "kept"
"""Prefix of the rows in ``Reading.names``: "kept/<table that names it>/BUFFER_PROFILE/<name>" -> the row as JSON."""
NOBODY = "-"
"""Names the pools that no profile takes from."""


class Kept(NamedTuple):
    """One row of the switch, and the table whose rows name it."""

    by: str
    table: str
    name: str
    row: Row


def as_names(rows: Tables) -> dict[str, str]:
    """Profile lists, and the rows of a switch that others refer to, as names of a reading."""
    lists = {f"{NAME_KEY}/{table}": rows[table] for table in PROFILE_LISTS if table in rows}
    named = {
        f"{NAME_KEY}/{by}/{table}/{name}": rows[table][name]
        for by, table, name in sorted(set(_named(rows)))
        if name in rows.get(table, {})
    }
    return {key: json.dumps(content, sort_keys=True) for key, content in {**lists, **named}.items()}


def _named(rows: Tables) -> Iterator[tuple[str, str, str]]:
    for table in ("BUFFER_PG", "BUFFER_QUEUE"):
        for name in {row.get("profile", "") for row in rows.get(table, {}).values()}:
            yield table, "BUFFER_PROFILE", reference(name)
    for table, _, name in listed(rows):
        yield table, "BUFFER_PROFILE", name
    for row in rows.get("TUNNEL", {}).values():
        yield from (("TUNNEL", TUNNEL_REFERENCES[key], reference(row[key])) for key in TUNNEL_REFERENCES.keys() & row)
    used = {reference(row.get("pool", "")) for row in rows.get("BUFFER_PROFILE", {}).values()}
    for pool in rows.get("BUFFER_POOL", {}):
        yield "BUFFER_PROFILE" if pool in used else NOBODY, "BUFFER_POOL", pool


def closed(tables: Tables, target: Target, *, nvidia: bool, dynamic: bool) -> Tables:
    """``tables``, with whatever rows of the switch name or their own rows name beside it.

    Raises Unsupported for a profile whose pool neither the intent nor the switch has.
    """
    is_read = BUFFER_MODEL in target.names
    result = {table: dict(rows) for table, rows in tables.items()}
    kept = list(_from_names(target.names)) if is_read else list(_stock_pools()) if nvidia and dynamic else []
    for item in kept:
        if item.table in result and item.by != NOBODY and item.by not in result:
            result[item.table].setdefault(item.name, item.row)
    if "BUFFER_PROFILE" in result and is_read:
        result.update(_lists(target.names))
    elif "BUFFER_PROFILE" in result and nvidia:
        result.update(_stock_lists(result))
        result["BUFFER_PROFILE"] = {**t.SPECTRUM_PROFILES, **result["BUFFER_PROFILE"]}
    pools = {item.name: item.row for item in kept if item.table == "BUFFER_POOL"}
    own = tables.get("BUFFER_PROFILE", {}).keys()
    for profile, pool in _without_pool(result, is_read=is_read):
        if pool in pools:
            result.get("BUFFER_POOL", {}).setdefault(pool, pools[pool])
        elif profile in own or not is_read:  # a row of the switch may be broken already
            problem = f"BUFFER_PROFILE {profile} takes from a pool that neither the intent nor the switch has"
            raise refusal(target, ("pools", pool), problem, "Name the pool in the intent, with its size")
    return result


def _lists(names: Mapping[str, str]) -> Tables:
    """The profile lists as the switch has them."""
    found = {table: names.get(f"{NAME_KEY}/{table}") for table in PROFILE_LISTS}
    return {table: json.loads(text) for table, text in found.items() if text is not None}


def _stock_lists(tables: Tables) -> Tables:
    """The profile lists of every port that has buffers."""
    ports = {key.partition("|")[0] for table in ("BUFFER_PG", "BUFFER_QUEUE") for key in tables.get(table, {})}
    return {
        f"BUFFER_PORT_{side}_PROFILE_LIST": {port: {"profile_list": names} for port in ports}
        for side, names in t.SPECTRUM_PROFILE_LISTS.items()
    }


def _without_pool(tables: Tables, *, is_read: bool) -> list[tuple[str, str]]:
    """(profile, pool) of profiles whose pool isn't rendered; of a switch that wasn't read only if pools are at all."""
    if "BUFFER_POOL" not in tables and not is_read:
        return []
    named = {name: reference(row.get("pool", "")) for name, row in tables.get("BUFFER_PROFILE", {}).items()}
    return [(name, pool) for name, pool in sorted(named.items()) if pool not in tables.get("BUFFER_POOL", {})]


def _from_names(names: Mapping[str, str]) -> Iterator[Kept]:
    for key, text in sorted(names.items()):
        if key.startswith(f"{NAME_KEY}/") and key.count("/") > 1:
            _, by, table, name = key.split("/", 3)
            yield Kept(by, table, name, json.loads(text))


def _stock_pools() -> Iterator[Kept]:
    """Of the dynamic model alone: in the static one a pool has the size that its HwSKU gives it."""
    yield from (Kept("BUFFER_PROFILE", "BUFFER_POOL", name, row) for name, row in t.SPECTRUM_POOLS.items())
