"""Booting with rendered files, and changes by hand."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.linux_host import EMULATOR
from tests.lab.linux_host.conftest import RAIL1, ROCE_QOS, Run

X = "enp24s0np0"
NAME = f"roce-qos/{RAIL1}.conf"
SEVERAL = {"gap/driver_reload", "foreign/port", "deleted/roce_qos_file"}


def test_the_service_applies_its_file_at_boot(configured: Store, run: Run) -> None:
    ets = json.loads(run(configured, f"dcb -j ets show dev {X}").stdout)
    assert (ets["prio_tc"], ets["tc_tsa"][0:4:3], ets["tc_bw"][0:4:3]) == (
        [0, 0, 0, 3, 0, 0, 6, 0],
        ["ets", "ets"],
        [30, 70],
    )
    app = dict(json.loads(run(configured, f"dcb -j app show dev {X}").stdout)["dscp_prio"])
    assert (len(app), app[26], app[48], app[0]) == (64, 3, 6, 0)
    pfc = json.loads(run(configured, f"dcb -j pfc show dev {X}").stdout)
    assert (pfc["delay"], pfc["prio_pfc"].index(True), sum(pfc["prio_pfc"])) == (5, 3, 1)
    buffers = json.loads(run(configured, f"dcb -j buffer show dev {X}").stdout)
    assert (buffers["prio_buffer"][3], buffers["buffer_size"][:3]) == (1, [87_296, 174_720, 0])
    ecn = f"/sys/class/net/{X}/ecn"
    paths = f"{ecn}/roce_rp/rpg_ai_rate {ecn}/roce_rp/enable/3 {ecn}/roce_rp/enable/4 /sys/class/net/{X}/mtu"
    assert run(configured, f"cat {paths}").stdout == "7\n1\n0\n9000\n"
    tos = "/sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos"
    assert run(configured, f"cat /sys/class/infiniband/mlx5_0/tc/1/traffic_class {tos}").stdout == (
        "Global tclass=106\n106\n"
    )


def test_the_file_is_where_the_service_looks(configured: Store, run: Run) -> None:
    assert run(configured, f"cat /etc/roce-qos/{RAIL1}.conf").stdout == ROCE_QOS


def test_firmware_parameters_are_current_after_the_boot(configured: Store, sudo: Run) -> None:
    line = next(
        line
        for line in sudo(configured, f"mlxconfig -d {RAIL1} -e q").stdout.splitlines()
        if "ROCE_CC_PRIO_MASK_P1" in line
    )
    assert line.split() == ["*", "ROCE_CC_PRIO_MASK_P1", "255", "8", "8"]


def test_a_service_started_by_hand_is_gone_after_the_boot(configured: Store, run: Run, sudo: Run) -> None:
    sudo(configured, "systemctl start lldpad")
    assert run(configured, "systemctl is-active lldpad").stdout == "active\n"
    EMULATOR.load(configured, {NAME: ROCE_QOS})
    assert run(configured, "systemctl is-active lldpad").stdout == "inactive\n"


def test_a_boot_starts_from_defaults(configured: Store, run: Run, sudo: Run) -> None:
    sudo(configured, f"dcb pfc set dev {X} prio-pfc 5:on")
    EMULATOR.load(configured, {NAME: "mtu_bytes=9000\n"})
    assert not any(json.loads(run(configured, f"dcb -j pfc show dev {X}").stdout)["prio_pfc"])


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("frobnicate=1", "unknown key"),
        ("mtu_bytes=99999", "mtu out of range"),
        ("trust=mpls", "Invalid argument"),
        ("scheduling=0:ets:30,3:ets:60", "Invalid argument"),
        ("priority_to_tc=0-6:0", "7 of 8 keys"),
        ("priority_to_tc=0-7:0,3:1", "key 3 is given twice or too large"),
        ("pfc_priorities=8", "a priority is 0 to 7"),
        ("reaction_rpg_gas=1", "No such file or directory"),
        ("no equals sign", "no KEY=VALUE"),
        ("admin_up=perhaps", "not one of yes, no"),
    ],
)
def test_a_line_that_the_service_refuses_names_file_and_line(configured: Store, line: str, words: str) -> None:
    before = deepcopy(configured)
    with pytest.raises(ValueError, match=rf"{NAME}:2: .*{words}"):
        EMULATOR.load(configured, {NAME: f"# head\n{line}\n"})
    assert configured == before


@pytest.mark.parametrize("name", ["roce-qos/0000:ff:00.0.conf", "roce-qos/0000:cc:00.0.conf", "eos.cfg"])
def test_a_file_of_no_nic_is_refused(fresh: Store, name: str) -> None:
    with pytest.raises(ValueError, match=name):
        EMULATOR.load(fresh, {name: "mtu_bytes=9000\n"})


def leaves(value: Any, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], Any]:
    if isinstance(value, dict) and value:
        return {key: leaf for name, child in value.items() for key, leaf in leaves(child, (*path, str(name))).items()}
    if isinstance(value, list) and value and path[-1] != "dscp_entries":
        return leaves(dict(enumerate(value)), path)
    return {path: json.dumps(value)}


def changed(before: Store, after: Store) -> set[tuple[str, ...]]:
    old, new = leaves(before), leaves(after)
    paths = {path for path in old.keys() | new.keys() if old.get(path) != new.get(path)}
    return {path for path in paths if path[0] not in {"flaps", "link_down"}}


def test_every_change_is_accepted_and_changes_one_setting(configured: Store) -> None:
    for name, commands in EMULATOR.mutations(configured).items():
        store = deepcopy(configured)
        for command in commands:
            answer = EMULATOR.run(store, command)
            assert (answer.stderr, answer.exit_status) == ("", 0), (name, answer)
        paths = changed(configured, store)
        if name.endswith("/scheduling"):
            assert {path[-2] for path in paths} == {"tc_bw"}, name  # a share moves from one TC to another
        elif "trust" in name:
            assert {path[3] for path in paths} <= {"dscp_to_priority", "dscp_entries"}, name
        elif name not in SEVERAL:
            assert len(paths) == 1, (name, paths)


@pytest.mark.parametrize(
    "fact",
    [
        "mtu_bytes",
        "admin_up",
        "fec",
        "qos/global_pause",
        "qos/trust",
        "qos/maps/dscp_to_priority/26",
        "qos/maps/priority_to_tc/0",
        "qos/maps/priority_to_tc/3",
        "qos/maps/priority_to_buffer/3",
        "qos/receive_buffers_bytes/1",
        "qos/cable_length_m",
        "qos/pfc/priorities",
        "qos/scheduling",
        "qos/dcbx",
        "neighbour/device",
        "nic/roce_mode",
        "nic/rdma_cm_tos",
        "nic/traffic_class",
        "nic/cnp_dscp",
        "nic/cnp_priority",
        "nic/dcqcn/notification_priorities",
        "nic/dcqcn/reaction_priorities",
        "nic/dcqcn/notification/min_time_between_cnps",
        "nic/dcqcn/reaction/rpg_ai_rate",
    ],
)
def test_a_configured_port_can_drift_in(configured: Store, fact: str) -> None:
    assert f"ports/{RAIL1}/{fact}" in EMULATOR.mutations(configured)


def test_the_next_boot_and_the_jobs_can_drift(configured: Store) -> None:
    names = set(EMULATOR.mutations(configured))
    assert f"saved/ports/{RAIL1}/nic/firmware_parameters/CNP_DSCP_P1" in names
    assert f"saved/ports/{RAIL1}/mtu_bytes" in names
    assert f"saved/ports/{RAIL1}/nic/dcqcn/reaction/rpg_ai_rate" in names
    assert f"saved/ports/{RAIL1}/nic/dcqcn/reaction_priorities" in names
    assert "saved/job/NCCL_IB_TC" in names


def test_the_odd_days_are_there(configured: Store) -> None:
    odd = {name for name in EMULATOR.mutations(configured) if not name.startswith(("ports/", "saved/"))}
    assert odd == {
        "extra/pfc_priority",
        "extra/dscp_entry",
        "deleted/roce_qos_file",
        "stuck/congestion_control",
        "traffic/rdma_without_pfc",
        "gap/second_writer",
        "second/job_value",
        "gap/driver_reload",
        "foreign/port",
    }


def test_a_fresh_host_offers_only_changes_that_it_can_take(fresh: Store) -> None:
    mutations = EMULATOR.mutations(fresh)
    assert "deleted/roce_qos_file" not in mutations
    for name, commands in mutations.items():
        store = deepcopy(fresh)
        assert {EMULATOR.run(store, command).exit_status for command in commands} == {0}, name
