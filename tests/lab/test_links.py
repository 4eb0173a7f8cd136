"""What happens to a link is seen at both of its ends."""

from __future__ import annotations

import asyncio

from fabric_drift.lab import fabrics
from fabric_drift.lab.emulator import Store
from fabric_drift.lab.links import Links, far_ends
from fabric_drift.lab.sonic import EMULATOR
from tests.lab.conftest import Lab

POD = {device.name: device for device in fabrics.pod1() if device.emulator == "sonic"}


def _stores() -> tuple[dict[str, Store], Links]:
    stores = {name: EMULATOR.start(device) for name, device in POD.items()}
    return stores, Links(POD, stores.get)


def _neighbours(store: Store) -> str:
    return EMULATOR.run(store, "show lldp table").stdout


def test_a_port_that_is_shut_is_down_at_the_other_end_and_comes_back_with_it() -> None:
    stores, links = _stores()
    port, (far, far_port) = next(item for item in far_ends(POD["leaf1"]).items() if item[1][0] == "spine1")
    assert f"{far_port} " in _neighbours(stores[far])
    EMULATOR.run(stores["leaf1"], f"config interface shutdown {port}")
    assert links.carry("leaf1") == {far}
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
