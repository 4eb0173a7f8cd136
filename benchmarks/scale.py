"""load + expect + render of a large fabric: every switch, one at a time, as `fabric-drift render` does it."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from benchmarks.generate_intent import generate
from fabric_drift.expect import expect
from fabric_drift.intent import load
from fabric_drift.platform import Target
from fabric_drift.registry import platform


def scale(count: int) -> tuple[int, float, str]:
    """Loads the whole fabric, hosts too; expects and renders the first ``count`` switches."""
    with tempfile.TemporaryDirectory(prefix="fabric-drift-benchmark-") as folder:
        generate(Path(folder))
        start = time.perf_counter()
        fabric = load(Path(folder))
        loaded = time.perf_counter()
        switches = [name for name, device in fabric.devices.items() if not device.is_host][:count]
        size = 0
        for name in switches:
            device = fabric.devices[name]
            target = Target(name, device.releases[-1], device.hardware, device.asic, tuple(device.ports))
            shape = platform(device.platform)
            size += sum(len(item.text) for item in shape.render(shape.localise(expect(fabric, name), target), target))
        seconds = time.perf_counter() - start
    note = f"load {loaded - start:.1f} s, {len(fabric.devices)} devices, {len(fabric.links)} links; {size / 1e6:.0f} MB"
    return len(switches), seconds, note
