"""buffermgrd: what a switch derives from its configuration by itself.

Static ("traditional") model, after cfgmgr/buffermgr.cpp: per port, whenever speed, cable length, admin status or
pfc_enable changes, a ``pg_lossless_<speed>_<cable>_profile`` is written *into CONFIG_DB* unless one of that name is
there, and bound to the priority groups of pfc_enable. Old rows stay. Dynamic model: computed into APPL_DB only.
"""

from __future__ import annotations

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.sonic.configdb import Fields, Table, delete_row, expand, numbers, ranges, row, set_fields, table
from fabric_drift.lab.sonic.lookup import SPECTRUM4_XON_BYTES, LookupRow, read_lookup, spectrum4_xoff_bytes

LOSSLESS_POOL = "ingress_lossless_pool"
MMU_BYTES = 160 * 1000 * 1000
_DEFAULT_MTU = "9100"


def is_dynamic(store: Store) -> bool:
    """Whether the switch started with the dynamic model: a change of the row waits for a restart."""
    return bool(store["dynamic_buffers"])


def follow_config(store: Store) -> None:
    """Derives the rows of the static model for ports whose inputs have changed."""
    if is_dynamic(store):
        return
    lookup = None
    memory: dict[str, list[str]] = store["buffermgr"]
    cables = row(store, "CABLE_LENGTH", "AZURE")
    for port, fields in table(store, "PORT").items():
        known = memory.get(port, ["", "", "", ""])
        # buffermgrd never forgets a pfc_enable or a cable length it has heard of.
        pfc = row(store, "PORT_QOS_MAP", port).get("pfc_enable", known[3])
        now = [fields.get("speed", ""), cables.get(port, known[1]), fields.get("admin_status", ""), pfc]
        if now != known:
            lookup = lookup or read_lookup(store["files"]["pg_profile_lookup.ini"])
            memory[port] = now
            _derive(store, port, now, lookup.get((now[0], now[1])))


def _profile(store: Store, found: LookupRow) -> Fields:
    mode = row(store, "BUFFER_POOL", LOSSLESS_POOL).get("mode", "")
    fields = {"pool": LOSSLESS_POOL, "xon": found.xon, "xoff": found.xoff, "size": found.size}
    if found.xon_offset:
        fields["xon_offset"] = found.xon_offset
    return fields | ({f"{mode}_th": found.threshold} if mode else {})


def _derive(store: Store, port: str, inputs: list[str], found: LookupRow | None) -> None:
    speed, cable, admin, pfc = inputs
    if not cable or cable == "0m" or not admin or not pfc:
        return
    name = f"pg_lossless_{speed}_{cable}_profile"
    keys = [f"{port}|{priorities}" for priorities in ranges(numbers(pfc))]
    if admin == "down" and store["asic"] in {"mellanox", "barefoot"}:
        for key in keys:
            if row(store, "BUFFER_PG", key).get("profile") == name:
                delete_row(store, "BUFFER_PG", key)
        return
    if found is None:
        store["syslog"].append(
            f"ERR swss#buffermgrd: :- doSpeedUpdateTask: Unable to create/update PG profile for port {port}."
            f" No PG profile configured for speed {speed} and cable length {cable}"
        )
        return
    if not row(store, "BUFFER_PROFILE", name):
        set_fields(store, "BUFFER_PROFILE", name, _profile(store, found))
    for key in keys:
        set_fields(store, "BUFFER_PG", key, {"profile": name})


def computed_groups(store: Store) -> tuple[Table, Table]:
    """Dynamic model: (BUFFER_PG rows, computed BUFFER_PROFILE rows) as they go to APPL_DB.

    A port that is down gives its lossless buffer back; a port without cable length keeps nothing lossless.
    """
    groups: Table = {}
    profiles: Table = {}
    for key, fields in table(store, "BUFFER_PG").items():
        port = key.partition("|")[0]
        configured = row(store, "BUFFER_PROFILE", fields.get("profile", ""))
        if fields.get("profile") != "NULL" and configured.get("headroom_type") != "dynamic":
            groups[key] = dict(fields)
            continue
        name, profile = _computed(store, port, configured.get("dynamic_th", ""))
        if name:
            groups[key] = {"profile": name}
            profiles[name] = profile
    return groups, profiles


def _computed(store: Store, port: str, threshold: str) -> tuple[str, Fields]:
    fields = row(store, "PORT", port)
    cable = row(store, "CABLE_LENGTH", "AZURE").get(port, "0m")
    speed, mtu = fields.get("speed", ""), fields.get("mtu", _DEFAULT_MTU)
    metres = cable.removesuffix("m")
    if fields.get("admin_status") != "up" or cable == "0m" or not metres.isdigit() or not speed.isdigit():
        return "", {}
    default = row(store, "DEFAULT_LOSSLESS_BUFFER_PARAMETER", "AZURE").get("default_dynamic_th", "0")
    name = f"pg_lossless_{speed}_{cable}"
    name += f"_mtu{mtu}" if mtu != _DEFAULT_MTU else ""
    name += f"_th{threshold}" if threshold and threshold != default else ""
    xoff = spectrum4_xoff_bytes(int(speed), int(metres))
    shared = row(store, "BUFFER_POOL", LOSSLESS_POOL).get("xoff", "0") not in {"", "0"}
    return f"{name}_profile", {
        "pool": LOSSLESS_POOL,
        "xon": str(SPECTRUM4_XON_BYTES),
        "xoff": str(xoff),
        "size": str(SPECTRUM4_XON_BYTES if shared else SPECTRUM4_XON_BYTES + xoff),
        "dynamic_th": threshold or default,
    }


def pools(store: Store) -> Table:
    """BUFFER_POOL as it goes to APPL_DB: the dynamic model fills in sizes that nobody configured."""
    rows = {name: dict(fields) for name, fields in table(store, "BUFFER_POOL").items()}
    if is_dynamic(store):
        groups, profiles = computed_groups(store)
        reserved = sum(
            int(profiles.get(fields.get("profile", ""), {}).get("size", "0")) * len(expand(key.partition("|")[2]))
            for key, fields in groups.items()
        )
        for fields in rows.values():
            fields.setdefault("size", str(max(0, MMU_BYTES - reserved)))
    return rows
