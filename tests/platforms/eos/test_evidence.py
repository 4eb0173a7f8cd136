"""Law 10: which line of the answer decided."""

from __future__ import annotations

import pytest

from fabric_drift.finding import Layer
from fabric_drift.platforms.eos import PLATFORM
from tests.platforms.eos.reading import answers, data, read

MARKING = (
    "random-detect ecn minimum-threshold 420000 bytes maximum-threshold 1680000 bytes max-mark-probability 40 weight 0"
)
PORT = ("ports", "Ethernet2/1")


def shown(*path: str, layer: Layer = Layer.RUNNING) -> list[tuple[int, str]]:
    return [(item.line_number, "".join(item.lines)) for item in read(data("leaf.cfg")).evidence(layer, path)]


def test_a_fact_of_the_interface_is_shown_with_its_section() -> None:
    assert shown(*PORT, "mtu_bytes") == [
        (16, "   mtu 9100"),
        (52, "interface Ethernet2/1"),
        (53, "   mtu 4000"),
    ]


def test_a_fact_of_a_profile_is_shown_with_the_line_that_attaches_it() -> None:
    assert shown("ports", "Ethernet1/1", "qos", "queues", "3", "ecn", "kmin_bytes") == [
        (18, "qos profile RAIL"),
        (30, "   tx-queue 3"),
        (34, "      " + MARKING),
        (47, "interface Ethernet1/1"),
        (50, "   service-profile RAIL"),
    ]


def test_one_of_several_priorities_is_shown_without_the_lines_of_the_others() -> None:
    path = (*PORT, "qos", "pfc", "priorities")
    of_all, of_4 = ([line.strip() for _, line in shown(*path, *member)] for member in ((), ("4",)))
    third, fourth = (f"priority-flow-control priority {number} no-drop" for number in (3, 4))
    assert {third, fourth} < {*of_all}
    assert [line for line in of_all if line != third] == of_4


def test_a_map_is_shown_by_the_line_of_its_value() -> None:
    assert (76, "qos map dscp 26 to traffic-class 5") in shown(*PORT, "qos", "maps", "dscp_to_tc", "26")
    assert all("dscp 26" not in line for _, line in shown(*PORT, "qos", "maps", "dscp_to_tc", "27"))


def test_a_member_of_a_lag_is_shown_with_the_lag() -> None:
    assert [line for _, line in shown("ports", "Ethernet3/1", "mtu_bytes")] == [
        "   mtu 9100",
        "interface Port-Channel7",
        "   mtu 9000",
        "interface Ethernet3/1",
        "   channel-group 7 mode active",
    ]


def test_an_unreferenced_profile_is_shown_where_it_starts() -> None:
    assert shown("unreferenced", "qos profile/OLD") == [(39, "qos profile OLD")]


def test_a_fact_of_the_nos_is_shown_as_its_json() -> None:
    [(number, text)] = shown("ports", "Ethernet1/1", "neighbour", "device", layer=Layer.NOS)
    assert (number, text) == (
        0,
        '{"neighborDevice": "gpu1", "neighborPort": "enp24s0np0", "port": "Ethernet1/1", "ttl": 120}',
    )


@pytest.mark.parametrize("path", [(), ("ports",), ("ports", "Ethernet77"), ("pools", "x"), ("identity", "hostname")])
def test_evidence_of_what_was_not_read_is_empty(path: tuple[str, ...]) -> None:
    assert shown(*path) == []


def test_line_numbers_count_from_the_start_of_each_answer() -> None:
    saved = (
        "! Command: show startup-config\n! Startup-config last modified at noon\n" + data("leaf.cfg").split("\n", 1)[1]
    )
    reading = PLATFORM.parse(answers(data("leaf.cfg"), saved))
    path = ("ports", "Ethernet2/1", "admin_up")
    numbers = {layer: reading.evidence(layer, path)[-1].line_number for layer in (Layer.RUNNING, Layer.SAVED)}
    assert numbers == {Layer.RUNNING: 54, Layer.SAVED: 55}
    assert reading.states[Layer.RUNNING].ports is reading.states[Layer.SAVED].ports
