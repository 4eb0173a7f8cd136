"""What a host of the lab does when it is changed: timers, services, flaps, jobs, boots, input on stdin."""

from __future__ import annotations

import json

import pytest

from fabric_drift.lab.clock import NOW, take_due
from fabric_drift.lab.emulator import ReadsInput, Store
from fabric_drift.lab.linux_host import EMULATOR
from tests.lab.linux_host.conftest import RAIL1, RAIL2, Run

ARM = "systemd-run --quiet --unit=undo-1 --on-active=300 /usr/sbin/roce-qos change undo run1"


def test_a_timer_is_kept_in_the_store_with_its_command(fresh: Store, sudo: Run) -> None:
    fresh[NOW] = 10.0
    assert sudo(fresh, ARM).exit_status == 0
    assert fresh["timers"] == [{"due": 310.0, "unit": "undo-1", "command": "/usr/sbin/roce-qos change undo run1"}]
    assert sudo(fresh, "systemctl is-active undo-1.timer").stdout == "active\n"


def test_a_timer_of_the_same_name_is_refused(fresh: Store, sudo: Run) -> None:
    sudo(fresh, ARM)
    answer = sudo(fresh, ARM)
    assert answer.exit_status == 1
    assert "already loaded" in answer.stderr


def test_a_stopped_timer_does_not_fire_and_one_that_is_not_there_is_not_loaded(fresh: Store, sudo: Run) -> None:
    sudo(fresh, ARM)
    assert sudo(fresh, "systemctl stop undo-1.timer").exit_status == 0
    fresh[NOW] = 1000.0
    assert take_due(fresh) == []
    assert sudo(fresh, "systemctl stop undo-1.timer").exit_status == 5


@pytest.mark.parametrize(
    "words", ["--unit=x true", "--on-active=5 true", "--unit=x --on-active=soon true", "--unit=x --on-active=5"]
)
def test_a_timer_without_unit_time_or_command_is_refused(fresh: Store, sudo: Run, words: str) -> None:
    assert sudo(fresh, f"systemd-run {words}").exit_status == 1
    assert fresh.get("timers", []) == []


def test_only_root_sets_timers_and_services(fresh: Store, run: Run) -> None:
    assert run(fresh, ARM).exit_status == 1
    assert run(fresh, "systemctl restart lldpd").exit_status == 4
    assert fresh.get("timers", []) == []


def test_services_are_enabled_started_and_stopped(fresh: Store, sudo: Run) -> None:
    assert sudo(fresh, "systemctl is-enabled lldpad").exit_status == 1
    sudo(fresh, "systemctl enable --now lldpad.service")
    assert sudo(fresh, "systemctl is-enabled lldpad.service").stdout == "enabled\n"
    assert sudo(fresh, "systemctl is-active lldpad").exit_status == 0
    sudo(fresh, "systemctl disable --now lldpad.service")
    assert sudo(fresh, "systemctl is-active lldpad").exit_status == 3


def test_the_link_flaps_when_the_pfc_mask_changes_and_only_then(fresh: Store, sudo: Run) -> None:
    sudo(fresh, "dcb pfc set dev enp24s0np0 prio-pfc 3:on")
    sudo(fresh, "dcb pfc set dev enp24s0np0 prio-pfc 3:on delay 9")
    sudo(fresh, "dcb ets set dev enp24s0np0 prio-tc 3:3")
    assert fresh["flaps"] == {RAIL1: 1}


def test_a_link_that_is_switched_off_goes_down_once(fresh: Store, sudo: Run) -> None:
    for _ in range(2):
        sudo(fresh, "ip link set dev enp24s0np0 down")
    assert fresh["flaps"] == {RAIL1: 1}


def test_queue_pairs_of_a_job_have_a_process_and_those_of_the_kernel_have_none(fresh: Store, run: Run) -> None:
    asked = "rdma -j resource show qp"
    assert [row for row in json.loads(run(fresh, asked).stdout) if "pid" in row] == []
    run(fresh, "lab job start mlx5_0")
    (job,) = [row for row in json.loads(run(fresh, asked).stdout) if "pid" in row]
    assert (job["ifname"], job["comm"]) == ("mlx5_0", "python3")
    run(fresh, "lab job end mlx5_0")
    assert [row for row in json.loads(run(fresh, asked).stdout) if "pid" in row] == []


def test_tee_writes_its_standard_input(fresh: Store) -> None:
    assert isinstance(EMULATOR, ReadsInput)
    assert EMULATOR.reads_input("sudo -n tee /etc/x")
    assert not EMULATOR.reads_input("echo x | sudo -n tee /etc/x")
    answer = EMULATOR.run_with_input(fresh, "sudo -n tee /etc/x", "one\ntwo\n")
    assert answer.stdout == "one\ntwo\n"
    EMULATOR.run_with_input(fresh, "sudo -n tee -a /etc/x", "three\n")
    assert fresh["files"]["/etc/x"] == "one\ntwo\nthree\n"
    assert "stdin" not in fresh


def test_tee_says_when_the_disk_is_full_or_one_may_not(fresh: Store, run: Run) -> None:
    assert EMULATOR.run_with_input(fresh, "tee /etc/x", "one\n").exit_status == 1
    run(fresh, "lab disk full")
    answer = EMULATOR.run_with_input(fresh, "sudo -n tee /etc/x", "one\n")
    assert answer.stderr == "tee: /etc/x: No space left on device\n"
    assert "/etc/x" not in fresh["files"]


def test_the_program_of_the_package_is_what_runs(fresh: Store, run: Run, sudo: Run) -> None:
    assert run(fresh, "roce-qos --version").stdout.startswith("roce-qos ")
    assert "trust=pcp\n" in sudo(fresh, f"roce-qos show {RAIL1}").stdout
    run(fresh, "lab uninstall roce-qos")
    assert run(fresh, "roce-qos --version").exit_status == 127


def test_a_program_that_is_killed_has_written_so_much_and_no_more(fresh: Store, sudo: Run, run: Run) -> None:
    run(fresh, "lab gate drained")
    fresh["files"][f"/etc/roce-qos/{RAIL1}.conf"] = "admin_up=yes\nmtu_bytes=9000\ncable_length_m=5\npfc_priorities=3\n"
    run(fresh, "lab die-after-writes 2")  # what is kept for an undo comes first
    answer = sudo(fresh, "roce-qos apply")
    nic = fresh["nics"][RAIL1]
    assert (answer.exit_status, answer.stderr) == (137, "Killed\n")
    assert (nic["mtu_bytes"], nic["dcb"]["delay"], any(nic["dcb"]["pfc"])) == (1500, 7, False)
    assert sudo(fresh, "roce-qos apply").exit_status == 0
    assert (nic["mtu_bytes"], nic["dcb"]["delay"], nic["dcb"]["pfc"][3]) == (9000, 5, True)


def test_a_boot_forgets_what_was_set_by_hand_and_brings_what_the_files_say(fresh: Store, run: Run, sudo: Run) -> None:
    fresh["files"][f"/etc/roce-qos/{RAIL1}.conf"] = "cable_length_m=5\n"
    sudo(fresh, "dcb pfc set dev enp42s0np0 prio-pfc 3:on")
    sudo(fresh, f"mlxconfig -d {RAIL1} -y set CNP_DSCP_P1=40")
    sudo(fresh, ARM)
    run(fresh, "lab reboot")
    assert fresh["nics"][RAIL1]["dcb"]["delay"] == 5
    assert not any(fresh["nics"][RAIL2]["dcb"]["pfc"])
    assert fresh["nics"][RAIL1]["firmware_parameters"]["CNP_DSCP_P1"]["current"] == "40"
    assert fresh["timers"] == []
