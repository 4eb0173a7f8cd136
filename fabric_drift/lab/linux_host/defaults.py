"""What a ConnectX port has before anybody configures it, and what it is called.

DCQCN: community article DOC-2790, NVIDIA's DOCA page on DCQCN parameters, public ``mlxconfig`` dumps. DCB:
``mlx5e_ets_init`` of the kernel (tsa vendor, priorities 0 and 1 swapped), MLNX_OFED's buffers as ``dcb`` shows them.
"""

from __future__ import annotations

from dataclasses import dataclass

SERVICES = {"lldpd": "active", "openibd": "active", "lldpad": "missing"}
"""What runs after a boot."""

PRIORITIES = 8
DSCPS = 64

NOTIFICATION = {"min_time_between_cnps": 4, "cnp_dscp": 48, "cnp_802p_prio": 6}
REACTION = {
    "clamp_tgt_rate": 0,
    "clamp_tgt_rate_after_time_inc": 1,
    "rpg_time_reset": 300,
    "rpg_byte_reset": 32767,
    "rpg_threshold": 1,
    "rpg_max_rate": 0,
    "rpg_ai_rate": 5,
    "rpg_hai_rate": 50,
    "rpg_gd": 11,
    "rpg_min_dec_fac": 50,
    "rpg_min_rate": 1,
    "rate_to_set_on_first_cnp": 0,
    "dce_tcp_g": 1019,
    "dce_tcp_rtt": 1,
    "rate_reduce_monitor_period": 4,
    "initial_alpha_value": 1023,
}
RANGES = {
    "cnp_dscp": (0, 63),
    "cnp_802p_prio": (0, 7),
    "clamp_tgt_rate": (0, 1),
    "clamp_tgt_rate_after_time_inc": (0, 1),
    "rpg_min_dec_fac": (0, 100),
    "dce_tcp_g": (0, 1023),
    "dce_tcp_rtt": (1, 131_071),
    "initial_alpha_value": (1, 1023),
}
"""Values the driver takes; anything else is refused. Where nothing is listed: any unsigned 32-bit number."""

# Kernel's debugfs name -> (side, name in MLNX_OFED's sysfs); drivers/infiniband/hw/mlx5/cong.c.
CC_PARAMS = {
    "rp_clamp_tgt_rate": ("roce_rp", "clamp_tgt_rate"),
    "rp_clamp_tgt_rate_ati": ("roce_rp", "clamp_tgt_rate_after_time_inc"),
    "rp_time_reset": ("roce_rp", "rpg_time_reset"),
    "rp_byte_reset": ("roce_rp", "rpg_byte_reset"),
    "rp_threshold": ("roce_rp", "rpg_threshold"),
    "rp_ai_rate": ("roce_rp", "rpg_ai_rate"),
    "rp_max_rate": ("roce_rp", "rpg_max_rate"),
    "rp_hai_rate": ("roce_rp", "rpg_hai_rate"),
    "rp_min_dec_fac": ("roce_rp", "rpg_min_dec_fac"),
    "rp_min_rate": ("roce_rp", "rpg_min_rate"),
    "rp_rate_to_set_on_first_cnp": ("roce_rp", "rate_to_set_on_first_cnp"),
    "rp_dce_tcp_g": ("roce_rp", "dce_tcp_g"),
    "rp_dce_tcp_rtt": ("roce_rp", "dce_tcp_rtt"),
    "rp_rate_reduce_monitor_period": ("roce_rp", "rate_reduce_monitor_period"),
    "rp_initial_alpha_value": ("roce_rp", "initial_alpha_value"),
    "rp_gd": ("roce_rp", "rpg_gd"),
    "np_min_time_between_cnps": ("roce_np", "min_time_between_cnps"),
    "np_cnp_dscp": ("roce_np", "cnp_dscp"),
    "np_cnp_prio": ("roce_np", "cnp_802p_prio"),
}

# Firmware parameters as mlxconfig shows them; the first sixteen follow the table above.
FIRMWARE = {
    "ROCE_CC_PRIO_MASK_P1": "255",
    "CNP_DSCP_P1": "48",
    "CNP_802P_PRIO_P1": "6",
    "CLAMP_TGT_RATE_P1": "False(0)",
    "CLAMP_TGT_RATE_AFTER_TIME_INC_P1": "True(1)",
    "RPG_TIME_RESET_P1": "300",
    "RPG_BYTE_RESET_P1": "32767",
    "RPG_THRESHOLD_P1": "1",
    "RPG_MAX_RATE_P1": "0",
    "RPG_AI_RATE_P1": "5",
    "RPG_HAI_RATE_P1": "50",
    "RPG_GD_P1": "11",
    "RPG_MIN_DEC_FAC_P1": "50",
    "RPG_MIN_RATE_P1": "1",
    "RATE_TO_SET_ON_FIRST_CNP_P1": "0",
    "DCE_TCP_G_P1": "1019",
    "DCE_TCP_RTT_P1": "1",
    "RATE_REDUCE_MONITOR_PERIOD_P1": "4",
    "INITIAL_ALPHA_VALUE_P1": "1023",
    "MIN_TIME_BETWEEN_CNPS_P1": "4",
    "LLDP_NB_DCBX_P1": "False(0)",
    "LLDP_NB_RX_MODE_P1": "OFF(0)",
    "LLDP_NB_TX_MODE_P1": "OFF(0)",
    "DCBX_IEEE_P1": "True(1)",
    "DCBX_CEE_P1": "True(1)",
    "DCBX_WILLING_P1": "True(1)",
    "NUM_OF_TC_P1": "_8_TCs(0)",
    "NUM_OF_VL_P1": "_4_VLs(3)",
    "KEEP_ETH_LINK_UP_P1": "True(1)",
    "LINK_TYPE_P1": "ETH(2)",
    "ROCE_CONTROL": "ROCE_ENABLE(2)",
    "ROCE_ADAPTIVE_ROUTING_EN": "False(0)",
    "SRIOV_EN": "False(0)",
    "NUM_OF_VFS": "0",
    "PCI_WR_ORDERING": "per_mkey(0)",
    "ATS_ENABLED": "False(0)",
    "ADVANCED_PCI_SETTINGS": "False(0)",
    "CQE_COMPRESSION": "BALANCED(0)",
    "TUNNEL_ECN_COPY_DISABLE": "False(0)",
    "USER_PROGRAMMABLE_CC": "False(0)",
    "HOST_CHAINING_DESCRIPTORS": "Array[0..7]",
}
ENUMS = {
    "LINK_TYPE_P1": {1: "IB(1)", 2: "ETH(2)"},
    "LLDP_NB_RX_MODE_P1": {0: "OFF(0)", 1: "MANDATORY(1)", 2: "ALL(2)"},
    "LLDP_NB_TX_MODE_P1": {0: "OFF(0)", 1: "MANDATORY(1)", 2: "ALL(2)"},
    "ROCE_CONTROL": {1: "ROCE_DISABLE(1)", 2: "ROCE_ENABLE(2)"},
    "PCI_WR_ORDERING": {0: "per_mkey(0)", 1: "force_relax(1)"},
    "CQE_COMPRESSION": {0: "BALANCED(0)", 1: "AGGRESSIVE(1)"},
}


@dataclass(frozen=True, slots=True)
class Model:
    """What a NIC says it is."""

    driver: str
    hca_type: str = ""
    psid: str = ""
    firmware: str = ""
    device_type: str = ""
    part: str = ""


CONNECTX7 = Model("mlx5_core", "MT4129", "MT_0000000838", "28.43.1014", "ConnectX7", "MCX75310AAS-NEA_Ax")
CONNECTX6 = Model("mlx5_core", "MT4123", "MT_0000000223", "20.43.1014", "ConnectX6", "MCX653105A-HDA_Ax")
INTEL = Model("ixgbe", firmware="0x80000d15")


def dcb() -> dict[str, object]:
    """DCB tables of a port after its driver came up with firmware defaults."""
    return {
        "dscp_to_priority": [0] * DSCPS,
        "dscp_entries": [],
        "pfc": [False] * PRIORITIES,
        "delay": 7,
        "tc_tsa": ["vendor"] * PRIORITIES,
        "tc_bw": [100] * PRIORITIES,
        "priority_to_tc": [1, 0, 2, 3, 4, 5, 6, 7],
        "priority_to_buffer": [0] * PRIORITIES,
        "buffer_bytes": [130_944, 130_944, 0, 0, 0, 0, 0, 0],
        "total_bytes": 262_016,
        "maxrate_kbps": [0] * PRIORITIES,
        "dcbx": "os",
    }


def ecn() -> dict[str, object]:
    """DCQCN of a port: on for every priority."""
    return {
        "roce_np": {"enable": [1] * PRIORITIES, **NOTIFICATION},
        "roce_rp": {"enable": [1] * PRIORITIES, **REACTION},
    }
