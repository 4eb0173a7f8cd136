"""A switch as it comes: PORT rows of its SKU and the stock AZURE templates, applied to ports with a neighbour.

Sources: sonic-buildimage files/build_templates/{qos,buffers}_config.j2 and device folders (086b03b); values are ours
where the template leaves them to the site.
"""

from __future__ import annotations

from dataclasses import dataclass

from fabric_drift.lab.emulator import LabDevice, LabPort
from fabric_drift.lab.sonic.configdb import Config, Fields, Table

LOSSLESS = "3,4"
MAPS_PER_PORT = {
    "dscp_to_tc_map": "AZURE",
    "tc_to_queue_map": "AZURE",
    "tc_to_pg_map": "AZURE",
    "pfc_to_queue_map": "AZURE",
}
LOSSLESS_TCS = {"3": "3", "4": "4"}


@dataclass(frozen=True, slots=True)
class Sku:
    """What differs between the two SKUs of the lab."""

    platform: str
    buffer_model: str
    lanes_per_port: int
    pools: Table
    profiles: Table
    wred: Fields


def _wred(enable: str, low: str, high: str, probability: str) -> Fields:
    fields: Fields = {"ecn": "ecn_all"}
    for colour in ("green", "yellow", "red"):
        fields[f"wred_{colour}_enable"] = enable
        fields[f"{colour}_min_threshold"] = low
        fields[f"{colour}_max_threshold"] = high
        fields[f"{colour}_drop_probability"] = probability
    return fields


BROADCOM = Sku(
    platform="x86_64-arista_7060x6_64pe",
    buffer_model="traditional",
    lanes_per_port=8,
    pools={
        "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "132498432", "xoff": "33371648"},
        "egress_lossless_pool": {"type": "egress", "mode": "static", "size": "165870080"},
        "egress_lossy_pool": {"type": "egress", "mode": "dynamic", "size": "132498432"},
    },
    profiles={
        "ingress_lossy_profile": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3"},
        "egress_lossless_profile": {"pool": "egress_lossless_pool", "size": "0", "static_th": "165870080"},
        "egress_lossy_profile": {"pool": "egress_lossy_pool", "size": "1778", "dynamic_th": "3"},
    },
    wred=_wred("true", "1048576", "2097152", "5"),
)
MELLANOX = Sku(
    platform="x86_64-nvidia_sn5600-r0",
    buffer_model="dynamic",
    lanes_per_port=8,
    pools={
        "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic"},
        "egress_lossless_pool": {"type": "egress", "mode": "dynamic", "size": "158229504"},
        "egress_lossy_pool": {"type": "egress", "mode": "dynamic"},
    },
    profiles={
        "ingress_lossless_profile": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "7"},
        "ingress_lossy_profile": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3"},
        "egress_lossless_profile": {"pool": "egress_lossless_pool", "size": "0", "dynamic_th": "7"},
        "egress_lossy_profile": {"pool": "egress_lossy_pool", "size": "9216", "dynamic_th": "7"},
        "q_lossy_profile": {"pool": "egress_lossy_pool", "size": "0", "dynamic_th": "3"},
    },
    wred=_wred("false", "166912", "282624", "5"),
)


def sku(device: LabDevice) -> Sku:
    """The SKU of a device, by its ASIC."""
    return MELLANOX if device.asic == "mellanox" else BROADCOM


def stock_config(device: LabDevice) -> Config:
    """The whole CONFIG_DB of a switch after its first boot with the stock templates."""
    kind = sku(device)
    linked = [port for port in device.ports if port.peer_device]
    config: Config = {
        **_system(device, kind),
        "PORT": {port.name: _port(index, port, kind) for index, port in enumerate(device.ports)},
        "DEVICE_NEIGHBOR": {port.name: {"name": port.peer_device, "port": port.peer_port} for port in linked},
        "CABLE_LENGTH": {"AZURE": {port.name: _stock_cable(port) for port in device.ports}},
        **_maps(device.asic),
        **_qos(device, linked, kind),
        **_buffers(linked, kind),
        "PFC_WD": _watchdog(linked),
    }
    return {name: rows for name, rows in config.items() if rows}


def _system(device: LabDevice, kind: Sku) -> Config:
    """Rows that nobody here owns, among them secrets that must never leave the switch unscrubbed."""
    return {
        "DEVICE_METADATA": {
            "localhost": {
                "hostname": device.name,
                "hwsku": device.hardware,
                "platform": kind.platform,
                "type": "SpineRouter" if device.name.startswith("spine") else "LeafRouter",
                "buffer_model": kind.buffer_model,
                "default_pfcwd_status": "enable",
                "mac": "52:54:00:00:00:01",
                "synchronous_mode": "enable",
            }
        },
        "FLEX_COUNTER_TABLE": {
            name: {"FLEX_COUNTER_STATUS": "enable"}
            for name in ("PFCWD", "PG_DROP", "PG_WATERMARK", "PORT", "QUEUE", "QUEUE_WATERMARK")
        },
        "LOOPBACK_INTERFACE": {"Loopback0": {"NULL": "NULL"}},
        "SNMP_COMMUNITY": {"lab-snmp-secret": {"TYPE": "RO"}},
        "TACPLUS": {"global": {"passkey": "lab-tacacs-secret"}},
        "VERSIONS": {"DATABASE": {"VERSION": f"version_{device.release}_01"}},
    }


def _port(index: int, port: LabPort, kind: Sku) -> Fields:
    first = index * kind.lanes_per_port + 1
    return {
        "admin_status": "up" if port.peer_device else "down",
        "alias": port.alias or port.name,
        "description": f"{port.peer_device}:{port.peer_port}" if port.peer_device else "",
        "fec": "rs",
        "index": str(index + 1),
        "lanes": ",".join(str(lane) for lane in range(first, first + kind.lanes_per_port)),
        "mtu": "9100",
        "speed": str(port.speed_mbps),
    }


def _stock_cable(port: LabPort) -> str:
    """buffers_config.j2: 5 m to servers, 300 m between leaf and spine and where there is no neighbour."""
    return "5m" if port.peer_port.startswith("0000:") else "300m"


def _maps(asic: str) -> Config:
    dscp = {str(value): "1" for value in range(64)} | {"3": "3", "4": "4", "5": "2", "8": "0", "46": "5", "48": "6"}
    identity = {str(value): str(value) for value in range(8)}
    maps: Config = {
        "DSCP_TO_TC_MAP": {"AZURE": dscp},
        "TC_TO_PRIORITY_GROUP_MAP": {"AZURE": {tc: tc if tc in {"3", "4", "7"} else "0" for tc in identity}},
        "TC_TO_QUEUE_MAP": {"AZURE": dict(identity)},
        "MAP_PFC_PRIORITY_TO_QUEUE": {"AZURE": dict(identity)},
    }
    if asic == "mellanox":
        maps["PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"] = {"AZURE": dict(LOSSLESS_TCS)}
    return maps


def _qos(device: LabDevice, linked: list[LabPort], kind: Sku) -> Config:
    per_port = {**MAPS_PER_PORT, "pfc_enable": LOSSLESS, "pfcwd_sw_enable": LOSSLESS}
    if device.asic == "mellanox":
        per_port["pfc_to_pg_map"] = "AZURE"
    queues: Table = {}
    for port in linked:
        for queue in range(7):
            fields = {"scheduler": "scheduler.0"}
            if queue in (3, 4):
                fields = {"scheduler": "scheduler.1", "wred_profile": "AZURE_LOSSLESS"}
            queues[f"{port.name}|{queue}"] = fields
    return {
        "PORT_QOS_MAP": {"global": {"dscp_to_tc_map": "AZURE"}} | {port.name: dict(per_port) for port in linked},
        "SCHEDULER": {
            "scheduler.0": {"type": "DWRR", "weight": "14"},
            "scheduler.1": {"type": "DWRR", "weight": "15"},
        },
        "WRED_PROFILE": {"AZURE_LOSSLESS": dict(kind.wred)},
        "QUEUE": queues,
    }


def _buffers(linked: list[LabPort], kind: Sku) -> Config:
    dynamic = kind.buffer_model == "dynamic"
    lossy_queue = "q_lossy_profile" if dynamic else "egress_lossy_profile"
    tables: Config = {
        "BUFFER_POOL": {name: dict(fields) for name, fields in kind.pools.items()},
        "BUFFER_PROFILE": {name: dict(fields) for name, fields in kind.profiles.items()},
        "BUFFER_PG": {f"{port.name}|0": {"profile": "ingress_lossy_profile"} for port in linked},
        "BUFFER_QUEUE": {
            f"{port.name}|{queues}": {"profile": profile}
            for port in linked
            for queues, profile in (("0-2", lossy_queue), ("3-4", "egress_lossless_profile"), ("5-6", lossy_queue))
        },
    }
    if dynamic:
        tables["BUFFER_PG"].update({f"{port.name}|3-4": {"profile": "NULL"} for port in linked})
        tables["BUFFER_PORT_INGRESS_PROFILE_LIST"] = {
            port.name: {"profile_list": "ingress_lossless_profile,ingress_lossy_profile"} for port in linked
        }
        tables["BUFFER_PORT_EGRESS_PROFILE_LIST"] = {
            port.name: {"profile_list": "egress_lossless_profile,egress_lossy_profile"} for port in linked
        }
        tables["DEFAULT_LOSSLESS_BUFFER_PARAMETER"] = {"AZURE": {"default_dynamic_th": "0"}}
        tables["LOSSLESS_TRAFFIC_PATTERN"] = {"AZURE": {"mtu": "1024", "small_packet_percentage": "100"}}
    return tables


def _watchdog(linked: list[LabPort]) -> Table:
    """``pfcwd start_default``: 200 ms per 32 ports, no more than 1 s of polling."""
    if not linked:
        return {}
    factor = -(-len(linked) // 32)
    time_ms = str(200 * factor)
    per_port = {"action": "drop", "detection_time": time_ms, "restoration_time": time_ms}
    return {"GLOBAL": {"POLL_INTERVAL": str(min(200 * factor, 1000))}} | {port.name: dict(per_port) for port in linked}
