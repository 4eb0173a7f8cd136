"""What mlx5 does with DCB settings, and what a fresh host has."""

from __future__ import annotations

import json

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.linux_host import EMULATOR
from tests.lab.linux_host.conftest import HOST, MANAGEMENT, RAIL1, RAIL2, STORAGE, Run

X = "enp24s0np0"


def test_a_fresh_port_trusts_pcp_has_no_pfc_and_priorities_0_and_1_swapped(fresh: Store, run: Run) -> None:
    assert run(fresh, f"cat /sys/class/net/{X}/qos/trust").stdout == "pcp\n"
    assert not any(json.loads(run(fresh, f"dcb -j pfc show dev {X}").stdout)["prio_pfc"])
    ets = json.loads(run(fresh, f"dcb -j ets show dev {X}").stdout)
    assert (ets["prio_tc"], set(ets["tc_tsa"])) == ([1, 0, 2, 3, 4, 5, 6, 7], {"vendor"})


def test_rdma_devices_are_numbered_by_bus_so_the_storage_nic_shifts_the_rails(fresh: Store) -> None:
    names = {pci: fresh["nics"][pci].get("rdma") for pci in (RAIL1, STORAGE, RAIL2, MANAGEMENT)}
    assert names == {RAIL1: "mlx5_0", STORAGE: "mlx5_1", RAIL2: "mlx5_2", MANAGEMENT: None}


def test_the_first_dscp_entry_makes_a_port_trust_dscp_and_the_last_one_s_removal_pcp(fresh: Store, sudo: Run) -> None:
    sudo(fresh, f"dcb app add dev {X} dscp-prio 26:3")
    assert sudo(fresh, f"cat /sys/class/net/{X}/qos/trust").stdout == "dscp\n"
    sudo(fresh, f"dcb app del dev {X} dscp-prio 26:3")
    assert sudo(fresh, f"cat /sys/class/net/{X}/qos/trust").stdout == "pcp\n"


def test_a_dscp_has_one_priority_and_an_unlisted_one_has_0(fresh: Store, sudo: Run) -> None:
    sudo(fresh, f"dcb app add dev {X} dscp-prio 26:3")
    sudo(fresh, f"dcb app add dev {X} dscp-prio 26:5")
    assert sudo(fresh, f"dcb -j app show dev {X}").stdout == '{"dscp_prio":[[26,5]]}\n'
    table = sudo(fresh, f"cat /sys/class/net/{X}/qos/dscp2prio").stdout.split("\n")
    assert ("26\t5" in table, "27\t0" in table) == (True, True)


def test_deleting_an_entry_that_is_not_there_is_refused(fresh: Store, sudo: Run) -> None:
    answer = sudo(fresh, f"dcb app del dev {X} dscp-prio 26:3")
    assert (answer.stderr, answer.exit_status) == ("Attribute write: No such file or directory\n", 1)


def test_selectors_other_than_dscp_are_refused(fresh: Store, sudo: Run) -> None:
    answer = sudo(fresh, f"dcb app add dev {X} dgram-port-prio 4791:3")
    assert (answer.stderr, answer.exit_status) == ("Attribute write: Invalid argument\n", 1)


def test_another_pfc_mask_flaps_the_link_and_the_same_one_does_not(fresh: Store, sudo: Run) -> None:
    sudo(fresh, f"dcb pfc set dev {X} prio-pfc all:off 3:on")
    sudo(fresh, f"dcb pfc set dev {X} prio-pfc all:off 3:on")
    sudo(fresh, f"mlnx_qos -i {X} --pfc 0,0,0,1,0,0,0,0")
    assert fresh["flaps"] == {RAIL1: 1}
    sudo(fresh, f"mlnx_qos -i {X} -F x,x,x,0,x,x,x,x")
    assert fresh["flaps"] == {RAIL1: 2}


def test_the_delay_of_pfc_is_the_cable_length_and_nonsense_is_ignored(fresh: Store, sudo: Run) -> None:
    sudo(fresh, f"dcb pfc set dev {X} delay 0x28")
    sudo(fresh, f"dcb pfc set dev {X} delay 0")
    sudo(fresh, f"dcb pfc set dev {X} delay 1000")
    assert "Cable len: 40\n" in sudo(fresh, f"mlnx_qos -i {X}").stdout


def test_a_pcp_dscp_bounce_loses_a_map_of_one_s_own(fresh: Store, sudo: Run) -> None:
    sudo(fresh, f"mlnx_qos -i {X} --trust dscp")
    sudo(fresh, f"mlnx_qos -i {X} --dscp2prio set,26,5")
    sudo(fresh, f"mlnx_qos -i {X} --trust dscp")
    assert [26, 5] in json.loads(sudo(fresh, f"dcb -j app show dev {X}").stdout)["dscp_prio"]
    sudo(fresh, f"mlnx_qos -i {X} --trust pcp")
    sudo(fresh, f"mlnx_qos -i {X} --trust dscp")
    assert [26, 3] in json.loads(sudo(fresh, f"dcb -j app show dev {X}").stdout)["dscp_prio"]


def test_ets_shares_that_do_not_make_100_are_refused_by_the_command(configured: Store, sudo: Run) -> None:
    answer = sudo(configured, f"dcb ets set dev {X} tc-bw 0:40")
    assert answer.stderr == "Bandwidth percentages in tc-bw sum to 110%, expected 100%\n"
    assert answer.exit_status == 1


def test_buffers_larger_than_the_chip_are_refused(fresh: Store, sudo: Run) -> None:
    assert sudo(fresh, f"dcb buffer set dev {X} buffer-size 2:1000000").exit_status == 1


def test_only_root_writes(fresh: Store, run: Run) -> None:
    for command in (
        f"dcb pfc set dev {X} prio-pfc 3:on",
        f"ip link set dev {X} mtu 9000",
        f"mlnx_qos -i {X} --trust dscp",
        f"ethtool -A {X} rx off tx off",
        f"mlxconfig -d {RAIL1} -y set CNP_DSCP_P1=4",
        "cma_roce_tos -d mlx5_0 -t 106",
        "sh -c 'echo 106 > /sys/class/infiniband/mlx5_0/tc/1/traffic_class'",
        "systemctl stop lldpd",
    ):
        assert run(fresh, command).exit_status != 0, command
    assert fresh == EMULATOR.start(HOST)


def test_a_nic_without_dcb_says_so_and_one_that_is_not_there_too(fresh: Store, run: Run) -> None:
    answer = run(fresh, "dcb -j pfc show dev eno1")
    assert (answer.stdout, answer.stderr) == ("\n", "Attribute read: Operation not supported\n")
    assert run(fresh, "dcb pfc show dev nosuch").stderr == "Attribute read: No such device\n"


def test_lldpad_makes_mlnx_qos_warn_first(fresh: Store, sudo: Run) -> None:
    sudo(fresh, "systemctl start lldpad")
    lines = sudo(fresh, f"mlnx_qos -i {X}").stdout.splitlines()
    assert lines[0].startswith("****** WARNING: lldpad service is running")
    assert lines[1:3] == ["", "DCBX mode: OS controlled"]


def test_a_driver_reload_forgets_ets_and_keeps_what_the_firmware_holds(configured: Store, sudo: Run) -> None:
    sudo(configured, f"lab reload {RAIL1}")
    assert set(json.loads(sudo(configured, f"dcb -j ets show dev {X}").stdout)["tc_tsa"]) == {"vendor"}
    assert json.loads(sudo(configured, f"dcb -j pfc show dev {X}").stdout)["prio_pfc"][3] is True
    assert sudo(configured, f"cat /sys/class/net/{X}/qos/trust").stdout == "dscp\n"
    assert sudo(configured, "cat /sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos").exit_status == 1
