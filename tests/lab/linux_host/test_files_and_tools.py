"""Small files, the shell around them, and the other tools of a host."""

from __future__ import annotations

import json

import pytest

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.linux_host import EMULATOR
from tests.lab.linux_host.conftest import HOST, RAIL1, Run

X = "enp24s0np0"
TCLASS = "/sys/class/infiniband/mlx5_0/tc/1/traffic_class"
NAMED = f"/sys/class/net/{X}"


def test_a_store_is_json_types_only() -> None:
    store = EMULATOR.start(HOST)
    assert json.loads(json.dumps(store)) == store


def test_links_lead_from_names_to_pci_addresses(fresh: Store, run: Run) -> None:
    link = next(line for line in run(fresh, "ls -l /sys/class/net").stdout.splitlines() if f" {X} -> " in line)
    assert link.endswith(f"{RAIL1}/net/{X}")
    assert run(fresh, f"readlink -f {NAMED}/device").stdout.endswith(f"/{RAIL1}\n")
    assert f"{RAIL1}/infiniband/mlx5_0" in run(fresh, "ls -l /sys/class/infiniband").stdout
    assert f" {RAIL1} -> " in run(fresh, "ls -l /sys/bus/pci/drivers/mlx5_core").stdout


def test_grep_names_files_as_typed_and_reads_folders_with_r(configured: Store, run: Run) -> None:
    answer = run(configured, f"grep -rH . {NAMED}/speed {NAMED}/ecn/roce_np/cnp_dscp {NAMED}/ecn/roce_np/enable")
    assert answer.exit_status == 0
    assert answer.stdout.splitlines()[:2] == [f"{NAMED}/speed:400000", f"{NAMED}/ecn/roce_np/cnp_dscp:48"]
    assert [line[-1] for line in answer.stdout.splitlines()[2:]] == list("00010000")


def test_grep_tells_a_missing_file_and_still_shows_the_others(fresh: Store, run: Run) -> None:
    answer = run(fresh, "grep -H . /proc/sys/kernel/hostname /etc/nccl.conf")
    assert answer.stdout == "/proc/sys/kernel/hostname:gpu1\n"
    assert answer.stderr == "grep: /etc/nccl.conf: No such file or directory\n"
    assert answer.exit_status == 2


def test_grep_with_n_numbers_lines(configured: Store, run: Run) -> None:
    assert run(configured, "grep -Hn . /etc/nccl.conf").stdout == (
        "/etc/nccl.conf:1:NCCL_IB_GID_INDEX=3\n/etc/nccl.conf:2:NCCL_IB_TC=106\n"
    )


def test_grep_without_a_match_answers_1(configured: Store, run: Run) -> None:
    assert run(configured, "grep nothing /etc/nccl.conf").exit_status == 1


def test_a_folder_is_no_file(fresh: Store, run: Run) -> None:
    assert run(fresh, f"cat {NAMED}/qos").stderr == f"cat: {NAMED}/qos: Is a directory\n"


def test_debugfs_is_for_root(fresh: Store, run: Run, sudo: Run) -> None:
    command = f"grep -rH . /sys/kernel/debug/mlx5/{RAIL1}/cc_params"
    assert run(fresh, command).stderr.endswith("Permission denied\n")
    assert f"/sys/kernel/debug/mlx5/{RAIL1}/cc_params/rp_ai_rate:5" in sudo(fresh, command).stdout


def test_an_inbox_driver_has_no_ofed_folders(fresh: Store, run: Run, sudo: Run) -> None:
    run(fresh, "lab inbox")
    for path in (f"{NAMED}/qos/trust", f"{NAMED}/ecn", TCLASS, "/sys/module/mlx5_core/version"):
        assert run(fresh, f"cat {path}").stderr == f"cat: {path}: No such file or directory\n"
    sudo(fresh, f"sh -c 'echo 9 > /sys/kernel/debug/mlx5/{RAIL1}/cc_params/rp_ai_rate'")
    assert sudo(fresh, f"cat /sys/kernel/debug/mlx5/{RAIL1}/cc_params/rp_ai_rate").stdout == "9\n"


@pytest.mark.parametrize("command", [f"sudo -n sh -c 'echo 106 > {TCLASS}'", f"echo 106 | sudo -n tee {TCLASS}"])
def test_writing_a_small_file_sets_it(fresh: Store, run: Run, command: str) -> None:
    assert run(fresh, command).exit_status == 0
    assert run(fresh, f"cat {TCLASS}").stdout == "Global tclass=106\n"


def test_the_kernel_refuses_a_value_out_of_range(fresh: Store, sudo: Run) -> None:
    answer = sudo(fresh, f"sh -c 'echo 256 > {TCLASS}'")
    assert (answer.stderr, answer.exit_status) == ("bash: line 1: echo: write error: Invalid argument\n", 1)
    assert sudo(fresh, f"sh -c 'echo 64 > {NAMED}/ecn/roce_np/cnp_dscp'").exit_status == 1


def test_the_shell_stops_at_and_goes_on_after_a_semicolon(fresh: Store, run: Run) -> None:
    answer = run(fresh, "cat /nowhere && hostname; uname -r")
    assert answer.stdout == ""
    answer = run(fresh, "cat /nowhere; uname -r")
    assert (answer.stdout, answer.exit_status) == ("5.15.0-122-generic\n", 0)


def test_an_unknown_or_uninstalled_command_is_not_found(fresh: Store, run: Run) -> None:
    assert run(fresh, "frobnicate").exit_status == 127
    run(fresh, "lab uninstall dcb")
    assert run(fresh, f"dcb -j pfc show dev {X}").exit_status == 127


def test_rdma_and_ip_know_each_other_s_names(fresh: Store, run: Run) -> None:
    rdma = {row["ifname"]: row["netdev"] for row in json.loads(run(fresh, "rdma -j link show").stdout)}
    assert rdma == {"mlx5_0": X, "mlx5_1": "enp41s0np0", "mlx5_2": "enp42s0np0"}
    links = {row["ifname"]: row for row in json.loads(run(fresh, "ip -j -d link show").stdout)}
    assert set(links) == {"lo", X, "enp42s0np0", "enp41s0np0", "eno1"}
    assert (links[X]["mtu"], links[X]["parentdev"], "LOWER_UP" in links[X]["flags"]) == (1500, RAIL1, True)


def test_a_port_that_is_down_has_no_neighbour(fresh: Store, sudo: Run) -> None:
    sudo(fresh, f"ip link set dev {X} down")
    neighbours = json.loads(sudo(fresh, "lldpctl -f json0").stdout)["lldp"][0]["interface"]
    assert [(row["name"], row["port"][0]["id"][0]["value"]) for row in neighbours] == [("enp42s0np0", "Ethernet8")]


def test_ethtool_turns_global_pause_off(fresh: Store, sudo: Run) -> None:
    assert "RX:\t\ton\nTX:\t\ton\n" in sudo(fresh, f"ethtool -a {X}").stdout
    sudo(fresh, f"ethtool -A {X} autoneg off rx off tx off")
    assert "RX:\t\toff\nTX:\t\toff\n" in sudo(fresh, f"ethtool -a {X}").stdout
    assert sudo(fresh, f"ethtool -A {X} autoneg on").exit_status == 1


def test_rdma_cm_answers_by_tool_and_by_folder(fresh: Store, sudo: Run) -> None:
    assert sudo(fresh, "cma_roce_tos -d mlx5_0").stdout == "0\n"
    assert sudo(fresh, "cma_roce_tos -d mlx5_0 -t 106").stdout == "106\n"
    assert sudo(fresh, "cma_roce_mode -d mlx5_0").stdout == "RoCE v2\n"
    tos = "cat /sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos"
    assert sudo(fresh, tos).exit_status == 1
    sudo(fresh, "mkdir /sys/kernel/config/rdma_cm/mlx5_0")
    assert sudo(fresh, tos).stdout == "106\n"


def test_cma_roce_takes_an_rdma_device_and_no_netdev(fresh: Store, sudo: Run) -> None:
    answer = sudo(fresh, f"cma_roce_tos -d {X}")
    assert answer.stderr == (
        f"mkdir: cannot create directory '{X}': No such device\nFailed to create configuration for {X}\n"
    )
    assert answer.exit_status == 1


def rows(text: str) -> dict[str, list[str]]:
    cells = [line.lstrip("*").split() for line in text.splitlines() if "_" in line]
    return {name: values for name, *values in cells if name.isupper()}


def test_mlxconfig_sets_the_next_boot_and_stars_the_row(fresh: Store, sudo: Run) -> None:
    sudo(fresh, f"mlxconfig -d {RAIL1} -y set CNP_DSCP_P1=4 SRIOV_EN=1")
    text = sudo(fresh, f"mlxconfig -d {RAIL1} -e q").stdout
    assert rows(text)["CNP_DSCP_P1"] == ["48", "48", "4"]
    assert rows(text)["SRIOV_EN"] == ["False(0)", "False(0)", "True(1)"]
    assert [line.split()[1] for line in text.splitlines() if line.startswith("*")] == ["CNP_DSCP_P1", "SRIOV_EN"]
    assert text.endswith("The '*' shows parameters with next value different from default/current value.\n")


def test_mlxconfig_without_e_shows_the_next_boot_only(fresh: Store, sudo: Run) -> None:
    text = sudo(fresh, f"mlxconfig -d {RAIL1} q CNP_DSCP_P1").stdout
    assert rows(text) == {"CNP_DSCP_P1": ["48"]}
    assert "Next Boot" in text
    assert "Default" not in text


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        ("NO_SUCH=1", "-E- The Device doesn't support NO_SUCH parameter\n"),
        ("SRIOV_EN=2", "-E- Failed to set SRIOV_EN: value 2 is out of range\n"),
        ("CNP_DSCP_P1=many", "-E- Bad format: CNP_DSCP_P1=many\n"),
    ],
)
def test_mlxconfig_refuses(fresh: Store, sudo: Run, pair: str, words: str) -> None:
    answer = sudo(fresh, f"mlxconfig -d {RAIL1} -y set {pair}")
    assert (answer.stdout, answer.exit_status) == (words, 3)


def test_mlxreg_shows_whether_programmable_congestion_control_runs(fresh: Store, sudo: Run) -> None:
    query = f"mlxreg -d {RAIL1} -y --get --reg_name=PPCC --indexes=local_port=1,pnat=0,lp_msb=0,algo_slot=0"
    assert "| 0x00000000\n" in sudo(fresh, query).stdout
    sudo(fresh, f"lab register {RAIL1} PPCC value 1")
    assert "| 0x00000001\n" in sudo(fresh, query).stdout


def test_a_unit_that_is_not_there_is_inactive(fresh: Store, run: Run) -> None:
    answer = run(fresh, "systemctl is-active lldpad")
    assert (answer.stdout, answer.exit_status) == ("inactive\n", 3)
    assert run(fresh, "systemctl is-active lldpd").stdout == "active\n"


def test_show_gids_has_no_address_for_a_link_local_one(fresh: Store, run: Run) -> None:
    lines = run(fresh, "show_gids").stdout.splitlines()
    assert lines[-1] == "n_gids_found=12"
    assert lines[2].split("\t")[3:] == [lines[2].split("\t")[3], "", "", "v1", X]
