"""APPL_DB, STATE_DB and ASIC_DB. The dumps in data/ are written by hand after the formats in the README."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fabric_drift.finding import Layer
from fabric_drift.platform import Output, Reading
from fabric_drift.platforms.sonic import PLATFORM
from fabric_drift.platforms.sonic import commands as c
from fabric_drift.state.device import Ecn, Neighbour, Pool, PriorityGroup, QueueBuffer
from fabric_drift.state.tree import facts
from fabric_drift.state.values import ABSENT, UNSAID, Unobserved
from tests.platforms.sonic.devices import BROADCOM, outputs_of, own_rows

DATA = Path(__file__).parent / "data"
SOURCES = {
    "appl_ports": c.APPL_PORTS,
    "appl_buffers": c.APPL_BUFFERS,
    "appl_lldp": c.APPL_LLDP,
    "state_buffers": c.STATE_BUFFERS,
    "asic_ports": c.ASIC_PORTS,
    "asic_queues": c.ASIC_QUEUES,
    "asic_groups": c.ASIC_GROUPS,
    "asic_buffers": c.ASIC_BUFFERS,
    "name_maps": c.NAME_MAPS,
}
GROUP = PriorityGroup(
    lossless=True,
    pool="ingress_lossless_pool",
    size_bytes=19456,
    xoff_bytes=86016,
    xon_bytes=19456,
    xon_offset_bytes=ABSENT,
    static_bytes=ABSENT,
    alpha_exponent=-1,
)


def outputs(**changed: Any) -> dict[str, Output]:
    """All answers; a document of ``changed`` replaces one, an Output does so as it is."""
    result = outputs_of(own_rows(BROADCOM))
    for name, command in SOURCES.items():
        document = changed.get(name, json.loads((DATA / f"{name}.json").read_text()))
        result[command.text] = document if isinstance(document, Output) else Output(json.dumps(document))
    return result


def dumped(name: str) -> dict[str, Any]:
    return dict(json.loads((DATA / f"{name}.json").read_text()))


def _port(reading: Reading, layer: Layer, name: str = "Ethernet0") -> Any:
    ports: Any = reading.states[layer].ports
    return ports[name]


def _lines(reading: Reading, layer: Layer) -> list[str]:
    return [item.line for item in reading.unparsed if item.layer is layer]


def test_nos_carries_ports_buffers_and_neighbours() -> None:
    reading = PLATFORM.parse(outputs())
    port = _port(reading, Layer.NOS)
    assert (port.admin_up, port.oper_up, port.speed_mbps, port.mtu_bytes, port.fec) == (True, True, 400000, 9100, "rs")
    assert port.neighbour == Neighbour(device="gpu1", port="enp24s0np0")
    assert port.qos.priority_groups[3] == GROUP
    assert port.qos.priority_groups[4] == GROUP
    assert port.qos.priority_groups[0].lossless is False
    assert port.qos.queues[3].buffer == QueueBuffer("egress_lossless_pool", 0, 150000000, ABSENT)
    assert port.qos.queues[4].buffer is ABSENT
    assert port.qos.queues[3].ecn is UNSAID
    assert _lines(reading, Layer.NOS) == []


def test_nos_carries_pools() -> None:
    assert PLATFORM.parse(outputs()).states[Layer.NOS].pools == {
        "ingress_lossless_pool": Pool("ingress", "dynamic", 140000000, 20000000),
        "egress_lossless_pool": Pool("egress", "static", 150000000, ABSENT),
    }


def test_a_silent_neighbour_is_unobserved_not_absent() -> None:
    port = _port(PLATFORM.parse(outputs()), Layer.NOS, "Ethernet8")
    assert port.oper_up is False
    assert isinstance(port.neighbour, Unobserved)


def test_work_queues_and_flags_of_sonic_are_no_ports() -> None:
    ports: Any = PLATFORM.parse(outputs()).states[Layer.NOS].ports
    assert sorted(ports) == ["Ethernet0", "Ethernet8"]


def test_a_computed_value_that_was_not_given_on_is_told() -> None:
    document = dumped("state_buffers")
    document["BUFFER_PROFILE_TABLE|pg_lossless_400000_5m_profile"]["value"]["xoff"] = "90000"
    reading = PLATFORM.parse(outputs(state_buffers=document))
    assert _port(reading, Layer.NOS).qos.priority_groups[3].xoff_bytes == 86016
    line = "STATE_DB BUFFER_PROFILE_TABLE|pg_lossless_400000_5m_profile xoff = 90000"
    assert _lines(reading, Layer.NOS) == [line]


def test_sai_carries_what_was_asked_of_the_asic() -> None:
    reading = PLATFORM.parse(outputs())
    port = _port(reading, Layer.SAI)
    assert (port.admin_up, port.speed_mbps, port.mtu_bytes, port.fec) == (True, 400000, 9100, "rs")
    assert port.qos.pfc.priorities == (3, 4)  # 24 = 2^3 + 2^4
    assert port.qos.pfc.asymmetric is False
    assert port.qos.pfc.watchdog is UNSAID
    assert port.qos.maps.dscp_to_tc == {26: 3, 48: 6}
    assert port.qos.maps.tc_to_queue == {3: 3}
    assert port.qos.maps.tc_to_priority_group is ABSENT
    assert port.qos.priority_groups[3] == GROUP
    assert port.qos.priority_groups[4].lossless is False
    assert port.qos.queues[3].buffer == QueueBuffer("ingress_lossless_pool", 0, 150000000, ABSENT)
    assert port.qos.queues[3].ecn == Ecn(
        kmin_bytes=500000,
        kmax_bytes=900000,
        max_probability_percent=10,
        colours=("green", "red", "yellow"),
        colour_thresholds=ABSENT,
        wred_drop=True,
    )
    assert port.qos.queues[4].ecn is ABSENT
    assert _lines(reading, Layer.SAI) == []


def test_asymmetric_pfc_counts_what_is_sent() -> None:
    pfc = _port(PLATFORM.parse(outputs()), Layer.SAI, "Ethernet8").qos.pfc
    assert (pfc.priorities, pfc.asymmetric) == ((3,), True)


def test_what_was_never_asked_of_the_asic_is_unsaid() -> None:
    assert _port(PLATFORM.parse(outputs()), Layer.SAI, "Ethernet8").fec is UNSAID


def test_queues_that_counters_db_does_not_name_are_unobserved() -> None:
    qos = _port(PLATFORM.parse(outputs()), Layer.SAI, "Ethernet8").qos
    assert isinstance(qos.queues[3], Unobserved)
    assert isinstance(qos.priority_groups[3], Unobserved)


def test_multicast_queues_are_left_alone() -> None:
    assert sorted(_port(PLATFORM.parse(outputs()), Layer.SAI).qos.queues) == list(range(8))


def test_a_reference_to_no_object_is_unobserved() -> None:
    document = dumped("asic_queues")
    del document["ASIC_STATE:SAI_OBJECT_TYPE_WRED:oid:0x13000000000701"]
    del document["ASIC_STATE:SAI_OBJECT_TYPE_QOS_MAP:oid:0x14000000000601"]
    port = _port(PLATFORM.parse(outputs(asic_queues=document)), Layer.SAI)
    assert isinstance(port.qos.queues[3].ecn, Unobserved)
    assert isinstance(port.qos.maps.dscp_to_tc, Unobserved)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"list": [{"key": {}}]}', '{"list": 3}', "[" * 100_000])
def test_a_map_that_is_none_is_told_and_unobserved(text: str) -> None:
    document = dumped("asic_queues")
    key = "ASIC_STATE:SAI_OBJECT_TYPE_QOS_MAP:oid:0x14000000000601"
    document[key]["value"]["SAI_QOS_MAP_ATTR_MAP_TO_VALUE_LIST"] = text
    reading = PLATFORM.parse(outputs(asic_queues=document))
    assert isinstance(_port(reading, Layer.SAI).qos.maps.dscp_to_tc, Unobserved)
    assert len(_lines(reading, Layer.SAI)) == 1


@pytest.mark.parametrize("name", ["asic_ports", "asic_queues", "asic_groups", "asic_buffers", "name_maps"])
def test_one_missing_dump_leaves_the_sai_layer_unobserved(name: str) -> None:
    failed = Output(stderr="sudo: a password is required", exit_status=1)
    state = PLATFORM.parse(outputs(**{name: failed})).states[Layer.SAI]
    assert {type(value) for _, value in facts(state)} == {Unobserved}
    assert any("a password is required" in value.reason for _, value in facts(state))


def test_a_missing_lldp_dump_leaves_only_neighbours_unobserved() -> None:
    port = _port(PLATFORM.parse(outputs(appl_lldp=Output(error="timeout"))), Layer.NOS)
    assert isinstance(port.neighbour, Unobserved)
    assert port.mtu_bytes == 9100


def test_a_missing_buffer_dump_leaves_buffers_and_pools_unobserved() -> None:
    reading = PLATFORM.parse(outputs(appl_buffers=Output(error="truncated")))
    assert isinstance(_port(reading, Layer.NOS).qos, Unobserved)
    assert isinstance(reading.states[Layer.NOS].pools, Unobserved)
    assert _port(reading, Layer.NOS).mtu_bytes == 9100


def test_an_answer_that_was_cut_off_is_never_used() -> None:
    text = json.dumps(dumped("appl_ports"))
    result = outputs()
    result[c.APPL_PORTS.text] = Output(text, error="more than 8 MB")
    state = PLATFORM.parse(result).states[Layer.NOS]
    assert {type(value) for _, value in facts(state)} == {Unobserved}


def test_no_answers_at_all_leave_every_layer_unobserved() -> None:
    reading = PLATFORM.parse({})
    assert sorted(reading.states) == sorted(PLATFORM.layers)
    for state in reading.states.values():
        assert {type(value) for _, value in facts(state)} == {Unobserved}


def test_the_stale_object_of_a_port_is_unobserved() -> None:
    document = dumped("name_maps")
    document["COUNTERS_PORT_NAME_MAP"]["value"]["Ethernet16"] = "oid:0x1000000000099"
    assert isinstance(_port(PLATFORM.parse(outputs(name_maps=document)), Layer.SAI, "Ethernet16"), Unobserved)


def test_other_names_of_ports_are_aliases() -> None:
    assert PLATFORM.parse(outputs()).aliases["etp2"] == "Ethernet8"


def test_a_chassis_is_refused_in_every_layer() -> None:
    config = own_rows(replace(BROADCOM))
    config["DEVICE_METADATA"]["localhost"]["switch_type"] = "voq"
    result = {**outputs(), **outputs_of(config)}
    for state in PLATFORM.parse(result).states.values():
        assert {type(value) for _, value in facts(state)} == {Unobserved}
