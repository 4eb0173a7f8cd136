"""Devices and outputs for the tests: targets, what a switch brings besides our tables, and parsing of text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from fabric_drift.finding import Layer
from fabric_drift.platform import Output, Reading, Target
from fabric_drift.platforms.sonic import PLATFORM
from fabric_drift.platforms.sonic import commands as c
from fabric_drift.state.device import DeviceState

PORTS = tuple(f"Ethernet{8 * index}" for index in range(4))
LOOKUP = """\
# speed cable size xon xoff threshold xon_offset
400000 5m  18796 0 393192 0 3556
400000 40m 18796 0 446024 -1 3556
"""
BROADCOM = Target("leaf1", "202505", hardware="Arista-7060X6-64PE", asic="broadcom", ports=PORTS)
NVIDIA = Target("spine1", "202511", hardware="Mellanox-SN5600", asic="mellanox", ports=PORTS)
PLATFORM_NAMES = {"broadcom": "x86_64-arista_7060x6_64pe", "mellanox": "x86_64-nvidia_sn5600-r0"}


def own_rows(target: Target, ports: tuple[str, ...] = PORTS) -> dict[str, Any]:
    """PORT and DEVICE_METADATA as the switch has them before anything of ours."""
    return {
        "DEVICE_METADATA": {
            "localhost": {
                "hostname": target.device,
                "hwsku": target.hardware,
                "platform": PLATFORM_NAMES[target.asic],
                "type": "LeafRouter",
            }
        },
        "PORT": {
            name: {"lanes": str(8 * index + 1), "speed": "400000", "admin_status": "up", "alias": f"etp{index + 1}"}
            for index, name in enumerate(ports)
        },
    }


def merged(config: Mapping[str, Any], rendered: Mapping[str, Any]) -> dict[str, Any]:
    """``rendered`` on top of ``config``, field by field."""
    result = json.loads(json.dumps(config))
    for table, rows in rendered.items():
        for key, row in rows.items():
            result.setdefault(table, {}).setdefault(key, {}).update(row)
    return dict(result)


def version(target: Target) -> Output:
    build = f"{target.release}.1024-0a1b2c3d4"
    return Output(f"---\nbuild_version: '{build}'\nasic_type: {target.asic}\nrelease: '{target.release}'\n")


def outputs_of(config: Any, target: Target = BROADCOM, lookup: str | None = LOOKUP) -> dict[str, Output]:
    """What the switch answers when running and saved configuration are ``config``."""
    text = config if isinstance(config, str) else json.dumps(config)
    outputs = {c.VERSION.text: version(target), c.RUNNING.text: Output(text), c.SAVED.text: Output(text)}
    table = c.lookup(outputs)
    if lookup is not None and table is not None:
        outputs[table.text] = Output(lookup)
    return outputs


def read(config: Any, target: Target = BROADCOM, lookup: str | None = LOOKUP) -> Reading:
    return PLATFORM.parse(outputs_of(config, target, lookup))


def running(config: Any, target: Target = BROADCOM, lookup: str | None = LOOKUP) -> DeviceState:
    return read(config, target, lookup).states[Layer.RUNNING]


def rendered(state: DeviceState, target: Target) -> dict[str, Any]:
    """The tables of the rendered config_db.json."""
    (file,) = PLATFORM.render(state, target)
    return dict(json.loads(file.text))
