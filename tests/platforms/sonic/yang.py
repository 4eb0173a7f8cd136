"""The witness: SONiC's own YANG models, loaded by yanglint. Knows CONFIG_DB and YANG, nothing of the project."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

# table -> (module, keys of the list, key and leaf of the list inside the list)
LISTS: dict[str, tuple[str, tuple[str, ...], tuple[str, str] | None]] = {
    "BUFFER_PG": ("buffer-pg", ("port", "pg_num"), None),
    "BUFFER_POOL": ("buffer-pool", ("name",), None),
    "BUFFER_PORT_EGRESS_PROFILE_LIST": ("buffer-port-egress-profile-list", ("port",), None),
    "BUFFER_PORT_INGRESS_PROFILE_LIST": ("buffer-port-ingress-profile-list", ("port",), None),
    "BUFFER_PROFILE": ("buffer-profile", ("name",), None),
    "BUFFER_QUEUE": ("buffer-queue", ("port", "qindex"), None),
    "CABLE_LENGTH": ("cable-length", ("name",), ("port", "length")),
    "DEFAULT_LOSSLESS_BUFFER_PARAMETER": ("default-lossless-buffer-parameter", ("name",), None),
    "DOT1P_TO_TC_MAP": ("dot1p-tc-map", ("name",), ("dot1p", "tc")),
    "DSCP_TO_TC_MAP": ("dscp-tc-map", ("name",), ("dscp", "tc")),
    "MAP_PFC_PRIORITY_TO_QUEUE": ("pfc-priority-queue-map", ("name",), ("pfc_priority", "qindex")),
    "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": ("pfc-priority-priority-group-map", ("name",), ("pfc_priority", "pg")),
    "PFC_WD": ("pfcwd", ("ifname",), None),
    "PORT": ("port", ("name",), None),
    "PORT_QOS_MAP": ("port-qos-map", ("ifname",), None),
    "QUEUE": ("queue", ("ifname", "qindex"), None),
    "SCHEDULER": ("scheduler", ("name",), None),
    "TC_TO_DSCP_MAP": ("tc-dscp-map", ("name",), ("tc", "dscp")),
    "TC_TO_PRIORITY_GROUP_MAP": ("tc-priority-group-map", ("name",), ("tc", "pg")),
    "TC_TO_QUEUE_MAP": ("tc-queue-map", ("name",), ("tc", "qindex")),
    "WRED_PROFILE": ("wred-profile", ("name",), None),
}
NUMBERS = {
    ("BUFFER_PROFILE", "dynamic_th"),
    ("DEFAULT_LOSSLESS_BUFFER_PARAMETER", "default_dynamic_th"),
    ("DOT1P_TO_TC_MAP", "tc"),
    ("DSCP_TO_TC_MAP", "tc"),
    ("PFC_WD", "POLL_INTERVAL"),
    ("PFC_WD", "detection_time"),
    ("PFC_WD", "restoration_time"),
    ("PORT", "index"),
    ("PORT", "mtu"),
    ("PORT", "speed"),
    ("SCHEDULER", "weight"),
    ("TC_TO_DSCP_MAP", "tc"),
    ("TC_TO_PRIORITY_GROUP_MAP", "tc"),
    ("TC_TO_QUEUE_MAP", "tc"),
}
BOOLEANS = {("WRED_PROFILE", f"wred_{colour}_enable") for colour in ("green", "yellow", "red")}


def _typed(table: str, field: str, text: str) -> Any:
    """YANG's JSON wants numbers up to 32 bits as numbers; whatever isn't one stays text, for YANG to refuse."""
    if field == "profile_list":
        return text.split(",")
    if (table, field) in NUMBERS:
        try:
            return int(text)
        except ValueError:
            return text
    if (table, field) in BOOLEANS and text in ("true", "false"):
        return text == "true"
    return text


def _entry(table: str, key: str, row: dict[str, str]) -> dict[str, Any]:
    _, keys, inner = LISTS[table]
    entry: dict[str, Any] = dict(zip(keys, key.split("|"), strict=True))
    if inner is None:
        return entry | {field: _typed(table, field, text) for field, text in row.items()}
    name, leaf = inner
    entry[table] = [{name: _typed(table, name, left), leaf: _typed(table, leaf, right)} for left, right in row.items()]
    return entry


def instance(config: dict[str, dict[str, dict[str, str]]]) -> dict[str, Any]:
    """CONFIG_DB as the instance data that sonic-yang-mgmt makes of it."""
    data: dict[str, Any] = {}
    for table, rows in config.items():
        if table == "DEVICE_METADATA":
            data["sonic-device_metadata:sonic-device_metadata"] = {table: rows}
            continue
        module = f"sonic-{LISTS[table][0]}"
        entries = [_entry(table, key, row) for key, row in rows.items()]
        data[f"{module}:{module}"] = {table: {f"{table}_LIST": entries}}
    return data


def complaints(config: dict[str, dict[str, dict[str, str]]], models: Path, folder: Path) -> str:
    """What yanglint says against ``config``; empty where it is valid. A skipped ``must`` counts."""
    file = folder / "config.json"
    file.write_text(json.dumps(instance(config)))
    # device_metadata first: other models have conditions on it, which are skipped while it is only imported
    names = ["device_metadata", *(module for module, _, _ in LISTS.values())]
    modules = [str(models / f"sonic-{name}.yang") for name in names]
    command = ["yanglint", "-p", str(models), "-t", "config", *modules, str(file)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    said = [line for line in result.stderr.splitlines() if line and "not freed from the dictionary" not in line]
    return "\n".join(said) or ("" if result.returncode == 0 else "yanglint failed")
