"""The text of mlnx_qos: today's format is read, every older one is refused as a whole, never misread."""

from pathlib import Path

import pytest

from fabric_drift.platforms.linux_host.mlnx_qos import read_mlnx_qos
from fabric_drift.state.values import Unobserved
from tests.platforms.linux_host.sessions import capture

TODAY = capture("mlnx_qos")["mlnx_qos -i enp24s0np0 -a"].stdout
BUFFERS = "Receive buffer size (bytes): 87296,174720,0,0,0,0,0,0,max_buffer_size=262016\n"
WARNING = "****** WARNING: lldpad service is running and may overwrite your settings ******\n\n"
NOT_SUPPORTED = """Priority trust state is not supported on your system
Buffers commands are not supported on your system
Rate limit is not supported on your system!
ETS features are not supported on your system
"""


def test_todays_format_is_read() -> None:
    read = read_mlnx_qos(TODAY)
    assert read.problems == ()
    assert read.facts["trust"] == "dscp"
    assert read.facts["dscp"] == {**dict.fromkeys(range(64), 0), 26: 3, 48: 6}
    assert read.facts["priorities"] == (3,)
    assert read.facts["scheduling"] == ((0, 3), (3, 7), (6, "strict"))
    assert read.facts["cable_length_m"] == 5


def test_the_warning_about_lldpad_is_passed_over() -> None:
    assert read_mlnx_qos(WARNING + TODAY).facts == read_mlnx_qos(TODAY).facts


def test_without_every_traffic_class_the_scheduling_alone_is_unobserved() -> None:
    read = read_mlnx_qos(TODAY.replace("tc: 7 ratelimit: unlimited, tsa: ets, bw: 0%\n", ""))
    assert isinstance(read.facts["scheduling"], Unobserved)
    assert read.facts["priority_to_tc"] == read_mlnx_qos(TODAY).facts["priority_to_tc"]
    assert read.problems == ()


def test_unsorted_traffic_classes_read_like_sorted_ones() -> None:
    head, _, tcs = TODAY.partition("tc: 0 ")
    first, _, rest = tcs.partition("tc: 3 ")
    assert read_mlnx_qos(f"{head}tc: 3 {rest}tc: 0 {first}").facts == read_mlnx_qos(TODAY).facts


@pytest.mark.parametrize(
    ("older", "reason"),
    [
        (TODAY.replace(BUFFERS, ""), "no receive_buffers_bytes"),
        (TODAY.replace(",max_buffer_size=262016", ""), "before 2023-05"),
        (TODAY.replace("max_buffer_size=", "total_size="), "before 2023-05"),
        (TODAY.replace(BUFFERS, "default priority:\n" + BUFFERS), "before 2024-11"),
        (TODAY.replace("\tbuffer      0   0   0   1   0   0   0   0   \n", ""), "no PFC table"),
        (TODAY.replace("DCBX mode: OS controlled\n", ""), "no flags"),
        (NOT_SUPPORTED, "not a line"),
        ("", "no flags"),
    ],
)
def test_an_older_format_is_refused(older: str, reason: str) -> None:
    read = read_mlnx_qos(older)
    assert read.facts == {}
    assert reason in read.problems[0].reason


@pytest.mark.parametrize(
    "changed",
    [
        TODAY.replace("\tprio:6 dscp:48,", "\tprio:6 dscp:26,"),
        TODAY.replace("\t priority:  3\n", "\t priority:  3\n\t priority:  0\n"),
        TODAY.replace("\t priority:  3\n", ""),
        TODAY.replace("Cable len: 5\n", "Cable len: 5\nCable len: 7\n"),
        TODAY.replace("enabled     0   0   0   1", "enabled     0   0   0   2"),
        TODAY.replace("tsa: strict", "tsa: unknown"),
        TODAY.replace("trust state: dscp", "trust state: none"),
        TODAY.replace("trust state: dscp", "trust state: pcp"),
        TODAY[:-40],
    ],
)
def test_a_text_that_contradicts_itself_or_is_cut_is_refused(changed: str) -> None:
    read = read_mlnx_qos(changed)
    assert read.facts == {}
    assert len(read.problems) == 1


def test_an_answer_that_is_the_name_of_a_file_opens_no_file(tmp_path: Path) -> None:
    file = tmp_path / "qos.txt"
    file.write_text(TODAY)
    read = read_mlnx_qos(str(file))
    assert read.facts == {}
    assert read.problems[0].line == str(file)


def test_an_endless_answer_is_refused_before_it_is_taken_apart() -> None:
    assert "longer than" in read_mlnx_qos(TODAY + " " * 20_000).problems[0].reason
