"""Options of OpenSM 3.3: default, what may be written, and when a change takes effect.

Defaults: ``opensm -c`` of 3.3.23. Ranges and reload classes: option table of opensm/osm_subnet.c (``can_update``) and
the manual page; where neither says that HUP re-reads an option, it is held to need a restart.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from fabric_drift.state.values import ABSENT, Leaf, Missing

SECRETS = {"m_key": 0, "sm_key": 1, "sa_key": 1, "cc_key": 0}
"""Keys and their open defaults. Their values never leave the node: a state says "default" or "set"."""


@dataclass(frozen=True, slots=True)
class Option:
    """``kind``: bool, u64, text, ``low-high`` or the allowed words. ``reload``: H (HUP re-reads it) or R (restart)."""

    name: str
    default: str
    kind: str
    reload: str

    def value(self, text: str) -> Leaf | Missing:
        """The value that ``text`` stands for. Raises ValueError with a sentence for what OpenSM would not take."""
        text = text.strip()
        if self.name in SECRETS:
            return _key(self.name, text)
        if text == "(null)":
            return ABSENT
        if self.kind in _PLAIN:
            return _PLAIN[self.kind](text)
        span = re.fullmatch(r"(-?[0-9]+)-([0-9]+)", self.kind)
        if span is None:
            if text not in self.kind.split(","):
                raise ValueError(f"{text!r} is not one of {self.kind.replace(',', ', ')}")
            return text
        number, low, high = _number(text), int(span[1]), int(span[2])
        if not low <= number <= high:
            raise ValueError(f"{text} is outside {low} to {high}")
        return number


def _key(name: str, text: str) -> str:
    if text in ("default", "set"):  # the node has already taken the value away
        return text
    return "default" if _number(text) == SECRETS[name] else "set"


def _truth(text: str) -> bool:
    if text.upper() not in ("TRUE", "FALSE"):
        # OpenSM takes any other word without a sound, and as what isn't documented.
        raise ValueError(f"{text!r} is not TRUE or FALSE")
    return text.upper() == "TRUE"


def _number(text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,20}|0x[0-9a-fA-F]{1,16}", text):
        raise ValueError(f"{text[:40]!r} is not a number")
    return int(text, 0) if text.startswith("0x") else int(text)


_PLAIN: dict[str, Callable[[str], Leaf]] = {
    "bool": _truth,
    "u64": lambda text: f"0x{_number(text):016x}",
    "text": str,
}

_TABLE = """
guid | 0x0000000000000000 | u64 | R
m_key | 0x0000000000000000 | u64 | H
m_key_lease_period | 0 | 0-65535 | H
m_key_protection_level | 0 | 0-3 | H
m_key_lookup | TRUE | bool | H
sm_key | 0x0000000000000001 | u64 | H
sa_key | 0x0000000000000001 | u64 | H
subnet_prefix | 0xfe80000000000000 | u64 | R
lmc | 0 | 0-7 | R
lmc_esp0 | FALSE | bool | R
sm_sl | 0 | 0-15 | H
packet_life_time | 0x12 | 0-20 | H
vl_stall_count | 0x07 | 1-7 | H
leaf_vl_stall_count | 0x07 | 1-7 | H
head_of_queue_lifetime | 0x12 | 0-20 | H
leaf_head_of_queue_lifetime | 0x10 | 0-20 | H
max_op_vls | 5 | 1-5 | H
force_link_speed | 15 | 0-4294967295 | H
force_link_speed_ext | 31 | 0-4294967295 | H
force_link_width | 255 | 0-4294967295 | H
fdr10 | 1 | 0-4294967295 | H
subnet_timeout | 18 | 0-31 | H
local_phy_errors_threshold | 0x08 | 0-15 | H
overrun_errors_threshold | 0x08 | 0-15 | H
use_mfttop | TRUE | bool | R
partition_config_file | /etc/opensm/partitions.conf | text | R
no_partition_enforcement | FALSE | bool | R
part_enforce | both | both,in,out,off | H
allow_both_pkeys | FALSE | bool | R
keep_pkey_indexes | TRUE | bool | H
sm_assigned_guid | 0x00 | u64 | R
sweep_interval | 10 | 0-2147483647 | H
reassign_lids | FALSE | bool | R
force_heavy_sweep | FALSE | bool | H
sweep_on_trap | TRUE | bool | H
port_profile_switch_nodes | FALSE | bool | R
port_prof_ignore_file | (null) | text | R
hop_weights_file | (null) | text | R
port_search_ordering_file | (null) | text | R
routing_engine | (null) | text | R
avoid_throttled_links | FALSE | bool | R
connect_roots | FALSE | bool | R
use_ucast_cache | FALSE | bool | H
lid_matrix_dump_file | (null) | text | R
lfts_file | (null) | text | R
root_guid_file | (null) | text | R
cn_guid_file | (null) | text | R
io_guid_file | (null) | text | R
quasi_ftree_indexing | FALSE | bool | H
max_reverse_hops | 0 | 0-65535 | R
ids_guid_file | (null) | text | R
guid_routing_order_file | (null) | text | R
do_mesh_analysis | FALSE | bool | R
lash_start_vl | 0 | 0-4294967295 | R
nue_max_num_vls | 1 | 0-4294967295 | R
nue_include_switches | FALSE | bool | R
port_shifting | FALSE | bool | H
scatter_ports | 0 | 0-4294967295 | H
guid_routing_order_no_scatter | FALSE | bool | R
sa_db_file | (null) | text | R
sa_db_dump | FALSE | bool | H
torus_config | /etc/opensm/torus-2QoS.conf | text | H
sm_priority | 0 | 0-15 | H
ignore_other_sm | FALSE | bool | H
sminfo_polling_timeout | 10000 | 1-2147483647 | H
polling_retry_number | 4 | 1-2147483647 | H
honor_guid2lid_file | FALSE | bool | H
max_wire_smps | 4 | 0-2147483647 | H
max_wire_smps2 | 4 | 0-4294967295 | H
max_smps_timeout | 600000 | 0-4294967295 | H
transaction_timeout | 200 | 0-4294967295 | R
transaction_retries | 3 | 0-4294967295 | R
long_transaction_timeout | 500 | 0-4294967295 | R
max_msg_fifo_timeout | 10000 | 0-4294967295 | R
single_thread | FALSE | bool | R
daemon | FALSE | bool | R
sm_inactive | FALSE | bool | H
babbling_port_policy | FALSE | bool | H
drop_event_subscriptions | FALSE | bool | H
ipoib_mcgroup_creation_validation | TRUE | bool | R
mcgroup_join_validation | TRUE | bool | R
use_original_extended_sa_rates_only | FALSE | bool | R
use_optimized_slvl | FALSE | bool | H
fsync_high_avail_files | TRUE | bool | H
perfmgr | FALSE | bool | R
perfmgr_redir | TRUE | bool | R
perfmgr_sweep_time_s | 180 | 0-4294967295 | R
perfmgr_max_outstanding_queries | 500 | 0-4294967295 | R
perfmgr_ignore_cas | FALSE | bool | R
perfmgr_rm_nodes | TRUE | bool | R
perfmgr_log_errors | TRUE | bool | R
perfmgr_query_cpi | TRUE | bool | R
perfmgr_xmit_wait_log | FALSE | bool | R
perfmgr_xmit_wait_threshold | 65535 | 0-4294967295 | R
event_db_dump_file | (null) | text | R
event_plugin_name | (null) | text | R
event_plugin_options | (null) | text | R
node_name_map_name | (null) | text | R
log_flags | 0x03 | 0-255 | H
force_log_flush | FALSE | bool | H
log_file | /var/log/opensm.log | text | R
log_max_size | 0 | 0-4294967295 | H
accum_log_file | TRUE | bool | H
per_module_logging_file | /etc/opensm/per-module-logging.conf | text | R
dump_files_dir | /var/log/ | text | R
enable_quirks | FALSE | bool | R
no_clients_rereg | FALSE | bool | H
disable_multicast | FALSE | bool | H
exit_on_fatal | TRUE | bool | H
console | off | off,local,loopback | R
console_port | 10000 | 1-65535 | R
qos | FALSE | bool | H
qos_policy_file | /etc/opensm/qos-policy.conf | text | R
suppress_sl2vl_mad_status_errors | FALSE | bool | H
qos_max_vls | 0 | 0-15 | H
qos_high_limit | -1 | -1-255 | H
qos_vlarb_high | (null) | text | H
qos_vlarb_low | (null) | text | H
qos_sl2vl | (null) | text | H
qos_ca_max_vls | 0 | 0-15 | H
qos_ca_high_limit | -1 | -1-255 | H
qos_ca_vlarb_high | (null) | text | H
qos_ca_vlarb_low | (null) | text | H
qos_ca_sl2vl | (null) | text | H
qos_sw0_max_vls | 0 | 0-15 | H
qos_sw0_high_limit | -1 | -1-255 | H
qos_sw0_vlarb_high | (null) | text | H
qos_sw0_vlarb_low | (null) | text | H
qos_sw0_sl2vl | (null) | text | H
qos_swe_max_vls | 0 | 0-15 | H
qos_swe_high_limit | -1 | -1-255 | H
qos_swe_vlarb_high | (null) | text | H
qos_swe_vlarb_low | (null) | text | H
qos_swe_sl2vl | (null) | text | H
qos_rtr_max_vls | 0 | 0-15 | H
qos_rtr_high_limit | -1 | -1-255 | H
qos_rtr_vlarb_high | (null) | text | H
qos_rtr_vlarb_low | (null) | text | H
qos_rtr_sl2vl | (null) | text | H
congestion_control | FALSE | bool | H
cc_key | 0x0000000000000000 | u64 | R
cc_max_outstanding_mads | 500 | 0-4294967295 | R
cc_sw_cong_setting_control_map | 0x0 | 0-4294967295 | H
cc_sw_cong_setting_victim_mask | 0x0000000000000000000000000000000000000000000000000000000000000000 | text | H
cc_sw_cong_setting_credit_mask | 0x0000000000000000000000000000000000000000000000000000000000000000 | text | H
cc_sw_cong_setting_threshold | 0x00 | 0-4294967295 | H
cc_sw_cong_setting_packet_size | 0 | 0-4294967295 | H
cc_sw_cong_setting_credit_starvation_threshold | 0x00 | 0-4294967295 | H
cc_sw_cong_setting_credit_starvation_return_delay | 0:0 | text | H
cc_sw_cong_setting_marking_rate | 0 | 0-4294967295 | H
cc_ca_cong_setting_port_control | 0x0000 | 0-4294967295 | H
cc_ca_cong_setting_control_map | 0x0000 | 0-4294967295 | H
cc_ca_cong_setting_ccti_timer | 0 0 | text | H
cc_ca_cong_setting_ccti_increase | 0 0 | text | H
cc_ca_cong_setting_trigger_threshold | 0 0 | text | H
cc_ca_cong_setting_ccti_min | 0 0 | text | H
cc_cct | (null) | text | H
prefix_routes_file | /etc/opensm/prefix-routes.conf | text | R
consolidate_ipv6_snm_req | FALSE | bool | R
log_prefix | (null) | text | R
"""


def _options() -> dict[str, Option]:
    rows = [line.split(" | ") for line in _TABLE.strip().splitlines()]
    return {row[0]: Option(*row) for row in rows}


OPTIONS = _options()


def defaults() -> dict[str, Leaf | Missing]:
    """The effective options of an OpenSM without a file."""
    return {name: option.value(option.default) for name, option in OPTIONS.items()}
