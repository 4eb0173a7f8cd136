"""Facts that no simulator carries, on bytes laid out by hand from the specification. See ``data/recorded``."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from fabric_drift.diff import diff
from fabric_drift.expect.infiniband import expect
from fabric_drift.finding import Layer, Verdict
from fabric_drift.intent.infiniband import load
from fabric_drift.platforms.opensm.subnet import SubnetReading
from fabric_drift.state.device import DeviceState
from fabric_drift.state.infiniband import Infiniband
from tests.lab.infiniband.test_mutations import MUTATIONS as LIVE
from tests.platforms.opensm.recorded import DATA, Nodes, laid_out, read, subnet_bytes

REPO = DATA.parents[4]
KEYS = {"gpu001": "0x0c42a10300000000", "leaf": "0xb8cef60300100000"}
PLANNED = ("0x0c42a10300000000/1", "0x0c42a10300000180/1", *(f"0xb8cef60300100000/{port}" for port in range(3)))
MUTATIONS: list[dict[str, Any]] = yaml.safe_load((DATA / "mutations.yml").read_text())
Judged = dict[Verdict, set[str]]


def judged(reading: SubnetReading) -> Judged:
    """Paths below ``infiniband/subnet`` by verdict."""
    expected = expect(load(DATA / "intent"), "sm1")
    expected = DeviceState(infiniband=Infiniband(subnet=expected.infiniband.subnet))  # type: ignore[union-attr]
    result = diff(expected, {Layer.HARDWARE: DeviceState(infiniband=Infiniband(subnet=reading.subnet))})
    assert result.unread == ()
    found: Judged = {Verdict.DRIFT: set(), Verdict.UNOBSERVED: set()}
    for _, item in result.differences:
        found[item.verdict].add("/".join(item.path).removeprefix("infiniband/subnet/"))
    return found


def mutated(mutation: dict[str, Any]) -> Nodes:
    """The bytes with one change; without ``bytes``, one answer fewer."""
    nodes = subnet_bytes()
    node = nodes[mutation["node"]]
    kind, name = ("counters", mutation["counter"]) if "counter" in mutation else ("answers", mutation["answer"])
    if name == "all":
        node[kind] = {}
    elif "bytes" in mutation:
        node[kind][name] = laid_out(mutation["bytes"], node[kind][name])
    else:
        del node[kind][name]
    return nodes


def test_the_recorded_subnet_is_what_the_intent_asks_for() -> None:
    assert judged(read(subnet_bytes())) == {Verdict.DRIFT: set(), Verdict.UNOBSERVED: set()}


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda item: str(item["name"]))
def test_a_change_of_the_bytes_is_that_finding_alone(mutation: dict[str, Any]) -> None:
    found = judged(read(mutated(mutation)))
    wanted = {
        verdict: {f"ports/{path}".format(**KEYS) for path in mutation.get(verdict.value, ())}
        for verdict in (Verdict.DRIFT, Verdict.UNOBSERVED)
    }
    assert found == wanted


def test_a_port_without_an_answer_says_whether_an_m_key_was_there_to_ask_with() -> None:
    nodes = subnet_bytes()
    del nodes["gpu001"]["answers"]["0x15/1"]
    key = f"{KEYS['gpu001']}/1"
    for given, said in (("none", "asked without an M_Key"), ("the vault", "asked with the M_Key of the vault")):
        assert said in repr(read(nodes, given).subnet.ports[key])  # type: ignore[index]


def test_a_reader_that_nobody_answers_leaves_everything_unobserved() -> None:
    nodes = subnet_bytes()
    for node in nodes.values():
        node["answers"] = {}
    found = judged(read(nodes))
    ports = {f"ports/{key}" for key in PLANNED}
    assert found == {Verdict.DRIFT: set(), Verdict.UNOBSERVED: {*ports, "managers/0x0c42a10300000181", "routing"}}


def test_a_switch_that_nobody_reaches_leaves_what_hangs_on_it_unobserved() -> None:
    nodes = subnet_bytes()
    nodes["leaf-1"]["answers"] = {}
    found = judged(read(nodes))
    assert found[Verdict.DRIFT] == set()
    assert found[Verdict.UNOBSERVED] >= {f"ports/{key}" for key in PLANNED} | {"routing"}


def test_the_m_key_itself_is_in_no_document() -> None:
    assert "1122334455667788" not in repr(read(subnet_bytes()).raw)


def test_the_page_counts_live_and_recorded_changes_apart() -> None:
    page = " ".join((REPO / "docs" / "infiniband.md").read_text().split())
    assert (
        f"{len(LIVE)} on the live simulated subnet, {len(MUTATIONS)} on bytes laid out from the specification" in page
    )
