"""A rendered configuration names nothing that isn't there: not in itself, and not on the switch that takes it."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fabric_drift.errors import Unsupported
from fabric_drift.lab.emulator import LabDevice, LabPort, Store
from fabric_drift.lab.emulators import emulator
from fabric_drift.platform import Output, Target
from fabric_drift.platforms.sonic import PLATFORM
from fabric_drift.platforms.sonic.tables import RELEASES
from fabric_drift.state.device import DeviceState, Pool, Port, PortQos, Queue, QueueBuffer
from fabric_drift.state.values import UNSAID
from tests.platforms.sonic.devices import BROADCOM, NVIDIA, PORTS, rendered
from tests.platforms.sonic.roce import roce_qos, roce_state
from tests.platforms.sonic.strategies import states
from tests.platforms.sonic.test_plan import in_sync, intent
from tests.platforms.sonic.yang import LISTS, complaints

Config = dict[str, dict[str, dict[str, str]]]
# table -> field -> the table of what it names: the leafrefs of SONiC's YANG models
LEAFREFS = {
    "BUFFER_PG": {"profile": "BUFFER_PROFILE"},
    "BUFFER_PORT_EGRESS_PROFILE_LIST": {"profile_list": "BUFFER_PROFILE"},
    "BUFFER_PORT_INGRESS_PROFILE_LIST": {"profile_list": "BUFFER_PROFILE"},
    "BUFFER_PROFILE": {"pool": "BUFFER_POOL"},
    "BUFFER_QUEUE": {"profile": "BUFFER_PROFILE"},
    "PORT_QOS_MAP": {
        "dot1p_to_tc_map": "DOT1P_TO_TC_MAP",
        "dscp_to_tc_map": "DSCP_TO_TC_MAP",
        "pfc_to_pg_map": "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
        "pfc_to_queue_map": "MAP_PFC_PRIORITY_TO_QUEUE",
        "tc_to_dscp_map": "TC_TO_DSCP_MAP",
        "tc_to_pg_map": "TC_TO_PRIORITY_GROUP_MAP",
        "tc_to_queue_map": "TC_TO_QUEUE_MAP",
    },
    "QUEUE": {"scheduler": "SCHEDULER", "wred_profile": "WRED_PROFILE"},
    "TUNNEL": {"decap_dscp_to_tc_map": "DSCP_TO_TC_MAP", "encap_tc_to_queue_map": "TC_TO_QUEUE_MAP"},
}
SKUS = {
    "Arista-7060X6-64PE": BROADCOM,
    "Arista-7060DX5-64S": replace(BROADCOM, hardware="Arista-7060DX5-64S"),
    "Mellanox-SN5600": NVIDIA,
    "ACS-MSN4700": replace(NVIDIA, hardware="ACS-MSN4700"),
}
TUNNEL = {"MuxTunnel0": {"decap_dscp_to_tc_map": "AZURE", "encap_tc_to_queue_map": "AZURE"}}
FEW = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))


def dangling(config: Config, *, only_within: bool = False) -> list[str]:
    """References to rows that aren't there; ``only_within``: those to tables that ``config`` has."""
    return sorted(
        f"{table}|{key} {field} = {name}"
        for table, fields in LEAFREFS.items()
        for key, row in config.get(table, {}).items()
        for field, target in fields.items()
        for name in row.get(field, "NULL").split(",")
        if name != "NULL" and name not in config.get(target, {}) and (target in config or not only_within)
    )


@cache
def _stock(sku: str, release: str) -> Store:
    """A switch as it comes, with neighbours on all ports and a tunnel that names the stock maps."""
    target = _unread(sku, release)
    ports = tuple(LabPort(name, 400_000, peer_device="other", peer_port=name) for name in PORTS)
    core = emulator("sonic")
    store = core.start(LabDevice(target.device, "sonic", target.release, target.hardware, ports, target.asic))
    for field, name in TUNNEL["MuxTunnel0"].items():
        core.run(store, f"sonic-db-cli CONFIG_DB hset TUNNEL|MuxTunnel0 {field} {name}")
    return store


def _running(store: Store) -> Config:
    return dict(json.loads(emulator("sonic").run(store, "sudo -n sonic-cfggen -d --print-data").stdout))


def _unread(sku: str, release: str) -> Target:
    return replace(SKUS[sku], release=release)


@cache
def _read(sku: str, release: str) -> Target:
    """The switch with what a reading of it gives: names to adopt, and what must be kept."""
    outputs: dict[str, Output] = {}
    while commands := [item for item in PLATFORM.commands(outputs) if item.text not in outputs]:
        for item in commands:
            answer = emulator("sonic").run(_stock(sku, release), item.wire)
            outputs[item.text] = Output(answer.stdout, answer.stderr, answer.exit_status)
    return replace(_unread(sku, release), names=PLATFORM.parse(outputs).names)


def _on_stock(state: DeviceState, target: Target) -> Config:
    """The running configuration of a stock switch that took what is rendered for ``target``."""
    store = copy.deepcopy(_stock(target.hardware, target.release))
    file = rendered(PLATFORM.localise(state, target), target)
    emulator("sonic").load(store, {"config_db.json": json.dumps(file)})
    return _running(store)


@st.composite
def partly_managed(draw: st.DrawFn, *, nvidia: bool) -> DeviceState:
    """A state that leaves some of its buffers to the switch."""
    state, _ = draw(states(nvidia=nvidia))
    left_out = draw(st.sets(st.sampled_from(["queues", "priority_groups"])))
    pools: dict[str, Pool] = dict(state.pools) if draw(st.booleans()) else {}  # type: ignore[arg-type]
    for name in sorted(pools) if draw(st.booleans()) else ():
        if draw(st.booleans()):
            del pools[name]
    ports: dict[str, Any] = dict(state.ports)  # type: ignore[arg-type]
    cut: dict[int, PortQos] = {}
    for port in ports.values():
        cut.setdefault(id(port.qos), replace(port.qos, **dict.fromkeys(left_out, UNSAID)))
    ports = {name: replace(port, qos=cut[id(port.qos)]) for name, port in ports.items()}
    return replace(state, ports=ports, pools=pools or UNSAID)


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("sku", SKUS)
@FEW
@given(data=st.data())
def test_a_switch_that_was_read_keeps_what_its_other_rows_name(sku: str, release: str, data: Any) -> None:
    target = _read(sku, release)
    state = data.draw(partly_managed(nvidia=target.asic == "mellanox"))
    assert dangling(_on_stock(state, target)) == []


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("sku", SKUS)
@FEW
@given(data=st.data())
def test_what_is_rendered_for_a_switch_that_nobody_has_read_names_its_own_rows(
    sku: str, release: str, data: Any
) -> None:
    target = _unread(sku, release)
    state = data.draw(partly_managed(nvidia=target.asic == "mellanox"))
    try:
        config = rendered(PLATFORM.localise(state, target), target)
    except Unsupported as error:
        assert "Name the pool in the intent" in str(error)  # noqa: PT017 - the only reason that is right here
    else:
        assert dangling(config, only_within=True) == []


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("sku", SKUS)
def test_a_stock_switch_that_was_read_takes_a_lossless_policy(sku: str, release: str) -> None:
    target = _read(sku, release)
    config = _on_stock(roce_state(target), target)
    assert config["BUFFER_QUEUE"]
    assert dangling(config) == []


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("sku", [name for name, target in SKUS.items() if target.asic == "mellanox"])
def test_a_stock_spectrum_that_nobody_has_read_keeps_its_profile_lists(sku: str, release: str) -> None:
    target = _unread(sku, release)
    config = _on_stock(roce_state(target), target)
    assert [line for line in dangling(config) if "PROFILE" in line] == []
    for table in ("BUFFER_PORT_EGRESS_PROFILE_LIST", "BUFFER_PORT_INGRESS_PROFILE_LIST"):
        managed = {port: _running(_stock(sku, release))[table][port] for port in config[table]}
        assert config[table] == managed


def test_a_pool_that_neither_the_intent_nor_the_switch_has_is_refused() -> None:
    target = _read("Arista-7060X6-64PE", "202505")
    queues = {3: Queue(buffer=QueueBuffer(pool="nowhere", reserved_bytes=0, alpha_exponent=7))}
    port = Port(speed_mbps=400_000, qos=replace(roce_qos(), queues=queues))
    state = replace(roce_state(target), ports={"Ethernet0": port})
    with pytest.raises(Unsupported, match="neither the intent nor the switch has"):
        rendered(PLATFORM.localise(state, target), target)


def test_rows_of_the_switch_that_are_broken_already_do_not_stop_rendering() -> None:
    target = _read("Mellanox-SN5600", "202511")
    key = "kept/BUFFER_PORT_EGRESS_PROFILE_LIST/BUFFER_PROFILE"
    broken = {f"{key}/without/a|pool": "{}", f"{key}/of nowhere": json.dumps({"pool": "nowhere", "size": "0"})}
    target = replace(target, names={**target.names, **broken})
    profiles = rendered(PLATFORM.localise(roce_state(target), target), target)["BUFFER_PROFILE"]
    assert (profiles["without/a|pool"], profiles["of nowhere"]["pool"]) == ({}, "nowhere")


def test_a_plan_takes_no_profile_away_from_a_list_that_names_it() -> None:
    switch = in_sync("spine1")
    switch.run('sonic-db-cli CONFIG_DB hset "BUFFER_PROFILE|extra" pool egress_lossy_pool size 0 dynamic_th 1')
    switch.run('sonic-db-cli CONFIG_DB hset "BUFFER_PORT_EGRESS_PROFILE_LIST|Ethernet0" profile_list extra')
    plan = switch.plan(intent("spine1"))
    told = [(refusal.path, refusal.problem) for refusal in plan.refusals]
    assert plan.steps == ()
    assert told == [
        (("unreferenced", "BUFFER_PROFILE/extra"), "BUFFER_PORT_EGRESS_PROFILE_LIST|Ethernet0 still names it")
    ]


@pytest.mark.witness
@pytest.mark.skipif(shutil.which("yanglint") is None, reason="yanglint is missing: apt-get install libyang-tools")
@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("sku", SKUS)
def test_the_models_take_a_stock_switch_with_managed_buffers(
    sku: str, release: str, shared: Callable[[str], Path], tmp_path: Path
) -> None:
    target = _read(sku, release)
    config = _on_stock(roce_state(target), target)
    known = {table: rows for table, rows in config.items() if table in {*LISTS, "DEVICE_METADATA"}}
    assert complaints(known, shared(f"yang/sonic/{release}"), tmp_path) == ""
