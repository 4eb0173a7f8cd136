"""Any program runs on a lab host, in a sandbox whose /sys, tools and files are the emulator's."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fabric_drift.lab import control, fabrics
from fabric_drift.lab.sandbox import unavailable
from tests.lab.conftest import Lab, start_lab, within

REPO = Path(__file__).parents[3]
RAIL1 = "0000:18:00.0"
NETDEV = "/sys/class/net/enp24s0np0"
TCLASS = "/sys/class/infiniband/mlx5_0/tc/1/traffic_class"
HOST = tuple(device for device in fabrics.pod1() if device.name == "gpu1")

pytestmark = [pytest.mark.lab, pytest.mark.skipif(bool(unavailable()), reason=unavailable() or "-")]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    running = start_lab(tmp_path_factory.mktemp("lab"), HOST)
    yield running
    assert control.stop(running.directory)


def sh(lab: Lab, script: str, user: str = "admin") -> tuple[int, str]:
    """Exit status, and what a script said in a shell that is not the emulator's."""
    quoted = script.replace("'", "'\"'\"'")
    result = lab.run("gpu1", f"/bin/sh -c '{quoted}'", user)
    assert isinstance(result.stdout, bytes)
    assert isinstance(result.stderr, bytes)
    return result.exit_status or 0, (result.stdout + result.stderr).decode()


def test_a_program_that_the_emulator_does_not_have_runs(lab: Lab) -> None:
    assert sh(lab, "python3 -c 'print(6 * 7)'") == (0, "42\n")
    assert lab.run("gpu1", "exit 7; $(true)").exit_status == 7


def test_sudo_makes_root_of_the_user_who_may_change_and_nobody_else_is(lab: Lab) -> None:
    assert sh(lab, "id -u; sudo -n id -u; echo $HOME") == (0, "1000\n0\n/home/admin\n")
    assert sh(lab, "sudo -H -S -n -u root /bin/sh -c 'exit 5'")[0] == 5
    assert sh(lab, "touch /etc/mine")[0] == 1
    assert sh(lab, "cat /sys/kernel/debug/mlx5/*/cc_params/np_cnp_dscp")[0] == 1
    assert sh(lab, f"cat /sys/kernel/debug/mlx5/{RAIL1}/cc_params/np_cnp_dscp")[0] == 1
    assert sh(lab, f"sudo cat /sys/kernel/debug/mlx5/{RAIL1}/cc_params/np_cnp_dscp") == (0, "48\n")


def test_the_account_that_may_only_read_gets_no_sandbox(lab: Lab) -> None:
    assert sh(lab, "id", user="drift")[0] == 126
    assert "id" in lab.log("gpu1", "refused.log")


def test_input_and_output_of_any_bytes_pass(lab: Lab) -> None:
    data = bytes(range(256)) * 1000

    async def echo() -> bytes:
        async with lab.connect("gpu1") as connection:
            done = await connection.run("/bin/sh -c 'sudo cat'", input=data, encoding=None)
            assert isinstance(done.stdout, bytes)
            return done.stdout

    assert within(30, echo()) == data


def test_a_file_of_the_kernel_reads_back_what_the_driver_made_of_it(lab: Lab) -> None:
    assert sh(lab, f"sudo sh -c 'echo 106 > {TCLASS}; cat {TCLASS}'") == (0, "Global tclass=106\n")
    status, said = sh(lab, f"""sudo python3 -c "with open('{TCLASS}', 'w') as file: file.write('999')" """)
    assert status == 1
    assert "[Errno 22] Invalid argument" in said
    folder = "/sys/kernel/config/rdma_cm/mlx5_0"
    assert sh(lab, f"ls {folder}")[0] == 2
    assert sh(lab, f"sudo mkdir {folder}; cat {folder}/ports/1/*; sudo rmdir {folder}") == (0, "RoCE v2\n0\n")
    assert sh(lab, f"sudo mkdir {folder}x")[1].endswith("No such device\n")
    assert sh(lab, f"readlink -f {NETDEV}/device")[1].endswith(f"/{RAIL1}\n")


def test_the_emulator_and_the_sandbox_see_the_same_machine(lab: Lab) -> None:
    assert sh(lab, f"sudo -n ip link set dev enp24s0np0 mtu 4200; cat {NETDEV}/mtu") == (0, "4200\n")
    assert '"mtu":4200' in lab.text("gpu1", "ip -j link show dev enp24s0np0")
    lab.text("gpu1", "sudo -n ip link set dev enp24s0np0 mtu 9000")
    assert sh(lab, f"cat {NETDEV}/mtu") == (0, "9000\n")
    assert sh(lab, "sudo sh -c 'echo one > /etc/both'")[0] == 0
    assert lab.text("gpu1", "cat /etc/both") == "one\n"
    lab.text("gpu1", "sudo -n sed -i s/one/two/ /etc/both")
    assert sh(lab, "cat /etc/both") == (0, "two\n")
    lab.text("gpu1", "sudo -n rm /etc/both")
    assert sh(lab, "cat /etc/both")[0] == 1


def test_nothing_of_the_machine_is_seen_or_written(lab: Lab) -> None:
    assert sh(lab, "sudo touch /usr/sbin/lab-was-here")[0] == 0
    assert sh(lab, "ls /usr/sbin/lab-was-here") == (0, "/usr/sbin/lab-was-here\n")
    assert not Path("/usr/sbin/lab-was-here").exists()
    assert sh(lab, "hostname; ls /proc/net/dev >/dev/null; ls /home /lab") == (0, "gpu1\n/home:\nadmin\n\n/lab:\n")
    assert str(os.getpid()) not in sh(lab, "ls /proc")[1].split()
    for escape in ("umount /sys", "mount -t tmpfs none /opt", "umount /usr", "unshare -m true"):
        assert sh(lab, f"sudo {escape}")[0] != 0
    assert re.search(r"^CapEff:\t0+1f$", sh(lab, "sudo cat /proc/self/status")[1], re.MULTILINE)


def test_what_a_command_leaves_behind_ends_with_it(lab: Lab) -> None:
    assert sh(lab, "sleep 4711 >/dev/null 2>&1 & exit 0")[0] == 0
    assert "4711" not in subprocess.run(["ps", "axo", "args"], check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("sudo", ["", "sudo -n "])
def test_a_client_that_goes_away_ends_its_command_and_the_next_one_runs(lab: Lab, sudo: str) -> None:
    async def leave() -> None:
        async with lab.connect("gpu1") as connection:
            process = await connection.create_process(f"/bin/sh -c '{sudo}sh -c \"echo started; sleep 4712\"'")
            assert await process.stdout.readline() == "started\n"
            connection.abort()

    within(30, leave())
    assert sh(lab, "echo next") == (0, "next\n")
    assert "4712" not in subprocess.run(["ps", "axo", "args"], check=True, capture_output=True, text=True).stdout


def test_the_drain_gate_that_is_installed_is_asked(lab: Lab) -> None:
    gate = REPO / "fabric_drift/platforms/linux_host/files/tree/usr/share/roce-qos/drain-gate.slurm"

    async def install() -> None:
        async with lab.connect("gpu1") as connection:
            done = await connection.run("sudo -n tee /etc/roce-qos-drain-gate", input=gate.read_text())
            assert done.exit_status == 0

    within(30, install())
    said = lab.run("gpu1", "sudo -n roce-qos drained")
    assert said.exit_status == 4
    assert b"scontrol knows nothing of gpu1" in (said.stderr or b"")
    lab.text("gpu1", "lab slurm allocated")
    assert b"State=ALLOCATED" in (lab.run("gpu1", "sudo -n roce-qos drained").stderr or b"")
    lab.text("gpu1", "lab slurm drained")
    assert lab.text("gpu1", "sudo -n roce-qos drained") == ""
    lab.text("gpu1", "lab gate none")


def test_a_machine_without_bubblewrap_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    bare = start_lab(tmp_path / "lab", HOST)
    try:
        status, said = sh(bare, "python3 -c 'print(6 * 7)'")
        assert (status, "apt-get install bubblewrap" in said) == (127, True)
        assert bare.text("gpu1", "hostname") == "gpu1\n"
    finally:
        control.stop(bare.directory)


def test_a_lab_that_is_killed_leaves_no_process_and_goes_on_where_it_was(tmp_path: Path) -> None:
    killed = start_lab(tmp_path / "lab", HOST)

    async def interrupt() -> None:
        async with killed.connect("gpu1") as connection:
            script = 'sudo -n sh -c "echo 106 > {TCLASS}; echo kept > /etc/k; echo started; sleep 4713"'
            process = await connection.create_process(f"/bin/sh -c '{script.replace('{TCLASS}', TCLASS)}'")
            assert await process.stdout.readline() == "started\n"
            os.kill(control.daemon_pid(killed.directory) or 0, signal.SIGKILL)
            await process.wait()

    within(30, interrupt())
    control.start(killed.directory)
    try:
        assert sh(killed, f"cat {TCLASS} /etc/k") == (0, "Global tclass=106\nkept\n")
        assert killed.text("gpu1", "cat /etc/k") == "kept\n"
        assert "4713" not in subprocess.run(["ps", "axo", "args"], check=True, capture_output=True, text=True).stdout
    finally:
        control.stop(killed.directory)


PLAY = """\
- hosts: gpu1
  gather_facts: false
  become: true
  vars:
    ansible_user: "{{ fabric_drift_change_user }}"
    ansible_ssh_private_key_file: "{{ fabric_drift_change_key_file }}"
  tasks:
    - {ansible.builtin.setup: {gather_subset: ["!all", "!min", distribution]}, register: facts}
    - ansible.builtin.assert: {that: facts.ansible_facts.ansible_distribution_version == "22.04"}
    - ansible.builtin.copy: {dest: /etc/site/copied, content: "text\\n", mode: "0640"}
    - ansible.builtin.template: {src: t.j2, dest: /etc/site/templated, mode: "0644"}
    - ansible.builtin.stat: {path: /etc/site/copied}
      register: found
    - ansible.builtin.assert: {that: found.stat.mode == "0640" and found.stat.pw_name == "root"}
      when: not ansible_check_mode
    - ansible.builtin.command: {cmd: dcb -j pfc show dev enp24s0np0}
      changed_when: false
    - ansible.builtin.systemd_service: {name: lldpd, state: started, enabled: true}
    - ansible.builtin.import_role: {name: fabric_drift.fabric.roce_host, tasks_from: install}
      vars: {roce_host_gate: slurm, roce_host_rendered: "{{ rendered }}"}
"""
FOLDER = "    - ansible.builtin.file: {path: /etc/site, state: directory, mode: '0755'}\n"


def play(lab: Lab, folder: Path, *words: str) -> tuple[dict[str, int], str]:
    (folder / "t.j2").write_text("{{ inventory_hostname }}\n")
    (folder / "play.yml").write_text(PLAY.replace("    - ansible.builtin.copy", FOLDER + "    - ansible.builtin.copy"))
    for name, text in (("roce-qos", "cable_length_m=5\n"), ("mlxconfig", "CNP_DSCP_P1=40\n")):
        (folder / "rendered" / name).mkdir(parents=True, exist_ok=True)
        (folder / "rendered" / name / f"{RAIL1}.conf").write_text(text)
    command = [str(Path(sys.executable).parent / "ansible-playbook"), "-i", str(lab.directory.inventory_file)]
    environment = {
        **os.environ,
        "ANSIBLE_COLLECTIONS_PATH": str(REPO / "playbooks/collections"),
        "ANSIBLE_NOCOLOR": "1",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(REPO),
    }
    command += ["-e", f"rendered={folder}/rendered", "--tags", "all,firmware", str(folder / "play.yml"), *words]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    recap = re.search(r"^gpu1 +: (.*)$", done.stdout, re.MULTILINE)
    assert recap, done.stdout + done.stderr
    return {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", recap[1])}, done.stdout + done.stderr


def state(lab: Lab) -> dict[str, bytes]:
    """What the host is: the emulator's store, and every file of its own."""
    folder = lab.directory.device("gpu1")
    files = [folder / "store.json", *sorted(path for path in (folder / "root").rglob("*") if path.is_file())]
    return {str(file): file.read_bytes() for file in files}


@pytest.mark.timeout(600)
def test_modules_and_the_role_of_hosts_change_nothing_in_check_mode_and_nothing_again(lab: Lab, tmp_path: Path) -> None:
    """Three runs of ansible-playbook, a second per task: everything that needs one is in them."""
    lab.text("gpu1", "lab uninstall roce-qos")
    assert sh(lab, "true")[0] == 0
    before = state(lab)
    counts, output = play(lab, tmp_path, "--check", "--diff")
    assert (counts["failed"], counts["changed"] > 5, "+cable_length_m=5" in output) == (0, True, True), output
    after = state(lab)
    assert sorted(after.keys() ^ before.keys()) == []
    assert [name for name in after if after[name] != before[name]] == []
    assert lab.run("gpu1", "roce-qos --version").exit_status == 127
    counts, output = play(lab, tmp_path)
    assert counts["failed"] == 0, output
    assert lab.text("gpu1", "roce-qos --version") == "roce-qos 1.0\n"
    assert lab.text("gpu1", "systemctl is-enabled roce-qos-recover.service") == "enabled\n"
    counts, output = play(lab, tmp_path)
    assert (counts["failed"], counts["changed"]) == (0, 0), output
    shown = lab.text("gpu1", f"sudo -n mlxconfig -d {RAIL1} -e q CNP_DSCP_P1")
    assert re.search(r"CNP_DSCP_P1 +48 +48 +40 ", shown)
    # What was installed keeps the settings through a reload of the driver and a boot.
    lab.text("gpu1", f"lab reload {RAIL1}")
    assert '"delay":5' in lab.text("gpu1", "dcb -j pfc show dev enp24s0np0")
    assert lab.text("gpu1", "systemctl is-active roce-qos@enp24s0np0") == "active\n"
    lab.text("gpu1", "lab reboot")
    assert '"delay":5' in lab.text("gpu1", "dcb -j pfc show dev enp24s0np0")
    assert re.search(r"CNP_DSCP_P1 +48 +40 +40 ", lab.text("gpu1", f"sudo -n mlxconfig -d {RAIL1} -e q CNP_DSCP_P1"))
