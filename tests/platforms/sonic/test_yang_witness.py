"""Rendered configuration meets SONiC's own YANG models of its release, and they do refuse what is wrong."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from fabric_drift.platform import Target
from fabric_drift.platforms.sonic import PLATFORM
from fabric_drift.state.device import DeviceState
from tests.platforms.sonic.devices import NVIDIA, merged, own_rows, rendered
from tests.platforms.sonic.roce import LEAF, SPINE, roce_state
from tests.platforms.sonic.strategies import states
from tests.platforms.sonic.yang import complaints

pytestmark = [
    pytest.mark.witness,
    pytest.mark.skipif(shutil.which("yanglint") is None, reason="yanglint is missing: apt-get install libyang-tools"),
]
RELEASES = ("202411", "202505", "202511")
BROKEN = {
    "a traffic class of 16": ("DSCP_TO_TC_MAP", {"26": "16"}),
    "a DSCP of 64": ("DSCP_TO_TC_MAP", {"64": "3"}),
    "a map that does not exist": ("PORT_QOS_MAP", {"dscp_to_tc_map": "NOWHERE"}),
    "a list of priorities with a space": ("PORT_QOS_MAP", {"pfc_enable": "3, 4"}),
    "a maximum below the minimum": ("WRED_PROFILE", {"green_max_threshold": "1"}),
    "a weight of 0": ("SCHEDULER", {"weight": "0"}),
    "an alpha of 8": ("BUFFER_PROFILE", {"dynamic_th": "8"}),
    "an MTU above 9216": ("PORT", {"mtu": "9217"}),
    "a detection time of 50 ms": ("PFC_WD", {"detection_time": "50"}),
}


def _config(state: DeviceState, target: Target) -> dict[str, Any]:
    return merged(own_rows(target), rendered(PLATFORM.localise(state, target), target))


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("target", [LEAF, SPINE], ids=lambda target: target.device)
def test_a_lossless_policy_is_valid_in_every_release(
    target: Target, release: str, shared: Callable[[str], Path], tmp_path: Path
) -> None:
    target = replace(target, release=release)
    assert complaints(_config(roce_state(target), target), shared(f"yang/sonic/{release}"), tmp_path) == ""


@pytest.mark.parametrize("release", RELEASES)
@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(example=states())
def test_any_supported_state_is_valid(
    release: str,
    example: tuple[DeviceState, Target],
    shared: Callable[[str], Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    state, target = example
    target = replace(target, release=release)
    folder = tmp_path_factory.mktemp("yang")
    assert complaints(_config(state, target), shared(f"yang/sonic/{release}"), folder) == ""


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("fault", sorted(BROKEN))
def test_the_models_refuse(fault: str, release: str, shared: Callable[[str], Path], tmp_path: Path) -> None:
    target = replace(LEAF, release=release)
    config = _config(roce_state(target), target)
    table, fields = BROKEN[fault]
    key = next(name for name in config[table] if name not in ("global", "GLOBAL"))
    config[table][key].update(fields)
    assert "libyang err" in complaints(config, shared(f"yang/sonic/{release}"), tmp_path)


def test_the_models_of_202511_refuse_to_poll_every_2000_ms(shared: Callable[[str], Path], tmp_path: Path) -> None:
    config = _config(roce_state(NVIDIA), NVIDIA)
    config["PFC_WD"]["GLOBAL"]["POLL_INTERVAL"] = "2000"
    assert "POLL_INTERVAL" in complaints(config, shared("yang/sonic/202511"), tmp_path)
