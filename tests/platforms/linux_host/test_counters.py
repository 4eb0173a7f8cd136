"""Which priorities RDMA leaves in, from two readings of a NIC's counters. Names: Linux mlx5 counters.rst."""

from __future__ import annotations

from typing import Any

import pytest

from fabric_drift.finding import Layer
from fabric_drift.platform import Output
from fabric_drift.platforms.linux_host import PLATFORM
from fabric_drift.platforms.linux_host.counters import OF_PRIORITY, RDMA, first_text, gained, rdma_without_pfc
from fabric_drift.state.values import Unobserved
from tests.platforms.linux_host.emulation import all_outputs
from tests.platforms.linux_host.sessions import capture

NETDEV, RAIL1 = "enp24s0np0", "0000:18:00.0"
FIRST, SECOND = first_text(NETDEV), f"ethtool --statistics {NETDEV}"
GB = 1_000_000_000


def answer(rdma: int = 0, **by_priority: int) -> Output:
    """``ethtool -S``: bytes of RDMA, and bytes by priority as p0, p3."""
    rows = {RDMA: rdma, "tx_packets": 7, "tx0_bytes": 7}
    rows |= {name: by_priority.get(f"p{number}", 0) for number, name in enumerate(OF_PRIORITY)}
    return Output("NIC statistics:\n" + "".join(f"     {name}: {value}\n" for name, value in rows.items()))


def judged(before: Output, after: Output, pfc: Any = (3,)) -> Any:
    return rdma_without_pfc(gained({FIRST: before, SECOND: after}, NETDEV), pfc)


@pytest.mark.parametrize(
    ("gain", "seen"),
    [
        (answer(), False),
        (answer(4 * GB, p3=4 * GB), False),
        (answer(4 * GB, p0=4 * GB), True),
        (answer(4 * GB, p0=2 * GB, p3=2 * GB), True),  # one of two jobs
        (answer(4 * GB, p0=50 * GB, p3=4 * GB), False),  # TCP beside it
        (answer(4 * GB, p3=3 * GB + 9 * GB // 10), False),  # counters of one reading aren't of one moment
        (answer(4 * GB), False),  # between two GPUs of the host: it doesn't leave
        (answer(900_000, p0=900_000), False),  # management of connections
        (answer(4 * GB, p6=4 * GB), True),
    ],
)
def test_rdma_is_outside_where_pfc_priorities_sent_less_and_others_the_rest(gain: Output, seen: bool) -> None:
    assert judged(answer(), gain) is seen


def test_what_was_counted_before_the_check_is_not_its_business() -> None:
    history = {"p0": 900 * GB, "p3": 5 * GB}
    assert judged(answer(900 * GB, **history), answer(904 * GB, p0=900 * GB, p3=9 * GB)) is False
    assert judged(answer(5 * GB, p3=5 * GB), answer(9 * GB, p3=5 * GB, p0=4 * GB)) is True


def test_without_pfc_all_rdma_is_without_it() -> None:
    assert judged(answer(), answer(4 * GB, p3=4 * GB), pfc=()) is True


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        (answer(4 * GB), answer(), "its counters went back between two readings"),
        (answer(), Output("", "netlink error: No such device\n", 1), f"`{SECOND}`: netlink error: No such device"),
        (answer(), Output("NIC statistics:\n     rx_packets: 1\n"), f"`{SECOND}` shows no {RDMA}, or not once"),
        (answer(), Output(answer().stdout + f"     {RDMA}: 1\n"), f"shows no {RDMA}, or not once"),
        (answer(), Output(answer(p7=1234).stdout[:-3]), "shows no tx_prio7_bytes"),
        (answer(), Output(answer().stdout.replace("     tx_prio3", "console: tx_prio3")), "shows no tx_prio3_bytes"),
        (Output(error="timed out"), answer(), f"`{FIRST}`: timed out"),
        (
            answer(),
            Output(answer().stdout.replace("tx_prio7_bytes: 0", "tx_prio7_bytes: x")),
            "shows no tx_prio7_bytes",
        ),
    ],
)
def test_counters_that_do_not_tell_are_unobserved(before: Output, after: Output, reason: str) -> None:
    found = judged(before, after)
    assert isinstance(found, Unobserved)
    assert reason in found.reason


def test_without_knowing_what_has_pfc_nothing_is_said() -> None:
    assert judged(answer(), answer(4 * GB, p0=4 * GB), pfc=Unobserved("dcb isn't there")) == Unobserved(
        "dcb isn't there"
    )


def at(changes: dict[str, Output], pci: str = RAIL1) -> Any:
    ports: Any = PLATFORM.parse(all_outputs(changes)).states[Layer.HARDWARE].ports
    return ports[pci].nic.rdma_without_pfc


def test_it_is_a_fact_of_the_hardware_layer_with_the_counters_that_moved() -> None:
    assert at({}) is False
    changes = {FIRST: answer(), SECOND: answer(4 * GB, p0=4 * GB)}
    assert at(changes) is True
    path = ("ports", RAIL1, "nic", "rdma_without_pfc")
    shown = PLATFORM.parse(all_outputs(changes)).evidence(Layer.HARDWARE, path)
    assert [(item.command, item.lines, item.line_number) for item in shown] == [
        (FIRST, (f"{RDMA}: 0", "tx_prio0_bytes: 0"), 2),
        (SECOND, (f"{RDMA}: {4 * GB}", f"tx_prio0_bytes: {4 * GB}"), 2),
    ]


def test_an_idle_host_says_that_its_counters_prove_nothing() -> None:
    note = "no RDMA was sent while this looked: counters say nothing about how jobs mark it"
    assert note not in PLATFORM.parse(capture("gpu1")).notes
    assert note in PLATFORM.parse(all_outputs({SECOND: capture("gpu1")[FIRST]})).notes


def test_a_nic_that_did_not_answer_once_is_not_asked_again() -> None:
    answers = capture("gpu1") | {FIRST: Output(error="timed out")}
    answers.pop(SECOND)
    assert SECOND not in {command.text for command in PLATFORM.commands(answers)}
