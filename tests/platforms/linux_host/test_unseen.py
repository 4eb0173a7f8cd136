"""What could not be seen is Unobserved with a reason, or an unparsed line; never a value, never silence."""

from typing import Any

import pytest

from fabric_drift.finding import Layer
from fabric_drift.platform import Output
from fabric_drift.platforms.linux_host import PLATFORM
from fabric_drift.platforms.linux_host.discovery import IP_LINK, LIST_MLX5, LIST_NETDEVS, RDMA_LINK
from fabric_drift.state.device import Dcqcn
from fabric_drift.state.tree import facts
from fabric_drift.state.values import ABSENT, Unobserved
from tests.platforms.linux_host.sessions import capture
from tests.platforms.linux_host.test_reading import RAIL1, nic, port, qos, read

NETDEV = "enp24s0np0"
SYSFS = next(text for text in capture("gpu1") if text.startswith("grep -rH . /sys/class/net/enp24s0np0/"))
NOT_SUPPORTED = Output("\n", "Attribute read: Operation not supported\n", 1)
NO_DEVICE = Output("", "Attribute read: No such device\n", 1)
NO_COMMAND = Output("", "bash: line 1: dcb: command not found\n", 127)


def without_dcb() -> dict[str, Output]:
    return {f"dcb -j {kind} show dev {NETDEV}": NO_COMMAND for kind in ("pfc", "ets", "app", "buffer", "dcbx")}


def test_without_the_ecn_folder_the_inbox_drivers_debugfs_is_asked_for() -> None:
    outputs = {**capture("gpu1"), SYSFS: capture("inbox")[SYSFS]}
    asked = PLATFORM.commands(outputs)
    assert [(command.text, command.privileged) for command in asked] == [
        (f"grep -rH . /sys/kernel/debug/mlx5/{RAIL1}/cc_params", True)
    ]


def test_the_inbox_driver_shows_dcqcn_in_debugfs_and_its_priorities_in_firmware() -> None:
    reading = read(capture("inbox"))
    found = nic(reading).dcqcn
    assert isinstance(found, Dcqcn)
    reaction: Any = found.reaction
    assert (reaction["rpg_ai_rate"], reaction["rpg_gd"], reaction["clamp_tgt_rate_after_time_inc"]) == (5, 11, 1)
    assert found.notification_priorities == found.reaction_priorities == (3,)
    assert (nic(reading).cnp_dscp, nic(reading).cnp_priority) == (48, 6)
    assert nic(reading).traffic_class is ABSENT
    assert reading.unparsed == ()


@pytest.mark.parametrize(
    "refusal",
    [
        Output("", "grep: /sys/kernel/debug/mlx5/0000:18:00.0/cc_params: No such file or directory\n", 2),
        Output("", "grep: /sys/kernel/debug/mlx5/0000:18:00.0/cc_params: Operation not permitted\n", 2),
        Output("", "sudo: a password is required\n", 1),
        Output("", "", None, "timed out after 30 s"),
    ],
)
def test_a_locked_down_kernel_hides_dcqcn_and_that_is_not_drift(refusal: Output) -> None:
    changes = capture("inbox")
    changes[f"grep -rH . /sys/kernel/debug/mlx5/{RAIL1}/cc_params"] = refusal
    found = nic(read(changes))
    assert isinstance(found.dcqcn, Unobserved)
    assert isinstance(found.cnp_dscp, Unobserved)


def test_a_file_that_may_not_be_read_is_unobserved_not_absent() -> None:
    answer = capture("gpu1")[SYSFS]
    path = "/sys/class/infiniband/mlx5_0/tc"
    denied = Output(
        answer.stdout.replace(f"{path}/1/traffic_class:Global tclass=106\n", ""),
        answer.stderr + f"grep: {path}: Permission denied\n",
        2,
    )
    assert isinstance(nic(read({SYSFS: denied})).traffic_class, Unobserved)


@pytest.mark.parametrize(
    "answer",
    [
        Output("", "", None, "timed out after 30 s"),
        Output("", "this account may not run that\n", 1),
        Output("", "", 2),
        Output("", "Killed\n", 137),
    ],
)
def test_a_grep_that_did_not_end_well_shows_nothing(answer: Output) -> None:
    found = nic(read({SYSFS: answer}))
    for value in (found.traffic_class, found.rdma_cm_tos, found.dcqcn, found.cnp_dscp, found.guid):
        assert isinstance(value, Unobserved)


def test_a_cut_answer_shows_only_what_arrived() -> None:
    answer = capture("gpu1")[SYSFS]
    cut = Output(answer.stdout[:400], "", None, "connection lost")
    found = nic(read({SYSFS: cut}))
    assert isinstance(found.cnp_dscp, Unobserved)
    assert isinstance(found.traffic_class, Unobserved)


def test_a_link_that_is_down_has_no_speed() -> None:
    answer = capture("gpu1")[SYSFS]
    reading = read({SYSFS: Output(answer.stdout.replace("/speed:400000", "/speed:-1"), answer.stderr, 2)})
    assert isinstance(port(reading).speed_mbps, Unobserved)
    assert reading.unparsed == ()


def test_fec_of_a_link_that_is_down_is_unobserved() -> None:
    text = capture("gpu1")[IP_LINK].stdout.replace('"UP","LOWER_UP"],"mtu":9000', '"UP"],"mtu":9000')
    assert isinstance(port(read({IP_LINK: Output(text)})).fec, Unobserved)


def test_an_unknown_file_of_the_ecn_folder_is_told() -> None:
    answer = capture("gpu1")[SYSFS]
    more = Output(answer.stdout + f"/sys/class/net/{NETDEV}/ecn/roce_rp/rpg_new:1\n", answer.stderr, 2)
    assert [line.path for line in read({SYSFS: more}).unparsed] == [("ports", RAIL1, "nic", "dcqcn")]


def test_rules_for_some_destinations_in_traffic_class_are_told() -> None:
    answer = capture("gpu1")[SYSFS]
    line = "/sys/class/infiniband/mlx5_0/tc/1/traffic_class:"
    more = Output(answer.stdout + f"{line}tclass=40,dst_ip=192.0.2.1\n", answer.stderr, 2)
    reading = read({SYSFS: more})
    assert nic(reading).traffic_class == 106
    assert len(reading.unparsed) == 1


def test_trust_of_an_older_driver_that_contradicts_the_app_table_is_not_decided() -> None:
    answer = capture("gpu1")[SYSFS]
    other = Output(answer.stdout + f"/sys/class/net/{NETDEV}/qos/trust:pcp\n", answer.stderr, 2)
    reading = read({SYSFS: other})
    assert isinstance(qos(reading).trust, Unobserved)
    assert len(reading.unparsed) == 1


@pytest.mark.parametrize(
    ("changes", "owner", "dcbx"),
    [
        ({}, "os", "off"),
        ({"systemctl is-active lldpad": Output("active\n")}, "lldpad", "ieee"),
        ({f"dcb -j dcbx show dev {NETDEV}": Output('{"cee":true,"ieee":true}')}, "firmware", "firmware"),
    ],
)
def test_the_owner_of_dcb_is_found(changes: dict[str, Output], owner: str, dcbx: str) -> None:
    reading = read(changes)
    assert nic(reading).dcb_owner == owner
    assert qos(reading).dcbx == dcbx


def test_a_connection_of_networkmanager_that_sets_dcb_owns_its_interface_only() -> None:
    folder = "/etc/NetworkManager/system-connections"
    file = f"{folder}/rail1.nmconnection"
    text = f"{file}:interface-name={NETDEV}\n{file}:priority-flow-control=0,0,0,1,0,0,0,0\n"
    reading = read({f"grep -r -e interface-name= -e priority-flow-control= {folder}": Output(text)})
    assert nic(reading).dcb_owner == "networkmanager"
    assert nic(reading, pci="0000:2a:00.0").dcb_owner == "os"


def test_an_owner_that_sudo_hides_is_unobserved() -> None:
    command = "grep -r -e interface-name= -e priority-flow-control= /etc/NetworkManager/system-connections"
    assert isinstance(nic(read({command: Output("", "sudo: a password is required\n", 1)})).dcb_owner, Unobserved)


def bluefield(mode: str) -> dict[str, Output]:
    answer, command = capture("gpu1")[SYSFS], f"mlxconfig -d {RAIL1} -e q"
    table = capture("gpu1")[command].stdout.replace("DISABLED(1)", mode)
    return {SYSFS: Output(answer.stdout.replace("MT4129", "MT41692"), answer.stderr, 2), command: Output(table)}


def test_a_bluefield_in_dpu_mode_hides_its_policy_from_the_host() -> None:
    reading = read(bluefield("ENABLED(0)"))
    found = port(reading).qos
    assert isinstance(found, Unobserved)
    assert "DPU mode" in found.reason
    assert isinstance(nic(reading).dcqcn, Unobserved)


def test_a_bluefield_in_nic_mode_is_read_like_any_nic() -> None:
    assert qos(read(bluefield("DISABLED(1)"))).trust == "dscp"


def test_a_bluefield_of_unknown_mode_is_not_judged() -> None:
    changes = bluefield("DISABLED(1)")
    changes[f"mlxconfig -d {RAIL1} -e q"] = Output("", "sudo: a password is required\n", 1)
    assert isinstance(port(read(changes)).qos, Unobserved)


@pytest.mark.parametrize("command", [LIST_NETDEVS, LIST_MLX5])
def test_without_the_list_of_nics_all_ports_are_unobserved(command: str) -> None:
    reading = read({command: Output("", "ls: cannot open directory: Permission denied\n", 2)})
    for layer in (Layer.SAVED, Layer.RUNNING, Layer.HARDWARE):
        assert isinstance(reading.states[layer].ports, Unobserved)


def test_a_host_without_the_mlx5_driver_has_no_mlx5_ports() -> None:
    gone = Output("", f"ls: cannot access '{LIST_MLX5.split()[-1]}': No such file or directory\n", 2)
    reading = read({LIST_MLX5: gone})
    assert isinstance(port(reading).qos, Unobserved)
    assert port(reading).admin_up is True


def test_a_netdev_that_ip_does_not_list_has_no_link() -> None:
    assert port(read({IP_LINK: Output("[]")})).mtu_bytes is ABSENT
    assert isinstance(port(read({IP_LINK: Output("oops")})).mtu_bytes, Unobserved)


def test_a_name_that_is_not_plain_never_gets_into_a_command() -> None:
    evil = "x;reboot"
    listing = capture("gpu1")[LIST_NETDEVS].stdout.replace("enp24s0np0", evil)
    outputs = {**{c.text: capture("gpu1")[c.text] for c in PLATFORM.commands({})}, LIST_NETDEVS: Output(listing)}
    assert not [command for command in PLATFORM.commands(outputs) if "reboot" in command.text]
    assert any("isn't plain" in note for note in PLATFORM.parse(outputs).notes)


def test_two_lldp_neighbours_on_a_port_are_not_decided() -> None:
    text = capture("gpu1")["lldpctl -f json0"].stdout.replace("enp42s0np0", "enp24s0np0")
    reading = read({"lldpctl -f json0": Output(text)})
    assert isinstance(port(reading).neighbour, Unobserved)
    assert len(reading.unparsed) == 1


def test_a_second_value_in_a_file_of_ours_is_told_and_not_decided() -> None:
    text = capture("gpu1")["grep -rHn . /etc/roce-qos"].stdout + f"/etc/roce-qos/{RAIL1}.conf:27:mtu_bytes=1500\n"
    reading = read({"grep -rHn . /etc/roce-qos": Output(text)})
    assert isinstance(port(reading, Layer.SAVED).mtu_bytes, Unobserved)
    assert [(line.path, line.line_number) for line in reading.unparsed] == [(("ports", RAIL1, "mtu_bytes"), 27)]


def test_a_key_that_nobody_knows_in_a_file_of_ours_is_told() -> None:
    text = capture("gpu1")["grep -rHn . /etc/roce-qos"].stdout + f"/etc/roce-qos/{RAIL1}.conf:27:turbo=yes\n"
    assert [line.line for line in read({"grep -rHn . /etc/roce-qos": Output(text)}).unparsed] == ["turbo=yes"]


def test_a_job_variable_that_is_set_twice_is_not_decided() -> None:
    text = capture("gpu1")["grep -Hn . /etc/nccl.conf /etc/ucx/ucx.conf"].stdout + "/etc/nccl.conf:9:NCCL_IB_TC=0\n"
    reading = read({"grep -Hn . /etc/nccl.conf /etc/ucx/ucx.conf": Output(text)})
    job: Any = reading.states[Layer.SAVED].job
    assert isinstance(job["NCCL_IB_TC"], Unobserved)
    assert reading.unparsed[0].path == ("job", "NCCL_IB_TC")


def test_nothing_at_all_is_unobserved_everywhere() -> None:
    reading = PLATFORM.parse({})
    for state in reading.states.values():
        assert isinstance(state.ports, Unobserved)
    assert isinstance(reading.states[Layer.SAVED].job, Unobserved)


@pytest.mark.parametrize(
    "line",
    [
        "/sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos:104",
        "/sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_mode:IB/RoCE v1",
        "/sys/class/net/enp24s0np0/ecn/roce_np/cnp_dscp:46",
        "/sys/class/net/enp24s0np0/ecn/roce_rp/rpg_ai_rate:6",
        "/sys/class/net/enp24s0np0/speed:100000",
        "/sys/class/infiniband/mlx5_0/node_guid:b83f:d203:0000:0009",
        "/sys/class/infiniband/mlx5_0/fw_ver:28.43.2027",
    ],
)
def test_a_second_line_of_a_file_that_has_one_is_told_and_not_decided(line: str) -> None:
    answer = capture("gpu1")[SYSFS]
    reading = read({SYSFS: Output(f"{answer.stdout}{line}\n", answer.stderr, 2)})
    assert len(reading.unparsed) == 1
    whole, now = dict(facts(port(read()))), dict(facts(port(reading)))
    changed = [value for path, value in now.items() if whole.get(path) != value]
    assert len(changed) == 1
    assert isinstance(changed[0], Unobserved)


def test_an_rdma_device_is_absent_only_where_the_list_was_seen() -> None:
    command = "ls -l /sys/class/infiniband"
    nobody = nic(read({command: Output("total 0\n")}))
    assert nobody.rdma_device is ABSENT
    unseen = nic(read({command: Output("", "", None, "timed out")}))
    assert isinstance(unseen.rdma_device, Unobserved)
    module_gone = Output("", "ls: cannot access '/sys/class/infiniband': No such file or directory\n", 2)
    assert nic(read({command: module_gone})).rdma_device is ABSENT


def test_an_rdma_device_whose_traffic_takes_a_bond_is_noted() -> None:
    text = capture("gpu1")[RDMA_LINK].stdout.replace('"netdev":"enp24s0np0"', '"netdev":"bond0"')
    assert any("bond0" in note for note in read({RDMA_LINK: Output(text)}).notes)


def test_an_infiniband_port_has_no_ethernet_policy() -> None:
    answer = capture("gpu1")[SYSFS]
    text = answer.stdout.replace("link_layer:Ethernet", "link_layer:InfiniBand")
    assert isinstance(port(read({SYSFS: Output(text, answer.stderr, 2)})).qos, Unobserved)
