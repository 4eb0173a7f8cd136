"""What happens to a link is seen at both of its ends."""

from __future__ import annotations

import asyncio
import json

import pytest

from fabric_drift.lab import fabrics, troubles
from fabric_drift.lab.emulator import Store
from fabric_drift.lab.emulators import emulator
from fabric_drift.lab.links import Links, far_ends
from fabric_drift.lab.sonic import EMULATOR
from tests.lab.conftest import Lab

POD = {device.name: device for device in fabrics.pod1()}


def _run(stores: dict[str, Store], links: Links, name: str, command: str) -> str:
    answer = emulator(POD[name].emulator).run(stores[name], command, user="root")
    assert answer.exit_status == 0, (command, answer)
    links.carry(name)
    return answer.stdout


@pytest.mark.parametrize(
    ("name", "shut", "light", "far", "ask", "seen", "flapped"),
    [
        (
            "leaf3",
            "configure\ninterface Ethernet9/1\nshutdown\nend",
            "configure\ninterface Ethernet9/1\nno shutdown\nend",
            "gpu5",
            "lldpctl -f json0",
            '"name": "enp154s0np0"',
            {"0000:9a:00.0": 1},
        ),
        (
            "gpu5",
            "ip link set dev enp154s0np0 down",
            "ip link set dev enp154s0np0 up",
            "leaf3",
            "show lldp neighbors | json",
            '"port": "Ethernet9/1"',
            {"Ethernet9/1": 1},
        ),
        (
            "spine2",
            "configure\ninterface Ethernet1/1\nshutdown\nend",
            "configure\ninterface Ethernet1/1\nno shutdown\nend",
            "leaf1",
            "show lldp table",
            "\nEthernet160 ",
            [{"at": 0.0, "port": "Ethernet160", "by": "peer spine2"}],
        ),
    ],
)
def test_every_kind_of_device_takes_its_neighbour_s_link_down_with_its_own(  # noqa: PLR0917  columns of a table
    name: str, shut: str, light: str, far: str, ask: str, seen: str, flapped: object
) -> None:
    stores = {one: emulator(POD[one].emulator).start(POD[one]) for one in (name, far)}
    links = Links(POD, stores.get)
    assert seen in _run(stores, links, far, ask)
    stores[far]["flaps"] = type(flapped)()
    _run(stores, links, name, shut)
    assert seen not in _run(stores, links, far, ask)
    _run(stores, links, name, light)
    assert seen in _run(stores, links, far, ask)
    assert stores[far]["flaps"] == flapped


def test_a_momentary_flap_of_a_host_is_counted_at_the_switch_and_not_carried_back() -> None:
    stores = {one: emulator(POD[one].emulator).start(POD[one]) for one in ("gpu5", "leaf3")}
    links = Links(POD, stores.get)
    for _ in range(2):
        _run(stores, links, "gpu5", "dcb pfc set dev enp154s0np0 prio-pfc 3:on")
        _run(stores, links, "leaf3", "show hostname | json")
    assert (stores["gpu5"]["flaps"], stores["leaf3"]["flaps"]) == ({"0000:9a:00.0": 1}, {"Ethernet9/1": 1})


def test_flaps_that_were_carried_are_not_carried_again_by_a_lab_that_starts_anew() -> None:
    stores = {one: emulator(POD[one].emulator).start(POD[one]) for one in ("gpu5", "leaf3")}
    _run(stores, Links(POD, stores.get), "gpu5", "dcb pfc set dev enp154s0np0 prio-pfc 3:on")
    _run(stores, Links(POD, stores.get), "gpu5", "hostname")
    assert stores["leaf3"]["flaps"] == {"Ethernet9/1": 1}


def test_a_cut_cable_is_down_at_both_ends_until_it_is_whole_again() -> None:
    stores = {one: emulator(POD[one].emulator).start(POD[one]) for one in ("leaf3", "spine2")}
    links = Links(POD, stores.get)
    asked = "show interfaces status | json"
    whole = _run(stores, links, "leaf3", asked), _run(stores, links, "spine2", asked)
    troubles.add(stores["leaf3"], "cut:Ethernet21/1")
    links.carry("leaf3")
    down = [_link(_run(stores, links, name, asked), port) for name, port in LINK]
    assert down == ["notconnect", "notconnect"]
    troubles.end_all(stores["leaf3"])
    links.carry("leaf3")
    assert (_run(stores, links, "leaf3", asked), _run(stores, links, "spine2", asked)) == whole


def test_a_link_comes_back_in_a_lab_that_starts_anew() -> None:
    stores = {one: emulator(POD[one].emulator).start(POD[one]) for one in ("leaf3", "spine2")}
    troubles.add(stores["leaf3"], "cut:Ethernet21/1")
    Links(POD, stores.get).carry("leaf3")
    troubles.end_all(stores["leaf3"])
    links = Links(POD, stores.get)
    links.carry("leaf3")
    seen = [_link(_run(stores, links, name, "show interfaces status | json"), port) for name, port in LINK]
    assert seen == ["connected", "connected"]


def test_a_link_that_only_the_other_end_loses_stays_up_here() -> None:
    stores = {one: emulator(POD[one].emulator).start(POD[one]) for one in ("leaf3", "spine2")}
    links = Links(POD, stores.get)
    troubles.add(stores["leaf3"], "far-cut:Ethernet21/1")
    links.carry("leaf3")
    seen = [_link(_run(stores, links, name, "show interfaces status | json"), port) for name, port in LINK]
    assert seen == ["connected", "notconnect"]


LINK = (("leaf3", "Ethernet21/1"), ("spine2", "Ethernet9/1"))


def _link(answer: str, port: str) -> str:
    return str(json.loads(answer)["interfaceStatuses"][port]["linkStatus"])


def _stores() -> tuple[dict[str, Store], Links]:
    stores = {name: EMULATOR.start(device) for name, device in POD.items() if device.emulator == "sonic"}
    return stores, Links(POD, stores.get)


def _neighbours(store: Store) -> str:
    return EMULATOR.run(store, "show lldp table").stdout


def test_a_port_that_is_shut_is_down_at_the_other_end_and_comes_back_with_it() -> None:
    stores, links = _stores()
    port, (far, far_port) = next(item for item in far_ends(POD["leaf1"]).items() if item[1][0] == "spine1")
    assert f"{far_port} " in _neighbours(stores[far])
    EMULATOR.run(stores["leaf1"], f"config interface shutdown {port}")
    assert far in links.carry("leaf1")
    EMULATOR.run(stores[far], "hostname")
    assert f"\n{far_port} " not in _neighbours(stores[far])
    EMULATOR.run(stores["leaf1"], f"config interface startup {port}")
    links.carry("leaf1")
    assert stores[far]["peer_down"] == []
    assert f"\n{far_port} " in _neighbours(stores[far])


def test_a_flap_that_is_over_is_in_the_log_of_the_other_end_once() -> None:
    stores, links = _stores()
    port, (far, far_port) = next(item for item in far_ends(POD["leaf1"]).items() if item[1][0] == "spine1")
    for status in ("shutdown", "startup"):
        EMULATOR.run(stores["leaf1"], f"config interface {status} {port}")
    for name in ("leaf1", far, "leaf1"):
        EMULATOR.run(stores[name], "hostname")
        links.carry(name)
    assert [flap for flap in stores[far]["flaps"] if flap["by"] == "peer leaf1"] == [
        {"at": 0.0, "port": far_port, "by": "peer leaf1"}
    ]


def test_a_link_that_is_down_is_one_flap_at_each_end_not_more() -> None:
    stores, links = _stores()
    port, (far, _) = next(item for item in far_ends(POD["leaf1"]).items() if item[1][0] == "spine1")
    EMULATOR.run(stores["leaf1"], f"config interface shutdown {port}")
    for name in ("leaf1", far, "leaf1", far):
        EMULATOR.run(stores[name], "hostname")
        links.carry(name)
    assert (len(stores["leaf1"]["flaps"]), len(stores[far]["flaps"])) == (1, 1)


def test_the_daemon_tells_neighbours_over_ssh(lab: Lab) -> None:
    port, (far, far_port) = next(item for item in far_ends(POD["leaf2"]).items() if item[1][0] == "spine1")
    lab.text("leaf2", f"sudo -n config interface shutdown {port}")
    assert f"\n{far_port} " not in lab.text(far, "show lldp table")
    lab.text("leaf2", f"sudo -n config interface startup {port}")
    assert f"\n{far_port} " in lab.text(far, "show lldp table")


def test_standard_input_reaches_a_file_and_a_timer_runs_a_script_of_it(lab: Lab) -> None:
    async def write() -> int | None:
        async with lab.connect("leaf2") as connection:
            result = await connection.run("sudo -n tee /tmp/x.sh", input="config interface mtu Ethernet0 1500\n")
            return result.exit_status

    assert asyncio.run(write()) == 0
    lab.text("leaf2", "sudo -n systemd-run --unit=later --on-active=500s bash /tmp/x.sh")
    assert lab.order(do="clock", advance=499)["fired"] == []
    assert lab.order(do="clock", advance=2)["fired"] == [{"device": "leaf2", "unit": "later"}]
    assert lab.text("leaf2", "sonic-db-cli CONFIG_DB hget 'PORT|Ethernet0' mtu") == "1500\n"
