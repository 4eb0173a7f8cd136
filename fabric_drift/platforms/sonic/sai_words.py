"""SAI's words for what CONFIG_DB says: attribute names and values, as data and small translations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabric_drift.platforms.sonic.documents import Row
from fabric_drift.platforms.sonic.keys import number
from fabric_drift.state.values import UNSAID, Unobserved

OBJECT = "SAI_OBJECT_TYPE_"
NULL = "oid:0x0"
MTU_OVERHEAD_BYTES = 22
"""portsorch asks for the IP MTU and 22 bytes of Ethernet header, VLAN tag and FCS."""
GROUP_PROFILE = "SAI_INGRESS_PRIORITY_GROUP_ATTR_BUFFER_PROFILE"
QUEUE_PROFILE = "SAI_QUEUE_ATTR_BUFFER_PROFILE_ID"
QUEUE_WRED = "SAI_QUEUE_ATTR_WRED_PROFILE_ID"
MAP_LIST = "SAI_QOS_MAP_ATTR_MAP_TO_VALUE_LIST"

PORT_MAPS = {
    "dscp_to_tc": "SAI_PORT_ATTR_QOS_DSCP_TO_TC_MAP",
    "pcp_to_tc": "SAI_PORT_ATTR_QOS_DOT1P_TO_TC_MAP",
    "tc_to_queue": "SAI_PORT_ATTR_QOS_TC_TO_QUEUE_MAP",
    "tc_to_priority_group": "SAI_PORT_ATTR_QOS_TC_TO_PRIORITY_GROUP_MAP",
    "pfc_priority_to_queue": "SAI_PORT_ATTR_QOS_PFC_PRIORITY_TO_QUEUE_MAP",
    "pfc_priority_to_priority_group": "SAI_PORT_ATTR_QOS_PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
    "tc_to_dscp": "SAI_PORT_ATTR_QOS_TC_AND_COLOR_TO_DSCP_MAP",
}
MAP_MEMBERS = {
    "dscp_to_tc": ("dscp", "tc"),
    "pcp_to_tc": ("dot1p", "tc"),
    "tc_to_queue": ("tc", "qidx"),
    "tc_to_priority_group": ("tc", "pg"),
    "pfc_priority_to_queue": ("prio", "qidx"),
    "pfc_priority_to_priority_group": ("prio", "pg"),
    "tc_to_dscp": ("tc", "dscp"),
}
PORT_ATTRIBUTES = (
    "SAI_PORT_ATTR_ADMIN_STATE",
    "SAI_PORT_ATTR_FEC_MODE",
    "SAI_PORT_ATTR_SPEED",
    "SAI_PORT_ATTR_MTU",
)
PFC_MODE = "SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL_MODE"
PFC_MASK = "SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL"
PFC_SENT_MASK = "SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL_TX"
POLICY_ATTRIBUTES = (*PORT_MAPS.values(), PFC_MODE, PFC_MASK, PFC_SENT_MASK)
MODES = {
    "SAI_PORT_PRIORITY_FLOW_CONTROL_MODE_COMBINED": False,
    "SAI_PORT_PRIORITY_FLOW_CONTROL_MODE_SEPARATE": True,
}
BOOLEANS = {"true": True, "false": False}
FECS = {"SAI_PORT_FEC_MODE_RS": "rs", "SAI_PORT_FEC_MODE_FC": "fc", "SAI_PORT_FEC_MODE_NONE": "none"}
MARKS = {
    f"SAI_ECN_MARK_MODE_{name.upper()}": f"ecn_{name}"
    for name in ("none", "green", "yellow", "red", "green_yellow", "green_red", "yellow_red", "all")
}
PROFILE_ATTRIBUTES = {
    "SAI_BUFFER_PROFILE_ATTR_RESERVED_BUFFER_SIZE": "size",
    "SAI_BUFFER_PROFILE_ATTR_BUFFER_SIZE": "size",
    "SAI_BUFFER_PROFILE_ATTR_XOFF_TH": "xoff",
    "SAI_BUFFER_PROFILE_ATTR_XON_TH": "xon",
    "SAI_BUFFER_PROFILE_ATTR_XON_OFFSET_TH": "xon_offset",
    "SAI_BUFFER_PROFILE_ATTR_SHARED_DYNAMIC_TH": "dynamic_th",
    "SAI_BUFFER_PROFILE_ATTR_SHARED_STATIC_TH": "static_th",
}
POOL_TYPES = {f"SAI_BUFFER_POOL_TYPE_{name.upper()}": name for name in ("ingress", "egress", "both")}
POOL_MODES = {f"SAI_BUFFER_POOL_THRESHOLD_MODE_{name.upper()}": name for name in ("static", "dynamic")}


def _doubt(row: Row, field: str) -> Unobserved:
    return Unobserved(f"{field} = {row[field]}")


def port_facts(row: Row) -> dict[str, Any]:
    """admin_up, speed_mbps, mtu_bytes and fec; UNSAID where orchagent never asked."""
    facts: dict[str, Any] = {}
    for fact, field, words in (
        ("admin_up", "SAI_PORT_ATTR_ADMIN_STATE", BOOLEANS),
        ("fec", "SAI_PORT_ATTR_FEC_MODE", FECS),
    ):
        known: Mapping[str, Any] = words
        facts[fact] = UNSAID if field not in row else known[row[field]] if row[field] in known else _doubt(row, field)
    for fact, field, extra in (
        ("speed_mbps", "SAI_PORT_ATTR_SPEED", 0),
        ("mtu_bytes", "SAI_PORT_ATTR_MTU", MTU_OVERHEAD_BYTES),
    ):
        value = number(row.get(field))
        facts[fact] = UNSAID if field not in row else _doubt(row, field) if value is None else value - extra
    return facts


def flow_control(row: Row) -> tuple[Any, Any]:
    """(priorities, asymmetric). A mask that was never asked for is SAI's default, 0."""
    mode = row.get(PFC_MODE, "SAI_PORT_PRIORITY_FLOW_CONTROL_MODE_COMBINED")
    if mode not in MODES:
        return _doubt(row, PFC_MODE), _doubt(row, PFC_MODE)
    field = PFC_SENT_MASK if MODES[mode] else PFC_MASK
    mask = number(row.get(field, "0"), range(256))
    if mask is None:
        return _doubt(row, field), MODES[mode]
    return tuple(priority for priority in range(8) if mask >> priority & 1), MODES[mode]


def wred_row(row: Row) -> Row:
    """A WRED object in the words of WRED_PROFILE. Attributes that aren't ours are left out."""
    mark = row.get("SAI_WRED_ATTR_ECN_MARK_MODE", "SAI_ECN_MARK_MODE_NONE")
    result = {"ecn": MARKS.get(mark, mark)}
    for colour in ("green", "yellow", "red"):
        head = f"SAI_WRED_ATTR_{colour.upper()}"
        for attribute, field in (
            (f"{head}_ENABLE", f"wred_{colour}_enable"),
            (f"{head}_MIN_THRESHOLD", f"{colour}_min_threshold"),
            (f"{head}_MAX_THRESHOLD", f"{colour}_max_threshold"),
            (f"{head}_DROP_PROBABILITY", f"{colour}_drop_probability"),
        ):
            if attribute in row:
                result[field] = row[attribute]
    return result


def profile_row(row: Row, pool_names: Mapping[str, str]) -> Row:
    """A buffer profile in the words of BUFFER_PROFILE; the threshold that its mode doesn't use is left out."""
    result = {field: row[attribute] for attribute, field in PROFILE_ATTRIBUTES.items() if attribute in row}
    pool = row.get("SAI_BUFFER_PROFILE_ATTR_POOL_ID", NULL)
    if pool != NULL:
        result["pool"] = pool_names.get(pool, pool)
    mode = row.get("SAI_BUFFER_PROFILE_ATTR_THRESHOLD_MODE", "")
    if mode.endswith("_DYNAMIC"):
        result.pop("static_th", None)
    elif mode.endswith("_STATIC"):
        result.pop("dynamic_th", None)
    return result


def pool_row(row: Row) -> Row:
    """A pool in the words of BUFFER_POOL."""
    result: Row = {}
    for attribute, field, words in (
        ("SAI_BUFFER_POOL_ATTR_TYPE", "type", POOL_TYPES),
        ("SAI_BUFFER_POOL_ATTR_THRESHOLD_MODE", "mode", POOL_MODES),
        ("SAI_BUFFER_POOL_ATTR_SIZE", "size", {}),
        ("SAI_BUFFER_POOL_ATTR_XOFF_SIZE", "xoff", {}),
    ):
        known: Mapping[str, str] = words
        if attribute in row:
            result[field] = known.get(row[attribute], row[attribute])
    return result
