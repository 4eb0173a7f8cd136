"""The real OpenSM takes the rendered QoS policy at its word, and complains of what the strict grammar refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric_drift.intent.infiniband import load
from fabric_drift.lab.infiniband.node import SmNode
from tests.intent.infiniband.editing import QOS, edited
from tests.lab.infiniband.subnet import Subnet
from tests.platforms.opensm.test_qos_policy import FAULTS, GOOD

pytestmark = pytest.mark.lab


def reloaded(node: SmNode, policy: str) -> str:
    """What OpenSM logs when it takes ``policy``."""
    node.path("/etc/opensm/qos-policy.conf").write_text(policy)
    since = len(node.log)
    node.systemctl("reload")
    node.wait_for("SUBNET UP", since=since)
    return node.log[since:]


def test_a_path_gets_the_level_of_the_rule_that_matches_it(calm: Subnet, tmp_path: Path) -> None:
    node, before = calm.node("sm1"), calm.node("sm1").path("/etc/opensm/qos-policy.conf").read_text()
    asking = Subnet(calm.lab, load(edited(tmp_path, QOS)))
    try:
        asking.install()
        assert "ERR" not in reloaded(node, node.path("/etc/opensm/qos-policy.conf").read_text())
        assert asking.drifted() == set()
        answer = node.run("saquery PR --sgid fe80::c42:a103:0:1 --dgid fe80::c42:a103:0:41 --pkey 0x8010").stdout
        found = dict(line.strip().split("..", 1) for line in answer.splitlines() if ".." in line)
        assert {name: found[name].strip(".") for name in ("sl", "mtu", "rate")} == {
            "sl": "0x2", "mtu": "0x83", "rate": "0x90",  # 1024 bytes is code 3, 100 Gb/s is code 16
        }  # fmt: skip
    finally:
        reloaded(node, before)


def test_what_the_strict_grammar_refuses_is_what_opensm_complains_of(calm: Subnet) -> None:
    node, before = calm.node("sm1"), calm.node("sm1").path("/etc/opensm/qos-policy.conf").read_text()
    try:
        assert "ERR AC" not in reloaded(node, GOOD)
        told = {
            fault["by"] or fault["replace"]: "ERR AC" in reloaded(node, GOOD.replace(fault["replace"], fault["by"], 1))
            for fault in FAULTS
        }
        assert told == {fault["by"] or fault["replace"]: fault["dropped"] for fault in FAULTS}
    finally:
        reloaded(node, before)
        reloaded(node, before)
