"""Which rows decided a fact."""

from __future__ import annotations

import pytest

from fabric_drift.finding import Layer
from fabric_drift.platforms.sonic import PLATFORM
from fabric_drift.platforms.sonic import commands as c
from fabric_drift.platforms.sonic.evidence_fields import map_entry
from fabric_drift.state.tree import facts
from tests.platforms.sonic.devices import merged, outputs_of, own_rows, rendered
from tests.platforms.sonic.roce import LEAF, roce_state
from tests.platforms.sonic.test_lower_layers import outputs as lower_outputs

CONFIG = merged(own_rows(LEAF), rendered(PLATFORM.localise(roce_state(LEAF), LEAF), LEAF))
READING = PLATFORM.parse({**lower_outputs(), **outputs_of(CONFIG)})
OID = "PORT:oid:0x1000000000002"
QOS = ("ports", "Ethernet0", "qos")

SHOWN = {
    (Layer.RUNNING, (*QOS, "maps", "dscp_to_tc", "26")): (
        "PORT_QOS_MAP|Ethernet0 dscp_to_tc_map = ROCE",
        "DSCP_TO_TC_MAP|ROCE 26 = 3",
    ),
    (Layer.RUNNING, (*QOS, "maps", "pcp_to_tc")): ("PORT_QOS_MAP|Ethernet0 dot1p_to_tc_map (not set)",),
    (Layer.RUNNING, (*QOS, "pfc", "priorities")): ("PORT_QOS_MAP|Ethernet0 pfc_enable = 3",),
    (Layer.RUNNING, (*QOS, "pfc", "watchdog", "detect_ms")): ("PFC_WD|Ethernet0 detection_time = 200",),
    (Layer.RUNNING, (*QOS, "cable_length_m")): ("CABLE_LENGTH|AZURE Ethernet0 = 5m",),
    (Layer.RUNNING, (*QOS, "queues", "4", "buffer")): ("BUFFER_QUEUE|Ethernet0|4 (no row)",),
    (Layer.RUNNING, ("ports", "Ethernet0", "mtu_bytes")): ("PORT|Ethernet0 mtu = 9100",),
    (Layer.RUNNING, ("ports", "Ethernet24", "qos", "pfc", "watchdog", "action")): ("PFC_WD|Ethernet24 (no row)",),
    (Layer.RUNNING, ("watchdog", "poll_ms")): ("PFC_WD|GLOBAL POLL_INTERVAL = 100",),
    (Layer.RUNNING, ("pools", "ingress_lossless_pool", "xoff_bytes")): (
        "BUFFER_POOL|ingress_lossless_pool xoff = 33371648",
    ),
    (Layer.RUNNING, ("buffer_model",)): ("DEVICE_METADATA|localhost buffer_model = traditional",),
    (Layer.NOS, ("ports", "Ethernet0", "oper_up")): ("PORT_TABLE:Ethernet0 oper_status = up",),
    (Layer.NOS, ("ports", "Ethernet8", "neighbour")): ("LLDP_ENTRY_TABLE:Ethernet8 (no row)",),
    (Layer.SAI, (*QOS, "pfc", "priorities")): (
        f"{OID} SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL = 24",
        f"{OID} SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL_MODE = SAI_PORT_PRIORITY_FLOW_CONTROL_MODE_COMBINED",
    ),
}


@pytest.mark.parametrize(
    ("layer", "path"), SHOWN, ids=lambda value: "/".join(value) if isinstance(value, tuple) else ""
)
def test_shows_the_rows_that_decided(layer: Layer, path: tuple[str, ...]) -> None:
    (evidence,) = READING.evidence(layer, path)
    assert evidence.lines == SHOWN[layer, path]


def test_of_a_wred_profile_the_field_that_decides_is_shown() -> None:
    (evidence,) = READING.evidence(Layer.RUNNING, (*QOS, "queues", "3", "ecn", "kmin_bytes"))
    assert evidence.command == c.RUNNING.text
    assert evidence.lines == (
        "QUEUE|Ethernet0|3 wred_profile = ROCE_ECN",
        "WRED_PROFILE|ROCE_ECN green_min_threshold = 1000000",
    )


def test_of_a_profile_that_nos_gave_on_the_field_that_decides_is_shown() -> None:
    (evidence,) = READING.evidence(Layer.NOS, (*QOS, "priority_groups", "4", "xoff_bytes"))
    assert evidence.lines == (
        "BUFFER_PG_TABLE:Ethernet0:3-4 profile = pg_lossless_400000_5m_profile",
        "BUFFER_PROFILE_TABLE:pg_lossless_400000_5m_profile xoff = 86016",
    )


def test_objects_of_the_asic_are_shown_from_name_to_attribute() -> None:
    (evidence,) = READING.evidence(Layer.SAI, (*QOS, "queues", "3", "ecn", "kmax_bytes"))
    assert evidence.lines == (
        "COUNTERS_QUEUE_NAME_MAP Ethernet0:3 = oid:0x15000000000203",
        "QUEUE:oid:0x15000000000203 SAI_QUEUE_ATTR_WRED_PROFILE_ID = oid:0x13000000000701",
        "WRED:oid:0x13000000000701 SAI_WRED_ATTR_GREEN_MAX_THRESHOLD = 900000",
    )


def test_of_a_map_of_the_asic_the_entry_that_decides_is_shown() -> None:
    (evidence,) = READING.evidence(Layer.SAI, (*QOS, "maps", "dscp_to_tc", "26"))
    port, entry = evidence.lines
    assert port.startswith(f"{OID} SAI_PORT_ATTR_QOS_DSCP_TO_TC_MAP = oid:")
    assert entry.endswith('SAI_QOS_MAP_ATTR_MAP_TO_VALUE_LIST = {"key": {"dscp": 26}, "value": {"tc": 3}}')


@pytest.mark.parametrize("listing", ["", "{", "[]", '{"list": [{"key": 3}]}', '{"list": null}', "[" * 100_000])
def test_a_list_of_a_map_that_is_none_is_shown_as_it_is(listing: str) -> None:
    assert map_entry("dscp_to_tc", "26", listing) == listing


def test_schedulers_are_shown_one_line_each() -> None:
    (evidence,) = READING.evidence(Layer.RUNNING, (*QOS, "scheduling"))
    assert "QUEUE|Ethernet0|3 scheduler = ROCE_DWRR_7" in evidence.lines
    assert "SCHEDULER|ROCE_DWRR_7 type = DWRR, weight = 7" in evidence.lines


@pytest.mark.parametrize("layer", [Layer.SAVED, Layer.RUNNING])
def test_every_fact_of_a_configuration_has_evidence(layer: Layer) -> None:
    other = {"identity"}  # release and ASIC come from sonic_version.yml
    without = [path for path, _ in facts(READING.states[layer]) if not READING.evidence(layer, path)]
    assert [path for path in without if path[0] not in other] == []


@pytest.mark.parametrize("layer", [Layer.NOS, Layer.SAI])
def test_every_fact_of_a_port_or_pool_has_evidence_in_the_lower_layers(layer: Layer) -> None:
    paths = [path for path, _ in facts(READING.states[layer]) if path[0] in ("ports", "pools")]
    assert [path for path in paths if not READING.evidence(layer, path)] == []
