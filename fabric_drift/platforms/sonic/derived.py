"""Which changed rows buffermgrd writes by itself once its inputs have changed (static buffer model).

Sending them too would flap ports for nothing, and the updater refuses new profiles before 202511.
"""

from __future__ import annotations

from dataclasses import dataclass

from fabric_drift.platforms.sonic import tables as t
from fabric_drift.platforms.sonic.documents import Row, Tables
from fabric_drift.platforms.sonic.headroom import DERIVED, Lookup
from fabric_drift.platforms.sonic.keys import number, priorities
from fabric_drift.platforms.sonic.render_buffers import runs
from fabric_drift.state.values import Unobserved


@dataclass(frozen=True, slots=True)
class Derived:
    """``ports``: buffermgrd will look at them again. ``profiles``: it will make these, as they are wanted."""

    ports: frozenset[str] = frozenset()
    profiles: frozenset[str] = frozenset()

    def writes(self, table: str, key: str, before: Row, after: Row) -> bool:
        """Whether SONiC makes the change of a row."""
        if table == "BUFFER_PG":
            return is_derived(after.get("profile", "")) and key.partition("|")[0] in self.ports
        return table == "BUFFER_PROFILE" and not before and key in self.profiles

    def undoes(self, table: str, key: str, before: Row, after: Row) -> bool:
        """Whether the row also goes back when the inputs do; a profile of no more use is nothing."""
        again = table == "BUFFER_PROFILE" or is_derived(before.get("profile", ""))
        return again and self.writes(table, key, before, after)


def is_derived(name: str) -> bool:
    """Whether buffermgrd gives such names."""
    return DERIVED.fullmatch(name) is not None


def what_sonic_derives(old: Tables, new: Tables, lookup: Lookup | Unobserved) -> Derived:
    """Nothing in the dynamic model, where computed rows never get into CONFIG_DB."""
    if new.get("DEVICE_METADATA", {}).get("localhost", {}).get("buffer_model") == "dynamic":
        return Derived()
    ports = frozenset(port for port in new.get("PORT", {}) if _inputs(old, port) != _inputs(new, port))
    needed: dict[str, set[str]] = {}
    for key, row in new.get("BUFFER_PG", {}).items():
        if old.get("BUFFER_PG", {}).get(key) != row:
            needed.setdefault(row.get("profile", ""), set()).add(key.partition("|")[0])
    mode = new.get("BUFFER_POOL", {}).get(t.LOSSLESS_POOL, {}).get("mode", "dynamic")
    made = {name for name, users in needed.items() if users <= ports and _as_wanted(name, new, lookup, mode)}
    return Derived(ports, frozenset(made))


def _inputs(rows: Tables, port: str) -> tuple[str | None, ...]:
    row = rows.get("PORT", {}).get(port, {})
    cable = rows.get("CABLE_LENGTH", {}).get(t.AZURE, {}).get(port)
    pfc = rows.get("PORT_QOS_MAP", {}).get(port, {}).get("pfc_enable")
    return row.get("speed"), row.get("admin_status"), cable, pfc


def _as_wanted(name: str, new: Tables, lookup: Lookup | Unobserved, mode: str) -> bool:
    match = DERIVED.fullmatch(name)
    if match is None or isinstance(lookup, Unobserved):
        return False
    row = lookup.get((int(match[1]), int(match[2])))
    return row is not None and row.profile(mode, t.LOSSLESS_POOL) == new.get("BUFFER_PROFILE", {}).get(name)


def settled(old: Tables, new: Tables, lookup: Lookup | Unobserved) -> Tables:
    """``new`` once buffermgrd has looked at the ports whose inputs changed: it binds its own profiles, over any other.

    A profile that is there keeps its content, whatever the table says.
    """
    groups, profiles = dict(new.get("BUFFER_PG", {})), dict(new.get("BUFFER_PROFILE", {}))
    mode = new.get("BUFFER_POOL", {}).get(t.LOSSLESS_POOL, {}).get("mode", "dynamic")
    for port in sorted(what_sonic_derives(old, new, lookup).ports):
        speed, admin, cable, pfc = _inputs(new, port)
        key = (number(speed), number((cable or "").removesuffix("m")))
        row = None if isinstance(lookup, Unobserved) or None in key else lookup.get(key)  # type: ignore[arg-type]
        enabled = priorities(pfc or "")
        if row is None or not enabled or not admin or cable == "0m":
            continue
        name = f"pg_lossless_{speed}_{cable}_profile"
        profiles.setdefault(name, row.profile(mode, t.LOSSLESS_POOL))
        groups.update({f"{port}|{span}": {"profile": name} for span, _ in runs(dict.fromkeys(enabled, name))})
    return {**new, "BUFFER_PG": groups, "BUFFER_PROFILE": profiles}
