"""The plain form of a state is unambiguous; paths are stable."""

from __future__ import annotations

import json

import pytest

from fabric_drift.state import ABSENT, UNSAID, DeviceState, NotApplicable, Pfc, Port, PortQos, Unobserved, is_said
from fabric_drift.state.tree import facts, plain
from fabric_drift.state.values import AtMost


def test_absent_unobserved_and_not_applicable_look_like_no_real_value() -> None:
    assert plain(ABSENT) == {"absent": True}
    assert plain(Unobserved("no answer")) == {"unobserved": "no answer"}
    assert plain(NotApplicable("pcc is active")) == {"not_applicable": "pcc is active"}
    assert plain(AtMost(10)) == {"at_most": 10}


def test_a_state_is_json_with_only_what_it_says() -> None:
    state = DeviceState(
        ports={"Ethernet9/1": Port(mtu_bytes=9100, qos=PortQos(pfc=Pfc(priorities=(3,), watchdog=ABSENT)))}
    )
    assert json.loads(json.dumps(plain(state))) == {
        "ports": {"Ethernet9/1": {"mtu_bytes": 9100, "qos": {"pfc": {"priorities": [3], "watchdog": {"absent": True}}}}}
    }


def test_unsaid_facts_are_not_listed() -> None:
    assert list(facts(DeviceState(buffer_model="dynamic"))) == [(("buffer_model",), "dynamic")]


def test_an_absent_subtree_is_one_fact() -> None:
    assert list(facts(Port(qos=ABSENT))) == [(("qos",), ABSENT)]


@pytest.mark.parametrize("word", [ABSENT, UNSAID])
def test_a_missing_value_has_no_truth(word: object) -> None:
    with pytest.raises(TypeError, match="compare with `is`"):
        bool(word)


def test_zero_and_empty_are_real_values() -> None:
    assert all(is_said(value) for value in (0, False, "", ()))
