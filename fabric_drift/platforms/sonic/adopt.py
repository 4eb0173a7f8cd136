"""Who refers to whom in CONFIG_DB: names to adopt, and objects that nobody points to."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import TypeAlias

from fabric_drift.platforms.sonic import tables as t
from fabric_drift.platforms.sonic.documents import Row, Table, Tables
from fabric_drift.platforms.sonic.headroom import DERIVED, Lookup
from fabric_drift.platforms.sonic.keys import indices, reference
from fabric_drift.state.values import Unobserved

BUFFER_MODEL = "buffer_model"
TUNNEL_REFERENCES = {
    "decap_dscp_to_tc_map": "DSCP_TO_TC_MAP",
    "decap_tc_to_pg_map": "TC_TO_PRIORITY_GROUP_MAP",
    "encap_tc_to_dscp_map": "TC_TO_DSCP_MAP",
    "encap_tc_to_queue_map": "TC_TO_QUEUE_MAP",
}
OBJECTS = (*(item.table for item in t.MAPS), "BUFFER_PROFILE", "SCHEDULER", "WRED_PROFILE")
MAP_OF_REFERENCE = {item.reference: item.table for item in t.MAPS}
INDEXED = (
    ("QUEUE", "queue", (("scheduler", "SCHEDULER"), ("wred_profile", "WRED_PROFILE"))),
    ("BUFFER_QUEUE", "queue", (("profile", "BUFFER_PROFILE"),)),
    ("BUFFER_PG", "group", (("profile", "BUFFER_PROFILE"),)),
)
PROFILE_LISTS = ("BUFFER_PORT_EGRESS_PROFILE_LIST", "BUFFER_PORT_INGRESS_PROFILE_LIST")
GLOBAL_MAP = "PORT_QOS_MAP/global"
References: TypeAlias = Counter[tuple[str, str, str]]
"""(table, name, role) -> how often."""


def references(rows: Tables) -> References:
    """Everything that is referred to; ``role`` says by what ("queue/3")."""
    found = _maps(rows.get("PORT_QOS_MAP", {}))
    for table, kind, fields in INDEXED:
        for field, target in fields:
            content = rows.get(table, {}).items()
            bound = Counter((key.rpartition("|")[2], row[field]) for key, row in content if field in row)
            for (index, name), count in bound.items():
                for number in indices(index) or ("?",):
                    found[target, reference(name), f"{kind}/{number}"] += count
    found.update(_others(rows))
    return found


def _maps(bindings: Table) -> References:
    found: References = Counter()
    ports = Counter(chain.from_iterable(row.items() for key, row in bindings.items() if key != "global"))
    for role, fields in (("", ports), ("global", Counter(bindings.get("global", {}).items()))):
        for (field, name), count in fields.items():
            if field in MAP_OF_REFERENCE:
                found[MAP_OF_REFERENCE[field], reference(name), role] += count
    return found


def listed(rows: Tables) -> Iterator[tuple[str, str, str]]:
    """(table, key, profile) of every name in a profile list."""
    for table in PROFILE_LISTS:
        for key, row in sorted(rows.get(table, {}).items()):
            for name in row.get("profile_list", "").split(","):
                if name.strip():
                    yield table, key, reference(name.strip())


def only_listed(rows: Tables, referred: References) -> dict[str, str]:
    """Profile -> what is to be said of it, where nothing but a profile list refers to it.

    No fact holds what it says. Those of the stock templates have to be there; any other is somebody's extra.
    """
    used: dict[str, set[str]] = {}
    for table, name, role in referred:
        if table == "BUFFER_PROFILE":
            used.setdefault(name, set()).add(role)
    there = rows.get("BUFFER_PROFILE", {})
    return {
        name: "only a profile list refers to it"
        for name, roles in sorted(used.items())
        if roles == {"list"} and name in there
    }


def _others(rows: Tables) -> Iterator[tuple[str, str, str]]:
    """References of tables that hold none of our facts."""
    yield from (("BUFFER_PROFILE", name, "list") for _, _, name in listed(rows))
    for row in rows.get("TUNNEL", {}).values():
        for field, table in TUNNEL_REFERENCES.items():
            if field in row:
                yield table, reference(row[field]), "tunnel"


def content_key(table: str, row: Row) -> str:
    """Key of an object's exact content in the names of a reading."""
    text = json.dumps(row, sort_keys=True)
    return f"{table}#{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def names_of(rows: Tables, referred: References) -> dict[str, str]:
    """Names to adopt, by role ("DSCP_TO_TC_MAP" -> "AZURE", "SCHEDULER/queue/3" -> "scheduler.1") and by content.

    By content there may be several, with commas. By role it is the name that most rows use, the first in the
    alphabet where two are level, so that an answer in another order gives the same names. What SONiC derives
    by itself is nobody's to adopt.
    """
    votes: dict[str, Counter[str]] = {}
    for (table, name, role), count in referred.items():
        row = rows.get(table, {}).get(name)
        if row is None or role in ("global", "list", "tunnel") or DERIVED.fullmatch(name):
            continue
        votes.setdefault(f"{table}/{role}" if role else table, Counter())[name] += count
    names = {role: min(cast, key=lambda name: (-cast[name], name)) for role, cast in sorted(votes.items())}
    adopted = {(role.partition("/")[0], name) for role, cast in votes.items() for name in cast}
    alike: dict[str, list[str]] = {}
    for table, name in sorted(adopted):
        alike.setdefault(content_key(table, rows[table][name]), []).append(name)
    names.update({key: ",".join(found) for key, found in alike.items()})
    metadata = rows.get("DEVICE_METADATA", {}).get("localhost", {})
    names[BUFFER_MODEL] = "dynamic" if metadata.get("buffer_model") == "dynamic" else "static"
    return names


def unreferenced(rows: Tables, referred: References, lookup: Lookup | Unobserved, *, broadcom: bool) -> dict[str, str]:
    """Owned objects that nobody points to or only a list does, and on Broadcom a switch-wide map that isn't the ports'.

    A leftover ``pg_lossless_*`` profile that still equals what SONiC derives isn't one.
    """
    used = {(table, name) for table, name, _ in referred}
    found = {
        f"{table}/{name}": "unreferenced"
        for table in OBJECTS
        for name, row in rows.get(table, {}).items()
        if (table, name) not in used and not (table == "BUFFER_PROFILE" and _derived(name, row, lookup))
    }
    for name, reason in only_listed(rows, referred).items():
        if name not in t.CONVENTIONAL_PROFILES:
            found[f"BUFFER_PROFILE/{name}"] = reason
    if broadcom:
        found.update(_switch_wide(rows))
    return dict(sorted(found.items()))


def _derived(name: str, row: Row, lookup: Lookup | Unobserved) -> bool:
    match = DERIVED.fullmatch(name)
    if match is None or isinstance(lookup, Unobserved):
        return match is not None
    known = lookup.get((int(match[1]), int(match[2])))
    if known is None:
        return False
    wanted = known.profile("dynamic" if "dynamic_th" in row else "static", t.LOSSLESS_POOL)
    return {**row, "pool": reference(row.get("pool", ""))} == wanted


def _switch_wide(rows: Tables) -> dict[str, str]:
    """Broadcom classifies by the map of PORT_QOS_MAP|global; it must be the one that the ports name."""
    ports = [row for key, row in rows.get("PORT_QOS_MAP", {}).items() if key != "global"]
    named = sorted({reference(row["dscp_to_tc_map"]) for row in ports if "dscp_to_tc_map" in row})
    own = rows.get("PORT_QOS_MAP", {}).get("global", {}).get("dscp_to_tc_map")
    if not named or (own is not None and reference(own) in named):
        return {}
    ports_use = f"the ports use {', '.join(named)}"
    return {GLOBAL_MAP: f"dscp_to_tc_map is {'not set' if own is None else reference(own)}, {ports_use}"}
