"""Parse + diff of many captured devices, and the least that anybody must pay: json.loads."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping

from benchmarks.fleet import Fleet, devices, fleet
from fabric_drift.diff import diff
from fabric_drift.platform import Output
from fabric_drift.registry import platform


def eos(count: int) -> tuple[int, float, str]:
    return _measure("eos", count)


def sonic(count: int) -> tuple[int, float, str]:
    return _measure("sonic", count)


def sonic_json(count: int) -> tuple[int, float, str]:
    seconds = 0.0
    for outputs in devices(fleet("sonic"), count):
        start = time.perf_counter()
        for output in outputs.values():
            if output.stdout.startswith(("{", "[")):
                json.loads(output.stdout)
        seconds += time.perf_counter() - start
    return count, seconds, ""


def _measure(name: str, count: int) -> tuple[int, float, str]:
    source = fleet(name)
    seconds, drifted = 0.0, 0
    for outputs in devices(source, count):
        start = time.perf_counter()
        differences, unparsed = check(source, outputs)
        seconds += time.perf_counter() - start
        drifted += differences > 0
        assert unparsed == 0, "the benchmark measures devices that are understood"
    lines = sum(output.stdout.count("\n") for output in outputs.values())
    assert drifted == (count + 3) // 4, f"{drifted} of {count} drifted"
    return count, seconds, f"{lines} lines, {drifted} with drift"


def check(source: Fleet, outputs: Mapping[str, Output]) -> tuple[int, int]:
    """What a check does with the answers of one device: (differences, unparsed lines)."""
    reading = platform(source.platform).parse(outputs)
    found = diff(source.expected, reading.states)
    return len(found.differences), len(reading.unparsed)
