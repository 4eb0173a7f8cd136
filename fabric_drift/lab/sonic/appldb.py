"""APPL_DB and STATE_DB: what the managers (portmgrd, buffermgrd, lldp) made of CONFIG_DB."""

from __future__ import annotations

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.sonic.buffermgr import MMU_BYTES, computed_groups, is_dynamic, pools
from fabric_drift.lab.sonic.configdb import Fields, Table, row, table
from fabric_drift.lab.sonic.flaps import is_up

_COPIED = ("BUFFER_QUEUE", "BUFFER_PORT_INGRESS_PROFILE_LIST", "BUFFER_PORT_EGRESS_PROFILE_LIST")


def buffer_pools(store: Store) -> Table:
    """BUFFER_POOL rows."""
    return pools(store)


def buffer_profiles(store: Store) -> Table:
    """BUFFER_PROFILE rows, the computed ones of the dynamic model among them."""
    rows = dict(table(store, "BUFFER_PROFILE"))
    if is_dynamic(store):
        rows |= computed_groups(store)[1]
    return rows


def buffer_groups(store: Store) -> Table:
    """BUFFER_PG rows with keys ``port|groups``."""
    return computed_groups(store)[0] if is_dynamic(store) else table(store, "BUFFER_PG")


def appl_db(store: Store) -> Table:
    """The tables of APPL_DB that this lab has, without overrides."""
    db: Table = {}
    for port, fields in table(store, "PORT").items():
        db[f"PORT_TABLE:{port}"] = _port(store, port, fields)
    db["PORT_TABLE:PortConfigDone"] = {"count": str(len(table(store, "PORT")))}
    db["PORT_TABLE:PortInitDone"] = {"lanes": "0"}
    groups = {"BUFFER_POOL": buffer_pools, "BUFFER_PROFILE": buffer_profiles, "BUFFER_PG": buffer_groups}
    for name, rows in groups.items():
        _add(db, name, rows(store))
    for name in _COPIED:
        _add(db, name, table(store, name))
    for port, (device, remote) in store["peers"].items():
        if db.get(f"PORT_TABLE:{port}", {}).get("oper_status") == "up":
            db[f"LLDP_ENTRY_TABLE:{port}"] = _neighbour(device, remote)
    return db


def _add(db: Table, name: str, rows: Table) -> None:
    for key, fields in rows.items():
        db[f"{name}_TABLE:{key.replace('|', ':')}"] = dict(fields)


def _port(store: Store, port: str, fields: Fields) -> Fields:
    return {"mtu": "9100", "admin_status": "down"} | {
        **fields,
        "oper_status": "up" if is_up(store, port) else "down",
    }


def _neighbour(device: str, port: str) -> Fields:
    return {
        "lldp_rem_index": "1",
        "lldp_rem_chassis_id_subtype": "4",
        "lldp_rem_chassis_id": "52:54:00:00:00:fe",
        "lldp_rem_port_id_subtype": "7",
        "lldp_rem_port_id": port,
        "lldp_rem_port_desc": port,
        "lldp_rem_sys_name": device,
        "lldp_rem_sys_desc": "",
        "lldp_rem_sys_cap_enabled": "28 00",
        "lldp_rem_time_mark": "1200",
        "lldp_rem_man_addr": "",
    }


def state_db(store: Store) -> Table:
    """The tables of STATE_DB that this lab has, without overrides."""
    db: Table = {}
    for port in table(store, "PORT"):
        db[f"PORT_TABLE|{port}"] = {
            "state": "ok",
            "netdev_oper_status": "up" if is_up(store, port) else "down",
            "supported_speeds": "100000,200000,400000,800000",
            "supported_fecs": "none,rs,auto",
        }
    if is_dynamic(store):
        for name, rows in (("BUFFER_POOL", buffer_pools(store)), ("BUFFER_PROFILE", buffer_profiles(store))):
            db |= {f"{name}_TABLE|{key}": dict(fields) for key, fields in rows.items()}
        db["BUFFER_MAX_PARAM_TABLE|global"] = {"mmu_size": str(MMU_BYTES)}
        for port in table(store, "PORT"):
            if row(store, "PORT_QOS_MAP", port):
                db[f"BUFFER_MAX_PARAM_TABLE|{port}"] = {"max_headroom_size": "2097152"}
    return db
