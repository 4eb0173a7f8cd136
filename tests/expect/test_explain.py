"""Every expected fact names the lines of the intent that decide it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fabric_drift.expect import expect, explain, sources
from fabric_drift.intent import Fabric
from fabric_drift.state.tree import facts

LEAF = "ports/Ethernet128/"
RAIL = "ports/0000:18:00.0/"


def _path(text: str) -> tuple[str, ...]:
    """Ports of this file hold no slash."""
    return tuple(text.split("/"))


def test_every_fact_of_every_device_has_a_source_that_exists(pod1: Fabric) -> None:
    for name in ("spine1", "leaf1", "leaf3", "gpu1"):
        for path, _ in facts(expect(pod1, name)):
            found = sources(pod1, name, path)
            assert found, (name, path)
            assert all(source.line > 0 for source in found)


@pytest.mark.parametrize(
    ("device", "path", "file", "text"),
    [
        ("leaf1", LEAF + "speed_mbps", "cables.csv", "leaf1,Ethernet128,"),
        ("leaf1", LEAF + "neighbour/port", "cables.csv", "leaf1,Ethernet128,"),
        ("leaf1", LEAF + "mtu_bytes", "fabric.yml", "mtu: 9100"),
        ("leaf1", LEAF + "qos/trust", "fabric.yml", "trust: dscp"),
        ("leaf1", LEAF + "qos/global_pause", "fabric.yml", "global_pause: off"),
        ("leaf1", LEAF + "qos/maps/dscp_to_tc/26", "fabric.yml", "dscp: 26"),
        ("leaf1", LEAF + "qos/maps/dscp_to_tc/27", "fabric.yml", "kind: default"),
        ("leaf1", LEAF + "qos/pfc/priorities", "fabric.yml", "lossless: on"),
        ("leaf1", LEAF + "qos/pfc/watchdog/detect_ms", "fabric.yml", "watchdog:"),
        ("leaf1", LEAF + "qos/scheduling", "fabric.yml", "scheduling: 70%"),
        ("leaf1", LEAF + "qos/queues/3/ecn/kmin_bytes", "fabric.yml", "kmin: 1600 KB"),
        ("leaf1", LEAF + "qos/priority_groups/3/xoff_bytes", "hardware.yml", "xoff: 446024 B"),
        ("leaf1", "pools/ingress_lossless_pool/size_bytes", "hardware.yml", "ingress_lossless_pool: {direction"),
        ("leaf1", "watchdog/poll_ms", "fabric.yml", "watchdog:"),
        ("gpu1", RAIL + "mtu_bytes", "fabric.yml", "rail: {mtu: 9000"),
        ("gpu1", RAIL + "nic/traffic_class", "fabric.yml", "dscp: 26"),
        ("gpu1", RAIL + "nic/cnp_dscp", "fabric.yml", "dscp: 48"),
        ("gpu1", RAIL + "nic/netdev", "hardware.yml", "enp24s0np0"),
        ("gpu1", RAIL + "nic/dcqcn/reaction/rpg_ai_rate", "fabric.yml", "rpg_ai_rate: 5 Mb/s"),
        ("gpu1", RAIL + "nic/firmware_parameters/CNP_DSCP_P1", "fabric.yml", "CNP_DSCP_P1: 48"),
        ("gpu1", "job/NCCL_IB_TC", "fabric.yml", "dscp: 26"),
    ],
)
def test_a_fact_leads_to_the_line_that_decides_it(pod1: Fabric, device: str, path: str, file: str, text: str) -> None:
    lines = []
    for source in sources(pod1, device, _path(path)):
        with open(source.file, encoding="utf-8") as opened:  # noqa: PTH123
            lines.append((source.file.rpartition("/")[2], opened.read().splitlines()[source.line - 1]))
    assert any(name == file and text in line for name, line in lines), lines


def test_an_explanation_shows_every_layer_and_the_last_one_wins(pod1: Fabric) -> None:
    steps = explain(pod1, "gpu1", _path(RAIL + "mtu_bytes"))
    assert [(step.name, step.value, step.decides) for step in steps[:-1]] == [
        ("fabric", 9100, False),
        ("port role rail", 9000, True),
    ]
    assert steps[-1].value == 9000


def test_a_derived_value_says_its_formula_with_numbers(pod1: Fabric) -> None:
    names = [step.name for step in explain(pod1, "gpu1", _path(RAIL + "nic/traffic_class"))]
    assert "26 << 2 | 2 (ect0) = 106" in names
    row = [step.name for step in explain(pod1, "leaf1", _path(LEAF + "qos/priority_groups/3/xoff_bytes"))]
    assert any("400G up to 40 m, for a cable of 40 m" in name and "sonic-buildimage" in name for name in row)


def test_a_fact_that_is_not_managed_has_no_explanation(pod1: Fabric) -> None:
    assert explain(pod1, "leaf3", ("ports", "Ethernet17/1", "qos", "cable_length_m")) == ()
    assert explain(pod1, "leaf1", ("ports", "Ethernet192", "mtu_bytes")) == ()
    assert explain(pod1, "leaf1", ("nothing",)) == ()
    assert sources(pod1, "leaf1", ()) == ()


def test_an_override_is_the_source_instead_of_the_priority(edited: Callable[..., Fabric]) -> None:
    fabric = edited(("fabric.yml", "to_fabric: {}", "to_fabric: {class_overrides: {rdma: {queue: 4}}}"))
    found = sources(fabric, "leaf1", _path(LEAF + "qos/maps/tc_to_queue/3"))
    with open(found[-1].file, encoding="utf-8") as opened:  # noqa: PTH123
        assert "queue: 4" in opened.read().splitlines()[found[-1].line - 1]
