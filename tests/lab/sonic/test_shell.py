"""The command line of a switch: formats, refusals, exit codes."""

from __future__ import annotations

import json

import pytest

from tests.lab.sonic.switch import Switch, changed, flat


def test_a_pattern_of_redis_reads_backslashes_stars_and_classes() -> None:
    switch = Switch()

    assert set(switch.dump("APPL_DB", r"PORT_TABLE\:Ethernet1\*")) == {
        f"PORT_TABLE:Ethernet{number}" for number in (16, *range(104, 200, 8))
    }
    kinds = {key.split(":")[1] for key in switch.dump("ASIC_DB", r"ASIC_STATE\:SAI_OBJECT_TYPE_\[QW\]\*")}
    assert kinds == {"SAI_OBJECT_TYPE_QOS_MAP", "SAI_OBJECT_TYPE_QUEUE", "SAI_OBJECT_TYPE_WRED"}


def test_a_dump_says_type_value_and_expiry() -> None:
    plain = json.loads(Switch().run(r"sonic-db-dump -n CONFIG_DB -k SCHEDULER\* -y"))

    assert plain["SCHEDULER|scheduler.0"]["type"] == "hash"
    assert plain["SCHEDULER|scheduler.0"]["value"] == {"type": "DWRR", "weight": "14"}
    assert plain["SCHEDULER|scheduler.0"].keys() == {"type", "value", "ttl", "expireat"}
    assert json.loads(Switch().run("redis-dump -d 4 -k SCHEDULER* -y")) == plain


def test_an_empty_dump_is_an_empty_object() -> None:
    assert json.loads(Switch("leaf1").run(r"sonic-db-dump -n STATE_DB -k BUFFER_\* -y")) == {}


def test_sonic_db_cli_prints_a_hash_as_python_and_redis_cli_line_by_line() -> None:
    switch = Switch()

    assert switch.run('sonic-db-cli CONFIG_DB hgetall "SCHEDULER|scheduler.1"') == "{'type': 'DWRR', 'weight': '15'}\n"
    assert switch.run('redis-cli -n 4 --raw hgetall "SCHEDULER|scheduler.1"') == "type\nDWRR\nweight\n15\n"
    assert switch.run("sonic-db-cli CONFIG_DB keys SCHEDULER*") == "SCHEDULER|scheduler.0\nSCHEDULER|scheduler.1\n"
    assert switch.run('sonic-db-cli CONFIG_DB hget "SCHEDULER|scheduler.1" weight') == "15\n"
    assert switch.run("sonic-db-cli CONFIG_DB ping") == "PONG\n"


def test_hset_counts_new_fields_and_the_last_hdel_removes_the_row() -> None:
    switch = Switch()

    assert switch.run('sonic-db-cli CONFIG_DB hset "SCHEDULER|new" type DWRR weight 3') == "2\n"
    assert switch.run('sonic-db-cli CONFIG_DB hset "SCHEDULER|new" weight 4') == "0\n"
    assert switch.run('sonic-db-cli CONFIG_DB hdel "SCHEDULER|new" type weight nothing') == "2\n"
    assert "new" not in switch.config()["SCHEDULER"]
    assert switch.run('sonic-db-cli CONFIG_DB del "SCHEDULER|new"') == "0\n"


def test_one_table_is_what_var_json_prints() -> None:
    switch = Switch()

    assert json.loads(switch.run("sonic-cfggen -d --var-json SCHEDULER")) == switch.config()["SCHEDULER"]


def test_write_to_db_merges_and_never_removes() -> None:
    switch = Switch()
    before = flat(switch.config())
    switch.run("""sonic-cfggen -a '{"SCHEDULER": {"scheduler.0": {"weight": 20}}}' --write-to-db""")

    assert changed(before, flat(switch.config())) == {"SCHEDULER|scheduler.0|weight"}
    assert switch.config()["SCHEDULER"]["scheduler.0"] == {"type": "DWRR", "weight": "20"}


def test_nothing_is_saved_before_config_save() -> None:
    switch = Switch()
    switch.run("config interface mtu Ethernet0 9000")
    assert switch.saved()["PORT"]["Ethernet0"]["mtu"] == "9100"

    switch.run("config save -y")
    assert switch.saved() == switch.config()


def test_qos_reload_brings_the_stock_templates_back() -> None:
    switch = Switch()
    before = flat(switch.config())
    switch.run(
        'sonic-db-cli CONFIG_DB hset "DSCP_TO_TC_MAP|AZURE" 26 3', "config interface pfc priority Ethernet0 3 off"
    )
    switch.run('sonic-db-cli CONFIG_DB hset "CABLE_LENGTH|AZURE" Ethernet0 40m', "config interface mtu Ethernet0 9000")
    switch.run("config qos reload")

    assert changed(before, flat(switch.config())) == {"PORT|Ethernet0|mtu"}


def test_qos_clear_leaves_the_watchdog() -> None:
    switch = Switch()
    switch.run("config qos clear")

    assert "PORT_QOS_MAP" not in switch.config()
    assert "BUFFER_PG" not in switch.config()
    assert "PFC_WD" in switch.config()


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("config interface mtu Ethernet0 9217", "Invalid value"),
        ("config interface mtu Ethernet3 9000", "Interface name is invalid"),
        ("config interface fec Ethernet0 rsx", "Invalid value"),
        ("config interface pfc priority Ethernet0 8 on", "Invalid value"),
        ("config interface cable-length Ethernet0 40m", "dynamic buffer"),
        ("config pfcwd start", "No such command"),
        ("pfcwd interval 50", "not in the range"),
        ("pfcwd interval 300", "choose a smaller polling interval"),
        ("pfcwd start -a drop -r 400 Ethernet0 99", "100<=x<=5000"),
        ("pfcwd start -a explode -r 400 Ethernet0 200", "--action"),
        ("pfcwd start -a drop -r 400 Ethernet1000 200", "invalid options"),
        ("ecnconfig -p NOPE -gmin 1", "does not exist"),
        ("ecnconfig -p AZURE_LOSSLESS -gmin 3000000", "min should be smaller"),
        ("ecnconfig -p AZURE_LOSSLESS -gfoo 3", "unrecognized"),
        ("sonic-db-cli NO_DB keys x", "Invalid database name"),
        ("sonic-db-cli CONFIG_DB flushall", "ERR unknown command"),
        ("sonic-cfggen -j /tmp/x.json --write-to-db", "No such file"),
        ("sonic-cfggen -a '[1]' --write-to-db", "not an object"),
        ("sonic-db-dump -n APPL_DB --all", "no such option"),
        ("show frobnication", "No such command"),
        ("cat /etc/passwd; reboot", "one command at a time"),
        ("hostname 'open", "syntax error"),
    ],
)
def test_refusals_change_nothing_and_say_why(command: str, complaint: str) -> None:
    assert complaint in Switch("leaf1").refused(command)


def test_the_longest_polling_interval_shrank_in_202511() -> None:
    for name, longest in (("leaf1", 3000), ("spine1", 1000)):
        switch = Switch(name)
        switch.run("pfcwd stop")
        switch.refused(f"pfcwd interval {longest + 1}")
        switch.run(f"pfcwd interval {longest}")


def test_pfcwd_start_skips_ports_without_pfc_and_doubles_a_missing_restoration_time() -> None:
    switch = Switch("leaf1")

    output = switch.run("pfcwd start -a drop Ethernet0 Ethernet192 300")

    assert output == "SKIPPED: PFC is not enabled on port: Ethernet192\n"
    assert switch.config()["PFC_WD"]["Ethernet0"] == {
        "action": "drop",
        "detection_time": "300",
        "restoration_time": "600",
    }


def test_pfcwd_show_config_has_upstreams_layout() -> None:
    switch = Switch("leaf1")
    switch.run("pfcwd stop", "pfcwd start -a drop -r 600 Ethernet0 Ethernet8 600", "pfcwd interval 600")

    # sonic-utilities tests/pfcwd_input/pfcwd_test_vectors.py, without the HISTORY column of 202511
    assert switch.run("pfcwd show config") == (
        "Changed polling interval to 600ms\n"
        "     PORT    ACTION    DETECTION TIME    RESTORATION TIME\n"
        "---------  --------  ----------------  ------------------\n"
        "Ethernet0      drop               600                 600\n"
        "Ethernet8      drop               600                 600\n"
    )
    assert "HISTORY" in Switch("spine1").run("show pfcwd config")


def test_show_pfc_priority_has_upstreams_layout() -> None:
    lines = Switch("leaf1").run("show pfc priority").splitlines()

    assert lines[1:5] == [
        "Interface    Lossless priorities",
        "-----------  ---------------------",
        "Ethernet0    3,4",
        "Ethernet8    3,4",
    ]


def test_ecnconfig_lists_every_field_of_every_profile() -> None:
    listing = Switch("leaf1").run("ecnconfig -l")

    assert listing.startswith("Profile: AZURE_LOSSLESS\n")
    assert "green_min_threshold" in listing
    assert [line.split()[-1] for line in listing.splitlines() if line.startswith("red_max_threshold")] == ["2097152"]


def test_people_see_status_and_neighbours() -> None:
    switch = Switch("leaf1")

    assert "QSFP28 or later" in switch.run("show interfaces status")
    assert "Total entries displayed:  24" in switch.run("show lldp table")
    assert json.loads(switch.run("show runningconfiguration all")) == switch.config()
