"""What the subnet manager believes, which paths it gives, and what ports count: on the real OpenSM and ibsim."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from fabric_drift.expect.infiniband import expect
from fabric_drift.finding import Finding, Layer, Verdict
from fabric_drift.intent.infiniband import load
from fabric_drift.lab.infiniband import drift
from fabric_drift.lab.infiniband.drift import Write
from fabric_drift.platforms.opensm.commands import SUBNET
from fabric_drift.rules import infiniband as rules
from fabric_drift.rules.infiniband import SmNodeView
from tests.lab.infiniband.subnet import INTENT, Subnet, hardware

pytestmark = pytest.mark.lab

HCA, LEAF, SPINE = "gpu001 mlx5_0", "leaf-r1-1", "spine-1"
OTHER_TENANT = "gpu003 mlx5_0"
READER = SUBNET.text


def causes(subnet: Subnet, rule: str) -> list[Finding]:
    found = rules.check({"sm1": SmNodeView(expect(subnet.fabric, "sm1"), subnet.read().states)})
    return [finding for finding in found if finding.rule == rule]


CONTRADICTIONS: dict[str, tuple[Callable[[Subnet], Write], Callable[[Subnet], tuple[str, ...]]]] = {
    "P_Keys": (lambda s: drift.pkey(s.lab, HCA, 20, 0x8666), lambda s: ("ports", s.key(HCA), "pkeys")),
    "lanes of an HCA": (lambda s: drift.sl2vl(s.lab, HCA, 0, 0, "0" * 16), lambda s: ("ports", s.key(HCA), "sl2vl")),
    "one row of a switch": (
        lambda s: drift.sl2vl(s.lab, LEAF, 3, 35, "0" * 16),
        lambda s: ("ports", s.key(LEAF, 35), "sl2vl_exceptions", "3"),
    ),
    "weights of an HCA": (
        lambda s: drift.vlarb(s.lab, HCA, 3, 1, "0101"),
        lambda s: ("ports", s.key(HCA), "arbitration", "high"),
    ),
    "weights of a switch": (
        lambda s: drift.vlarb(s.lab, LEAF, 1, 2, "0001"),
        lambda s: ("ports", s.key(LEAF, 2), "arbitration", "low"),
    ),
    "an exit of a switch": (
        lambda s: drift.lft(s.lab, SPINE, HCA, 255),
        lambda s: ("routing", f"{s.lab.fabric.node(SPINE).guid:#018x}"),
    ),
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_what_was_written_behind_the_managers_back_is_named_so(subnet: Subnet, name: str) -> None:
    write, path = CONTRADICTIONS[name]
    undo = drift.inject(subnet.lab, write(subnet))
    try:
        found = causes(subnet, "FD-IB-106")
    finally:
        drift.inject(subnet.lab, undo)
    assert [finding.path for finding in found] == [("infiniband", "subnet", *path(subnet))]
    assert "a restart of the subnet manager" in found[0].message


def test_a_subnet_in_sync_contradicts_nobody_and_gives_no_path_across_tenants(subnet: Subnet) -> None:
    assert causes(subnet, "FD-IB-106") == causes(subnet, "FD-IB-107") == []
    paths = subnet.read().states[Layer.NOS].infiniband.believed_paths  # type: ignore[union-attr]
    assert paths[f"{subnet.key(HCA)} to {subnet.key(OTHER_TENANT)}"] == "none"  # type: ignore[index]
    assert paths[f"{subnet.key(HCA)} to {subnet.key('gpu001 mlx5_1')}"] == "0x0010"  # type: ignore[index]


def test_a_path_across_tenants_is_drift_of_its_own(own_subnet: Subnet) -> None:
    partitions = own_subnet.node("sm1").path("/etc/opensm/partitions.conf")
    text = partitions.read_text()
    partitions.write_text(text + "both=0x0077 : 0x0c42a10300000001=full, 0x0c42a10300000081=full;\n")
    own_subnet.lab.up()
    found = causes(own_subnet, "FD-IB-107")
    pairs = {finding.path[-1] for finding in found if finding.verdict is Verdict.DRIFT}
    one, other = own_subnet.key(HCA), own_subnet.key(OTHER_TENANT)
    assert pairs == {f"{one} to {other}", f"{other} to {one}"}
    assert {finding.actual for finding in found} == {"0x0077"}


@pytest.fixture
def counted(subnet: Subnet) -> Iterator[Subnet]:
    """The shared lab under budgets: ten symbol errors, no lost link."""
    document = subnet.fabric.document.model_copy(update={"error_budgets": {"symbol_errors": 10, "link_downed": 0}})
    yield Subnet(subnet.lab, replace(load(INTENT), document=document))
    for name, port, counter in (
        (LEAF, 2, "SymbolErrorCounter"),
        (HCA, 1, "LinkDownedCounter"),
        (HCA, 1, "PortXmitWait"),
    ):
        drift.count_errors(subnet.lab, name, port, counter, 0)


def test_counters_of_every_port_are_within_budgets_that_nobody_exceeds(counted: Subnet) -> None:
    assert (counted.drifted(), counted.unobserved()) == (set(), set())


def test_a_port_above_its_budget_is_drift_and_one_below_is_not(counted: Subnet) -> None:
    drift.count_errors(counted.lab, LEAF, 2, "SymbolErrorCounter", 10)
    assert counted.drifted() == set()
    drift.count_errors(counted.lab, LEAF, 2, "SymbolErrorCounter", 11)
    drift.count_errors(counted.lab, HCA, 1, "LinkDownedCounter", 1)
    assert counted.drifted() == hardware(
        f"ports/{counted.key(LEAF, 2)}/errors/symbol_errors", f"ports/{counted.key(HCA)}/errors/link_downed"
    )


def test_waiting_is_no_error(counted: Subnet) -> None:
    drift.count_errors(counted.lab, HCA, 1, "PortXmitWait", 9999)
    assert counted.drifted() == set()


def test_the_reader_waits_while_the_manager_sweeps(subnet: Subnet) -> None:
    node, ended = subnet.node("sm1"), threading.Event()

    def sweep() -> None:
        while not ended.wait(0.02):
            node.kill(1)  # SIGHUP: a heavy sweep

    sweeping = threading.Thread(target=sweep)
    sweeping.start()
    try:
        answer = node.run(f"{READER} --what ports,sl2vl --rate 3000 --patience-s 0.5")
    finally:
        ended.set()
        sweeping.join()
    assert 0 < json.loads(answer.stdout)["paused_s"] <= 0.6


def test_a_quiet_manager_is_not_waited_for(subnet: Subnet) -> None:
    for _ in range(20):  # sweeps that were asked for before may still be under way
        document = json.loads(subnet.node("sm1").run(f"{READER} --what ports,sl2vl --rate 3000").stdout)
        if not document["paused_s"]:
            break
        time.sleep(0.2)
    assert (document["paused_s"], document["sweeping"], document["blind"]) == (0, False, False)


def test_the_m_key_of_the_vault_is_used_and_shown_nowhere(subnet: Subnet) -> None:
    node = subnet.node("sm1")
    keys = node.path("/var/lib/fabric_drift/keys.conf")
    keys.write_text("m_key 0x1234567890abcdef\nsa_key 1\n")
    try:
        answer = node.run(READER)
    finally:
        keys.unlink()
    assert json.loads(answer.stdout)["m_key"] == "the vault"
    shown = (answer.stdout + answer.stderr).lower()
    assert "1234567890abcdef" not in shown
    assert str(0x1234567890ABCDEF) not in shown


def test_an_m_key_that_is_no_number_is_refused_and_not_repeated(subnet: Subnet) -> None:
    answer = subnet.node("sm1").run(f"{READER} --m-key-stdin", stdin="s3cret\n")
    assert (answer.exit_status, answer.stdout) == (1, "")
    assert "s3cret" not in answer.stderr
