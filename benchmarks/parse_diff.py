"""Parse + diff of many captured devices, and the least that anybody must pay: json.loads."""

from __future__ import annotations

import json
from collections.abc import Mapping

from benchmarks.clock import Clock
from benchmarks.fleet import Fleet, devices, fleet
from fabric_drift.diff import diff
from fabric_drift.platform import Output
from fabric_drift.registry import platform


def eos(count: int) -> tuple[int, Clock, str]:
    return _measure("eos", count)


def sonic(count: int) -> tuple[int, Clock, str]:
    return _measure("sonic", count)


def sonic_json(count: int) -> tuple[int, Clock, str]:
    clock = Clock()
    for outputs in devices(fleet("sonic"), count):
        with clock.running():
            for output in outputs.values():
                if output.stdout.startswith(("{", "[")):
                    json.loads(output.stdout)
    return count, clock, ""


def _measure(name: str, count: int) -> tuple[int, Clock, str]:
    source = fleet(name)
    check(source, source.outputs)  # warm-up: what is done once per run
    clock, drifted = Clock(), 0
    for outputs in devices(source, count):
        with clock.running():
            differences, unparsed = check(source, outputs)
        drifted += differences > 0
        assert unparsed == 0, "the benchmark measures devices that are understood"
    lines = sum(output.stdout.count("\n") for output in outputs.values())
    assert drifted == (count + 3) // 4, f"{drifted} of {count} drifted"
    return count, clock, f"{lines} lines, {drifted} with drift"


def check(source: Fleet, outputs: Mapping[str, Output]) -> tuple[int, int]:
    """What a check does with the answers of one device: (differences, unparsed lines)."""
    reading = platform(source.platform).parse(outputs)
    found = diff(source.expected, reading.states)
    return len(found.differences), len(reading.unparsed)
