"""CONFIG_DB: what rows mean: old spellings, defaults, classifiers, ECN by ASIC."""

from __future__ import annotations

from fabric_drift.platforms.sonic import PLATFORM
from fabric_drift.state.values import ABSENT, Unobserved
from tests.platforms.sonic.configs import PORT, fact, leaf
from tests.platforms.sonic.devices import merged, own_rows, read, rendered
from tests.platforms.sonic.roce import LEAF, SPINE, roce_state


def test_old_bracketed_references_mean_the_same() -> None:
    config = leaf()
    config["QUEUE"][f"{PORT}|3"] = {"scheduler": "[SCHEDULER|ROCE_DWRR_7]", "wred_profile": "[WRED_PROFILE|ROCE_ECN]"}
    config["PORT_QOS_MAP"][PORT]["dscp_to_tc_map"] = "[DSCP_TO_TC_MAP|ROCE]"
    config["BUFFER_QUEUE"][f"{PORT}|3"] = {"profile": "[BUFFER_PROFILE|egress_roce_profile]"}
    assert read(config).states == read(leaf()).states


def test_one_row_for_several_ports_is_expanded() -> None:
    config = leaf()
    for port in ("Ethernet0", "Ethernet8"):
        del config["QUEUE"][f"{port}|3"]
    config["QUEUE"]["Ethernet0,Ethernet8|3"] = {"scheduler": "ROCE_DWRR_7", "wred_profile": "ROCE_ECN"}
    assert read(config).states == read(leaf()).states


def test_numbers_instead_of_strings_mean_the_same() -> None:
    config = leaf()
    config["PORT"][PORT]["mtu"] = 9100
    config["PFC_WD"]["GLOBAL"]["POLL_INTERVAL"] = 100
    assert read(config).states == read(leaf()).states


def test_a_port_without_mtu_and_admin_status_has_sonics_defaults() -> None:
    config = own_rows(LEAF)
    del config["PORT"][PORT]["admin_status"]
    port = fact(read(config), "ports", PORT)
    assert (port.mtu_bytes, port.admin_up, port.fec) == (9100, False, ABSENT)


def test_a_watchdog_without_detection_time_is_no_watchdog_that_works() -> None:
    config = leaf()
    del config["PFC_WD"][PORT]["detection_time"]
    del config["PFC_WD"][PORT]["action"]
    watchdog = fact(read(config), "ports", PORT, "qos", "pfc", "watchdog")
    assert (watchdog.detect_ms, watchdog.action) == (ABSENT, "drop")


def test_both_classifiers_leave_the_trust_open() -> None:
    config = merged(leaf(), {"DOT1P_TO_TC_MAP": {"P": {"3": "3"}}, "PORT_QOS_MAP": {PORT: {"dot1p_to_tc_map": "P"}}})
    assert isinstance(fact(read(config), "ports", PORT, "qos", "trust"), Unobserved)


def test_outside_nvidia_ecn_is_inert_without_wred_green_enable() -> None:
    change = {"WRED_PROFILE": {"ROCE_ECN": {"wred_green_enable": "false"}}}
    reading = read(merged(leaf(), change))
    assert fact(reading, "ports", PORT, "qos", "queues", "3", "ecn", "colours") == ("red", "yellow")
    assert any("ROCE_ECN" in note for note in reading.notes)


def test_on_nvidia_ecn_marks_without_wred_enable() -> None:
    config = merged(own_rows(SPINE), rendered(PLATFORM.localise(roce_state(SPINE), SPINE), SPINE))
    reading = read(config, SPINE)
    ecn = fact(reading, "ports", PORT, "qos", "queues", "3", "ecn")
    assert config["WRED_PROFILE"]["ROCE_ECN"]["wred_green_enable"] == "false"
    assert (ecn.colours, ecn.wred_drop) == (("green", "red", "yellow"), False)
    assert [note for note in reading.notes if "ECN" in note] == []


def test_a_colour_without_thresholds_is_not_like_green() -> None:
    config = leaf()
    for part in ("min_threshold", "max_threshold", "drop_probability"):
        del config["WRED_PROFILE"]["ROCE_ECN"][f"yellow_{part}"]
    ecn = fact(read(config), "ports", PORT, "qos", "queues", "3", "ecn")
    assert ecn.colour_thresholds == {"yellow": ABSENT}
