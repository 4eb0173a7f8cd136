"""The program ``roce-qos`` by itself: its file, its verbs, its records, and its hold on a real file system."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fabric_drift.lab.emulator import Store
from tests.platforms.linux_host.changing import configured, fresh, run, seen
from tests.platforms.linux_host.policies import RAILS
from tests.platforms.linux_host.sessions import HERE

CONF = (HERE / "golden" / "roce-qos_0000-18-00.0.conf").read_text()
PATH = f"/etc/roce-qos/{RAILS[0]}.conf"


def with_file(text: str = CONF, **named: str) -> Store:
    store = fresh(**named)
    store["files"][PATH] = text
    return store


def test_check_says_what_differs_with_its_own_exit_status_and_writes_nothing() -> None:
    store = with_file()
    before = seen(store)
    answer = run(store, f"sudo -n roce-qos check {RAILS[0]}")
    assert answer.exit_status == 3
    assert f"{RAILS[0]} pfc_priorities: is none, not 3\n" in answer.stdout
    assert seen(store) == before
    assert store.get("writes", []) == []


def test_apply_with_check_says_what_it_would_write_and_what_flaps() -> None:
    store = with_file()
    answer = run(store, "sudo -n roce-qos apply --check")
    assert answer.exit_status == 0
    assert f"{RAILS[0]} pfc_priorities: none -> 3 (flap)\n" in answer.stdout
    assert f"{RAILS[0]} cable_length_m: 7 -> 5\n" in answer.stdout
    assert store.get("writes", []) == []


def test_a_nic_can_be_named_by_its_interface() -> None:
    store = with_file()
    by_name = run(store, "sudo -n roce-qos check enp24s0np0")
    assert by_name == run(store, f"sudo -n roce-qos check {RAILS[0]}")


def test_a_nic_without_a_file_is_left_alone() -> None:
    store = fresh()
    assert run(store, "sudo -n roce-qos apply --at-start enp24s0np0").exit_status == 0
    assert store.get("writes", []) == []


@pytest.mark.parametrize("name", ["0000:77:00.0", "nosuch", "../etc", "a;b"])
def test_a_nic_that_is_not_there_fails(name: str) -> None:
    assert run(fresh(), f"sudo -n roce-qos apply '{name}'").exit_status in (1, 2)


def test_drift_is_corrected_at_once_and_recorded_where_it_stays() -> None:
    store = configured()
    run(store, "sudo -n dcb pfc set dev enp24s0np0 delay 9")
    answer = run(store, "sudo -n roce-qos apply")
    assert answer.stdout == f"{RAILS[0]} cable_length_m: 9 -> 5\n"
    assert store["writes"] == ["dcb pfc set dev enp24s0np0 delay 5"]
    log = store["files"]["/var/lib/roce-qos/corrections.log"]
    assert log.endswith(f" {RAILS[0]} cable_length_m: 9 -> 5\n")


def test_after_a_driver_reload_everything_it_forgot_comes_back_without_a_flap() -> None:
    store = configured()
    run(store, f"lab reload {RAILS[0]}")
    run(store, "lab gate none")
    assert run(store, "sudo -n roce-qos check").exit_status == 3
    assert run(store, "sudo -n roce-qos apply --at-start enp24s0np0").exit_status == 0
    assert run(store, "sudo -n roce-qos check").exit_status == 0
    assert store["flaps"] == {}


def test_at_the_start_no_gate_is_asked_but_queue_pairs_of_that_nic_refuse() -> None:
    store = with_file(gate="none")
    run(store, "lab job start mlx5_0")
    answer = run(store, "sudo -n roce-qos apply --at-start enp24s0np0")
    assert (answer.exit_status, store["flaps"]) == (4, {})
    run(store, "lab job start mlx5_2")
    assert run(store, "sudo -n roce-qos apply --at-start enp24s0np0").exit_status == 0


def test_undo_brings_file_and_settings_of_before_back() -> None:
    store = configured()
    before = seen(store)
    run(store, "sudo -n roce-qos apply")
    store["files"][PATH] = store["files"][PATH].replace("cable_length_m=5", "cable_length_m=9")
    assert run(store, f"sudo -n roce-qos apply {RAILS[0]}").stdout == f"{RAILS[0]} cable_length_m: 5 -> 9\n"
    assert run(store, f"sudo -n roce-qos undo {RAILS[0]}").stdout == f"{RAILS[0]} cable_length_m: 9 -> 5\n"
    assert seen(store) == before


def test_undo_of_the_first_file_takes_it_away() -> None:
    store = with_file()
    bare = fresh()
    assert run(store, f"sudo -n roce-qos apply {RAILS[0]}").exit_status == 0
    assert run(store, f"sudo -n roce-qos undo {RAILS[0]}").exit_status == 0
    assert seen(store) == seen(bare)
    assert run(store, f"sudo -n roce-qos undo {RAILS[0]}").exit_status == 2


def test_an_undo_by_hand_that_takes_links_down_asks_the_gate_too() -> None:
    store = with_file()
    run(store, f"sudo -n roce-qos apply {RAILS[0]}")
    run(store, "lab gate busy")
    assert run(store, f"sudo -n roce-qos undo {RAILS[0]}").exit_status == 4
    assert PATH in store["files"]


def test_one_nic_that_fails_does_not_stop_the_others() -> None:
    store = configured()
    for netdev in ("enp24s0np0", "enp42s0np0"):
        run(store, f"sudo -n dcb pfc set dev {netdev} delay 9")
    store["files"][PATH] = store["files"][PATH].replace("0:87296,1:174720", "0:262016,1:174720")
    answer = run(store, "sudo -n roce-qos apply")
    assert answer.exit_status == 1
    assert RAILS[0] in answer.stderr
    assert run(store, f"sudo -n roce-qos check {RAILS[1]}").exit_status == 0


def test_a_setting_that_does_not_take_fails_visibly() -> None:
    store = configured()
    run(store, "lab inbox")
    answer = run(store, "sudo -n roce-qos apply")
    assert answer.exit_status == 1
    assert "traffic_class" in answer.stderr
    assert "notification_priorities: this driver doesn't have it" in answer.stderr


def test_firmware_parameters_come_at_the_next_boot_and_once() -> None:
    store = fresh()
    store["files"][f"/etc/roce-qos-firmware/{RAILS[0]}.conf"] = "CNP_DSCP_P1=40\nLINK_TYPE_P1=2\n"
    assert run(store, "sudo -n roce-qos firmware check").exit_status == 3
    told = run(store, "sudo -n roce-qos firmware apply")
    assert told.stdout == f"{RAILS[0]} CNP_DSCP_P1: 48 -> 40 at the next boot\n"
    assert store["nics"][RAILS[0]]["firmware_parameters"]["CNP_DSCP_P1"]["current"] == "48"
    assert run(store, "sudo -n roce-qos firmware apply").stdout == ""
    assert run(store, "sudo -n roce-qos firmware check").exit_status == 0


@pytest.mark.parametrize("text", ["CNP_DSCP_P1=x\n", "CNP_DSCP_P1=1\nCNP_DSCP_P1=2\n", "NO_SUCH=1\n"])
def test_a_firmware_file_that_is_not_understood_sets_nothing(text: str) -> None:
    store = fresh()
    store["files"][f"/etc/roce-qos-firmware/{RAILS[0]}.conf"] = text
    assert run(store, "sudo -n roce-qos firmware apply").exit_status in (1, 2)
    assert store.get("writes", []) == []


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("nonsense", "not a key"),
        ("mtu_bytes=9000\nmtu_bytes=9001", "a second value"),
        ("mtu_bytes=9 000", "not a number"),
        ("pfc_priorities=8", "not a list of priorities"),
        ("scheduling=0:ets:50", "not eight traffic classes"),
        ("priority_to_tc=0-7:8", "a value above 7"),
        ("priority_to_tc=0-6:0", "7 of 8 keys"),
        ("dscp_to_priority=0-63:0,5:1", "there twice"),
        ("trust=dscp", "trust=dscp goes with dscp_to_priority"),
        ("dscp_to_priority=0-63:0", "trust=dscp goes with dscp_to_priority"),
        ("dcbx=lldpad", "not one of off, firmware"),
    ],
)
def test_a_file_with_a_fault_is_refused_whole(line: str, words: str) -> None:
    store = with_file(f"admin_up=yes\n{line}\n")
    answer = run(store, "sudo -n roce-qos apply")
    assert answer.exit_status == 2
    assert words in answer.stderr
    assert store.get("writes", []) == []


@pytest.mark.parametrize(
    "lines",
    [
        "",
        "nonsense",
        f"{RAILS[0]} nonsense=1",
        f"{RAILS[0]} mtu_bytes=9000\n{RAILS[0]} mtu_bytes=9001",
        f"{RAILS[0]} mtu_bytes=x",
        "../passwd A=B",
        "nccl.conf A=B\x1b",
        f"{RAILS[0]} trust=dscp",
    ],
)
def test_nonsense_is_not_staged(lines: str) -> None:
    store = fresh()
    run(store, "sudo -n roce-qos change begin r1")
    assert run(store, "sudo -n roce-qos change stage r1", f"{lines}\n").exit_status == 2
    assert run(store, "sudo -n roce-qos change commit r1").exit_status == 1
    assert store.get("writes", []) == []


@pytest.mark.parametrize(
    "words", ["", "frobnicate", "check --conf", "change", "change undo", "change begin ../x", "undo"]
)
def test_wrong_usage_is_exit_status_2(words: str) -> None:
    assert run(fresh(), f"sudo -n roce-qos {words}").exit_status == 2


def test_who_is_not_root_is_refused() -> None:
    assert run(fresh(), "roce-qos apply").exit_status == 1


def test_a_saved_file_is_whole_or_as_before(program: Any, tmp_path: Path) -> None:
    machine = program["host"].Host(str(tmp_path))
    machine.save("/etc/x/y.conf", "old\n")
    (tmp_path / "etc/x/y.conf.new").mkdir()
    with pytest.raises(OSError, match=r"y\.conf\.new"):
        machine.save("/etc/x/y.conf", "new\n")
    assert machine.read("/etc/x/y.conf") == "old\n"
    assert machine.read("/etc/x/z.conf") is None


def test_commands_that_hang_or_are_not_there_have_statuses_of_their_own(program: Any) -> None:
    machine = program["host"].Host()
    assert machine.run(["sleep", "5"], timeout=1)[0] == 124
    assert machine.run(["/no/such/program"])[0] == 127
    assert machine.run(["sh", "-c", "echo out; echo err >&2; exit 7"]) == (7, "out\n", "err\n")


def test_two_runs_wait_for_each_other(program: Any, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    code = (
        f"import sys, time; sys.path.insert(0, {program['library']!r}); sys.dont_write_bytecode = True\n"
        f"from roce_qos.host import Host; machine = Host({str(tmp_path)!r}); machine.lock(); print('in', flush=True)\n"
        "time.sleep(float(sys.argv[1]))"
    )
    with subprocess.Popen([sys.executable, "-c", code, "30"], stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout
        assert first.stdout.readline() == "in\n"
        with subprocess.Popen([sys.executable, "-c", code, "0"], stdout=subprocess.PIPE, text=True) as second:
            with pytest.raises(subprocess.TimeoutExpired):
                second.wait(1)
            first.kill()
            assert second.communicate(timeout=10)[0] == "in\n"


def test_maps_are_written_in_one_way(program: Any) -> None:
    conf = program["conf"]
    assert conf.closed(conf.spread("3:1,0-2:0,4:0,5-7:0", 8)) == "0-2:0,3:1,4-7:0"
    assert conf.parse(CONF, "x") == conf.parse(conf.written(conf.parse(CONF, "x"), "head"), "x")
    assert conf.written(conf.parse(CONF, "x"), CONF.splitlines()[0][2:]) == CONF


def test_a_pfc_mask_that_could_not_be_read_when_the_gate_was_due_is_not_written_without_it(program: Any) -> None:
    settings = program["settings"]

    class Port:
        name = "nic"

        class host:  # noqa: N801
            @staticmethod
            def log(_line: str) -> None:
                """Nothing is kept."""

        def __init__(self) -> None:
            self.failures: dict[str, str] = {}
            self.written: list[str] = []

        def read_pfc(self) -> dict[str, str]:
            return {"pfc_priorities": "none", "cable_length_m": "5" if self.written else "7"}

        def write_pfc(self, _want: dict[str, str], keys: set[str]) -> None:
            self.written += sorted(keys)

    port = Port()
    settings.write(port, {"pfc_priorities": "3", "cable_length_m": "5"}, may_flap=False)
    assert port.written == ["cable_length_m"]
    with pytest.raises(program["host"].Failed, match="pfc_priorities: is none, not 3"):
        settings.verify(port, {"pfc_priorities": "3"}, {})
