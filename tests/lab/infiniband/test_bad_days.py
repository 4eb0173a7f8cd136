"""Bad days on a real OpenSM: each is reported as itself."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest

from fabric_drift.expect.infiniband import expect
from fabric_drift.lab.infiniband.lab import TRIES
from fabric_drift.lab.infiniband.simulator import InfinibandLabError
from fabric_drift.platform import Output
from fabric_drift.platforms.opensm import PLATFORM
from fabric_drift.platforms.opensm.commands import STATUS, SUBNET
from fabric_drift.rules import infiniband as rules
from fabric_drift.rules.infiniband import SmNodeView
from tests.lab.infiniband.subnet import Facts, Subnet

pytestmark = pytest.mark.lab


@pytest.fixture
def up(own_subnet: Subnet) -> Subnet:
    own_subnet.lab.up()
    return own_subnet


def edit(subnet: Subnet, file: str, change: Callable[[str], str], node: str = "sm1") -> None:
    path = subnet.node(node).path(f"/etc/opensm/{file}")
    text = path.read_text()
    changed = change(text)
    assert changed != text
    path.write_text(changed)


def activated(subnet: Subnet, verb: str = "restart") -> None:
    node = subnet.node("sm1")
    for attempt in range(TRIES):  # the simulator may have lost an answer that the master waits for, for ever
        since = len(node.log)
        node.systemctl("restart" if attempt else verb)
        try:
            node.wait_for("SUBNET UP", since=since, timeout_s=10 if attempt == 0 else 30)
        except InfinibandLabError:
            if attempt == TRIES - 1:
                raise
        else:
            break
    time.sleep(0.2)


def reasons(subnet: Subnet, node: str = "sm1") -> list[str]:
    return [line.reason for line in subnet.read(node).unparsed]


def of_layer(facts: Facts, layer: str) -> set[str]:
    return {path for where, path in facts if where == layer}


def test_a_missing_colon_is_told_before_and_after_it_opens_the_fabric(up: Subnet) -> None:
    edit(up, "partitions.conf", lambda text: text.replace("tenant_a=0x0010, ipoib, mtu=4, rate=17, sl=1 :",
                                                          "tenant_a=0x0010, ipoib, mtu=4, rate=17, sl=1"))  # fmt: skip
    assert any("drops the whole file" in reason for reason in reasons(up))
    assert "partitions/0x0010" in of_layer(up.drifted(), "saved")
    activated(up, "reload")
    drifted = up.drifted()
    assert ("nos", "manager/complaints/partitions") in drifted
    key = up.key("gpu001 mlx5_0")
    assert {f"subnet/ports/{key}/pkeys/0x0010", f"subnet/ports/{key}/pkeys/0x7fff"} <= of_layer(drifted, "hardware")


def test_a_line_of_400_members_is_told_as_too_long(calm: Subnet) -> None:
    members = ", ".join(f"0x{number:016x}=full" for number in range(400))
    edit(calm, "partitions.conf", lambda text: f"{text}long=0x0040 : {members};\n")
    assert any("over 4000 bytes" in reason for reason in reasons(calm))


def test_a_node_guid_for_a_port_guid_is_a_missing_and_an_unknown_member(up: Subnet) -> None:
    edit(up, "partitions.conf", lambda text: text.replace("0x0c42a10300000001=full", "0x0c42a10300000000=full"))
    assert of_layer(up.drifted(), "saved") == {
        "partitions/0x0010/members/0x0c42a10300000000", "partitions/0x0010/members/0x0c42a10300000001"
    }  # fmt: skip
    activated(up, "reload")
    assert of_layer(up.drifted(), "hardware") == {
        f"subnet/ports/{key}/pkeys/0x0010" for key in (up.key("gpu001 mlx5_0"), up.key("leaf-r1-1", 1))
    }


def test_an_abbreviation_is_told_and_means_what_opensm_makes_of_it(calm: Subnet) -> None:
    edit(calm, "partitions.conf", lambda text: text.replace("0x0c42a10300000001=full", "0x0c42a10300000001=ful"))
    assert any("0x0c42a10300000001=ful" in reason for reason in reasons(calm))


def test_a_second_membership_of_one_port_is_told(calm: Subnet) -> None:
    member = "    0x0c42a10300000001=full,\n"
    edit(calm, "partitions.conf", lambda text: text.replace(member, member + member.replace("full", "limited")))
    assert any("the last one wins" in reason for reason in reasons(calm))
    assert "partitions/0x0010/members/0x0c42a10300000001" in of_layer(calm.drifted(), "saved")


def test_a_misspelt_flag_is_told(calm: Subnet) -> None:
    edit(calm, "partitions.conf", lambda text: text.replace("tenant_a=0x0010, ipoib", "tenant_a=0x0010, ipiob"))
    assert any("'ipiob' is no flag" in reason for reason in reasons(calm))
    assert "partitions/0x0010/ipoib" in of_layer(calm.drifted(), "saved")


def test_a_rule_on_an_undefined_partition_is_a_complaint(up: Subnet) -> None:
    edit(up, "qos-policy.conf", lambda text: text.replace("pkey 0x0010", "pkey 0x0099"))
    activated(up)
    drifted = up.drifted()
    assert {("saved", "qos_policy"), ("nos", "manager/complaints/qos policy")} <= drifted


def test_an_ipoib_rule_without_two_full_members_is_a_complaint(up: Subnet) -> None:
    edit(up, "qos-policy.conf", lambda text: text.replace("any, pkey 0x0010 : 1", "ipoib : 1"))
    edit(up, "partitions.conf", lambda text: re.sub(r"    (SELF|0x0c42a10300000191)=full", r"    \1=limited", text))
    activated(up)
    assert ("nos", "manager/complaints/qos policy") in up.drifted()


def test_an_engine_that_does_not_exist_is_told_by_the_engine_at_work(up: Subnet) -> None:
    edit(up, "opensm.conf", lambda text: text.replace("routing_engine ftree", "routing_engine bogus"))
    activated(up)
    drifted = up.drifted()
    assert {("nos", "manager/routing_engine"), ("nos", "manager/complaints/routing engine"),
            ("saved", "options/routing_engine"), ("running", "options/routing_engine")} <= drifted  # fmt: skip


def test_wrong_roots_are_told_by_the_engine_at_work(up: Subnet) -> None:
    edit(up, "root_guids.conf", lambda _: "0xb8cef60300100200\n")
    activated(up)
    drifted = up.drifted()
    assert {("saved", "guid_files/root"), ("nos", "manager/routing_engine"), ("nos", "manager/complaints/routing")} <= (
        drifted
    )


def test_ftree_with_lmc_is_told_by_the_engine_at_work(up: Subnet) -> None:
    edit(up, "opensm.conf", lambda text: text.replace("routing_engine ftree", "lmc 1\nrouting_engine ftree"))
    activated(up)
    assert ("nos", "manager/routing_engine") in up.drifted()


def test_an_option_that_waits_for_a_restart_is_drift_of_the_process_alone(up: Subnet) -> None:
    edit(up, "opensm.conf", lambda text: text.replace("routing_engine ftree", "routing_engine updn"))
    activated(up)
    edit(up, "opensm.conf", lambda text: text.replace("routing_engine updn", "routing_engine ftree"))
    assert up.drifted() == {("running", "options/routing_engine"), ("nos", "manager/routing_engine")}


def test_a_standby_with_other_files_is_told_before_the_failover(calm: Subnet) -> None:
    edit(
        calm,
        "partitions.conf",
        lambda text: text.replace("0x0010", "0x0020", 1).replace("0x0020, indx0", "0x0010, indx0"),
        "sm2",
    )
    assert any(path.startswith("partitions/0x0010") for _, path in calm.drifted("sm2"))
    views = {name: SmNodeView(expect(calm.fabric, name), calm.read(name).states) for name in ("sm1", "sm2")}
    assert ("FD-IB-105", "sm2", ("infiniband", "partitions")) in {
        (found.rule, found.device, found.path) for found in rules.check(views)
    }


def test_a_dead_master_is_told_on_both_nodes(up: Subnet) -> None:
    since = len(up.node("sm2").log)
    up.node("sm1").kill(9)
    up.node("sm2").wait_for("SUBNET UP", since=since, timeout_s=30)
    time.sleep(0.3)
    assert {path for path in of_layer(up.drifted("sm1"), "hardware") if path.startswith("subnet/managers")} == {
        "subnet/managers/0x0c42a10300000181", "subnet/managers/0x0c42a10300000191/state"
    }  # fmt: skip
    assert ("nos", "manager/state") in up.unobserved("sm1")
    assert ("nos", "manager/state") in up.drifted("sm2")


def test_a_dead_standby_is_told_by_the_master(up: Subnet) -> None:
    up.node("sm2").kill(9)
    time.sleep(0.5)
    drifted = {path for path in of_layer(up.drifted("sm1"), "hardware") if path.startswith("subnet/managers")}
    assert drifted == {"subnet/managers/0x0c42a10300000191"}


def test_a_node_that_does_not_answer_is_unobserved_never_drift(calm: Subnet) -> None:
    reading = PLATFORM.parse({STATUS.text: Output(error="timeout"), SUBNET.text: Output(error="timeout")})
    calm.read = lambda _name="sm1": reading  # type: ignore[method-assign,assignment]
    assert calm.drifted() == set()
    assert {path for _, path in calm.unobserved()} == {
        "identity/hostname", "guid_files", "manager", "options", "partitions", "qos_policy", "subnet"
    }  # fmt: skip
