"""What SONiC can read and write, fact by fact, with disruption and where that is known from. Data only.

Write rows speak of the route by ``config apply-patch`` (GCU) on a running switch. PORT_FLAP is what GCU's
patch sorter does by itself: it puts ``admin_status: down`` before and ``up`` after any change of a per-port QoS
or buffer row. NONE means that GCU was run and does not flap for this kind of change, and that nothing of it moves
packets by what it is; nobody has measured what an ASIC does meanwhile. A map edited in place moves packets that are
on their way to another queue (REORDER), a cable length makes buffermgrd bind another headroom (LOSSLESS_GAP).
"""

from __future__ import annotations

from fabric_drift.finding import Layer
from fabric_drift.platform import Capability, Disruption, Operation
from fabric_drift.platforms.sonic import tables as t
from fabric_drift.state.values import Path

CONFIG = (Layer.SAVED, Layer.RUNNING)
BOTH = (*CONFIG, Layer.SAI)
BUFFERS = (*CONFIG, Layer.NOS, Layer.SAI)
QOS = "ports/*/qos"

YANG = "sonic-yang-models of 202411, 202505, 202511"
SORTER = "sonic-utilities generic_config_updater/patch_sorter.py, RequiredValueIdentifier (202205 to 202511)"
VALIDATORS = "sonic-utilities generic_config_updater/field_operation_validators.py"

NO_FLAP = "sonic-utilities GCU run offline, master: no change of a port's admin_status for this table"
OBJECT_EDITS: dict[str, tuple[Disruption, str]] = {
    **dict.fromkeys((item.table for item in t.MAPS), (Disruption.REORDER, f"{NO_FLAP}; packets move between queues")),
    "BUFFER_POOL": (Disruption.UNKNOWN, "what an ASIC does to a pool in use is not known"),
    "BUFFER_PROFILE": (Disruption.UNKNOWN, f"{NO_FLAP}; what an ASIC does to a buffer in use is not known"),
    "CABLE_LENGTH": (Disruption.LOSSLESS_GAP, f"{NO_FLAP}; buffermgrd binds another headroom"),
    "DEFAULT_LOSSLESS_BUFFER_PARAMETER": (Disruption.LOSSLESS_GAP, "every computed headroom is bound anew"),
    "PFC_WD": (Disruption.NONE, NO_FLAP),
    "PORT_QOS_MAP": (Disruption.REORDER, "the switch-wide map; packets move between queues"),
    "SCHEDULER": (Disruption.NONE, NO_FLAP),
    "WRED_PROFILE": (Disruption.NONE, NO_FLAP),
}
"""Edits in place of named rows, by table: what they disturb, and where that is known from."""
ROW_EDITS: dict[str, tuple[Disruption, str]] = {
    "mtu": (Disruption.NONE, NO_FLAP),
    "pfc_asym": (Disruption.UNKNOWN, "what an ASIC does to a port that changes its PFC mode is not known"),
}
"""Edits of fields of PORT that restart no link."""

# fact, layers that carry it, where it is
_READ: tuple[tuple[str, tuple[Layer, ...], str], ...] = (
    ("identity", CONFIG, "DEVICE_METADATA|localhost, sonic_version.yml"),
    ("buffer_model", CONFIG, "DEVICE_METADATA|localhost buffer_model"),
    ("pools/*", BUFFERS, "BUFFER_POOL; APPL_DB BUFFER_POOL_TABLE; SAI_OBJECT_TYPE_BUFFER_POOL"),
    ("watchdog/poll_ms", CONFIG, "PFC_WD|GLOBAL POLL_INTERVAL"),
    ("unreferenced", CONFIG, "references between all owned tables"),
    ("ports/*/admin_up", BUFFERS, "PORT admin_status"),
    ("ports/*/oper_up", (Layer.NOS,), "APPL_DB PORT_TABLE oper_status"),
    ("ports/*/speed_mbps", BUFFERS, "PORT speed"),
    ("ports/*/mtu_bytes", BUFFERS, "PORT mtu, 9100 where it is missing; SAI_PORT_ATTR_MTU - 22"),
    ("ports/*/fec", BUFFERS, "PORT fec; SAI_PORT_ATTR_FEC_MODE"),
    ("ports/*/neighbour", (Layer.NOS,), "APPL_DB LLDP_ENTRY_TABLE"),
    (f"{QOS}/trust", CONFIG, "PORT_QOS_MAP: which map is bound"),
    (f"{QOS}/maps", BOTH, "PORT_QOS_MAP and the named maps; SAI_OBJECT_TYPE_QOS_MAP"),
    (f"{QOS}/pfc/priorities", BOTH, "PORT_QOS_MAP pfc_enable; SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL"),
    (f"{QOS}/pfc/asymmetric", BOTH, "PORT pfc_asym; SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL_MODE"),
    (f"{QOS}/pfc/watchdog", CONFIG, "PFC_WD|<port>, PORT_QOS_MAP pfcwd_sw_enable"),
    (f"{QOS}/scheduling", CONFIG, "QUEUE scheduler, SCHEDULER"),
    (f"{QOS}/queues/*/ecn", BOTH, "QUEUE wred_profile, WRED_PROFILE; SAI_OBJECT_TYPE_WRED"),
    (f"{QOS}/queues/*/buffer", BUFFERS, "BUFFER_QUEUE, BUFFER_PROFILE"),
    (f"{QOS}/priority_groups/*", BUFFERS, "BUFFER_PG, BUFFER_PROFILE; computed bytes only in nos and sai"),
    (f"{QOS}/cable_length_m", CONFIG, "CABLE_LENGTH|AZURE"),
)

# fact, disruption, how, and the source of both
_WRITE: tuple[tuple[str, Disruption, str, str], ...] = (
    ("buffer_model", Disruption.RESTART, "config reload or restart of swss", "sonic-swss pull 1956"),
    ("ports/*/admin_up", Disruption.PORT_FLAP, "PORT admin_status", "by what it is"),
    (
        "ports/*/speed_mbps",
        Disruption.PORT_FLAP,
        "PORT speed; also a new lossless profile",
        "sonic-buildimage issue 11328",
    ),
    ("ports/*/mtu_bytes", Disruption.NONE, "PORT mtu; GCU does not flap", SORTER),
    (
        "ports/*/fec",
        Disruption.PORT_FLAP,
        "PORT fec, the link trains anew; checked against supported_fecs in STATE_DB",
        VALIDATORS,
    ),
    (
        "watchdog/poll_ms",
        Disruption.NONE,
        "pfcwd interval; GCU can edit it but not create PFC_WD|GLOBAL",
        VALIDATORS,
    ),
    (f"{QOS}/trust", Disruption.PORT_FLAP, "PORT_QOS_MAP row of the port", SORTER),
    (f"{QOS}/maps", Disruption.REORDER, "entry of a named map in place; GCU does not flap", SORTER),
    (f"{QOS}/pfc/priorities", Disruption.PORT_FLAP, "PORT_QOS_MAP row of the port", SORTER),
    (f"{QOS}/pfc/asymmetric", Disruption.UNKNOWN, "PORT pfc_asym", SORTER),
    (f"{QOS}/pfc/watchdog", Disruption.NONE, "PFC_WD row; GCU does not flap", VALIDATORS),
    (f"{QOS}/pfc/watchdog/priorities", Disruption.PORT_FLAP, "PORT_QOS_MAP row of the port", SORTER),
    (f"{QOS}/scheduling", Disruption.PORT_FLAP, "QUEUE rows; a weight of a SCHEDULER row alone does not flap", SORTER),
    (f"{QOS}/queues/*/ecn", Disruption.NONE, "WRED_PROFILE in place; GCU does not flap", VALIDATORS),
    (f"{QOS}/queues/*/buffer", Disruption.PORT_FLAP, "BUFFER_QUEUE rows", SORTER),
    (f"{QOS}/priority_groups/*", Disruption.PORT_FLAP, "BUFFER_PG rows", SORTER),
    (
        f"{QOS}/priority_groups/*/xoff_bytes",
        Disruption.UNKNOWN,
        "BUFFER_PROFILE xoff; GCU does not flap",
        VALIDATORS,
    ),
    (
        f"{QOS}/priority_groups/*/alpha_exponent",
        Disruption.UNKNOWN,
        "BUFFER_PROFILE dynamic_th; GCU does not flap",
        VALIDATORS,
    ),
    (f"{QOS}/cable_length_m", Disruption.LOSSLESS_GAP, "CABLE_LENGTH; buffermgrd rebinds the lossless group", SORTER),
)

# fact, releases, how and why: what GCU's field validators refuse is written by a config reload
_RELOAD: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("pools/*", ("202511",), "GCU refuses every change of BUFFER_POOL"),
    ("pools/*", ("202411", "202505"), "GCU replaces size and xoff of ingress_lossless_pool only"),
    (f"{QOS}/queues/*/ecn/colours", ("202411", "202505"), "GCU refuses ecn and wred_*_enable"),
    (f"{QOS}/queues/*/ecn/wred_drop", ("202411", "202505"), "GCU refuses wred_*_enable"),
    (f"{QOS}/queues/*/ecn/colour_thresholds", ("202411", "202505"), "GCU refuses yellow and red"),
    (f"{QOS}/priority_groups/*/size_bytes", ("*",), "GCU refuses size of a BUFFER_PROFILE"),
    (f"{QOS}/priority_groups/*/xon_bytes", ("*",), "GCU refuses xon of a BUFFER_PROFILE"),
    (f"{QOS}/priority_groups/*/xon_offset_bytes", ("*",), "GCU refuses xon_offset of a BUFFER_PROFILE"),
)

# fact, why it can't be written, source of that
_NEVER: tuple[tuple[str, str, str], ...] = (
    ("ports/*/oper_up", "what the link does", "by what it is"),
    ("ports/*/neighbour", "what is plugged in", "by what it is"),
    ("identity", "another device", "by what it is"),
    (f"{QOS}/global_pause", "SONiC has no 802.3x pause", YANG),
    (f"{QOS}/dcbx", "SONiC speaks no DCBX", YANG),
    (f"{QOS}/queues/*/ecn/kmin_ns", "thresholds in bytes only", YANG),
    (f"{QOS}/queues/*/ecn/kmax_ns", "thresholds in bytes only", YANG),
    (f"{QOS}/queues/*/ecn/kmin_fill_percent", "thresholds in bytes only", YANG),
    (f"{QOS}/queues/*/ecn/kmax_fill_percent", "thresholds in bytes only", YANG),
    (f"{QOS}/queues/*/ecn/weight", "no averaging weight in CONFIG_DB", YANG),
)

CAPABILITIES: tuple[Capability, ...] = (
    *(
        Capability(
            fact, Operation.READ, layers=layers, disruption=Disruption.NONE, how=how, proof="schema", source=YANG
        )
        for fact, layers, how in _READ
    ),
    *(
        Capability(fact, Operation.WRITE, layers=CONFIG, disruption=disruption, how=how, proof="source", source=source)
        for fact, disruption, how, source in _WRITE
    ),
    *(
        Capability(
            fact,
            Operation.WRITE,
            releases=releases,
            layers=CONFIG,
            disruption=Disruption.RESTART,
            how=f"config reload: {how}",
            proof="source",
            source=VALIDATORS,
        )
        for fact, releases, how in _RELOAD
    ),
    *(
        Capability(fact, Operation.WRITE, supported=False, how=how, proof="schema", source=source)
        for fact, how, source in _NEVER
    ),
)

OBJECT_FIELDS: tuple[Path, ...] = tuple(tuple(fact.split("/")) for fact, _, _ in _READ)
