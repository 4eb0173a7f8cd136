"""CONFIG_DB: what isn't understood is told with its row, and its fact is unobserved; never equal, never gone."""

from __future__ import annotations

from typing import Any

import pytest

from fabric_drift.finding import Layer
from fabric_drift.state.tree import facts
from fabric_drift.state.values import Unobserved
from tests.platforms.sonic.configs import PORT, fact, leaf, told
from tests.platforms.sonic.devices import merged, read

# what is put into CONFIG_DB -> the row that must be told, and the fact that must be unobserved
FAULTS: dict[str, tuple[dict[str, Any], str, tuple[str, ...]]] = {
    "a DSCP that is none": (
        {"DSCP_TO_TC_MAP": {"ROCE": {"64": "3"}}},
        "DSCP_TO_TC_MAP|ROCE 64 = 3",
        ("maps", "dscp_to_tc"),
    ),
    "a traffic class that is no number": (
        {"DSCP_TO_TC_MAP": {"ROCE": {"26": "three"}}},
        "DSCP_TO_TC_MAP|ROCE 26 = three",
        ("maps", "dscp_to_tc"),
    ),
    "a reference to no map": (
        {"PORT_QOS_MAP": {PORT: {"tc_to_queue_map": "NOWHERE"}}},
        f"PORT_QOS_MAP|{PORT} tc_to_queue_map = NOWHERE",
        ("maps", "tc_to_queue"),
    ),
    "priorities with a space": (
        {"PORT_QOS_MAP": {PORT: {"pfc_enable": "3, 4"}}},
        f"PORT_QOS_MAP|{PORT} pfc_enable = 3, 4",
        ("pfc", "priorities"),
    ),
    "a priority of 8": (
        {"PORT_QOS_MAP": {PORT: {"pfc_enable": "8"}}},
        f"PORT_QOS_MAP|{PORT} pfc_enable = 8",
        ("pfc", "priorities"),
    ),
    "asymmetric PFC that is neither on nor off": (
        {"PORT": {PORT: {"pfc_asym": "maybe"}}},
        f"PORT|{PORT} pfc_asym = maybe",
        ("pfc", "asymmetric"),
    ),
    "a watchdog action nobody knows": (
        {"PFC_WD": {PORT: {"action": "panic"}}},
        f"PFC_WD|{PORT} action = panic",
        ("pfc", "watchdog", "action"),
    ),
    "a detection time out of range": (
        {"PFC_WD": {PORT: {"detection_time": "99"}}},
        f"PFC_WD|{PORT} detection_time = 99",
        ("pfc", "watchdog", "detect_ms"),
    ),
    "a scheduler that does not exist": (
        {"QUEUE": {f"{PORT}|3": {"scheduler": "NOWHERE"}}},
        f"QUEUE|{PORT}|3 scheduler = NOWHERE",
        ("scheduling",),
    ),
    "a WRED profile that does not exist": (
        {"QUEUE": {f"{PORT}|3": {"wred_profile": "NOWHERE"}}},
        f"QUEUE|{PORT}|3 wred_profile = NOWHERE",
        ("queues", "3", "ecn"),
    ),
    "a scheduler type nobody knows": (
        {"SCHEDULER": {"ROCE_STRICT": {"type": "FAIR"}}},
        "SCHEDULER|ROCE_STRICT type = FAIR",
        ("scheduling",),
    ),
    "a threshold that is no number": (
        {"WRED_PROFILE": {"ROCE_ECN": {"green_min_threshold": "1M"}}},
        "WRED_PROFILE|ROCE_ECN green_min_threshold = 1M",
        ("queues", "3", "ecn", "kmin_bytes"),
    ),
    "a probability of 101 %": (
        {"WRED_PROFILE": {"ROCE_ECN": {"green_drop_probability": "101"}}},
        "WRED_PROFILE|ROCE_ECN green_drop_probability = 101",
        ("queues", "3", "ecn", "max_probability_percent"),
    ),
    "a set of colours nobody knows": (
        {"WRED_PROFILE": {"ROCE_ECN": {"ecn": "ecn_blue"}}},
        "WRED_PROFILE|ROCE_ECN ecn = ecn_blue",
        ("queues", "3", "ecn", "colours"),
    ),
    "a buffer profile that does not exist": (
        {"BUFFER_QUEUE": {f"{PORT}|3": {"profile": "NOWHERE"}}},
        f"BUFFER_QUEUE|{PORT}|3 profile = NOWHERE",
        ("queues", "3", "buffer"),
    ),
    "two thresholds of one profile": (
        {"BUFFER_PROFILE": {"egress_roce_profile": {"static_th": "5"}}},
        "BUFFER_PROFILE|egress_roce_profile static_th = 5",
        ("queues", "3", "buffer", "alpha_exponent"),
    ),
    "a pool that does not exist": (
        {"BUFFER_PROFILE": {"egress_roce_profile": {"pool": "NOWHERE"}}},
        "BUFFER_PROFILE|egress_roce_profile pool = NOWHERE",
        ("queues", "3", "buffer", "pool"),
    ),
    "a cable of five feet": (
        {"CABLE_LENGTH": {"AZURE": {PORT: "5ft"}}},
        f"CABLE_LENGTH|{PORT} = 5ft",
        ("cable_length_m",),
    ),
    "a NULL profile in the static model": (
        {"BUFFER_PG": {f"{PORT}|3": {"profile": "NULL"}}},
        f"BUFFER_PG|{PORT}|3 profile = NULL",
        ("priority_groups", "3"),
    ),
    "a second row of one queue": (
        {"QUEUE": {f"{PORT}|3-4": {"scheduler": "ROCE_STRICT"}}},
        f"QUEUE|{PORT}|3-4",
        ("scheduling",),
    ),
    "a second row of one queue buffer": (
        {"BUFFER_QUEUE": {f"{PORT}|2-3": {"profile": "pg_lossless_400000_5m_profile"}},
         "BUFFER_PROFILE": {"pg_lossless_400000_5m_profile": {"pool": "ingress_lossless_pool", "size": "1"}}},
        f"BUFFER_QUEUE|{PORT}|3",
        ("queues", "3", "buffer"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_is_told_and_unobserved(fault: str) -> None:
    change, line, path = FAULTS[fault]
    config = leaf()
    before = read(config)
    assert before.unparsed == ()
    assert not isinstance(fact(before, "ports", PORT, "qos", *path), Unobserved)
    reading = read(merged(config, change))
    assert line in [text for text, _ in told(reading)]
    assert isinstance(fact(reading, "ports", PORT, "qos", *path), Unobserved)


# what is put into CONFIG_DB -> the row that must be told, and the subtree that it belongs to
TOLD: dict[str, tuple[dict[str, Any], str, tuple[str, ...]]] = {
    "an unknown field of a map binding": (
        {"PORT_QOS_MAP": {PORT: {"scheduler": "ROCE_STRICT"}}},
        f"PORT_QOS_MAP|{PORT} scheduler = ROCE_STRICT",
        ("ports", PORT, "qos"),
    ),
    "an unknown field of a profile": (
        {"WRED_PROFILE": {"ROCE_ECN": {"future": "1"}}},
        "WRED_PROFILE|ROCE_ECN future = 1",
        ("ports",),
    ),
    "a shaper": ({"SCHEDULER": {"ROCE_STRICT": {"pir": "9"}}}, "SCHEDULER|ROCE_STRICT pir = 9", ("ports",)),
    "trimming instead of dropping": (
        {"BUFFER_PROFILE": {"egress_roce_profile": {"packet_discard_action": "trim"}}},
        "BUFFER_PROFILE|egress_roce_profile packet_discard_action = trim",
        ("ports",),
    ),
    "an index that is none": (
        {"QUEUE": {f"{PORT}|foo": {"scheduler": "ROCE_STRICT"}}},
        f"QUEUE|{PORT}|foo",
        ("ports", PORT, "qos", "queues"),
    ),
    "a range that descends": (
        {"BUFFER_PG": {f"{PORT}|4-3": {"profile": "egress_roce_profile"}}},
        f"BUFFER_PG|{PORT}|4-3",
        ("ports", PORT, "qos", "priority_groups"),
    ),
    "an overlap that says the same": (
        {"BUFFER_QUEUE": {f"{PORT}|3-4": {"profile": "egress_roce_profile"}}},
        f"BUFFER_QUEUE|{PORT}|3-4",
        ("ports", PORT, "qos", "queues"),
    ),
    "a key of a chassis": (
        {"QUEUE": {f"lc1|asic0|{PORT}|3": {"scheduler": "ROCE_STRICT"}}},
        f"QUEUE|lc1|asic0|{PORT}|3",
        ("ports",),
    ),
    "a port that does not exist": (
        {"PFC_WD": {"Ethernet999": {"detection_time": "200"}}},
        "Ethernet999: {'detection_time': '200'}",
        ("ports", "Ethernet999"),
    ),
    "the big red switch": (
        {"PFC_WD": {"GLOBAL": {"BIG_RED_SWITCH": "enable"}}},
        "PFC_WD|GLOBAL BIG_RED_SWITCH = enable",
        ("watchdog",),
    ),
    "a pool by percentage": (
        {"BUFFER_POOL": {"egress_lossless_pool": {"percentage": "50"}}},
        "BUFFER_POOL|egress_lossless_pool percentage = 50",
        ("pools", "egress_lossless_pool", "size_bytes"),
    ),
    "a value that is an object": (
        {"PORT": {PORT: {"mtu": {"value": 9100}}}},
        f"PORT|{PORT} mtu = {{'value': 9100}}",
        (),
    ),
}


@pytest.mark.parametrize("oddity", sorted(TOLD))
def test_never_vanishes(oddity: str) -> None:
    change, line, path = TOLD[oddity]
    assert (line, path) in told(read(merged(leaf(), change)))


def test_a_key_that_is_said_twice_spoils_the_whole_layer() -> None:
    text = '{"PORT": {"Ethernet0": {"mtu": "9100", "mtu": "1500"}}}'
    reading = read(text)
    assert {type(value) for _, value in facts(reading.states[Layer.RUNNING])} == {Unobserved}
