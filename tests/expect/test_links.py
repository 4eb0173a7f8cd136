"""A link is expected to be up only where nothing excuses a dark one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fabric_drift.expect import expect, sources
from fabric_drift.intent import Fabric
from fabric_drift.state.values import UNSAID
from tests.expect.conftest import POD1

LEAF2_IN_MAINTENANCE = (
    "topology.yml",
    '    hardware: Arista-7060X6-64PE\n    releases: ["202411"]\n',
    '    hardware: Arista-7060X6-64PE\n    releases: ["202411"]\n    lifecycle: maintenance\n',
)
RAILS_DOWN = ("fabric.yml", "  rail: {mtu: 9000,", "  rail: {admin: down, mtu: 9000,")


def _port(fabric: Fabric, device: str, name: str) -> Any:
    return expect(fabric, device).ports[name]  # type: ignore[index]


@pytest.mark.parametrize(
    ("device", "port"),
    [("leaf1", "Ethernet0"), ("leaf3", "Ethernet17/1"), ("spine1", "Ethernet0"), ("gpu1", "0000:18:00.0")],
)
def test_a_link_between_devices_at_work_is_up(pod1: Fabric, device: str, port: str) -> None:
    assert _port(pod1, device, port).oper_up is True


@pytest.mark.parametrize("end", [("spine1", "Ethernet32"), ("leaf2", "Ethernet128"), ("gpu1", "0000:3a:00.0")])
def test_both_ends_of_a_link_to_a_device_in_maintenance_may_be_dark(
    edited: Callable[..., Fabric], end: tuple[str, str]
) -> None:
    assert _port(edited(LEAF2_IN_MAINTENANCE), *end).oper_up is UNSAID


def test_a_link_whose_far_end_is_shut_by_intent_may_be_dark(edited: Callable[..., Fabric]) -> None:
    fabric = edited(RAILS_DOWN)
    assert _port(fabric, "leaf1", "Ethernet0").oper_up is UNSAID
    assert _port(fabric, "gpu1", "0000:18:00.0").oper_up is UNSAID
    assert _port(fabric, "leaf1", "Ethernet128").oper_up is True  # to spine1


def test_the_cable_plan_asks_for_the_link(pod1: Fabric) -> None:
    (source,) = sources(pod1, "leaf1", ("ports", "Ethernet0", "oper_up"))
    assert source.file.endswith("cables.csv")


def test_the_watchdog_is_asked_for_by_its_own_line(pod1: Fabric) -> None:
    line = next(
        number
        for number, text in enumerate((POD1 / "fabric.yml").read_text().splitlines(), start=1)
        if text.startswith("  watchdog:")
    )
    for path in ((), ("detect_ms",), ("priorities",)):
        found = sources(pod1, "leaf1", ("ports", "Ethernet0", "qos", "pfc", "watchdog", *path))
        assert (found[0].file.rpartition("/")[2], found[0].line) == ("fabric.yml", line)
