"""Sessions of the real dcb 6.1 and mlnx_qos 26.07, on a driver that isn't mlx5: facts checked by hand."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from fabric_drift.platform import Output
from fabric_drift.platforms.linux_host import dcb
from fabric_drift.platforms.linux_host.answers import unseen
from fabric_drift.platforms.linux_host.links import read_links
from fabric_drift.platforms.linux_host.mlnx_qos import read_mlnx_qos

pytestmark = pytest.mark.witness


@pytest.fixture
def session(shared: Callable[[str], Path]) -> list[tuple[str, str, int]]:
    """(command, everything it printed, exit status) in order; the terminal's carriage returns removed."""
    folder = shared("captures/linux_host")
    text = (folder / "dcb_6.1_and_mlnx_qos_26.07_session.txt").read_bytes().decode().replace("\r", "")
    blocks = re.findall(r"^\$ (.*)\n((?:.*\n)*?)\[rc=(\d+)\]$", text, re.MULTILINE)
    return [(command, printed, int(status)) for command, printed, status in blocks]


def answers(session: list[tuple[str, str, int]], command: str) -> list[str]:
    return [printed for text, printed, _ in session if text == command]


def test_pfc_3_and_a_cable_of_100_m(session: list[tuple[str, str, int]]) -> None:
    read = dcb.read_pfc(answers(session, "dcb -j pfc show dev fdcb0")[0])
    assert (read.facts["priorities"], read.facts["cable_length_m"], read.problems) == ((3,), 100, ())


def test_pfc_with_counters(session: list[tuple[str, str, int]]) -> None:
    read = dcb.read_pfc(answers(session, "dcb -s -j pfc show dev fdcb0")[0])
    assert (read.facts["priorities"], read.problems) == ((3,), ())


def test_ets_half_and_half_and_the_rest_strict(session: list[tuple[str, str, int]]) -> None:
    read = dcb.read_ets(answers(session, "dcb -j ets show dev fdcb0")[0])
    strict = tuple((tc, "strict") for tc in (1, 2, 4, 5, 6, 7))
    assert read.facts["scheduling"] == tuple(sorted(((0, 1), (3, 1), *strict)))
    assert read.facts["priority_to_tc"] == {0: 0, 1: 0, 2: 0, 3: 3, 4: 0, 5: 0, 6: 6, 7: 0}


def test_ets_as_it_comes_is_vendor_with_priorities_0_and_1_swapped(session: list[tuple[str, str, int]]) -> None:
    read = dcb.read_ets(answers(session, "dcb -j -p ets show dev fdcb0")[0])
    assert read.facts["scheduling"] == tuple((tc, "vendor") for tc in range(8))
    assert read.facts["priority_to_tc"] == {0: 1, 1: 0, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7}


def test_app_entries_and_the_selectors_that_mlx5_would_refuse(session: list[tuple[str, str, int]]) -> None:
    read = dcb.read_app(answers(session, "dcb -j app show dev fdcb0")[0])
    assert read.facts["dscp"] == {26: 3, 48: 6}
    assert [item.line.split(":")[0] for item in read.problems] == ["ethtype_prio", "default_prio", "dgram_port_prio"]


def test_an_empty_app_table_trusts_pcp(session: list[tuple[str, str, int]]) -> None:
    read = dcb.read_app(answers(session, "dcb -j -p app show dev fdcb0")[0])
    assert dcb.trust_of(read.facts["dscp"]) == "pcp"


def test_buffers(session: list[tuple[str, str, int]]) -> None:
    read = dcb.read_buffer(answers(session, "dcb -j buffer show dev fdcb0")[0])
    assert read.facts["priority_to_buffer"] == {0: 0, 1: 0, 2: 0, 3: 1, 4: 0, 5: 0, 6: 0, 7: 0}
    assert read.facts["receive_buffers_bytes"] == {0: 130944, 1: 130944, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0, 7: 0}


def test_dcbx_flags(session: list[tuple[str, str, int]]) -> None:
    assert dcb.read_dcbx(answers(session, "dcb -j dcbx show dev fdcb0")[0]).facts["flags"] == {"host", "ieee"}


def test_what_the_driver_cannot_do_fails_with_a_blank_line(session: list[tuple[str, str, int]]) -> None:
    [(printed, status)] = [(p, rc) for text, p, rc in session if text == "dcb -j pfc show dev lo"]
    assert (printed, status) == ("Attribute read: Operation not supported\n\n", 1)
    reason = unseen("dcb -j pfc show dev lo", Output("\n", printed, status))
    assert reason is not None
    assert "Operation not supported" in reason.reason


def test_usage_with_status_0_is_no_answer(session: list[tuple[str, str, int]]) -> None:
    assert dcb.read_pfc(answers(session, "dcb -j pfc")[0]).problems


def test_link_of_a_netdev(session: list[tuple[str, str, int]]) -> None:
    links, problems = read_links(answers(session, "ip -j link show fdcb0")[0])
    assert (links["fdcb0"].mtu_bytes, links["fdcb0"].admin_up, problems) == (9000, True, ())


def test_both_tools_agree_on_the_same_driver_state(session: list[tuple[str, str, int]]) -> None:
    text = read_mlnx_qos(answers(session, "python3 ./mlnx_qos -i fdcb0")[0])
    assert text.problems == ()
    assert text.facts["priority_to_tc"] == {0: 0, 1: 0, 2: 0, 3: 3, 4: 0, 5: 0, 6: 6, 7: 0}
    assert text.facts["dscp"] == {26: 3, 48: 7}
    assert text.facts["priorities"] == (3,)
    assert text.facts["priority_to_buffer"][3] == 1


def test_every_report_of_mlnx_qos_in_the_session_is_read(session: list[tuple[str, str, int]]) -> None:
    reports = [printed for text, printed, _ in session if "mlnx_qos -i" in text and printed.startswith("DCBX mode")]
    assert len(reports) == 12
    assert [read_mlnx_qos(report).problems for report in reports] == [()] * 12


def test_with_option_a_mlnx_qos_shows_ets_of_all_classes(session: list[tuple[str, str, int]]) -> None:
    read = read_mlnx_qos(answers(session, "python3 ./mlnx_qos -i fdcb1 -a")[0])
    assert read.facts["scheduling"] == ((0, 1), (3, 1), (6, "strict"))
    assert read.facts["priorities"] == (3, 4)
    assert read.facts["trust"] == "pcp"


def test_what_mlnx_qos_says_of_a_missing_interface_is_no_fact(session: list[tuple[str, str, int]]) -> None:
    assert read_mlnx_qos(answers(session, "python3 ./mlnx_qos -i nosuch")[0]).facts == {}
