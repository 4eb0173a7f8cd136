"""What the intent means in a device's own words; no device is asked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path as FilePath

from fabric_drift.errors import Refused
from fabric_drift.platform import Rendered, Target
from fabric_drift.registry import platform as registered
from fabric_drift.state.tree import children, is_subtree
from fabric_drift.workflow.expectations import Device, Expectations
from fabric_drift.workflow.sources import PlatformOf


def target(expectations: Expectations, device: Device, release: str = "") -> Target:
    """The device as the intent describes it: ``release``, else the last allowed one, since nothing was observed."""
    state = expectations.expect(device.name)
    ports = tuple(name for name, _ in children(state.ports)) if is_subtree(state.ports) else ()
    newest = device.releases[-1] if device.releases else ""
    return Target(device.name, release or newest, device.hardware, device.asic, ports)


def rendered(expectations: Expectations, device: Device, platform: PlatformOf = registered) -> tuple[Rendered, ...]:
    """The device's native configuration. Raises Unsupported for what its platform can't express."""
    words = platform(device.platform)
    place = target(expectations, device)
    return words.render(words.localise(expectations.expect(device.name), place), place)


def write(directory: FilePath, files: Sequence[Rendered]) -> None:
    """Writes rendered files below ``directory``. Raises Refused for a name that leads out of it."""
    root = directory.resolve()
    for file in files:
        path = (root / file.name).resolve()
        if not path.is_relative_to(root):
            raise Refused(f"{file.name!r} leads out of {directory}", failed=file.name, code="FD-RND-001")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8", newline="")
