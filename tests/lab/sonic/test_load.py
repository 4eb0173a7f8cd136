from __future__ import annotations

import copy
import json

import pytest

from fabric_drift.lab.sonic import EMULATOR
from tests.lab.sonic.switch import Switch


def load(switch: Switch, **tables: object) -> None:
    EMULATOR.load(switch.store, {"config_db.json": json.dumps(tables)})


def test_tables_of_the_file_replace_those_of_the_switch_and_are_saved() -> None:
    switch = Switch("leaf1")
    load(switch, WRED_PROFILE={"ROCE": {"ecn": "ecn_all"}}, SCHEDULER={})

    assert switch.config()["WRED_PROFILE"] == {"ROCE": {"ecn": "ecn_all"}}
    assert "SCHEDULER" not in switch.config()
    assert switch.saved() == switch.config()


def test_tables_that_the_file_does_not_have_stay() -> None:
    switch = Switch("leaf1")
    before = switch.config()
    load(switch, SCHEDULER={"scheduler.0": {"type": "STRICT"}})
    after = switch.config()

    assert {name for name in before if before[name] != after.get(name)} == {"SCHEDULER"}


def test_port_rows_are_merged_so_that_lanes_survive() -> None:
    switch = Switch("leaf1")
    load(switch, PORT={"Ethernet0": {"mtu": "9000"}})

    assert switch.config()["PORT"]["Ethernet0"]["mtu"] == "9000"
    assert switch.config()["PORT"]["Ethernet0"]["lanes"] == "1,2,3,4,5,6,7,8"
    assert len(switch.config()["PORT"]) == 26


def test_rows_that_the_switch_derives_are_there_after_the_boot() -> None:
    switch = Switch("leaf1")
    load(
        switch,
        BUFFER_PG={"Ethernet0|0": {"profile": "ingress_lossy_profile"}},
        CABLE_LENGTH={"AZURE": {"Ethernet0": "40m"}},
        PORT_QOS_MAP={"Ethernet0": {"pfc_enable": "3"}},
    )

    assert switch.config()["BUFFER_PG"] == {
        "Ethernet0|0": {"profile": "ingress_lossy_profile"},
        "Ethernet0|3": {"profile": "pg_lossless_400000_40m_profile"},
    }


def test_numbers_booleans_and_lists_become_the_text_that_redis_keeps() -> None:
    switch = Switch("leaf1")
    load(switch, BUFFER_PORT_INGRESS_PROFILE_LIST={"Ethernet0": {"profile_list": ["a", "b"], "n": 3, "t": True}})

    assert switch.config()["BUFFER_PORT_INGRESS_PROFILE_LIST"]["Ethernet0"] == {
        "profile_list": "a,b",
        "n": "3",
        "t": "true",
    }


@pytest.mark.parametrize(
    "files", [{"config_db.json": "{"}, {"config_db.json": '{"PORT": 3}'}, {"eos.cfg": "hostname x\n"}]
)
def test_files_that_are_no_configuration_are_refused_by_name(files: dict[str, str]) -> None:
    switch = Switch("leaf1")
    before = copy.deepcopy(switch.store)

    with pytest.raises(ValueError, match=next(iter(files))):
        EMULATOR.load(switch.store, files)
    assert switch.store == before
