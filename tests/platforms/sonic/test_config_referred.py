"""CONFIG_DB: who refers to whom: objects that nobody points to, profile lists, the switch-wide map."""

from __future__ import annotations

from dataclasses import replace

from tests.platforms.sonic.configs import PORT, fact, leaf, told
from tests.platforms.sonic.devices import NVIDIA, merged, read


def test_broadcom_needs_the_switch_wide_map_of_its_ports() -> None:
    config = leaf()
    assert fact(read(config), "unreferenced") == {}
    config["PORT_QOS_MAP"]["global"]["dscp_to_tc_map"] = "OTHER"
    assert "PORT_QOS_MAP/global" in fact(read(config), "unreferenced")
    del config["PORT_QOS_MAP"]["global"]
    assert "PORT_QOS_MAP/global" in fact(read(config), "unreferenced")
    assert fact(read(config, replace(NVIDIA, hardware="x")), "unreferenced") == {}


def test_an_object_that_nobody_points_to_is_told() -> None:
    config = merged(leaf(), {"SCHEDULER": {"OLD": {"type": "STRICT"}}})
    assert fact(read(config), "unreferenced") == {"SCHEDULER/OLD": "unreferenced"}


def test_a_name_in_a_profile_list_that_does_not_exist_is_told() -> None:
    config = merged(leaf(), {"BUFFER_PORT_EGRESS_PROFILE_LIST": {PORT: {"profile_list": "egress_roce_profile,gone"}}})
    assert told(read(config)) == [
        (f"BUFFER_PORT_EGRESS_PROFILE_LIST|{PORT} profile_list = gone", ("ports", PORT, "qos"))
    ]


def test_a_profile_that_only_a_list_refers_to_is_told() -> None:
    extra = {"pool": "egress_lossless_pool", "size": "0", "dynamic_th": "1"}
    listed = {"BUFFER_PORT_EGRESS_PROFILE_LIST": {PORT: {"profile_list": "byhand"}}}
    config = merged(leaf(), {**listed, "BUFFER_PROFILE": {"byhand": extra}})
    told = {"BUFFER_PROFILE/byhand": "only a profile list refers to it"}
    assert fact(read(config), "unreferenced") == told


def test_a_stock_profile_that_only_a_list_refers_to_is_noted_and_has_to_be_understood() -> None:
    stock = {"pool": "egress_lossless_pool", "size": "0", "dynamic_th": "99"}
    listed = {"BUFFER_PORT_EGRESS_PROFILE_LIST": {PORT: {"profile_list": ["egress_lossy_profile"]}}}
    reading = read(merged(leaf(), {**listed, "BUFFER_PROFILE": {"egress_lossy_profile": stock}}))
    assert fact(reading, "unreferenced") == {}
    assert any("egress_lossy_profile" in note for note in reading.notes)
    assert told(reading) == [("BUFFER_PROFILE|egress_lossy_profile dynamic_th = 99", ("ports",))]
