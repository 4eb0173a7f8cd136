"""No secret of any kind we know gets past the transport; the text around it stays as it was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabric_drift.transport.scrub import SECRETS, scrub
from tests.scaling import reads_in_linear_time

CASES = [tuple(line.split("\t")) for line in (Path(__file__).parent / "secrets.tsv").read_text().splitlines() if line]


@pytest.mark.parametrize(("before", "after"), CASES, ids=[case[0][:40] for case in CASES])
def test_a_secret_goes_and_its_line_stays(before: str, after: str) -> None:
    assert scrub(before) == after


@pytest.mark.parametrize("case", CASES, ids=[case[0][:40] for case in CASES])
def test_scrubbing_twice_changes_nothing(case: tuple[str, str]) -> None:
    assert scrub(case[1]) == case[1]


KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1\nQyNTUxOQAA\n-----END OPENSSH PRIVATE KEY-----\n"


def test_a_private_key_goes_and_its_lines_are_still_counted() -> None:
    clean = scrub(f"before\n{KEY}after\n")
    assert "b3BlbnNzaC1" not in clean
    assert "QyNTUxOQAA" not in clean
    assert clean.splitlines()[-1] == "after"
    assert clean.count("\n") == f"before\n{KEY}after\n".count("\n")


def test_a_private_key_that_was_cut_off_goes_too() -> None:
    assert "b3BlbnNzaC1" not in scrub(KEY[:60])


def test_json_stays_json() -> None:
    config = {
        "TACPLUS": {"global": {"passkey": 'my "quoted\\ key', "timeout": "5"}},
        "SNMP_COMMUNITY": {"hunter2": {"TYPE": "RO"}, "hunter3": {"TYPE": "RW"}},
        "BGP_NEIGHBOR": {"10.0.0.1": {"auth_password": "hunter4", "name": "SPINE"}},
        "bgpraw": "router bgp 1\n neighbor 10.0.0.1 password hunter5\n address-family ipv4\n",
        "PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3,4"}},
    }
    clean = scrub(json.dumps(config, indent=4))
    assert "hunter" not in clean
    assert "quoted" not in clean
    assert json.loads(clean)["PORT_QOS_MAP"] == config["PORT_QOS_MAP"]
    assert json.loads(clean)["bgpraw"] == "router bgp 1\n neighbor 10.0.0.1 password <scrubbed>\n address-family ipv4\n"


def test_what_is_no_secret_is_left_alone() -> None:
    text = (Path(__file__).parent / "innocent.txt").read_text()
    assert scrub(text) == text


@pytest.mark.parametrize(
    "junk", ['password "', '\\"', "key 7 ", "-----BEGIN PRIVATE KEY-----", '"token": "\\', "://a:", "$6$"]
)
def test_a_megabyte_of_junk_is_scrubbed_in_linear_time(junk: str) -> None:
    words = "password secret token snmp_community snmp-server host tacacs auth $6$ ://"
    assert reads_in_linear_time(lambda text: scrub(words + text), junk * (1_000_000 // len(junk)))


COMMUNITIES = ("hunter2", "x" * 200, "a b")


@pytest.mark.parametrize("indent", [None, 2, 8])
def test_the_name_of_a_community_goes_however_the_json_is_laid_out(indent: int | None) -> None:
    rows = {name: {"TYPE": kind} for name, kind in zip(COMMUNITIES, ("RO", "RW", "RO"), strict=True)}
    clean = scrub(json.dumps({"A": {"b": "c"}, "SNMP_COMMUNITY": rows, "D": {"e": "f"}}, indent=indent))
    assert not [name for name in COMMUNITIES if name in clean]
    assert json.loads(clean)["D"] == {"e": "f"}
    assert len(json.loads(clean)["SNMP_COMMUNITY"]) == len(rows)
    assert scrub(clean) == clean


@settings(max_examples=50)
@given(st.text(alphabet="passwordkey57 \"'\\:{}$./\n-=", max_size=200))
def test_scrubbing_is_stable(text: str) -> None:
    once = scrub(text)
    assert once.count("\n") == text.count("\n")
    assert scrub(once) == once


def test_every_row_of_the_table_has_a_reason_and_needles_in_lower_case() -> None:
    assert all(secret.kind and all(needle == needle.lower() for needle in secret.needles) for secret in SECRETS)
