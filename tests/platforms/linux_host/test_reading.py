"""gpu1.txt: a host with two rails, a storage NIC and a management NIC, set as pod1 asks."""

import re
from dataclasses import replace
from typing import Any

from fabric_drift.finding import Layer
from fabric_drift.platform import Output, Reading
from fabric_drift.platforms.linux_host import PLATFORM
from fabric_drift.state.device import Nic, Port, PortQos
from fabric_drift.state.tree import facts
from fabric_drift.state.values import ABSENT, Unobserved
from tests.platforms.linux_host.sessions import capture

RAIL1 = "0000:18:00.0"
STORAGE = "0000:29:00.0"
MANAGEMENT = "0000:cc:00.0"


def read(changes: dict[str, Output] | None = None) -> Reading:
    return PLATFORM.parse({**capture("gpu1"), **(changes or {})})


def port(reading: Reading, layer: Layer = Layer.RUNNING, pci: str = RAIL1) -> Port:
    ports: Any = reading.states[layer].ports
    found = ports[pci]
    assert isinstance(found, Port)
    return found


def qos(reading: Reading, pci: str = RAIL1) -> PortQos:
    found = port(reading, pci=pci).qos
    assert isinstance(found, PortQos)
    return found


def nic(reading: Reading, layer: Layer = Layer.RUNNING, pci: str = RAIL1) -> Nic:
    found = port(reading, layer, pci).nic
    assert isinstance(found, Nic)
    return found


def at(reading: Reading, layer: Layer, *path: str) -> Any:
    return dict(facts(reading.states[layer]))[path]


def test_three_rounds_of_commands_ask_for_exactly_what_the_capture_answers() -> None:
    answers = capture("gpu1")
    have: dict[str, Output] = {}
    rounds = 0
    while asked := PLATFORM.commands(have):
        rounds += 1
        have.update({command.text: answers[command.text] for command in asked})
    assert rounds == 3  # the third reads counters again
    assert set(have) == set(answers)


def test_every_command_is_of_the_family_that_the_restricted_account_may_run() -> None:
    commands = (
        *PLATFORM.commands({}),
        *PLATFORM.commands({c.text: capture("gpu1")[c.text] for c in PLATFORM.commands({})}),
    )
    for command in commands:
        assert re.fullmatch(command.pattern or re.escape(command.text), command.text)
        assert not set(command.text) & set("\"'`$;&|<>*?()\\\n")


def test_a_sane_host_leaves_nothing_unparsed() -> None:
    assert read().unparsed == ()


def test_ports_are_keyed_by_pci_address_and_names_are_aliases() -> None:
    reading = read()
    ports: Any = reading.states[Layer.RUNNING].ports
    assert sorted(ports) == [RAIL1, STORAGE, "0000:2a:00.0", MANAGEMENT]
    assert reading.aliases["enp24s0np0"] == reading.aliases["mlx5_0"] == RAIL1
    assert reading.aliases["guid:0xb83fd20300000000"] == RAIL1
    assert reading.aliases["mlx5_1"] == STORAGE


def test_identity_is_hostname_distribution_release_and_board() -> None:
    state = read().states[Layer.RUNNING]
    assert [value for path, value in facts(state) if path[0] == "identity"] == ["gpu1", "22.04", "PowerEdge XE9680"]


def test_the_running_policy_is_what_dcb_shows() -> None:
    found = qos(read())
    assert found.trust == "dscp"
    assert found.scheduling == ((0, 3), (3, 7), (6, "strict"))
    assert found.cable_length_m == 5
    assert found.global_pause is False
    assert found.dcbx == "off"
    assert dict(facts(found))[("pfc", "priorities")] == (3,)
    assert found.receive_buffers_bytes == {0: 87296, 1: 174720, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0, 7: 0}


def test_all_64_dscps_have_a_priority_when_dscp_is_trusted() -> None:
    dscp_map: Any = at_map(read(), RAIL1)
    assert dscp_map == {**dict.fromkeys(range(64), 0), 26: 3, 48: 6}


def at_map(reading: Reading, pci: str) -> Any:
    maps: Any = qos(reading, pci).maps
    return maps.dscp_to_priority


def test_a_dscp_whose_entry_was_removed_has_priority_0() -> None:
    reading = read({"dcb -j app show dev enp24s0np0": Output('{"dscp_prio":[[26,3]]}\n')})
    assert at_map(reading, RAIL1) == {**dict.fromkeys(range(64), 0), 26: 3}


def test_without_a_dscp_entry_the_port_trusts_pcp_and_has_no_dscp_map() -> None:
    reading = read()
    assert qos(reading, STORAGE).trust == "pcp"
    assert at_map(reading, STORAGE) is ABSENT


def test_the_swapped_default_of_priorities_0_and_1_is_an_effective_fact() -> None:
    maps: Any = qos(read(), STORAGE).maps
    assert maps.priority_to_tc == {0: 1, 1: 0, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7}
    assert qos(read(), STORAGE).scheduling == tuple((tc, "vendor") for tc in range(8))


def test_nics_that_are_set_alike_share_one_policy_object() -> None:
    reading = read()
    assert qos(reading, RAIL1) is qos(reading, "0000:2a:00.0")
    assert qos(reading, RAIL1) is qos(read(), RAIL1)
    assert qos(reading, RAIL1) is not qos(reading, STORAGE)


def test_dcqcn_is_read_from_the_ecn_folder() -> None:
    found = dict(facts(nic(read()).dcqcn))
    assert found[("notification_priorities",)] == found[("reaction_priorities",)] == (3,)
    assert found[("reaction", "rpg_ai_rate")] == 5
    assert found[("reaction", "dce_tcp_g")] == 1019
    assert found[("notification", "min_time_between_cnps")] == 4
    assert nic(read()).cnp_dscp == 48
    assert nic(read()).cnp_priority == 6


def test_family_firmware_and_guid_come_from_the_rdma_device() -> None:
    found = nic(read())
    assert (found.family, found.firmware, found.guid) == ("connectx-7", "28.43.2026", "0xb83fd20300000000")
    assert nic(read(), pci=STORAGE).family == "connectx-6"


def test_an_unset_verbs_traffic_class_is_absent() -> None:
    assert nic(read()).traffic_class == 106
    assert nic(read(), pci=STORAGE).traffic_class is ABSENT


def test_rdma_cm_is_unobserved_where_nobody_keeps_the_configfs_folder() -> None:
    reading = read()
    assert (nic(reading).rdma_cm_tos, nic(reading).roce_mode) == (106, "v2")
    assert isinstance(nic(reading, pci=STORAGE).rdma_cm_tos, Unobserved)
    assert isinstance(nic(reading, pci=STORAGE).roce_mode, Unobserved)


def test_neighbour_is_named_by_interface_or_where_the_id_is_an_alias_by_description() -> None:
    reading = read()
    assert at(reading, Layer.RUNNING, "ports", RAIL1, "neighbour", "port") == "Ethernet0"
    assert at(reading, Layer.RUNNING, "ports", "0000:2a:00.0", "neighbour", "port") == "Ethernet1/1"
    assert port(reading, pci=STORAGE).neighbour is ABSENT


def test_firmware_parameters_are_numbers_as_text_running_now_and_saved_for_the_next_boot() -> None:
    reading = read()
    for layer in (Layer.RUNNING, Layer.SAVED):
        parameters: Any = nic(reading, layer).firmware_parameters
        assert parameters["ROCE_CC_PRIO_MASK_P1"] == "8"
        assert parameters["LINK_TYPE_P1"] == "2"


def test_a_pending_firmware_parameter_is_seen_in_the_saved_layer_alone_and_noted() -> None:
    command = f"mlxconfig -d {RAIL1} -e q"
    text = capture("gpu1")[command].stdout
    row = "CNP_DSCP_P1                                 48                  48                  48"
    assert row in text
    reading = read({command: Output(text.replace(row, row[:-2] + "46"))})
    running: Any = nic(reading).firmware_parameters
    saved: Any = nic(reading, Layer.SAVED).firmware_parameters
    assert (running["CNP_DSCP_P1"], saved["CNP_DSCP_P1"]) == ("48", "46")
    assert any("CNP_DSCP_P1" in note for note in reading.notes)


def test_the_saved_layer_is_what_the_files_of_the_next_boot_say() -> None:
    saved = port(read(), Layer.SAVED)
    assert saved.mtu_bytes == 9000
    assert isinstance(saved.qos, PortQos)
    assert saved.qos.scheduling == ((0, 3), (3, 7), (6, "strict"))
    assert nic(read(), Layer.SAVED).cnp_dscp == 48


def test_a_nic_without_a_file_has_nothing_saved() -> None:
    assert port(read(), Layer.SAVED, STORAGE).qos is ABSENT


def test_without_the_folder_what_a_boot_sets_is_unknown() -> None:
    missing = Output("", "grep: /etc/roce-qos: No such file or directory\n", 2)
    saved = port(read({"grep -rHn . /etc/roce-qos": missing}), Layer.SAVED)
    assert isinstance(saved.qos, Unobserved)
    assert isinstance(saved.mtu_bytes, Unobserved)


def test_a_file_of_no_nic_is_unreferenced() -> None:
    text = capture("gpu1")["grep -rHn . /etc/roce-qos"].stdout + "/etc/roce-qos/0000:99:00.0.conf:1:trust=dscp\n"
    saved = read({"grep -rHn . /etc/roce-qos": Output(text)}).states[Layer.SAVED]
    assert saved.unreferenced == {"roce-qos/0000:99:00.0.conf": "unreferenced"}


def test_the_job_environment_is_what_both_files_set() -> None:
    assert read().states[Layer.SAVED].job == {
        "NCCL_GIN_IB_TC": "106",
        "NCCL_IB_TC": "106",
        "UCX_IB_TRAFFIC_CLASS": "106",
    }


def test_ppcc_tells_which_congestion_control_the_hardware_runs() -> None:
    command = next(text for text in capture("gpu1") if RAIL1 in text and "PPCC" in text)
    assert nic(read(), Layer.HARDWARE).congestion_control == "dcqcn"
    text = capture("gpu1")[command].stdout.replace("value                      | 0x00000000", "value | 0x00000001")
    reading = read({command: Output(text)})
    assert nic(reading, Layer.HARDWARE).congestion_control == "pcc"
    assert any("no effect" in note for note in reading.notes)


def test_a_nic_of_another_driver_has_link_facts_only() -> None:
    found = port(read(), pci=MANAGEMENT)
    assert (found.admin_up, found.mtu_bytes) == (True, 1500)
    assert isinstance(found.qos, Unobserved)


def test_every_layer_has_every_port() -> None:
    states = read().states
    keys = [sorted(state.ports) for state in states.values()]  # type: ignore[arg-type]
    assert set(states) == {Layer.SAVED, Layer.RUNNING, Layer.HARDWARE}
    assert keys[0] == keys[1] == keys[2]


def test_evidence_quotes_the_command_and_its_line() -> None:
    reading = read()
    tos = reading.evidence(Layer.RUNNING, ("ports", RAIL1, "nic", "rdma_cm_tos"))[0]
    assert tos.lines == ("/sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos:106",)
    pfc = reading.evidence(Layer.RUNNING, ("ports", RAIL1, "qos", "pfc", "priorities"))[0]
    assert pfc.command == "dcb -j pfc show dev enp24s0np0"
    mask = reading.evidence(Layer.SAVED, ("ports", RAIL1, "nic", "firmware_parameters", "CNP_DSCP_P1"))[0]
    assert mask.command == f"sudo -n mlxconfig -d {RAIL1} -e q"
    assert mask.lines[0].split() == ["CNP_DSCP_P1", "48", "48", "48"]
    mtu = reading.evidence(Layer.RUNNING, ("ports", RAIL1, "mtu_bytes"))[0]
    assert '"mtu":9000' in mtu.lines[0]
    job = reading.evidence(Layer.SAVED, ("job", "NCCL_IB_TC"))[0]
    assert job.lines == ("/etc/nccl.conf:3:NCCL_IB_TC=106",)
    assert job.line_number == 3


def test_of_the_files_of_the_service_only_the_ports_own_is_shown() -> None:
    lines = (f"/etc/roce-qos/{RAIL1}.conf:1:mtu_bytes=9000", "/etc/roce-qos/0000:2a:00.0.conf:1:mtu_bytes=4200")
    reading = read({"grep -rHn . /etc/roce-qos": Output("\n".join(lines) + "\n")})
    (evidence,) = reading.evidence(Layer.SAVED, ("ports", RAIL1, "mtu_bytes"))
    assert evidence.lines == lines[:1]


def test_a_port_is_known_by_its_netdev_rdma_device_mac_address_and_guid() -> None:
    aliases = read().aliases
    assert {aliases["enp24s0np0"], aliases["mlx5_0"], aliases["b8:3f:d2:00:00:03"]} == {RAIL1}
    assert RAIL1 in {port for alias, port in aliases.items() if alias.startswith("guid:")}


def test_without_its_netdev_nothing_of_a_running_nic_is_known_even_where_its_file_says_the_same() -> None:
    text = capture("gpu1")["ls -l /sys/class/net"].stdout.replace("enp24s0np0", "enp24s~np0")
    reading = read({"ls -l /sys/class/net": Output(text)})
    running = nic(reading)
    assert running.netdev is ABSENT
    for value in (running.cnp_dscp, running.cnp_priority, running.traffic_class, running.dcqcn, port(reading).fec):
        assert isinstance(value, Unobserved)


def test_every_owned_fact_that_a_layer_says_has_evidence() -> None:
    reading = read()
    for layer, state in reading.states.items():
        for path, _ in facts(state):
            if path[:1] != ("ports",) or path[1] != RAIL1:
                continue
            found = reading.evidence(layer, path)
            assert found, (layer, path)
            assert any(item.lines for item in found), (layer, path)


def test_reading_the_same_outputs_twice_gives_equal_readings() -> None:
    first, second = read(), read()
    assert first.states == second.states
    assert replace(first, evidence=second.evidence) == second
