"""CONFIG_DB's words: tables, fields and ranges. Data only.

Sources: SONiC YANG models of 202411, 202505 and 202511 (sonic-buildimage src/sonic-yang-models), swss
orchagent/qosorch.cpp, orchagent/pfcwdorch.cpp, orchagent/portsorch.cpp and cfgmgr/buffermgr.cpp.
"""

from __future__ import annotations

from typing import NamedTuple

RELEASES = ("202411", "202505", "202511")


class NamedMap(NamedTuple):
    """A table of named maps: the field of PORT_QOS_MAP that refers to it, its fact, and the ranges."""

    table: str
    reference: str
    fact: str
    keys: range
    values: range


MAPS = (
    NamedMap("DSCP_TO_TC_MAP", "dscp_to_tc_map", "dscp_to_tc", range(64), range(16)),
    NamedMap("DOT1P_TO_TC_MAP", "dot1p_to_tc_map", "pcp_to_tc", range(8), range(16)),
    NamedMap("TC_TO_QUEUE_MAP", "tc_to_queue_map", "tc_to_queue", range(16), range(10)),
    NamedMap("TC_TO_PRIORITY_GROUP_MAP", "tc_to_pg_map", "tc_to_priority_group", range(16), range(8)),
    NamedMap("MAP_PFC_PRIORITY_TO_QUEUE", "pfc_to_queue_map", "pfc_priority_to_queue", range(8), range(8)),
    NamedMap(
        "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
        "pfc_to_pg_map",
        "pfc_priority_to_priority_group",
        range(8),
        range(8),
    ),
    NamedMap("TC_TO_DSCP_MAP", "tc_to_dscp_map", "tc_to_dscp", range(16), range(64)),
)
MAP_OF_FACT = {item.fact: item for item in MAPS}

QUEUES = range(8)
"""Unicast queues that are spoken of; also priority groups and PFC priorities."""

PORT_QOS_FIELDS = frozenset({item.reference for item in MAPS} | {"pfc_enable", "pfcwd_sw_enable"})
PORT_QOS_FOREIGN = frozenset({"mpls_tc_to_tc_map", "dscp_to_fc_map", "exp_to_fc_map"})
"""Classify MPLS or class-based forwarding: nothing that a lossless class rests on."""

QUEUE_FIELDS = frozenset({"scheduler", "wred_profile"})
PROFILE_REFERENCE = frozenset({"profile"})
PFC_WD_FIELDS = frozenset({"action", "detection_time", "restoration_time"})
PFC_WD_FOREIGN = frozenset({"pfc_stat_history"})
"""Statistics only (202511)."""
SCHEDULER_FIELDS = frozenset({"type", "weight"})
COLOURS = ("green", "red", "yellow")
WRED_FIELDS = frozenset(
    {"ecn"}
    | {f"wred_{colour}_enable" for colour in COLOURS}
    | {f"{colour}_{part}" for colour in COLOURS for part in ("min_threshold", "max_threshold", "drop_probability")}
)
ECN_COLOURS = {
    "ecn_none": (),
    "ecn_green": ("green",),
    "ecn_yellow": ("yellow",),
    "ecn_red": ("red",),
    "ecn_green_yellow": ("green", "yellow"),
    "ecn_green_red": ("green", "red"),
    "ecn_yellow_red": ("red", "yellow"),
    "ecn_all": COLOURS,
}
ECN_OF_COLOURS = {colours: name for name, colours in ECN_COLOURS.items()}
POOL_FIELDS = frozenset({"type", "mode", "size", "xoff"})
PROFILE_FIELDS = frozenset({"pool", "size", "xon", "xoff", "xon_offset", "static_th", "dynamic_th"})
PROFILE_KNOWN = PROFILE_FIELDS | {"headroom_type", "packet_discard_action"}

OWNED = frozenset(
    {item.table for item in MAPS}
    | {
        "BUFFER_PG",
        "BUFFER_POOL",
        "BUFFER_PORT_EGRESS_PROFILE_LIST",
        "BUFFER_PORT_INGRESS_PROFILE_LIST",
        "BUFFER_PROFILE",
        "BUFFER_QUEUE",
        "CABLE_LENGTH",
        "DEFAULT_LOSSLESS_BUFFER_PARAMETER",
        "DEVICE_METADATA",
        "PFC_WD",
        "PORT",
        "PORT_QOS_MAP",
        "QUEUE",
        "SCHEDULER",
        "TUNNEL",
        "WRED_PROFILE",
    }
)
"""Tables that are read. Of PORT, DEVICE_METADATA and TUNNEL only some fields are ours."""

DEFAULT_MTU_BYTES = 9100
"""portmgrd, where PORT has no mtu."""
DEFAULT_PROBABILITY_PERCENT = 100
SPEEDS_MBPS = range(1, 1_600_001)
MTU_RANGE = range(68, 9217)
DETECT_MS = range(100, 5001)
RESTORE_MS = range(100, 60001)
POLL_MS = {"202411": range(100, 3001), "202505": range(100, 3001), "202511": range(100, 1001)}
ACTIONS = ("alert", "drop", "forward")
FECS = ("auto", "fc", "none", "rs")
WEIGHTS = range(1, 101)
ALPHA_EXPONENTS = range(-8, 8)
TRAFFIC_CLASSES = range(8)
"""YANG admits 0-15; switches forward with 8."""

BUFFER_MODELS = {"dynamic": "dynamic", "traditional": "static"}
"""buffermgrd takes a missing ``buffer_model`` for traditional."""
LOSSLESS_POOL = "ingress_lossless_pool"
"""buffermgrd has this name built in."""
CONVENTIONAL_POOLS = (
    "egress_lossless_pool",
    "egress_lossy_pool",
    "ingress_lossless_pool",
    "ingress_lossy_pool",
    "ingress_zero_pool",
)
"""Pools of the stock templates: where the intent doesn't name them they aren't drift."""
CONVENTIONAL_PROFILES = (
    "egress_lossless_profile",
    "egress_lossy_profile",
    "ingress_lossless_profile",
    "ingress_lossy_profile",
)
"""Buffer profiles of the stock templates: profile lists refer to them, whatever the ports use."""
SPECTRUM_PROFILES = {
    "egress_lossless_profile": {"pool": "egress_lossless_pool", "size": "0", "dynamic_th": "7"},
    "egress_lossy_profile": {"pool": "egress_lossy_pool", "size": "9216", "dynamic_th": "7"},
    "ingress_lossless_profile": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "7"},
    "ingress_lossy_profile": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3"},
}
"""What the stock profile lists of Spectrum switches name."""
SPECTRUM_PROFILE_LISTS = {
    "EGRESS": "egress_lossless_profile,egress_lossy_profile",
    "INGRESS": "ingress_lossless_profile,ingress_lossy_profile",
}
SPECTRUM_POOLS = {
    "egress_lossless_pool": {"type": "egress", "mode": "dynamic"},
    "egress_lossy_pool": {"type": "egress", "mode": "dynamic"},
    "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic"},
}
"""Their stock pools in the dynamic model, which computes the sizes."""
AZURE = "AZURE"
"""The one row of CABLE_LENGTH and DEFAULT_LOSSLESS_BUFFER_PARAMETER that SONiC reads."""

NVIDIA_ASICS = ("mellanox",)
PFC_TO_GROUP_ASICS = ("mellanox", "barefoot")
"""The stock template renders PFC_PRIORITY_TO_PRIORITY_GROUP_MAP for these only."""
