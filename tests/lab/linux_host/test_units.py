"""What is installed on an emulated host runs there: units, the program, the drain gate; and what needs a real shell."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric_drift.lab.emulator import RunsPrograms, Store
from fabric_drift.lab.linux_host import EMULATOR
from tests.lab.linux_host.conftest import RAIL1, Run

TREE = Path(__file__).parents[3] / "fabric_drift/platforms/linux_host/files/tree"
UNIT = "/etc/systemd/system/mtu@.service"
TEXT = "[Service]\nExecStart=/usr/sbin/ip link set dev %I mtu 4200\nRemainAfterExit=yes\n"
GATE = "/etc/roce-qos-drain-gate"


def install(store: Store) -> None:
    """As the role leaves it."""
    for file in (path for path in (TREE / "usr").rglob("*") if path.is_file() and path.suffix != ".pyc"):
        store["files"][f"/{file.relative_to(TREE)}"] = file.read_text()


def test_a_unit_that_has_no_file_can_not_be_enabled_or_started(fresh: Store, sudo: Run) -> None:
    assert sudo(fresh, "systemctl enable nothing.service").exit_status == 1
    assert sudo(fresh, "systemctl start nothing").exit_status == 5
    assert "LoadState=not-found\n" in sudo(fresh, "systemctl show nothing.service").stdout
    assert sudo(fresh, "systemctl list-unit-files nothing.service").exit_status == 1


def test_an_instance_runs_what_its_template_says(fresh: Store, sudo: Run) -> None:
    fresh["files"][UNIT] = TEXT
    assert sudo(fresh, "systemctl start mtu@enp24s0np0.service").exit_status == 0
    assert fresh["nics"][RAIL1]["mtu_bytes"] == 4200
    shown = sudo(fresh, "systemctl show mtu@enp24s0np0.service").stdout
    assert "ActiveState=active\n" in shown
    assert f"FragmentPath={UNIT}\n" in shown


def test_a_unit_whose_command_fails_has_failed(fresh: Store, sudo: Run) -> None:
    fresh["files"][UNIT] = TEXT
    assert sudo(fresh, "systemctl start mtu@nothing").exit_status == 1
    assert sudo(fresh, "systemctl is-active mtu@nothing").stdout == "failed\n"


def test_a_unit_does_not_run_without_what_its_condition_asks_for(fresh: Store, sudo: Run) -> None:
    fresh["files"][UNIT] = f"[Unit]\nConditionPathExists=/etc/go\n{TEXT}"
    assert sudo(fresh, "systemctl start mtu@enp24s0np0").exit_status == 0
    assert fresh["nics"][RAIL1]["mtu_bytes"] == 1500


def test_a_host_without_the_program_has_it_once_it_is_installed_and_runs_what_is_installed(
    fresh: Store, run: Run
) -> None:
    run(fresh, "lab uninstall roce-qos")
    assert run(fresh, "roce-qos --version").exit_status == 127
    install(fresh)
    assert run(fresh, "roce-qos --version").stdout == "roce-qos 1.0\n"
    source = "/usr/lib/roce-qos/roce_qos/__init__.py"
    fresh["files"][source] = fresh["files"][source].replace("1.0", "9.9")
    assert run(fresh, "roce-qos --version").stdout == "roce-qos 9.9\n"
    del fresh["files"][source.replace("__init__", "cli")]
    assert run(fresh, "roce-qos --version").exit_status == 1


@pytest.mark.parametrize("event", [f"lab reload {RAIL1}", "lab reboot"])
def test_what_is_installed_puts_a_nic_right_after_a_driver_reload_and_a_boot(
    fresh: Store, run: Run, event: str
) -> None:
    install(fresh)
    fresh["files"][f"/etc/roce-qos/{RAIL1}.conf"] = "cable_length_m=5\n"
    run(fresh, event)
    assert fresh["nics"][RAIL1]["dcb"]["delay"] == 5
    assert run(fresh, "systemctl is-active roce-qos@enp24s0np0").stdout == "active\n"


def test_without_its_udev_rule_a_driver_reload_leaves_the_gap(fresh: Store, run: Run) -> None:
    install(fresh)
    del fresh["files"]["/usr/lib/udev/rules.d/90-roce-qos.rules"]
    fresh["files"][f"/etc/roce-qos/{RAIL1}.conf"] = "cable_length_m=5\n"
    run(fresh, f"lab reload {RAIL1}")
    assert fresh["nics"][RAIL1]["dcb"]["delay"] == 7


def test_a_gate_of_the_site_is_never_taken_for_a_yes_that_nobody_heard(fresh: Store, sudo: Run, run: Run) -> None:
    run(fresh, "lab gate drained")
    assert sudo(fresh, "roce-qos drained").exit_status == 0
    fresh["files"][GATE] = "#!/bin/sh\nexit 0\n# of the site\n"
    assert sudo(fresh, "roce-qos drained").exit_status == 4
    assert isinstance(EMULATOR, RunsPrograms)
    assert EMULATOR.asks_first(fresh, "sudo -n roce-qos change commit run1") == GATE
    assert EMULATOR.asks_first(fresh, "sudo -n roce-qos change stage run1") == ""


def test_slurm_says_what_hands_said(fresh: Store, run: Run) -> None:
    asked = "scontrol --oneliner show node gpu1"
    assert run(fresh, asked).exit_status == 127
    run(fresh, "lab slurm drained")
    assert " State=IDLE+DRAIN " in run(fresh, asked).stdout
    assert run(fresh, "squeue --noheader --nodelist=gpu1 --format=%A").stdout == ""
    run(fresh, "lab slurm draining")
    assert run(fresh, "squeue --noheader --nodelist=gpu1 --format=%A").stdout == "4711\n"


@pytest.mark.parametrize(
    ("command", "known"),
    [
        ("cat /etc/os-release", True),
        ("sudo -n sh -c 'echo 5 > /sys/class/net/enp24s0np0/mtu'", True),
        ("grep -rHn . /etc/roce-qos 2>/dev/null", True),
        ("echo one | sudo -n tee /etc/x", True),
        ("lab reload 0000:18:00.0; dcb -j pfc show dev enp24s0np0", True),
        ("python3 -c 'print(1)'", False),
        ("/bin/sh -c 'echo ~admin && sleep 0'", False),
        ("cat /etc/os-release | wc -l", False),
        ("cat $HOME/x", False),
        ("sudo -n mkdir /sys/kernel/config/rdma_cm/mlx5_0", True),
        ("sudo -n mkdir /opt/x", False),
        ("sudo -n rm -rf /opt/x", False),
        ("dd of=/home/admin/x bs=65536", False),
        ("sudo -n sh -c 'mkdir -p /opt/x && touch /opt/x/y'", False),
    ],
)
def test_a_command_needs_a_real_shell_unless_all_of_it_is_known(command: str, known: bool) -> None:
    assert isinstance(EMULATOR, RunsPrograms)
    assert EMULATOR.knows(command) is known
