"""Files of an SM node: what is rendered is read back as meant, and whatever OpenSM would guess about is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabric_drift.expect.infiniband import expect
from fabric_drift.finding import Layer
from fabric_drift.intent.infiniband import load
from fabric_drift.platform import Output, Target
from fabric_drift.platforms.opensm import PLATFORM, options, partitions, qos_policy, status
from fabric_drift.platforms.opensm.commands import STATUS, SUBNET
from fabric_drift.state.infiniband import Partition
from fabric_drift.state.opensm_options import OPTIONS
from tests.scaling import reads_in_linear_time

INTENT = Path(__file__).parents[3] / "intent" / "ibpod" / "infiniband"

GUIDS = st.integers(1, 2**64 - 1).map(lambda number: f"0x{number:016x}")
MEMBERS = st.dictionaries(
    st.one_of(GUIDS, st.sampled_from(partitions.GROUPS)),
    st.sampled_from(partitions.MEMBERSHIPS),
    min_size=1,
    max_size=9,
)
PARTITIONS = st.builds(
    Partition,
    name=st.from_regex(r"[A-Za-z0-9_.-]{1,20}", fullmatch=True),
    members=MEMBERS,
    index0=st.booleans(),
    ipoib=st.just(True),
    mtu_bytes=st.sampled_from(sorted(partitions.MTU_CODES.values())),
    rate_code=st.integers(2, 22),
    service_level=st.integers(0, 15),
)
FILES = st.dictionaries(st.integers(1, 0x7FFE).map(lambda pkey: f"0x{pkey:04x}"), PARTITIONS, max_size=6)


@settings(max_examples=150, deadline=None)
@given(FILES, PARTITIONS)
def test_partitions_are_read_back_as_they_were_written(found: dict[str, Partition], default: Partition) -> None:
    written = {"0x7fff": default, **found}
    result = partitions.parse(partitions.render(written))
    assert (result.faults, result.partitions) == ([], written)


@settings(max_examples=100, deadline=None)
@given(FILES)
def test_no_rendered_line_holds_more_than_one_member_or_more_than_opensm_reads(found: dict[str, Partition]) -> None:
    lines = partitions.render(found).splitlines()
    assert all(line.count(",") + line.count(";") <= 1 for line in lines if line.startswith("    "))
    assert all(len(line) < 200 for line in lines)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a=0x10 0x1=full;", "drops the whole file"),
        ("a : 0x1=full;", "make up a P_Key"),
        ("a=0x8050 : 0x1=full;", "15 bits"),
        ("a=0x10 : 0x1=ful;", "not a port GUID or group"),
        ("a=0x10 : AL=full;", "not a port GUID or group"),
        ("a=0x10, ipiob : 0x1=full;", "is no flag"),
        ("a=0x10, mtu=9, ipoib : 0x1;", "is no flag"),
        ("a=0x10 : 0x1=full, 0x1=limited;", "the last one wins"),
        ("a=0x10 : 0x1=full; b=0x10 : 0x2=full;", "defined twice"),
        ("a=0x10 : 0x1=full", "no `;`"),
        ("a=0x10 : " + "0x1=full, " * 500 + ";", "over 4000 bytes"),
    ],
)
def test_what_opensm_would_guess_about_is_a_fault(text: str, reason: str) -> None:
    assert any(reason in fault.reason for fault in partitions.parse(text).faults)


def test_a_file_that_fails_open_means_everybody_is_a_full_member() -> None:
    found = partitions.parse("a=0x10 0x1=full;").partitions
    assert found["0x7fff"].members == {"ALL": "full", "SELF": "full"}
    assert found.keys() == {"0x7fff"}


def test_no_file_means_everybody_is_a_full_member() -> None:
    assert partitions.parse(None).partitions["0x7fff"].members == {"ALL": "full", "SELF": "full"}


def test_a_file_without_a_default_rule_leaves_everybody_limited() -> None:
    found = partitions.parse("a=0x10 : 0x1=full;").partitions
    assert found["0x7fff"].members == {"ALL": "limited", "SELF": "full"}


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=400))
def test_any_text_is_read_without_an_exception(text: str) -> None:
    partitions.parse(text)
    options.parse(text)
    status.guid_file(text)
    qos_policy.parse(text)


@pytest.mark.parametrize(
    "junk", [":" * 500_000, "a=0x10:" * 100_000, ";" * 1_000_000, "#" * 1_000_000, "0x1=full,\n" * 90_000]
)
def test_a_megabyte_of_junk_is_read_in_linear_time(junk: str) -> None:
    assert reads_in_linear_time(partitions.parse, junk)
    assert reads_in_linear_time(options.parse, junk)


def test_the_defaults_are_those_that_opensm_itself_dumps() -> None:
    dumped = Path(__file__).with_name("data") / "opensm-3.3.23-default.conf"  # opensm -c
    result = options.parse(dumped.read_text())
    assert result.faults == []
    assert result.options == options.OptionFile().options
    assert len(OPTIONS) == 160


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("qos maybe", "is not TRUE or FALSE"),
        ("max_op_vls 9", "outside 1 to 5"),
        ("lmc 9", "outside 0 to 7"),
        ("sweep_intervall 10", "no option of OpenSM"),
        ("part_enforce none", "is not one of both"),
        ("sm_priority ten", "is not a number"),
        ("lmc 0\nlmc 1", "written twice"),
    ],
)
def test_an_option_that_opensm_would_take_as_something_else_is_a_fault(line: str, reason: str) -> None:
    assert any(reason in fault.reason for fault in options.parse(line).faults)


def test_the_value_of_a_key_is_never_in_a_state_or_a_fault() -> None:
    result = options.parse("m_key 0xdeadbeef\nm_key 0xdeadbeef\nsm_key 0x77\n")
    assert (result.options["m_key"], result.options["sm_key"], result.options["sa_key"]) == ("set", "set", "default")
    assert "deadbeef" not in repr(result)


def test_what_is_rendered_for_the_intent_is_read_back_as_it_was_meant() -> None:
    expected = expect(load(INTENT), "sm1").infiniband
    files = {file.name: file.text for file in PLATFORM.render(expect(load(INTENT), "sm1"), Target("sm1", "3.3.23"))}
    read = options.parse(files["opensm.conf"]).options
    assert expected.options.items() <= read.items()  # type: ignore[union-attr]
    assert tuple(qos_policy.parse(files["qos-policy.conf"]).lines) == expected.qos_policy  # type: ignore[union-attr]
    found = partitions.parse(files["partitions.conf"])
    assert found.faults == []
    assert {pkey: part.members for pkey, part in found.partitions.items()} == {
        pkey: part.members
        for pkey, part in expected.partitions.items()  # type: ignore[union-attr]
    }


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "1", '{"schema": 2}', '{"schema": 1}', "[" * 100_000])
def test_answers_that_are_not_ours_are_unobserved(text: str) -> None:
    reading = PLATFORM.parse({STATUS.text: Output(text), SUBNET.text: Output(text)})
    assert "not understood" in reading.states[Layer.HARDWARE].infiniband.subnet.reason  # type: ignore[union-attr]
    assert "not understood" in reading.states[Layer.SAVED].infiniband.partitions.reason  # type: ignore[union-attr]
