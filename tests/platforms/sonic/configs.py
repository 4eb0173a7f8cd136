"""A leaf's whole CONFIG_DB, what a reading tells of it, and single facts, for the tests of CONFIG_DB."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabric_drift.finding import Layer
from fabric_drift.platform import Reading
from fabric_drift.platforms.sonic import PLATFORM
from tests.platforms.sonic.devices import merged, own_rows, rendered
from tests.platforms.sonic.roce import LEAF, roce_state

PORT = "Ethernet0"


def leaf() -> dict[str, Any]:
    return merged(own_rows(LEAF), rendered(PLATFORM.localise(roce_state(LEAF), LEAF), LEAF))


def told(reading: Reading, layer: Layer = Layer.RUNNING) -> list[tuple[str, tuple[str, ...]]]:
    return [(item.line, item.path) for item in reading.unparsed if item.layer is layer]


def fact(reading: Reading, *path: str, layer: Layer = Layer.RUNNING) -> Any:
    value: Any = reading.states[layer]
    for part in path:
        if isinstance(value, Mapping):
            value = value[int(part)] if part.isdigit() else value[part]
        else:
            value = getattr(value, part)
    return value
