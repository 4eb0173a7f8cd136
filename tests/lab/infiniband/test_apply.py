"""A change on a real SM node: it takes, it can be taken back from everywhere, and nobody can do two at a time."""

from __future__ import annotations

import json
import re
import time
from dataclasses import replace

import pytest

from fabric_drift.change import Plan, Procedure, Stage
from fabric_drift.expect.infiniband import expect
from fabric_drift.intent.infiniband import load
from fabric_drift.lab.infiniband import drift
from fabric_drift.platform import Disruption, Target
from fabric_drift.platforms.opensm import PLATFORM
from tests.lab.infiniband.subnet import INTENT, Subnet

pytestmark = pytest.mark.lab

FILES = ("opensm.conf", "partitions.conf", "qos-policy.conf", "root_guids.conf")
UNTIL_COMMIT = (Stage.PREFLIGHT, Stage.LOCK, Stage.SAVE, Stage.REHEARSE, Stage.ARM, Stage.COMMIT)


def planned(subnet: Subnet, name: str = "sm1") -> Plan:
    target = Target(name, "3.3.23")
    return PLATFORM.plan(subnet.read(name), PLATFORM.localise(expect(subnet.fabric, name), target), target)


def walk(subnet: Subnet, procedure: Procedure, *stages: Stage, node: str = "sm1") -> str:
    """What the last action said; stops at the first that is refused."""
    said = ""
    for stage in stages:
        for action in procedure.stages[stage]:
            answer = subnet.node(node).run(action.command, stdin=action.stdin)
            said = answer.stdout + answer.stderr
            ok = answer.exit_status == 0 and (not action.must_show or re.search(action.must_show, said, re.MULTILINE))
            if not ok:
                return f"{stage.value} refused: {said}"
    return said


def applied(subnet: Subnet, name: str, run_id: str) -> None:
    procedure = PLATFORM.procedure(planned(subnet, name), run_id)
    said = walk(subnet, procedure, *UNTIL_COMMIT, Stage.CONFIRM, node=name)
    assert said == "confirmed\n"


def files(subnet: Subnet, name: str = "sm1") -> dict[str, str | None]:
    paths = {file: subnet.node(name).path(f"/etc/opensm/{file}") for file in FILES}
    return {file: path.read_text() if path.exists() else None for file, path in paths.items()}


def moved(subnet: Subnet) -> None:
    """The intent changes: gpu005 moves from tenant_c to tenant_b."""
    intent = subnet.lab.directory / "intent"
    intent.mkdir(exist_ok=True)
    text = (INTENT / "subnet.yml").read_text()
    text = text.replace('["gpu[003-004]"]', '["gpu[003-005]"]').replace("      - {hosts: [gpu005]}\n", "")
    (intent / "subnet.yml").write_text(text)
    (intent / "fabric.topo").write_text((INTENT / "fabric.topo").read_text())
    subnet.fabric = load(intent)


@pytest.fixture
def stock(own_subnet: Subnet) -> Subnet:
    """SM nodes as the packages leave them: no partitions, no QoS."""
    for node in own_subnet.lab.sm_nodes.values():
        for file in FILES:
            node.path(f"/etc/opensm/{file}").unlink(missing_ok=True)
    own_subnet.lab.up()
    return own_subnet


@pytest.fixture
def pushed(own_subnet: Subnet) -> Subnet:
    own_subnet.lab.up()
    return own_subnet


def test_a_stock_subnet_becomes_the_intent_and_a_second_push_has_nothing_to_do(stock: Subnet) -> None:
    assert stock.drifted() != set()
    for name in ("sm2", "sm1"):  # standbys first
        applied(stock, name, f"first-{name}")
    for _ in range(50):
        if stock.drifted() == set():
            break
        time.sleep(0.2)
    assert (stock.drifted("sm1"), stock.drifted("sm2")) == (set(), set())
    assert (planned(stock, "sm1").steps, planned(stock, "sm2").steps) == ((), ())


def test_options_that_nobody_manages_survive_a_push(pushed: Subnet) -> None:
    conf = pushed.node("sm1").path("/etc/opensm/opensm.conf")
    conf.write_text(conf.read_text().replace("max_op_vls 4", "max_op_vls 2") + "babbling_port_policy TRUE\n")
    applied(pushed, "sm1", "keep")
    assert "babbling_port_policy TRUE\n" in conf.read_text()
    assert "max_op_vls 4\n" in conf.read_text()


def test_a_planned_move_of_a_host_shows_which_indexes_change_and_takes_effect(pushed: Subnet) -> None:
    moved(pushed)
    plan = planned(pushed)
    assert [step.title for step in plan.steps] == ["partitions.conf: 4 memberships added, 4 removed, then reload"]
    assert plan.disruption is Disruption.TRAFFIC_LOSS
    assert (
        "0x0c42a10300000101: loses 0x0030 (now at index 1, which stays empty), gains 0x0020 at another index"
        in plan.diff
    )
    assert "P_Key indexes change on reload" in plan.diff
    applied(pushed, "sm1", "move")
    assert {path for layer, path in pushed.drifted() if "pkeys" in path} == set()


def test_a_standby_is_changed_without_disruption(pushed: Subnet) -> None:
    moved(pushed)
    assert planned(pushed, "sm2").disruption is Disruption.NONE
    applied(pushed, "sm2", "standby")
    assert pushed.drifted("sm2") == set()


def test_failover_keeps_the_tenants(pushed: Subnet) -> None:
    since = len(pushed.node("sm2").log)
    pushed.node("sm1").kill(9)
    pushed.node("sm2").wait_for("SUBNET UP", since=since, timeout_s=30)
    time.sleep(0.3)
    pkeys = [path for _, path in pushed.drifted("sm1") if "/pkeys/" in path]
    # The master's own port is a full member anyway; tenants keep theirs.
    assert pkeys == []


def test_undo_brings_back_every_file_and_the_tenants(pushed: Subnet) -> None:
    before, old = files(pushed), pushed.fabric
    moved(pushed)
    procedure = PLATFORM.procedure(planned(pushed), "undo")
    assert "SUBNET UP" in walk(pushed, procedure, *UNTIL_COMMIT)
    assert files(pushed) != before
    assert "as they were" in walk(pushed, procedure, Stage.UNDO)
    assert files(pushed) == before
    pushed.fabric = old
    assert {path for _, path in pushed.drifted() if "/pkeys/" in path} == set()


def test_nobody_confirms_and_the_timer_undoes(pushed: Subnet) -> None:
    before = files(pushed)
    moved(pushed)
    procedure = PLATFORM.procedure(replace(planned(pushed), deadline_s=3), "timer")
    walk(pushed, procedure, *UNTIL_COMMIT)
    assert files(pushed) != before
    for _ in range(60):
        time.sleep(0.2)
        if files(pushed) == before and not pushed.node("sm1").path("/var/lib/fabric_drift/lock").exists():
            break
    assert files(pushed) == before
    assert "undone, not committed" in walk(pushed, procedure, Stage.CONFIRM) or "doesn't hold the lock" in walk(
        pushed, procedure, Stage.CONFIRM
    )


@pytest.mark.parametrize("seconds", ["0.03", "0.06", "0.09", "0.12", "0.2"])
def test_a_commit_that_is_killed_anywhere_is_undone_whole(pushed: Subnet, seconds: str) -> None:
    before = files(pushed)
    moved(pushed)
    conf = pushed.node("sm1").path("/etc/opensm/opensm.conf")
    conf.write_text(conf.read_text().replace("max_op_vls 4", "max_op_vls 2"))
    before = files(pushed)
    procedure = PLATFORM.procedure(planned(pushed), "killed")
    walk(pushed, procedure, *UNTIL_COMMIT[:-1])
    command = procedure.stages[Stage.COMMIT][0].command.removeprefix("sudo -n ")
    pushed.node("sm1").run(f"timeout -s KILL {seconds} {command}")
    walk(pushed, procedure, Stage.UNDO)
    assert files(pushed) == before
    assert pushed.node("sm1").runs


def test_a_second_run_is_refused_while_one_is_under_way(calm: Subnet) -> None:
    moved(calm)
    plan = planned(calm)
    walk(calm, PLATFORM.procedure(plan, "one"), Stage.PREFLIGHT, Stage.LOCK)
    other = PLATFORM.procedure(plan, "two")
    assert "held by one" in walk(calm, other, Stage.LOCK)
    assert "left alone" in walk(calm, other, Stage.TIDY)
    assert walk(calm, PLATFORM.procedure(plan, "one"), Stage.TIDY) == "tidied\n"


def test_the_wrong_node_is_refused_before_anything_is_locked(calm: Subnet) -> None:
    moved(calm)
    said = walk(calm, PLATFORM.procedure(planned(calm, "sm1"), "wrong"), *UNTIL_COMMIT, node="sm2")
    assert said.startswith("preflight refused")
    assert not calm.node("sm2").path("/var/lib/fabric_drift/lock").exists()


@pytest.mark.parametrize(
    "nonsense",
    ["", "{", "[]", '{"files": {"../passwd": "x"}, "action": "reload"}', '{"files": {}, "action": "reload"}',
     '{"files": {"opensm.conf": 1}, "action": "reload"}', '{"files": {"opensm.conf": ""}, "action": "rm -rf"}'],
)  # fmt: skip
def test_nonsense_is_refused_and_changes_nothing(calm: Subnet, nonsense: str) -> None:
    before = files(calm)
    program = "python3 /usr/local/libexec/fabric_drift/ib_change.py"
    node = calm.node("sm1")
    node.run(f"{program} begin x")
    answer = node.run(f"{program} stage x", stdin=nonsense)
    assert answer.exit_status == 1
    assert node.run(f"{program} commit x").exit_status == 1
    assert files(calm) == before


def test_a_file_that_somebody_changed_meanwhile_stops_the_rehearsal(calm: Subnet) -> None:
    moved(calm)
    procedure = PLATFORM.procedure(planned(calm), "meanwhile")
    walk(calm, procedure, Stage.LOCK, Stage.SAVE)
    path = calm.node("sm1").path("/etc/opensm/partitions.conf")
    path.write_text(path.read_text() + "# by hand\n")
    assert "changed by somebody else" in walk(calm, procedure, Stage.REHEARSE)
    assert walk(calm, procedure, Stage.TIDY) == "tidied\n"


def test_confirmed_stays_confirmed(pushed: Subnet) -> None:
    moved(pushed)
    procedure = PLATFORM.procedure(planned(pushed), "twice")
    walk(pushed, procedure, *UNTIL_COMMIT, Stage.CONFIRM)
    after = files(pushed)
    assert walk(pushed, procedure, Stage.CONFIRM) == "confirmed before\n"
    assert "nothing to undo" in walk(pushed, procedure, Stage.UNDO)
    assert files(pushed) == after


def test_keys_of_the_node_stay_on_the_node(pushed: Subnet) -> None:
    conf = pushed.node("sm1").path("/etc/opensm/opensm.conf")
    conf.write_text(conf.read_text().replace("max_op_vls 4", "max_op_vls 2") + "m_key 0x1234567890abcdef\n")
    reading = pushed.read()
    assert "1234567890abcdef" not in repr(reading)
    target = Target("sm1", "3.3.23")
    text = (INTENT / "subnet.yml").read_text() + "keys: {m_key: vault_ib_m_key}\n"
    folder = pushed.lab.directory / "intent"
    folder.mkdir()
    (folder / "subnet.yml").write_text(text)
    (folder / "fabric.topo").write_text((INTENT / "fabric.topo").read_text())
    pushed.fabric = load(folder)
    plan = PLATFORM.plan(reading, expect(pushed.fabric, "sm1"), target)
    procedure = PLATFORM.procedure(plan, "keys")
    assert "1234567890abcdef" not in json.dumps([step.forward for step in plan.steps])
    said = walk(pushed, procedure, Stage.PREFLIGHT, Stage.LOCK, Stage.SAVE, Stage.REHEARSE)
    assert "1234567890abcdef" not in said
    walk(pushed, procedure, Stage.ARM, Stage.COMMIT, Stage.CONFIRM)
    assert "m_key 0x1234567890abcdef\n" in conf.read_text()


def test_hardware_that_differs_from_good_files_is_advice_and_never_a_step(pushed: Subnet) -> None:
    drift.inject(pushed.lab, drift.pkey(pushed.lab, "gpu001 mlx5_0", 20, 0x8666))
    plan = planned(pushed)
    assert plan.steps == ()
    assert [refusal.path[-1] for refusal in plan.refusals] == ["0x0666"]
    assert "Restart OpenSM" in plan.refusals[0].remedy
