"""What of a switch must not get worse, and what can't be said of it."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from fabric_drift.change import Health, worse
from fabric_drift.platform import Output
from fabric_drift.platforms.eos import PLATFORM
from tests.platforms.eos.switch import Switch, change
from tests.platforms.eos.test_procedure import EXPECTED

BGP = "show ip bgp summary vrf all | json"
DROPS = "show interfaces counters queue detail | json"
VOQ = "show interfaces counters queue drops | json"
ROUTED = (
    "configure",
    "router bgp 65009",
    "neighbor 10.0.0.1 remote-as 65001",
    "neighbor 10.9.9.9 remote-as 65002",
    "end",
)


@pytest.fixture
def switch() -> Switch:
    ready = Switch()
    ready.type(*ROUTED)
    change(ready, EXPECTED)
    return ready


def answers(switch: Switch) -> dict[str, Output]:
    return switch.ask(PLATFORM.health_commands())


def health(outputs: Mapping[str, Output]) -> Health:
    return PLATFORM.health(outputs)


def test_links_neighbours_sessions_and_lossless_drops_are_told(switch: Switch) -> None:
    assert health(answers(switch)) == Health(
        ports_up=frozenset({"Ethernet1/1", "Ethernet2/1"}),
        neighbours=frozenset({"Ethernet1/1 gpu0 eth0", "Ethernet2/1 gpu1 eth0"}),
        bgp_established=frozenset({"10.0.0.1"}),
        lossless_drops={"Ethernet1/1/3": 0, "Ethernet2/1/3": 0},
    )


def test_a_port_that_went_down_takes_neighbour_and_session_along(switch: Switch) -> None:
    before = health(answers(switch))
    switch.type("configure", "interface Ethernet1/1", "shutdown", "end")
    assert worse(before, health(answers(switch))) == (
        "port Ethernet1/1 went down",
        "neighbour lost: Ethernet1/1 gpu0 eth0",
        "BGP session lost: 10.0.0.1",
    )


def test_drops_of_a_lossless_class_are_worse_and_of_a_lossy_one_are_not(switch: Switch) -> None:
    before = health(answers(switch))
    switch.type("lab drop Ethernet1/1 0 700")
    assert worse(before, health(answers(switch))) == ()
    switch.type("lab drop Ethernet1/1 3 7")
    assert worse(before, health(answers(switch))) == ("lossless drops grew on Ethernet1/1/3: 0 -> 7",)


def test_what_is_switched_off_is_no_loss(switch: Switch) -> None:
    switch.type("configure", "no router bgp 65009", "no lldp run", "end")
    found = health(answers(switch))
    assert (found.neighbours, found.bgp_established, found.unreadable) == (frozenset(), frozenset(), ())


def test_a_platform_without_drop_counters_says_nothing_of_drops(switch: Switch) -> None:
    refused = Output("% Invalid input (at token 4: 'detail')\n", exit_status=1)
    found = health({**answers(switch), DROPS: refused})
    assert (found.lossless_drops, found.unreadable) == ({}, ())


def test_counters_of_virtual_output_queues_are_summed(switch: Switch) -> None:
    refused = Output("% Invalid input (at token 4: 'detail')\n", exit_status=1)
    counted = {"ingressVoqCounters": {"countersSum": {"droppedPackets": 3}}} | {
        "egressQueueCounters": {"countersSum": {"droppedPackets": 4}}
    }
    ports = {name: {"trafficClasses": {"TC3": counted}} for name in ("Ethernet1/1", "Ethernet2/1")}
    found = health({**answers(switch), DROPS: refused, VOQ: Output(json.dumps({"interfaces": ports}))})
    assert (found.lossless_drops, found.unreadable) == ({"Ethernet1/1/3": 7, "Ethernet2/1/3": 7}, ())


UNREADABLE: dict[str, Output] = {
    "show running-config": Output("interface Ethernet1/1\n"),
    "show interfaces status | json": Output("", error="timed out"),
    "show lldp neighbors | json": Output('{"lldpNeighbors": [{"port": "Ethernet1/1"}]}'),
    BGP: Output('{"vrfs": {"default": {}}}'),
    DROPS: Output('{"egressQueueCounters": {"interfaces": {"Ethernet1/1": {}}}}'),
}


@pytest.mark.parametrize("command", UNREADABLE)
def test_what_cant_be_read_is_said_and_counts_as_worse(switch: Switch, command: str) -> None:
    before = health(answers(switch))
    after = health({**answers(switch), command: UNREADABLE[command]})
    assert any(command in reason for reason in after.unreadable)
    assert any(line.startswith("health can't be read") for line in worse(before, after))


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "null", "{", '{"vrfs": []}', '{"x": 1}', "% Authorization denied", "\x00" * 9]
)
def test_nonsense_never_raises_and_is_never_healthy(switch: Switch, text: str) -> None:
    for command in set(answers(switch)) - {VOQ}:  # asked in vain where there are other counters
        assert health({**answers(switch), command: Output(text)}).unreadable


def test_no_answer_at_all_is_unreadable() -> None:
    assert health({}).unreadable
