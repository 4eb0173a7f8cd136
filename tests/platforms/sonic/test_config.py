"""CONFIG_DB: what isn't understood is told with its row, and its fact is unobserved; never equal, never gone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from fabric_drift.finding import Layer
from fabric_drift.platform import Reading
from fabric_drift.platforms.sonic import PLATFORM
from fabric_drift.state.tree import facts
from fabric_drift.state.values import ABSENT, Unobserved
from tests.platforms.sonic.devices import BROADCOM, LOOKUP, NVIDIA, merged, outputs_of, own_rows, read, rendered
from tests.platforms.sonic.roce import LEAF, SPINE, roce_state

PORT = "Ethernet0"


def _leaf() -> dict[str, Any]:
    return merged(own_rows(LEAF), rendered(PLATFORM.localise(roce_state(LEAF), LEAF), LEAF))


def _lines(reading: Reading, layer: Layer = Layer.RUNNING) -> list[tuple[str, tuple[str, ...]]]:
    return [(item.line, item.path) for item in reading.unparsed if item.layer is layer]


def _fact(reading: Reading, *path: str, layer: Layer = Layer.RUNNING) -> Any:
    value: Any = reading.states[layer]
    for part in path:
        if isinstance(value, Mapping):
            value = value[int(part)] if part.isdigit() else value[part]
        else:
            value = getattr(value, part)
    return value


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
    config = _leaf()
    before = read(config)
    assert before.unparsed == ()
    assert not isinstance(_fact(before, "ports", PORT, "qos", *path), Unobserved)
    reading = read(merged(config, change))
    assert line in [text for text, _ in _lines(reading)]
    assert isinstance(_fact(reading, "ports", PORT, "qos", *path), Unobserved)


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
    assert (line, path) in _lines(read(merged(_leaf(), change)))


def test_a_key_that_is_said_twice_spoils_the_whole_layer() -> None:
    text = '{"PORT": {"Ethernet0": {"mtu": "9100", "mtu": "1500"}}}'
    reading = read(text)
    assert {type(value) for _, value in facts(reading.states[Layer.RUNNING])} == {Unobserved}


def test_old_bracketed_references_mean_the_same() -> None:
    config = _leaf()
    config["QUEUE"][f"{PORT}|3"] = {"scheduler": "[SCHEDULER|ROCE_DWRR_7]", "wred_profile": "[WRED_PROFILE|ROCE_ECN]"}
    config["PORT_QOS_MAP"][PORT]["dscp_to_tc_map"] = "[DSCP_TO_TC_MAP|ROCE]"
    config["BUFFER_QUEUE"][f"{PORT}|3"] = {"profile": "[BUFFER_PROFILE|egress_roce_profile]"}
    assert read(config).states == read(_leaf()).states


def test_one_row_for_several_ports_is_expanded() -> None:
    config = _leaf()
    for port in ("Ethernet0", "Ethernet8"):
        del config["QUEUE"][f"{port}|3"]
    config["QUEUE"]["Ethernet0,Ethernet8|3"] = {"scheduler": "ROCE_DWRR_7", "wred_profile": "ROCE_ECN"}
    assert read(config).states == read(_leaf()).states


def test_numbers_instead_of_strings_mean_the_same() -> None:
    config = _leaf()
    config["PORT"][PORT]["mtu"] = 9100
    config["PFC_WD"]["GLOBAL"]["POLL_INTERVAL"] = 100
    assert read(config).states == read(_leaf()).states


def test_a_port_without_mtu_and_admin_status_has_sonics_defaults() -> None:
    config = own_rows(LEAF)
    del config["PORT"][PORT]["admin_status"]
    port = _fact(read(config), "ports", PORT)
    assert (port.mtu_bytes, port.admin_up, port.fec) == (9100, False, ABSENT)


def test_a_watchdog_without_detection_time_is_no_watchdog_that_works() -> None:
    config = _leaf()
    del config["PFC_WD"][PORT]["detection_time"]
    del config["PFC_WD"][PORT]["action"]
    watchdog = _fact(read(config), "ports", PORT, "qos", "pfc", "watchdog")
    assert (watchdog.detect_ms, watchdog.action) == (ABSENT, "drop")


def test_both_classifiers_leave_the_trust_open() -> None:
    config = merged(_leaf(), {"DOT1P_TO_TC_MAP": {"P": {"3": "3"}}, "PORT_QOS_MAP": {PORT: {"dot1p_to_tc_map": "P"}}})
    assert isinstance(_fact(read(config), "ports", PORT, "qos", "trust"), Unobserved)


def test_outside_nvidia_ecn_is_inert_without_wred_green_enable() -> None:
    change = {"WRED_PROFILE": {"ROCE_ECN": {"wred_green_enable": "false"}}}
    reading = read(merged(_leaf(), change))
    assert _fact(reading, "ports", PORT, "qos", "queues", "3", "ecn", "colours") == ("red", "yellow")
    assert any("ROCE_ECN" in note for note in reading.notes)


def test_on_nvidia_ecn_marks_without_wred_enable() -> None:
    config = merged(own_rows(SPINE), rendered(PLATFORM.localise(roce_state(SPINE), SPINE), SPINE))
    reading = read(config, SPINE)
    ecn = _fact(reading, "ports", PORT, "qos", "queues", "3", "ecn")
    assert config["WRED_PROFILE"]["ROCE_ECN"]["wred_green_enable"] == "false"
    assert (ecn.colours, ecn.wred_drop) == (("green", "red", "yellow"), False)
    assert [note for note in reading.notes if "ECN" in note] == []


def test_a_colour_without_thresholds_is_not_like_green() -> None:
    config = _leaf()
    for part in ("min_threshold", "max_threshold", "drop_probability"):
        del config["WRED_PROFILE"]["ROCE_ECN"][f"yellow_{part}"]
    ecn = _fact(read(config), "ports", PORT, "qos", "queues", "3", "ecn")
    assert ecn.colour_thresholds == {"yellow": ABSENT}


def test_broadcom_needs_the_switch_wide_map_of_its_ports() -> None:
    config = _leaf()
    assert _fact(read(config), "unreferenced") == {}
    config["PORT_QOS_MAP"]["global"]["dscp_to_tc_map"] = "OTHER"
    assert "PORT_QOS_MAP/global" in _fact(read(config), "unreferenced")
    del config["PORT_QOS_MAP"]["global"]
    assert "PORT_QOS_MAP/global" in _fact(read(config), "unreferenced")
    assert _fact(read(config, replace(NVIDIA, hardware="x")), "unreferenced") == {}


def test_an_object_that_nobody_points_to_is_told() -> None:
    config = merged(_leaf(), {"SCHEDULER": {"OLD": {"type": "STRICT"}}})
    assert _fact(read(config), "unreferenced") == {"SCHEDULER/OLD": "unreferenced"}


def test_a_name_in_a_profile_list_that_does_not_exist_is_told() -> None:
    config = merged(_leaf(), {"BUFFER_PORT_EGRESS_PROFILE_LIST": {PORT: {"profile_list": "egress_roce_profile,gone"}}})
    assert _lines(read(config)) == [
        (f"BUFFER_PORT_EGRESS_PROFILE_LIST|{PORT} profile_list = gone", ("ports", PORT, "qos"))
    ]


def test_a_profile_that_only_a_list_refers_to_is_told() -> None:
    extra = {"pool": "egress_lossless_pool", "size": "0", "dynamic_th": "1"}
    listed = {"BUFFER_PORT_EGRESS_PROFILE_LIST": {PORT: {"profile_list": "byhand"}}}
    config = merged(_leaf(), {**listed, "BUFFER_PROFILE": {"byhand": extra}})
    told = {"BUFFER_PROFILE/byhand": "only a profile list refers to it"}
    assert _fact(read(config), "unreferenced") == told


def test_a_stock_profile_that_only_a_list_refers_to_is_noted_and_has_to_be_understood() -> None:
    stock = {"pool": "egress_lossless_pool", "size": "0", "dynamic_th": "99"}
    listed = {"BUFFER_PORT_EGRESS_PROFILE_LIST": {PORT: {"profile_list": ["egress_lossy_profile"]}}}
    reading = read(merged(_leaf(), {**listed, "BUFFER_PROFILE": {"egress_lossy_profile": stock}}))
    assert _fact(reading, "unreferenced") == {}
    assert any("egress_lossy_profile" in note for note in reading.notes)
    assert _lines(reading) == [("BUFFER_PROFILE|egress_lossy_profile dynamic_th = 99", ("ports",))]


def test_a_leftover_of_what_sonic_derives_is_told_only_when_it_differs_from_the_table() -> None:
    row = {"pool": "ingress_lossless_pool", "size": "18796", "xon": "0", "xoff": "446024", "xon_offset": "3556"}
    config = merged(_leaf(), {"BUFFER_PROFILE": {"pg_lossless_400000_40m_profile": {**row, "dynamic_th": "-1"}}})
    assert _fact(read(config), "unreferenced") == {}
    config["BUFFER_PROFILE"]["pg_lossless_400000_40m_profile"]["xoff"] = "446025"
    assert _fact(read(config), "unreferenced") == {"BUFFER_PROFILE/pg_lossless_400000_40m_profile": "unreferenced"}


def test_a_saved_configuration_is_what_sonic_will_derive_from_it() -> None:
    """LOOKUP at 400G and 5 m; running has no such rows, so there the group is lossy."""
    reading = read(_leaf())
    saved = _fact(reading, "ports", PORT, "qos", "priority_groups", "3", layer=Layer.SAVED)
    running = _fact(reading, "ports", PORT, "qos", "priority_groups", "3")
    assert (saved.lossless, saved.size_bytes, saved.xoff_bytes, saved.alpha_exponent) == (True, 18796, 393192, 0)
    assert running.lossless is False


def test_without_the_headroom_table_nobody_knows_what_a_saved_configuration_derives() -> None:
    reading = read(_leaf(), lookup=None)
    assert isinstance(_fact(reading, "ports", PORT, "qos", "priority_groups", "3", layer=Layer.SAVED), Unobserved)


@pytest.mark.parametrize(
    "change", [{"CABLE_LENGTH": {"AZURE": {PORT: "0m"}}}, {"CABLE_LENGTH": {"AZURE": {PORT: "7m"}}}]
)
def test_no_lossless_group_is_derived_from_a_cable_that_has_no_row(change: dict[str, Any]) -> None:
    reading = read(merged(_leaf(), change))
    assert _fact(reading, "ports", PORT, "qos", "priority_groups", "3", "lossless", layer=Layer.SAVED) is False


@pytest.mark.parametrize("line", ["400000 5m 1 2", "400000 5 1 2 3 4", "400000 5m 1 2 x 4", "400000 5m 1 1 1 1"])
def test_a_row_of_the_headroom_table_that_is_odd_or_second_is_told(line: str) -> None:
    reading = read(_leaf(), lookup=LOOKUP + line + "\n")
    assert [item.line for item in reading.unparsed] == [line]


def test_answers_in_another_order_give_the_same_reading() -> None:
    config = _leaf()
    turned = {
        table: dict(reversed([(key, dict(reversed(row.items()))) for key, row in rows.items()]))
        for table, rows in reversed(config.items())
    }
    assert read(turned).states == read(config).states
    assert read(turned).names == read(config).names


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("build_version: '202411.716590-a1b2c3'\nasic_type: broadcom\n", "202411"),
        ("build_version: '20250510.05'\nasic_type: broadcom\n", "202505"),
        ("build_version: 'master.12-a'\nrelease: '202511'\nasic_type: broadcom\n", "202511"),
    ],
)
def test_the_release_is_read_from_community_and_other_builds(text: str, release: str) -> None:
    outputs = outputs_of(_leaf())
    outputs["cat /etc/sonic/sonic_version.yml"] = replace(outputs["cat /etc/sonic/sonic_version.yml"], stdout=text)
    identity: Any = PLATFORM.parse(outputs).states[Layer.RUNNING].identity
    assert (identity.release, identity.asic, identity.hostname) == (release, "broadcom", BROADCOM.device)


def test_a_release_that_nobody_can_tell_is_unobserved() -> None:
    outputs = outputs_of(_leaf())
    version = "cat /etc/sonic/sonic_version.yml"
    outputs[version] = replace(outputs[version], stdout="build_version: 'master.12-a'\nasic_type: broadcom\n")
    identity: Any = PLATFORM.parse(outputs).states[Layer.RUNNING].identity
    assert isinstance(identity.release, Unobserved)
