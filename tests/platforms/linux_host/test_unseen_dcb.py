"""What dcb and mlnx_qos could not show is Unobserved with a reason, or an unparsed line."""

from __future__ import annotations

import pytest

from fabric_drift.platform import Output
from fabric_drift.platforms.linux_host import PLATFORM
from fabric_drift.state.values import Unobserved
from tests.platforms.linux_host.sessions import capture
from tests.platforms.linux_host.test_reading import RAIL1, at_map, qos, read
from tests.platforms.linux_host.test_unseen import NETDEV, NO_COMMAND, NO_DEVICE, NOT_SUPPORTED, without_dcb


@pytest.mark.parametrize("answer", [NOT_SUPPORTED, NO_DEVICE, NO_COMMAND])
def test_an_object_that_dcb_cannot_read_is_unobserved_with_the_tools_words(answer: Output) -> None:
    found = qos(read({f"dcb -j buffer show dev {NETDEV}": answer}))
    assert isinstance(found.receive_buffers_bytes, Unobserved)
    assert any(word in found.receive_buffers_bytes.reason for word in ("not supported", "No such device", "installed"))


def test_an_empty_line_with_status_0_is_not_an_answer() -> None:
    reading = read({f"dcb -j pfc show dev {NETDEV}": Output("\n")})
    assert isinstance(qos(reading).cable_length_m, Unobserved)
    assert reading.unparsed[0].path == ("ports", RAIL1, "qos", "pfc")


def test_the_usage_that_dcb_prints_with_status_0_is_not_an_answer() -> None:
    reading = read({f"dcb -j pfc show dev {NETDEV}": Output("Usage: dcb pfc help\n")})
    assert isinstance(qos(reading).cable_length_m, Unobserved)
    assert reading.unparsed


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("pfc", '{"pfc_cap":8,"delay":5,"prio_pfc":[true]}'),
        ("pfc", '{"pfc_cap":8,"delay":5,"prio_pfc":[0,0,0,1,0,0,0,0]}'),
        ("pfc", '{"delay":5,"delay":7,"prio_pfc":[true,true,true,true,true,true,true,true]}'),
        ("ets", '{"prio_tc":[0,0,0,9,0,0,0,0]}'),
        ("ets", '{"tc_tsa":["ets","ets","ets","ets","ets","ets","ets","new"]}'),
        ("app", '{"dscp_prio":[[26,3],[26,4]]}'),
        ("app", '{"dscp_prio":[[64,3]]}'),
        ("app", '{"dscp_prio":[["AF31",3]]}'),
        ("app", '{"pcp_prio":[[1,3]]}'),
        ("app", '{"dgram_port_prio":[[4791,3]]}'),
        ("buffer", '{"buffer_size":[-1,0,0,0,0,0,0,0]}'),
        ("dcbx", '{"host":1}'),
        ("dcbx", "[" * 8_000),
    ],
)
def test_a_value_that_no_reader_expects_becomes_an_unparsed_line(kind: str, text: str) -> None:
    reading = read({f"dcb -j {kind} show dev {NETDEV}": Output(text)})
    assert [line for line in reading.unparsed if line.path[:2] == ("ports", RAIL1)]


def test_a_dscp_with_two_priorities_is_unobserved_and_the_others_are_read() -> None:
    reading = read({f"dcb -j app show dev {NETDEV}": Output('{"dscp_prio":[[26,3],[26,4],[48,6]]}')})
    assert isinstance(at_map(reading, RAIL1)[26], Unobserved)
    assert at_map(reading, RAIL1)[48] == 6


def test_an_unknown_key_of_dcb_is_told_and_the_known_ones_are_read() -> None:
    text = '{"pfc_cap":8,"delay":5,"prio_pfc":[false,false,false,true,false,false,false,false],"new":1}'
    reading = read({f"dcb -j pfc show dev {NETDEV}": Output(text)})
    assert qos(reading).cable_length_m == 5
    assert [line.line for line in reading.unparsed] == ["new: 1"]


def test_an_answer_longer_than_any_of_the_tool_is_not_read() -> None:
    reading = read({f"dcb -j dcbx show dev {NETDEV}": Output(" " * 10_000 + '{"host":true,"ieee":true}')})
    assert isinstance(qos(reading).dcbx, Unobserved)


def test_without_dcb_the_text_of_mlnx_qos_is_asked_for_and_read() -> None:
    outputs = {**capture("gpu1"), **without_dcb()}
    asked = PLATFORM.commands(outputs)
    assert [command.text for command in asked] == [f"mlnx_qos -i {NETDEV} -a"]
    text = capture("mlnx_qos")[f"mlnx_qos -i {NETDEV} -a"]
    reading = PLATFORM.parse({**outputs, f"mlnx_qos -i {NETDEV} -a": text})
    assert qos(reading) == qos(read())
    assert reading.unparsed == ()


def test_a_policy_that_neither_tool_shows_is_unobserved() -> None:
    found = qos(read(without_dcb()))
    assert isinstance(found.trust, Unobserved)
    assert "dcb" in found.trust.reason
