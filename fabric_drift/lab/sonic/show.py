"""``show``: what people look at. Programs read JSON and Redis instead."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.sonic import appldb
from fabric_drift.lab.sonic.answers import as_json, simple_table, usage
from fabric_drift.lab.sonic.configdb import config, row, table
from fabric_drift.lab.sonic.ecnconfig import ecnconfig
from fabric_drift.lab.sonic.pfcwd import pfcwd


def show(store: Store, words: Sequence[str]) -> Answer:
    """``show ...``."""
    page = _PAGES.get(" ".join(words))
    if page is None:
        raise usage("show", f'No such command "{" ".join(words)}".')
    return Answer(page(store))


def _version(store: Store) -> str:
    metadata = row(store, "DEVICE_METADATA", "localhost")
    lines = (
        "",
        f"SONiC Software Version: SONiC.{build_version(store)}",
        "SONiC OS Version: 12",
        "Distribution: Debian 12.11",
        "Kernel: 6.1.0-29-2-amd64",
        f"Platform: {metadata.get('platform', '')}",
        f"HwSKU: {metadata.get('hwsku', '')}",
        f"ASIC: {store['asic']}",
        "ASIC Count: 1",
        "",
    )
    return "\n".join(lines) + "\n"


def build_version(store: Store) -> str:
    """``build_version`` of sonic_version.yml."""
    for line in store["files"]["/etc/sonic/sonic_version.yml"].splitlines():
        if line.startswith("build_version:"):
            return str(line.partition(":")[2].strip().strip("'"))
    return ""


def _pfc_priority(store: Store) -> str:
    rows = [[port, row(store, "PORT_QOS_MAP", port).get("pfc_enable") or "N/A"] for port in table(store, "PORT")]
    return "\n" + simple_table(["Interface", "Lossless priorities"], rows) + "\n"


def _pfc_asymmetric(store: Store) -> str:
    rows = [[port, fields.get("pfc_asym", "off")] for port, fields in table(store, "PORT").items()]
    return "\n" + simple_table(["Interface", "Asymmetric"], rows) + "\n"


def _interfaces(store: Store) -> str:
    applied = appldb.appl_db(store)
    rows = []
    for port, fields in table(store, "PORT").items():
        speed = f"{int(fields.get('speed', '0')) // 1000}G"
        oper = applied[f"PORT_TABLE:{port}"]["oper_status"]
        values = [fields.get("mtu", "9100"), fields.get("fec", "N/A"), fields.get("alias", port), "routed", oper]
        tail = [fields.get("admin_status", "down"), "QSFP28 or later", fields.get("pfc_asym", "N/A")]
        rows.append([port, fields.get("lanes", ""), speed, *values, *tail])
    headers = ["Interface", "Lanes", "Speed", "MTU", "FEC", "Alias", "Vlan", "Oper", "Admin", "Type", "Asym PFC"]
    return simple_table(headers, rows, right=True)


def _lldp(store: Store) -> str:
    applied = appldb.appl_db(store)
    rows = [
        [port, device, remote, "BR", remote]
        for port, (device, remote) in store["peers"].items()
        if f"LLDP_ENTRY_TABLE:{port}" in applied
    ]
    head = "Capability codes: (R) Router, (B) Bridge, (O) Other\n"
    headers = ["LocalPort", "RemoteDevice", "RemotePortID", "Capability", "RemotePortDescr"]
    return f"{head}{simple_table(headers, rows)}{'-' * 50}\nTotal entries displayed:  {len(rows)}\n"


_PAGES: dict[str, Callable[[Store], str]] = {
    "version": _version,
    "pfc priority": _pfc_priority,
    "pfc asymmetric": _pfc_asymmetric,
    "interfaces status": _interfaces,
    "lldp table": _lldp,
    "pfcwd config": lambda store: pfcwd(store, ["show", "config"]).stdout,
    "ecn": lambda store: ecnconfig(store, ["-l"]).stdout,
    "runningconfiguration all": lambda store: as_json(config(store)),
    "logging": lambda store: "".join(f"{line}\n" for line in store["syslog"]),
}
