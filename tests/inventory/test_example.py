"""The inventory that users start from is one that the intent beside it agrees with."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric_drift.intent import load
from fabric_drift.inventory import Host, agree, read

REPO = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def hosts() -> dict[str, Host]:
    return read([str(REPO / "inventories" / "example")])


def test_intent_and_inventory_name_the_same_devices(hosts: dict[str, Host]) -> None:
    devices = load(REPO / "intent" / "pod1").devices
    assert agree(hosts, devices.values()) == ()
    assert sorted(hosts) == sorted(devices)


def test_every_host_is_reached_over_the_jump_host_with_verified_keys(hosts: dict[str, Host]) -> None:
    assert {host.jump for host in hosts.values()} == {"jump.mgmt.example.net"}
    assert all(host.known_hosts and host.user == "drift" and not host.warnings for host in hosts.values())
    assert hosts["leaf3"].address == "leaf3.mgmt.example.net"
