"""What managers and orchagent make of the configuration, known gaps included."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest

from tests.lab.sonic.switch import Switch, changed, flat

CABLE_40M = 'sonic-db-cli CONFIG_DB hset "CABLE_LENGTH|AZURE" Ethernet0 40m'


def test_the_static_model_writes_a_profile_per_speed_and_cable_into_config_db() -> None:
    config = Switch("leaf1").config()

    # pg_profile_lookup.ini: speed, cable, size, xon, xoff, threshold, xon_offset
    assert config["BUFFER_PROFILE"]["pg_lossless_400000_5m_profile"] == {
        "pool": "ingress_lossless_pool",
        "size": "18796",
        "xon": "0",
        "xoff": "393192",
        "xon_offset": "3556",
        "dynamic_th": "0",
    }
    assert config["BUFFER_PG"]["Ethernet0|3-4"] == {"profile": "pg_lossless_400000_5m_profile"}
    assert config["BUFFER_PG"]["Ethernet128|3-4"] == {"profile": "pg_lossless_400000_300m_profile"}


def test_a_longer_cable_brings_another_profile_and_leaves_the_old_one_behind() -> None:
    switch = Switch("leaf1")
    switch.run(CABLE_40M)
    config = switch.config()

    assert config["BUFFER_PG"]["Ethernet0|3-4"] == {"profile": "pg_lossless_400000_40m_profile"}
    assert config["BUFFER_PROFILE"]["pg_lossless_400000_40m_profile"]["xoff"] == "446024"
    assert "pg_lossless_400000_5m_profile" in config["BUFFER_PROFILE"]
    assert switch.group_profile("Ethernet0:3")["SAI_BUFFER_PROFILE_ATTR_XOFF_TH"] == "446024"


def test_a_profile_of_that_name_is_reused_as_it_is() -> None:
    switch = Switch("leaf1")
    switch.run('sonic-db-cli CONFIG_DB hset "BUFFER_PROFILE|pg_lossless_400000_40m_profile" xoff 1 size 2')
    switch.run(CABLE_40M)

    profile = switch.config()["BUFFER_PROFILE"]["pg_lossless_400000_40m_profile"]
    assert (profile["xoff"], profile["size"]) == ("1", "2")


def test_a_cable_without_a_lookup_row_changes_nothing_but_the_log() -> None:
    switch = Switch("leaf1")
    before = flat(switch.config())
    switch.run('sonic-db-cli CONFIG_DB hset "CABLE_LENGTH|AZURE" Ethernet0 77m')

    assert changed(before, flat(switch.config())) == {"CABLE_LENGTH|AZURE|Ethernet0"}
    assert "No PG profile configured for speed 400000 and cable length 77m" in switch.run("show logging")


def test_cable_length_zero_means_no_lossless_group() -> None:
    switch = Switch("leaf1")
    switch.run('sonic-db-cli CONFIG_DB del "BUFFER_PG|Ethernet0|3-4"')
    switch.run('sonic-db-cli CONFIG_DB hset "CABLE_LENGTH|AZURE" Ethernet0 0m')

    assert "Ethernet0|3-4" not in switch.config()["BUFFER_PG"]
    assert switch.group_profile("Ethernet0:3") == {}


def test_a_deleted_derived_row_stays_away_until_something_it_depends_on_changes() -> None:
    switch = Switch("leaf1")
    switch.run('sonic-db-cli CONFIG_DB del "BUFFER_PG|Ethernet0|3-4"', "config interface mtu Ethernet0 9000")
    assert "Ethernet0|3-4" not in switch.config()["BUFFER_PG"]

    switch.run(CABLE_40M)
    assert "Ethernet0|3-4" in switch.config()["BUFFER_PG"]


def test_rows_of_a_former_pfc_enable_stay_behind() -> None:
    switch = Switch("leaf1")
    switch.run("config interface pfc priority Ethernet0 4 off")
    groups = [key for key in switch.config()["BUFFER_PG"] if key.startswith("Ethernet0|")]

    assert sorted(groups) == ["Ethernet0|0", "Ethernet0|3", "Ethernet0|3-4"]


def test_the_dynamic_model_computes_into_appl_db_only() -> None:
    switch = Switch("spine1")
    switch.run("config interface cable-length Ethernet0 40m")
    name = "pg_lossless_400000_40m_profile"

    assert switch.config()["BUFFER_PG"]["Ethernet0|3-4"] == {"profile": "NULL"}
    assert name not in switch.config()["BUFFER_PROFILE"]
    applied = switch.dump("APPL_DB")
    assert applied["BUFFER_PG_TABLE:Ethernet0:3-4"] == {"profile": name}
    # rules.md, SPC4 at 400G and 40 m: xoff 283648; private headroom: size = xon + xoff, xon = 19 KiB
    assert applied[f"BUFFER_PROFILE_TABLE:{name}"] == {
        "pool": "ingress_lossless_pool",
        "xon": "19456",
        "xoff": "283648",
        "size": "303104",
        "dynamic_th": "0",
    }
    assert switch.dump("STATE_DB")[f"BUFFER_PROFILE_TABLE|{name}"]["xoff"] == "283648"
    assert switch.group_profile("Ethernet0:4")["SAI_BUFFER_PROFILE_ATTR_XOFF_TH"] == "283648"


def test_the_dynamic_model_names_the_mtu_where_it_is_not_9100() -> None:
    switch = Switch("spine1")
    switch.run("config interface cable-length Ethernet0 40m", "config interface mtu Ethernet0 9000")

    profile = switch.dump("APPL_DB")["BUFFER_PG_TABLE:Ethernet0:3-4"]["profile"]
    assert profile == "pg_lossless_400000_40m_mtu9000_profile"


def test_with_a_shared_headroom_pool_only_xon_is_reserved() -> None:
    switch = Switch("spine1")
    switch.run('sonic-db-cli CONFIG_DB hset "BUFFER_POOL|ingress_lossless_pool" xoff 4194304')
    profile = switch.dump("APPL_DB")["BUFFER_PROFILE_TABLE:pg_lossless_400000_300m_profile"]

    assert (profile["size"], profile["xoff"]) == ("19456", "677888")


def test_a_port_that_is_down_gives_its_lossless_buffer_back_in_the_dynamic_model() -> None:
    switch = Switch("spine1")
    switch.run("config interface shutdown Ethernet0")

    assert "BUFFER_PG_TABLE:Ethernet0:3-4" not in switch.dump("APPL_DB")
    assert "BUFFER_PG_TABLE:Ethernet0:0" in switch.dump("APPL_DB")


def test_a_change_of_the_buffer_model_waits_for_a_restart() -> None:
    switch = Switch("spine1")
    switch.run('sonic-db-cli CONFIG_DB hset "DEVICE_METADATA|localhost" buffer_model traditional')
    assert switch.dump("STATE_DB", r"BUFFER_POOL_TABLE\*") != {}

    switch.run("config save -y", "config reload -y")
    assert switch.dump("STATE_DB", r"BUFFER_POOL_TABLE\*") == {}


def test_the_asic_has_mtu_plus_22_and_the_mask_of_pfc_enable() -> None:
    attributes = Switch("leaf1").port()

    assert attributes["SAI_PORT_ATTR_MTU"] == "9122"
    assert attributes["SAI_PORT_ATTR_SPEED"] == "400000"
    assert attributes["SAI_PORT_ATTR_FEC_MODE"] == "SAI_PORT_FEC_MODE_RS"
    assert attributes["SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL"] == "24"  # 2^3 + 2^4


def test_asymmetric_pfc_separates_the_masks_and_receives_on_all() -> None:
    switch = Switch("leaf1")
    switch.run("config interface pfc asymmetric Ethernet0 on")
    attributes = switch.port()

    assert attributes["SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL_MODE"].endswith("_SEPARATE")
    assert attributes["SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL_TX"] == "24"
    assert attributes["SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL_RX"] == "255"


def test_a_changed_map_reaches_the_asic() -> None:
    switch = Switch("leaf1")
    switch.run('sonic-db-cli CONFIG_DB hset "DSCP_TO_TC_MAP|AZURE" 26 3')

    assert switch.qos_map("DSCP_TO_TC")[26] == 3


def test_a_field_removed_from_a_wred_profile_keeps_its_value_in_hardware() -> None:
    switch = Switch("leaf1")
    switch.run('sonic-db-cli CONFIG_DB hdel "WRED_PROFILE|AZURE_LOSSLESS" green_max_threshold')

    assert "green_max_threshold" not in switch.config()["WRED_PROFILE"]["AZURE_LOSSLESS"]
    assert switch.queue_wred("Ethernet0:3")["SAI_WRED_ATTR_GREEN_MAX_THRESHOLD"] == "2097152"


def test_a_port_that_refers_to_a_missing_map_keeps_the_old_one() -> None:
    switch = Switch("leaf1")
    switch.run('sonic-db-cli CONFIG_DB hset "PORT_QOS_MAP|Ethernet0" tc_to_queue_map NOWHERE')
    assert switch.qos_map("TC_TO_QUEUE") == {number: number for number in range(8)}

    switch.run('sonic-db-cli CONFIG_DB hset "TC_TO_QUEUE_MAP|NOWHERE" 3 4')
    assert switch.qos_map("TC_TO_QUEUE") == {3: 4}


@pytest.mark.parametrize("row", ["WRED_PROFILE|AZURE_LOSSLESS", "BUFFER_PROFILE|pg_lossless_400000_5m_profile"])
def test_an_object_that_is_referred_to_stays_in_hardware_when_its_row_is_deleted(row: str) -> None:
    switch = Switch("leaf1")
    wred, headroom = switch.queue_wred("Ethernet0:3"), switch.group_profile("Ethernet0:3")
    switch.run(f'sonic-db-cli CONFIG_DB del "{row}"')

    assert not [field for field in flat(switch.config()) if field.startswith(f"{row}|")]
    assert (switch.queue_wred("Ethernet0:3"), switch.group_profile("Ethernet0:3")) == (wred, headroom)


def test_an_object_that_nothing_refers_to_leaves_the_hardware() -> None:
    switch = Switch("leaf1")
    switch.run('sonic-db-cli CONFIG_DB hset "WRED_PROFILE|SPARE" ecn ecn_all')
    before = len(switch.dump("ASIC_DB", r"ASIC_STATE\:SAI_OBJECT_TYPE_WRED\*"))
    switch.run('sonic-db-cli CONFIG_DB del "WRED_PROFILE|SPARE"')

    assert len(switch.dump("ASIC_DB", r"ASIC_STATE\:SAI_OBJECT_TYPE_WRED\*")) == before - 1


def test_a_map_reference_that_is_removed_leaves_the_null_object() -> None:
    switch = Switch("leaf1")
    switch.run('sonic-db-cli CONFIG_DB hdel "PORT_QOS_MAP|Ethernet0" dscp_to_tc_map')

    assert switch.qos_map("DSCP_TO_TC") == {}


def test_a_stuck_asic_keeps_its_value_whatever_the_configuration_says() -> None:
    switch = Switch("leaf1")
    oid = switch.dump("COUNTERS_DB")["COUNTERS_PORT_NAME_MAP"]["Ethernet0"]
    key = f"ASIC_STATE:SAI_OBJECT_TYPE_PORT:{oid}"
    switch.run(f'sonic-db-cli ASIC_DB hset "{key}" SAI_PORT_ATTR_MTU 1522')
    switch.run("config interface mtu Ethernet0 9000")

    assert switch.port()["SAI_PORT_ATTR_MTU"] == "1522"
    assert switch.dump("APPL_DB")["PORT_TABLE:Ethernet0"]["mtu"] == "9000"


def test_a_reboot_frees_what_was_stuck_or_forgotten() -> None:
    switch = Switch("leaf1")
    oid = switch.dump("COUNTERS_DB")["COUNTERS_PORT_NAME_MAP"]["Ethernet0"]
    switch.run(f'sonic-db-cli ASIC_DB hset "ASIC_STATE:SAI_OBJECT_TYPE_PORT:{oid}" SAI_PORT_ATTR_MTU 1522')
    switch.run('sonic-db-cli CONFIG_DB hdel "WRED_PROFILE|AZURE_LOSSLESS" green_drop_probability', "config save -y")
    switch.run("config reload -y")

    assert switch.port()["SAI_PORT_ATTR_MTU"] == "9122"
    assert "SAI_WRED_ATTR_GREEN_DROP_PROBABILITY" not in switch.queue_wred("Ethernet0:3")


def test_every_named_object_of_the_counters_maps_is_in_the_asic() -> None:
    for name in ("spine1", "leaf1"):
        switch = Switch(name)
        oids = {key.rpartition("TYPE_")[2].partition(":")[2] for key in switch.dump("ASIC_DB")}
        for fields in switch.dump("COUNTERS_DB", r"COUNTERS_\*_NAME_MAP").values():
            assert set(fields.values()) <= oids


@pytest.mark.parametrize(
    "pattern",
    [
        r"ASIC_STATE\:SAI_OBJECT_TYPE_PORT\:\*",
        r"ASIC_STATE\:SAI_OBJECT_TYPE_\[QW\]\*",
        r"ASIC_STATE\:SAI_OBJECT_TYPE_BUFFER_\*",
        r"ASIC_STATE\:SAI_OBJECT_TYPE_QUEUE\:oid\:0x15\*1",
        r"ASIC_STATE\:\*oid\:0x1\*",
        r"ASIC_STATE\:SAI\*oid\:0x19\*",
        r"\*WRED\*",
        r"ASIC_STATE\:SAI_OBJECT_TYPE_\?\?\?\?\:\*",
    ],
)
def test_a_dump_of_some_types_is_part_of_the_whole_dump(pattern: str) -> None:
    switch = Switch("leaf1")
    wanted = pattern.replace("\\", "")
    whole = switch.dump("ASIC_DB")

    assert switch.dump("ASIC_DB", pattern) == {key: whole[key] for key in whole if fnmatchcase(key, wanted)} != {}
