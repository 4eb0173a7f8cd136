"""Devices whose last run was cut: the playbook must come to them, whatever a preview says of them.

A change that was committed and never proven looks like the intent until the device's own timer undoes it. A preview
that finds nothing to do would leave the device to that, and call it unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fabric_drift.workflow import journal
from fabric_drift.workflow.outcome import Part

TOLD = "an earlier run was cut; it is brought to its end, and nothing is applied on top"


def cut_parts(run_log: Path, devices: Iterable[str]) -> dict[str, Part]:
    """Device -> the part of the change that its newest unfinished run was about. Raises OSError."""
    found = {}
    for device in devices:
        for path in journal.unfinished(run_log, device)[-1:]:
            part = journal.first(journal.read(path), "run").get("part")
            found[device] = Part(part) if part in {known.value for known in Part} else Part.ADD_ON_SWITCHES
    return found


def visited(preview: dict[str, Any], cut: dict[str, Part]) -> dict[str, Any]:
    """``preview``, as for a play, with the cut devices that nothing is planned for each in a wave of its own, first."""
    planned = {device for part in preview["parts"].values() for device in part["devices"]}
    parts = {name: {key: list(value) for key, value in part.items()} for name, part in preview["parts"].items()}
    for device, part in sorted(cut.items(), reverse=True):
        if device not in planned:
            parts[part.value]["devices"].insert(0, device)
            parts[part.value]["serial"].insert(0, 1)
    lines = [f"cut: {device}: {TOLD}" for device in sorted(cut)]
    return {**preview, "parts": parts, "summary": [*lines, *preview["summary"]]}
