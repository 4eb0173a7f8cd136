"""What UFM says is taken as it says it; whatever isn't whole makes the view unknown, never a match."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabric_drift.diff import DiffMemo
from fabric_drift.finding import Layer, Verdict
from fabric_drift.lab.ufm.faults import FAULTS, Answer
from fabric_drift.platform import Output
from fabric_drift.platforms.ufm import PLATFORM
from fabric_drift.platforms.ufm.commands import FIRST, KEYS, MEMBERS, QOS, SMCONF, VERSION, commands, one
from fabric_drift.state.infiniband import MIXED, Infiniband, Manager, Partition
from fabric_drift.state.values import ABSENT, Unobserved
from tests.platforms.ufm.emulation import HEAD, as_intended, outputs_of, send

DOCUMENTED = json.loads((Path(__file__).parent / "data" / "documented.json").read_text())
NAMES = {VERSION: "ufm_version", SMCONF: "smconf", KEYS: "keys", MEMBERS: "members", QOS: "qos"}


def documented() -> dict[str, Output]:
    found = {command.text: said(DOCUMENTED[name]) for command, name in NAMES.items()}
    return found | {one(key).text: said(DOCUMENTED["members"][key]) for key in DOCUMENTED["keys"]}


def said(value: Any) -> Output:
    return Output(json.dumps(value), HEAD)


def nos(outputs: dict[str, Output]) -> Infiniband:
    (state,) = PLATFORM.parse(outputs).states.values()
    assert isinstance(state.infiniband, Infiniband)
    return state.infiniband


def test_the_documented_answers_are_read_as_documented() -> None:
    state = nos(documented())
    assert state.partitions == {
        "0x02fb": Partition(
            name="api_pkey_0x2fb",
            members={"0x946dae0300000001": "full", "0x946dae0300000002": "limited"},
            index0=True,
            ipoib=True,
            mtu_bytes=4096,
            rate_code=17,  # 200 Gb/s: InfiniBand Architecture Specification, volume 1, 15.2.5
            service_level=0,
        ),
        "0x7fff": Partition(
            name="management",
            members={"ALL": "limited"},
            index0=False,
            ipoib=True,
            mtu_bytes=2048,
            rate_code=2,  # 2.5 Gb/s
            service_level=0,
        ),
    }
    assert isinstance(state.manager, Manager)
    assert state.manager.routing_engine == "minhop"
    options: Any = state.options
    assert (options["m_key"], options["sm_key"], options["sa_key"]) == ("default", "default", "default")
    assert options["vl_stall_count"] == 7
    assert options["sm_priority"] == 15
    assert options["exit_on_fatal"] is True
    assert options["sa_db_file"] is ABSENT


def test_the_release_and_the_verified_name_are_its_identity() -> None:
    identity: Any = PLATFORM.parse(documented()).states[Layer.NOS].identity
    assert (identity.hostname, identity.release) == ("ufm1", "6.14.5-2")


def test_a_certificate_that_was_not_verified_is_told() -> None:
    outputs = documented()
    outputs[VERSION.text] = Output(outputs[VERSION.text].stdout, HEAD.replace("verified: yes", "verified: no"))
    assert any("not verified" in note for note in PLATFORM.parse(outputs).notes)
    assert not any("not verified" in note for note in PLATFORM.parse(documented()).notes)


def test_it_is_told_that_it_is_experimental_and_that_no_hardware_was_read() -> None:
    notes = " ".join(PLATFORM.parse(documented()).notes)
    assert "experimental" in notes
    assert "were not read" in notes


def test_doors_that_stand_open_are_told_whatever_the_intent_asks() -> None:
    notes = PLATFORM.parse(documented()).notes
    assert "open: m_key, sa_key, sm_key at the default that everybody knows" in notes
    closed = (
        DOCUMENTED["smconf"] | dict.fromkeys(("m_key", "sa_key", "sm_key"), "<scrubbed>") | {"m_key_per_port": False}
    )
    told = PLATFORM.parse(documented() | {SMCONF.text: said(closed)}).notes
    assert [note for note in told if note.startswith("open:")] == [
        "open: m_key_per_port is off: one key opens every port"
    ]


def test_hardware_and_the_role_are_unobserved_not_missing() -> None:
    state = nos(documented())
    assert isinstance(state.subnet, Unobserved)
    assert isinstance(state.manager.state, Unobserved)  # type: ignore[union-attr]


def test_before_6_19_the_default_membership_is_unobserved() -> None:
    outputs = documented()
    old = {key: {n: v for n, v in row.items() if n != "membership"} for key, row in DOCUMENTED["members"].items()}
    outputs[MEMBERS.text] = said(old)
    outputs[one("0x7fff").text] = said(old["0x7fff"])
    members = nos(outputs).partitions["0x7fff"].members  # type: ignore[index]
    assert isinstance(members["ALL"], Unobserved)  # type: ignore[index]


def test_index_0_of_some_members_is_neither_true_nor_false() -> None:
    ufm = as_intended()
    send(ufm, "POST", "/ufmRest/resources/pkeys/",
         {"pkey": "0x20", "guids": ["0c42a10300000081"], "index0": False})  # fmt: skip
    assert nos(outputs_of(ufm)).partitions["0x0020"].index0 == MIXED  # type: ignore[index]


def test_a_key_of_the_manager_is_default_or_set_and_nothing_else() -> None:
    smconf = DOCUMENTED["smconf"] | {"m_key": "<scrubbed>", "sm_key": "0x0000000000000001"}
    options: Any = nos(documented() | {SMCONF.text: said(smconf)}).options
    assert (options["m_key"], options["sm_key"]) == ("set", "default")


def test_a_value_that_opensm_would_not_take_is_unobserved() -> None:
    options: Any = nos(documented() | {SMCONF.text: said({"sm_priority": 99, "qos": [], "ar_mode": 2})}).options
    assert isinstance(options["sm_priority"], Unobserved)
    assert isinstance(options["qos"], Unobserved)
    assert options["ar_mode"] == 2


def test_an_option_that_ufm_does_not_give_is_unobserved_not_absent() -> None:
    """An expected "not set" must not match what was never seen."""
    wanted = Infiniband(options={"qos_ca_vlarb_high": ABSENT, "sm_priority": 15})
    result = DiffMemo().compare(wanted, nos(documented()))
    assert [(item.path, item.verdict) for item in result.differences] == [
        (("options", "qos_ca_vlarb_high"), Verdict.UNOBSERVED)
    ]


def test_the_partitions_are_asked_one_by_one_as_ufm_writes_their_keys() -> None:
    assert commands({}) == FIRST
    assert [item.text for item in commands(documented())] == [one("0x2fb").text, one("0x7fff").text]


@pytest.mark.parametrize("key", ["0x10/../../app/users", "0x10?x", "16", "0x12345", "0x8010", 16, None, "0x10\n"])
def test_a_hostile_key_is_never_part_of_a_command(key: object) -> None:
    outputs = documented() | {KEYS.text: said(["0x7fff", key])}
    assert commands(outputs) == ()
    assert isinstance(nos(outputs).partitions, Unobserved)


def _members(change: Callable[[dict[str, Any]], object]) -> Callable[[dict[str, Output]], None]:
    def spoil(outputs: dict[str, Output]) -> None:
        value = json.loads(outputs[MEMBERS.text].stdout)
        change(value)
        outputs[MEMBERS.text] = said(value)
        for key in set(value) & set(DOCUMENTED["keys"]):
            outputs[one(key).text] = said(value[key])

    return spoil


SPOILT: dict[str, Callable[[dict[str, Output]], object]] = {
    "guids_data was lost": _members(lambda value: value["0x2fb"].pop("guids")),
    "guids_data was lost by the management partition": _members(lambda value: value["0x7fff"].pop("guids")),
    "a list in place of an object": lambda outputs: outputs.update({MEMBERS.text: outputs[KEYS.text]}),
    "members are no list": _members(lambda value: value["0x2fb"].update(guids={})),
    "members are null": _members(lambda value: value["0x2fb"].update(guids=None)),
    "a member is text": _members(lambda value: value["0x2fb"]["guids"].append("946dae0300000003")),
    "a member without membership": _members(lambda value: value["0x2fb"]["guids"][0].pop("membership")),
    "an unknown membership": _members(lambda value: value["0x2fb"]["guids"][0].update(membership="both")),
    "a member without index0": _members(lambda value: value["0x2fb"]["guids"][0].pop("index0")),
    "index0 as text": _members(lambda value: value["0x2fb"]["guids"][0].update(index0="true")),
    "a GUID that is none": _members(lambda value: value["0x2fb"]["guids"][0].update(guid="gpu1")),
    "a member twice": _members(lambda value: value["0x2fb"]["guids"].append(value["0x2fb"]["guids"][0])),
    "one partition missing in the list": _members(lambda value: value.pop("0x2fb")),
    "one partition missing in the keys": lambda outputs: outputs.update({KEYS.text: said(["0x7fff"])}),
    "one partition missing in the QoS": lambda outputs: outputs.update(
        {QOS.text: said({"0x7fff": DOCUMENTED["qos"]["0x7fff"]})}
    ),
    "no management partition": lambda outputs: outputs.update(
        {KEYS.text: said(["0x2fb"]), MEMBERS.text: said({"0x2fb": DOCUMENTED["members"]["0x2fb"]})}
    ),
    "one page of several": _members(lambda value: value.update(page_number=1)),
    "fewer members in the list than alone": lambda outputs: outputs.update(
        {one("0x2fb").text: said(DOCUMENTED["members"]["0x2fb"] | {"guids": []})}
    ),
    "a partition that is gone": lambda outputs: outputs.update({one("0x2fb").text: said({})}),
    "a partition that wasn't asked": lambda outputs: outputs.pop(one("0x2fb").text),
    "the keys weren't asked": lambda outputs: outputs.pop(KEYS.text),
    "the members weren't asked": lambda outputs: outputs.pop(MEMBERS.text),
}


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_a_view_that_is_not_whole_is_unknown_as_a_whole(spoil: Callable[[dict[str, Output]], object]) -> None:
    outputs = documented()
    spoil(outputs)
    assert isinstance(nos(outputs).partitions, Unobserved)


def test_without_the_list_of_qos_only_its_facts_are_unobserved() -> None:
    outputs = documented() | {QOS.text: Output(exit_status=500, stderr="HTTP 500: broken\n")}
    partition: Any = nos(outputs).partitions["0x02fb"]  # type: ignore[index]
    assert partition.mtu_bytes == Unobserved("HTTP 500: broken")
    assert isinstance(partition.rate_code, Unobserved)
    assert isinstance(partition.service_level, Unobserved)
    assert partition.members == {"0x946dae0300000001": "full", "0x946dae0300000002": "limited"}


@pytest.mark.parametrize("conf", [{}, {"mtu_limit": 3}, {"mtu_limit": True}, {"mtu_limit": "4"}, [], None])
def test_a_qos_that_is_not_understood_is_unobserved(conf: object) -> None:
    rows = {key: {"qos_conf": conf} for key in DOCUMENTED["keys"]}
    partition: Any = nos(documented() | {QOS.text: said(rows)}).partitions["0x02fb"]  # type: ignore[index]
    assert isinstance(partition.mtu_bytes, Unobserved)
    assert isinstance(partition.service_level, Unobserved)


@pytest.mark.parametrize("kind", sorted(set(FAULTS) - {"hang", "short", "next-page"}))
@pytest.mark.parametrize("command", [*FIRST, one("0x10")], ids=lambda item: item.text.rpartition("/")[2])
def test_a_spoilt_answer_is_never_taken_for_another_state(kind: str, command: Any) -> None:
    """Whatever it does to an answer: each fact is as it is, or unobserved."""
    whole = outputs_of(as_intended())
    spoilt = FAULTS[kind](Answer(body=whole[command.text].stdout.encode()))
    output = Output(spoilt.body.decode(errors="backslashreplace"), HEAD, 0 if spoilt.status == 200 else spoilt.status)
    before, after = nos(whole), nos(whole | {command.text: output})
    for name in ("manager", "options", "partitions"):
        assert_same_or_unseen(getattr(before, name), getattr(after, name))


def assert_same_or_unseen(before: Any, after: Any) -> None:
    if isinstance(after, Unobserved):
        return
    if isinstance(before, dict):
        missing = getattr(after, "missing", lambda _wanted: None)
        for key in before:
            assert_same_or_unseen(before[key], after[key] if key in after else missing(before[key]))
    elif isinstance(before, Partition | Manager):
        for name in type(before).__dataclass_fields__:
            assert_same_or_unseen(getattr(before, name), getattr(after, name))
    else:
        assert after == before


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(["0x10", "0x7fff"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["0x10", "0x7fff", "guids", "guid", "membership", "index0", "partition", "qos_conf", "x"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=15,
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([*FIRST, one("0x10")]), JSON | st.text(max_size=50))
def test_hostile_answers_raise_nothing(command: Any, value: Any) -> None:
    outputs = outputs_of(as_intended())
    outputs[command.text] = Output(value, HEAD) if isinstance(value, str) else said(value)
    reading = PLATFORM.parse(outputs)
    assert set(reading.states) == {Layer.NOS}
    for path in (("infiniband", "partitions", "0x0010", "mtu_bytes"), ("infiniband", "options", "qos"),
                 ("infiniband", "partitions", "0x0010", "members", "0x0c42a10300000001")):  # fmt: skip
        reading.evidence(Layer.NOS, path)
    PLATFORM.commands(outputs)


def test_a_large_answer_is_read_in_time() -> None:
    """20,000 members: a check of a fleet must not wait for one partition."""
    ufm = as_intended()
    guids = [f"{number:016x}" for number in range(1, 20_001)]
    send(ufm, "PUT", "/ufmRest/resources/pkeys/", {"pkey": "0x99", "guids": guids})
    assert len(nos(outputs_of(ufm)).partitions["0x0099"].members) == 20_000  # type: ignore[index, arg-type]


def test_evidence_is_the_row_that_answered() -> None:
    reading = PLATFORM.parse(documented())
    (found,) = reading.evidence(Layer.NOS, ("infiniband", "partitions", "0x02fb", "members", "0x946dae0300000002"))
    assert found.command == MEMBERS.text
    assert found.lines == ('0x02fb: {"guid": "946dae0300000002", "index0": true, "membership": "limited"}',)
    (found,) = reading.evidence(Layer.NOS, ("infiniband", "manager", "routing_engine"))
    assert found.lines == ('"routing_engine_active": "minhop"',)
    (found,) = reading.evidence(Layer.NOS, ("infiniband", "partitions", "0x0077"))
    assert found.lines == ("0x0077: not in the answer",)
