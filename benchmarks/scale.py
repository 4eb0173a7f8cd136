"""load + expect + render of a large fabric: every switch, one at a time, as `fabric-drift render` does it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.clock import Clock
from benchmarks.generate_intent import generate
from fabric_drift.expect import expect
from fabric_drift.intent import load
from fabric_drift.intent.fabric import Fabric
from fabric_drift.platform import Target
from fabric_drift.registry import platform


def scale(count: int) -> tuple[int, Clock, str]:
    """Loads the whole fabric, hosts too; expects and renders the first ``count`` switches."""
    with tempfile.TemporaryDirectory(prefix="fabric-drift-benchmark-") as folder:
        generate(Path(folder))
        loading, rendering = Clock(), Clock()
        with loading.running():
            fabric = load(Path(folder))
        switches = [name for name, device in fabric.devices.items() if not device.is_host][:count]
        with rendering.running():
            size = sum(_render(fabric, name) for name in switches)
    note = (
        f"load {loading.seconds:.1f} s, {len(fabric.devices)} devices, {len(fabric.links)} links; {size / 1e6:.0f} MB"
    )
    both = Clock(loading.seconds + rendering.seconds, loading.cpu_seconds + rendering.cpu_seconds)
    return len(switches), both, note


def _render(fabric: Fabric, name: str) -> int:
    """Characters of one switch's configuration."""
    device = fabric.devices[name]
    target = Target(name, device.releases[-1], device.hardware, device.asic, tuple(device.ports))
    shape = platform(device.platform)
    return sum(len(item.text) for item in shape.render(shape.localise(expect(fabric, name), target), target))
