"""Law 2: no line of an owned section vanishes, and nothing that could not be read counts as fine."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from fabric_drift.finding import Layer
from fabric_drift.platform import Output
from fabric_drift.platforms.eos import PLATFORM
from fabric_drift.state import Port, Unobserved
from tests.platforms.eos.reading import answers, config, data, fact, port, qos, read, state

RUNNING = "show running-config"


def told(running: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(line.line.strip(), line.path) for line in read(running).unparsed if line.layer is Layer.RUNNING]


def test_a_line_that_nobody_knows_is_told_with_its_number() -> None:
    [line] = [line for line in read(config("frobnicate 7")).unparsed if line.layer is Layer.RUNNING]
    assert (line.line_number, line.line, line.path) == (2, "   frobnicate 7", ("ports", "Ethernet1/1"))


@pytest.mark.parametrize(
    "line", ["description eat my tx-queue", "ip address 192.0.2.1/31", "switchport mode trunk", "no lldp transmit"]
)
def test_a_line_about_something_else_is_left_alone(line: str) -> None:
    assert told(config(line)) == []


def test_a_second_value_of_a_single_valued_line_is_told_and_unobserved() -> None:
    running = config("mtu 9100", "mtu 9000")
    assert told(running) == [("mtu 9000", ("ports", "Ethernet1/1", "mtu_bytes"))]
    assert isinstance(port(running).mtu_bytes, Unobserved)


def test_the_same_line_twice_is_one_value() -> None:
    assert told(config("mtu 9100", "mtu 9100")) == []


def test_a_section_that_appears_twice_is_merged() -> None:
    running = "interface Ethernet1/1\n   mtu 9100\n!\ninterface Ethernet1/1\n   shutdown\n!\nend\n"
    assert (port(running).mtu_bytes, port(running).admin_up) == (9100, False)


def test_a_line_of_a_profile_is_told_for_every_port_that_it_may_decide_over() -> None:
    ports = "".join(f"interface Ethernet{n}/1\n   service-profile P\n!\n" for n in (1, 2))
    running = f"qos profile P\n   service-policy type qos input X\n!\n{ports}end\n"
    assert [path for _, path in told(running)] == [("ports", f"Ethernet{n}/1", "qos", "maps") for n in (1, 2)]


def test_a_profile_that_does_not_exist_is_told() -> None:
    assert told(config("service-profile GONE")) == [("service-profile GONE", ("ports", "Ethernet1/1", "qos"))]


@pytest.mark.parametrize(
    "line",
    [
        "qos map dscp 64 to traffic-class 1",
        "qos map dscp 26 to traffic-class 9",
        "qos mapp dscp 26 to traffic-class 1",
        "qoz map dscp 26 to traffic-class 1",
        "priority-flow-control pause watchdog default timeout 0.0001",
        "mtu 9100",
        "intrface Ethernet2/1",
        "interface Ether\x07net2/1",
    ],
)
def test_a_damaged_line_at_the_left_margin_is_told(line: str) -> None:
    assert line in [text for text, _ in told(config(top=f"{line}\n"))]


def test_digits_of_another_script_are_not_digits() -> None:
    assert told(config("mtu 91\u0660\u0660")) != []


@pytest.mark.parametrize("line", ["     mtu 9100", "  mtu 9100", "      random-detect ecn count"])
def test_a_line_at_the_wrong_depth_is_told(line: str) -> None:
    assert told(config(top="").replace("Ethernet1/1\n", f"Ethernet1/1\n{line}\n")) != []


def test_a_buffer_profile_that_is_applied_is_told_line_by_line_and_one_that_is_not_is_unreferenced() -> None:
    top = (
        "platform trident mmu queue profile A\n    ingress threshold 1/8\n!\n"
        "platform trident mmu queue profile B\n    ingress threshold 1/4\n!\n"
        "platform trident mmu queue profile A apply\n"
    )
    assert sorted(text for text, _ in told(config(top=top))) == [
        "ingress threshold 1/8",
        "platform trident mmu queue profile A apply",
    ]
    assert state(config(top=top)).unreferenced == {"mmu queue profile/B": "unreferenced"}


def unread(reading_of: dict[str, Output], layer: Layer = Layer.RUNNING) -> object:
    return PLATFORM.parse(reading_of).states[layer].ports


@pytest.mark.parametrize("cut", [2, 100, 400, 1000])
def test_a_configuration_without_its_end_is_unobserved(cut: int) -> None:
    assert isinstance(unread(answers(data("leaf.cfg")[:-cut])), Unobserved)


def test_two_answers_in_one_are_unobserved() -> None:
    assert isinstance(unread(answers(data("leaf.cfg") * 2)), Unobserved)


@pytest.mark.parametrize(
    "output",
    [
        Output(""),
        Output("% Invalid input (privileged mode required)\n"),
        Output(data("leaf.cfg"), error="timed out after 30 s"),
        Output(data("leaf.cfg"), exit_status=1),
    ],
)
def test_an_answer_that_is_not_whole_is_unobserved(output: Output) -> None:
    assert isinstance(unread({**answers(data("leaf.cfg")), RUNNING: output}), Unobserved)


def test_a_switch_that_never_saved_has_an_unobserved_saved_layer() -> None:
    refused = Output("% Error displaying startup-config (No such file or directory)\n")
    outputs = {**answers(data("leaf.cfg")), "show startup-config": refused}
    assert isinstance(unread(outputs, Layer.SAVED), Unobserved)
    assert isinstance(unread(outputs, Layer.RUNNING), Mapping)


@pytest.mark.parametrize("text", ["", "[]", "{", "null", '{"interfaceStatuses": 3}', "[" * 100_000, "% Invalid input"])
def test_json_that_is_not_what_it_should_be_is_unobserved(text: str) -> None:
    outputs = {**answers(config()), "show interfaces status | json": Output(text)}
    assert isinstance(unread(outputs, Layer.NOS), Unobserved)


def test_a_port_without_a_neighbour_and_one_with_two_are_unobserved() -> None:
    row = '{"port": "Ethernet1/1", "neighborDevice": "a", "neighborPort": "b"}'
    for rows, reason in (("", "LLDP knows no neighbour"), (f"{row}, {row}", "2 LLDP neighbours")):
        outputs = {**answers(config()), "show lldp neighbors | json": Output(f'{{"lldpNeighbors": [{rows}]}}')}
        ports = PLATFORM.parse(outputs).states[Layer.NOS].ports
        assert isinstance(ports, Mapping)
        assert isinstance(ports["Ethernet1/1"], Port)
        assert isinstance(ports["Ethernet1/1"].neighbour, Unobserved)
        assert reason in ports["Ethernet1/1"].neighbour.reason


def test_a_watchdog_action_that_is_not_documented_is_told_and_unobserved() -> None:
    line = "priority-flow-control pause watchdog action no-drop"
    running = config(profile="   priority-flow-control on\n   priority-flow-control pause watchdog\n", top=f"{line}\n")
    assert [text for text, _ in told(running)] == [line]
    assert isinstance(fact(qos(running), "pfc", "watchdog", "action"), Unobserved)


def test_a_port_without_a_link_hears_no_neighbour_and_says_why() -> None:
    status = json.loads(answers(config())["show interfaces status | json"].stdout)
    status["interfaceStatuses"]["Ethernet1/1"]["linkStatus"] = "notconnect"
    outputs = {
        **answers(config()),
        "show interfaces status | json": Output(json.dumps(status)),
        "show lldp neighbors | json": Output('{"lldpNeighbors": []}'),
    }
    ports = PLATFORM.parse(outputs).states[Layer.NOS].ports
    assert isinstance(ports, Mapping)
    assert (ports["Ethernet1/1"].oper_up, ports["Ethernet1/1"].neighbour) == (False, Unobserved("the link is down"))


def test_a_broken_line_about_pfc_puts_the_switchs_watchdog_in_doubt_too() -> None:
    broken = config().replace("\nend", "\npriority-flow-control ~ause watchdog default timeout 0.70\nend")
    told = [line.path for line in PLATFORM.parse(answers(broken)).unparsed if "~ause" in line.line]
    assert told
    assert set(told) == {()}
