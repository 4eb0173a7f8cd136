"""config_db.json: names that exist are kept, rows that SONiC derives are left to it, bytes are stable."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from fabric_drift.errors import Unsupported
from fabric_drift.platform import Target
from fabric_drift.platforms.sonic import PLATFORM
from fabric_drift.state.device import DeviceState, Ecn, Pfc, Port, PortQos, PriorityGroup, Queue, QueueBuffer
from fabric_drift.state.values import ABSENT
from tests.platforms.sonic.devices import PORTS, merged, own_rows, read, rendered
from tests.platforms.sonic.roce import LEAF, SPINE, roce_qos, roce_state

STOCK: dict[str, Any] = {
    "DSCP_TO_TC_MAP": {"AZURE": {"3": "3", "26": "1"}, "RARE": {"3": "3"}},
    "TC_TO_QUEUE_MAP": {"AZURE": {"3": "3"}},
    "SCHEDULER": {"scheduler.0": {"type": "DWRR", "weight": "14"}, "scheduler.1": {"type": "DWRR", "weight": "15"}},
    "WRED_PROFILE": {"AZURE_LOSSLESS": {"ecn": "ecn_all"}},
    "PORT_QOS_MAP": {
        "Ethernet0": {"dscp_to_tc_map": "AZURE", "tc_to_queue_map": "AZURE"},
        "Ethernet8": {"dscp_to_tc_map": "AZURE"},
        "Ethernet16": {"dscp_to_tc_map": "RARE"},
    },
    "QUEUE": {
        "Ethernet0|0-2": {"scheduler": "scheduler.0"},
        "Ethernet0|3-4": {"scheduler": "scheduler.1", "wred_profile": "AZURE_LOSSLESS"},
    },
}


def _render(target: Target, state: DeviceState | None = None) -> dict[str, Any]:
    return rendered(PLATFORM.localise(state or roce_state(target), target), target)


def test_names_that_exist_are_kept() -> None:
    target = replace(LEAF, names=read(merged(own_rows(LEAF), STOCK)).names)
    tables = _render(target)
    assert list(tables["DSCP_TO_TC_MAP"]) == ["AZURE"]
    assert tables["DSCP_TO_TC_MAP"]["AZURE"]["26"] == "3"
    assert tables["PORT_QOS_MAP"]["global"] == {"dscp_to_tc_map": "AZURE"}
    assert list(tables["WRED_PROFILE"]) == ["AZURE_LOSSLESS"]
    assert tables["QUEUE"]["Ethernet0|3"] == {"scheduler": "scheduler.1", "wred_profile": "AZURE_LOSSLESS"}
    assert tables["SCHEDULER"]["scheduler.1"] == {"type": "DWRR", "weight": "7"}
    assert tables["QUEUE"]["Ethernet0|6"] == {"scheduler": "ROCE_STRICT"}


def test_an_object_of_the_very_content_keeps_its_name_in_every_role() -> None:
    row = {"ecn": "ecn_all"}
    for colour in ("green", "yellow", "red"):
        row |= {f"{colour}_min_threshold": "1000000", f"{colour}_max_threshold": "2000000"}
        row |= {f"{colour}_drop_probability": "5", f"wred_{colour}_enable": "true"}
    config = merged(own_rows(LEAF), {"WRED_PROFILE": {"Q3": row, "Q4": row}})
    config["QUEUE"] = {"Ethernet0|3": {"wred_profile": "Q3"}, "Ethernet0|4": {"wred_profile": "Q4"}}
    target = replace(LEAF, names=read(config).names)
    ecn = Ecn(kmin_bytes=1_000_000, kmax_bytes=2_000_000, max_probability_percent=5)
    port = Port(qos=replace(roce_qos(), queues={3: Queue(ecn=ecn), 4: Queue(ecn=ecn)}))
    tables = _render(target, replace(roce_state(LEAF), ports={"Ethernet0": port}))
    assert tables["QUEUE"]["Ethernet0|3"]["wred_profile"] == "Q3"
    assert tables["QUEUE"]["Ethernet0|4"]["wred_profile"] == "Q4"


def test_two_policies_get_two_names_and_the_commonest_the_existing_one() -> None:
    state = roce_state(LEAF)
    other = Port(speed_mbps=400_000, qos=PortQos(maps=replace(roce_qos().maps, dscp_to_tc={26: 5})))  # type: ignore[type-var]
    ports: Any = {"Ethernet0": other, **{name: state.ports[name] for name in PORTS[1:3]}}  # type: ignore[index]
    target = replace(LEAF, names={"DSCP_TO_TC_MAP": "AZURE"})
    tables = _render(target, replace(state, ports=ports))
    assert tables["PORT_QOS_MAP"]["Ethernet8"]["dscp_to_tc_map"] == "AZURE"
    assert tables["PORT_QOS_MAP"]["Ethernet0"]["dscp_to_tc_map"] == "ROCE"
    assert tables["PORT_QOS_MAP"]["global"] == {"dscp_to_tc_map": "AZURE"}


def test_only_broadcom_has_a_switch_wide_map() -> None:
    assert "global" in _render(LEAF)["PORT_QOS_MAP"]
    assert "global" not in _render(SPINE)["PORT_QOS_MAP"]


def test_derived_groups_are_written_as_sonic_would_once_its_table_is_known() -> None:
    tables = _render(replace(LEAF, names={"pg_profile_lookup/400000/5": "18796 0 393192 0 3556"}))
    assert tables["BUFFER_PG"]["Ethernet0|3"] == {"profile": "pg_lossless_400000_5m_profile"}
    assert tables["BUFFER_PROFILE"]["pg_lossless_400000_5m_profile"] == {
        "pool": "ingress_lossless_pool",
        "size": "18796",
        "xon": "0",
        "xoff": "393192",
        "xon_offset": "3556",
        "dynamic_th": "0",
    }


def test_groups_of_unknown_size_are_left_to_sonic() -> None:
    tables = _render(LEAF)
    assert "BUFFER_PG" not in tables
    assert list(tables["BUFFER_PROFILE"]) == ["egress_roce_profile"]


def test_other_bytes_than_the_devices_table_are_written_under_sonics_own_name() -> None:
    target = replace(LEAF, names={"pg_profile_lookup/400000/5": "18796 0 393192 0 3556"})
    qos = replace(roce_qos(), priority_groups={3: PriorityGroup(lossless=True, xoff_bytes=400_000, alpha_exponent=0)})
    port = Port(speed_mbps=400_000, qos=qos)
    tables = _render(target, replace(roce_state(LEAF), ports={"Ethernet0": port}))
    assert tables["BUFFER_PG"] == {"Ethernet0|3": {"profile": "pg_lossless_400000_5m_profile"}}
    assert tables["BUFFER_PROFILE"]["pg_lossless_400000_5m_profile"]["xoff"] == "400000"


def test_two_headrooms_for_one_speed_and_cable_are_refused() -> None:
    def port(xoff: int) -> Port:
        group = PriorityGroup(lossless=True, size_bytes=1, xon_bytes=0, xoff_bytes=xoff, alpha_exponent=0)
        return Port(speed_mbps=400_000, qos=replace(roce_qos(), priority_groups={3: group}))

    state = replace(roce_state(LEAF), ports={"Ethernet0": port(5), "Ethernet8": port(6)})
    with pytest.raises(Unsupported, match="two policies want different headroom"):
        _render(LEAF, state)


def test_the_dynamic_model_computes() -> None:
    tables = _render(SPINE)
    assert tables["BUFFER_PG"]["Ethernet0|3"] == {"profile": "NULL"}
    assert tables["DEFAULT_LOSSLESS_BUFFER_PARAMETER"] == {"AZURE": {"default_dynamic_th": "0"}}
    assert tables["DEVICE_METADATA"] == {"localhost": {"buffer_model": "dynamic"}}


def test_neighbouring_queues_of_one_profile_are_one_row_as_in_stock_files() -> None:
    buffer = QueueBuffer(pool="egress_lossless_pool", reserved_bytes=0, alpha_exponent=7)
    queues = dict.fromkeys((2, 3, 4, 6), Queue(ecn=ABSENT, buffer=buffer))
    port = Port(qos=replace(roce_qos(), queues=queues))
    tables = _render(LEAF, replace(roce_state(LEAF), ports={"Ethernet0": port}))
    assert sorted(tables["BUFFER_QUEUE"]) == ["Ethernet0|2-4", "Ethernet0|6"]


def test_no_priorities_mean_no_field_because_empty_text_is_refused_before_202505() -> None:
    port = Port(qos=replace(roce_qos(), pfc=Pfc(priorities=(), watchdog=ABSENT), priority_groups={}))
    tables = _render(LEAF, replace(roce_state(LEAF), ports={"Ethernet0": port}))
    assert "pfc_enable" not in tables["PORT_QOS_MAP"]["Ethernet0"]
    assert sorted(tables["PFC_WD"]) == ["GLOBAL"]


def test_every_value_is_text_and_no_table_is_empty() -> None:
    tables = _render(LEAF)
    assert all(rows for rows in tables.values())
    values = [value for rows in tables.values() for row in rows.values() for value in row.values()]
    assert {type(value) for value in values} == {str}


def test_keys_are_sorted_and_the_file_ends_with_a_line_break() -> None:
    (file,) = PLATFORM.render(PLATFORM.localise(roce_state(LEAF), LEAF), LEAF)
    assert file.name == "config_db.json"
    assert file.text == json.dumps(json.loads(file.text), indent=4, sort_keys=True) + "\n"


def test_a_state_that_manages_nothing_renders_nothing() -> None:
    assert rendered(PLATFORM.localise(DeviceState(ports={"Ethernet0": Port()}), LEAF), LEAF) == {}
