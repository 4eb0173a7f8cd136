"""The state a switch comes in, with upstream's rendered templates as oracle."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lab.sonic.switch import POD, Switch

Shared = Callable[[str], Path]


@pytest.mark.witness
@pytest.mark.parametrize(
    ("table", "capture"),
    [
        ("DSCP_TO_TC_MAP", "qos-arista7260"),
        ("TC_TO_PRIORITY_GROUP_MAP", "qos-arista7260"),
        ("TC_TO_QUEUE_MAP", "qos-arista7260"),
        ("MAP_PFC_PRIORITY_TO_QUEUE", "qos-arista7260"),
        ("SCHEDULER", "qos-arista7260"),
        ("WRED_PROFILE", "qos-dell9332"),
    ],
)
def test_shared_objects_are_those_of_the_stock_template(shared: Shared, table: str, capture: str) -> None:
    upstream = json.loads(shared(f"captures/sonic/{capture}.json").read_text(encoding="utf-8"))

    assert Switch("leaf1").config()[table] == upstream[table]


@pytest.mark.witness
def test_a_port_with_a_neighbour_is_bound_as_the_stock_template_binds_it(shared: Shared) -> None:
    upstream = json.loads(shared("captures/sonic/qos-arista7260.json").read_text(encoding="utf-8"))
    config = Switch("leaf1").config()

    assert config["PORT_QOS_MAP"]["global"] == upstream["PORT_QOS_MAP"]["global"]
    assert config["PORT_QOS_MAP"]["Ethernet0"] == upstream["PORT_QOS_MAP"]["Ethernet0"]
    for queue in range(7):
        assert config["QUEUE"][f"Ethernet0|{queue}"] == upstream["QUEUE"][f"Ethernet0|{queue}"]


def test_a_port_without_a_neighbour_has_no_qos() -> None:
    config = Switch("leaf1").config()

    for table in ("PORT_QOS_MAP", "PFC_WD", "BUFFER_PG", "QUEUE", "BUFFER_QUEUE"):
        assert not [key for key in config[table] if key.partition("|")[0] in {"Ethernet192", "Ethernet200"}]
    assert config["PORT"]["Ethernet192"]["admin_status"] == "down"


def test_the_buffer_model_goes_with_the_asic() -> None:
    models = {
        name: Switch(name).config()["DEVICE_METADATA"]["localhost"]["buffer_model"]
        for name in ("spine1", "leaf1", "leaf2")
    }

    assert models == {"spine1": "dynamic", "leaf1": "traditional", "leaf2": "traditional"}


def test_running_and_saved_are_equal_after_the_first_boot() -> None:
    for name in ("spine1", "leaf1"):
        switch = Switch(name)
        assert switch.config() == switch.saved()


def test_every_value_of_the_configuration_is_text() -> None:
    for name in ("spine1", "leaf1", "leaf2"):
        for rows in Switch(name).config().values():
            assert all(isinstance(value, str) for fields in rows.values() for value in fields.values())


def test_dscp_26_is_lossy_on_a_stock_switch() -> None:
    assert Switch("leaf1").qos_map("DSCP_TO_TC")[26] == 1


@pytest.mark.parametrize("name", ["spine1", "leaf1", "leaf2"])
def test_a_switch_says_who_it_is(name: str) -> None:
    switch = Switch(name)
    metadata = switch.config()["DEVICE_METADATA"]["localhost"]
    version = switch.run("cat /etc/sonic/sonic_version.yml")

    assert switch.run("hostname") == f"{name}\n"
    assert metadata["hostname"] == name
    assert metadata["hwsku"] == POD[name].hardware
    assert f"release: '{POD[name].release}'\n" in version
    assert f"asic_type: {POD[name].asic}\n" in version
    assert f"HwSKU: {POD[name].hardware}\n" in switch.run("show version")


def test_lldp_names_the_device_and_port_at_the_other_end() -> None:
    entry = Switch("leaf1").dump("APPL_DB", r"LLDP_ENTRY_TABLE\:\*")["LLDP_ENTRY_TABLE:Ethernet0"]

    assert (entry["lldp_rem_sys_name"], entry["lldp_rem_port_id"]) == ("gpu1", "0000:18:00.0")


def test_a_port_that_is_shut_down_loses_its_neighbour() -> None:
    switch = Switch("leaf1")
    switch.run("config interface shutdown Ethernet0")

    assert "LLDP_ENTRY_TABLE:Ethernet0" not in switch.dump("APPL_DB")
    assert switch.dump("APPL_DB")["PORT_TABLE:Ethernet0"]["oper_status"] == "down"
    assert switch.port()["SAI_PORT_ATTR_ADMIN_STATE"] == "false"
