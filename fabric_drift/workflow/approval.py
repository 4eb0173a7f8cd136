"""What was approved, as hashes: of the intent, of the rendered text, and of the device as it was then."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from fabric_drift.change import Plan, Step
from fabric_drift.platform import Rendered
from fabric_drift.state import DeviceState, Path
from fabric_drift.state.tree import facts, plain
from fabric_drift.workflow.findings import at
from fabric_drift.workflow.fingerprint import digest
from fabric_drift.workflow.outcome import Approval, Part

VOLATILE = frozenset(("oper_up", "neighbour"))
"""Facts that change by themselves; health watches them."""


def of_rendered(files: tuple[Rendered, ...]) -> str:
    """Of the native configuration."""
    return digest([[file.name, file.text] for file in files])


def steady(state: DeviceState) -> Iterator[tuple[Path, Any]]:
    """Facts of a state that only change when somebody changes them."""
    return ((path, value) for path, value in facts(state) if not VOLATILE.intersection(path))


def approve(intent: str, rendered: str, running: DeviceState, plans: Mapping[Part, Plan]) -> Approval:
    """The approval of a device's plan in this state."""
    known = dict(facts(running))
    steps: dict[Part, tuple[str, ...]] = {}
    replaced_before: set[Path] = set()
    for part, plan in plans.items():
        steps[part] = tuple(_step(step, running, known, replaced_before) for step in plan.steps)
        replaced_before |= {path for step in plan.steps for path in step.paths}
    return Approval(intent, rendered, steps)


def _step(step: Step, running: DeviceState, known: Mapping[Path, Any], replaced_before: set[Path]) -> str:
    replaced = [
        [path, plain(known[path] if path in known else at(running, path))]
        for path in step.paths
        if path not in replaced_before and not VOLATILE.intersection(path)
    ]
    native = [step.title, step.kind, step.phase, step.forward, step.undo, step.ports]
    return digest([native, step.disruption, step.undo_disruption, replaced])


def moved(approved: Approval, now: Approval, part: Part | None) -> str:
    """What has moved since the approval, as one sentence; "" where nothing has.

    Parts that were approved and are already done may be missing now.
    """
    if approved.intent != now.intent:
        return "the intent isn't the approved one"
    if approved.rendered != now.rendered:
        return "the rendered configuration isn't the approved one"
    mine = tuple(Part) if part is None else (part,)
    for one in Part:
        then, today = approved.steps.get(one, ()), now.steps.get(one, ())
        if then != today and (one in mine or today):
            return f"the device has changed since the approval: other steps are needed ({one.value})"
    return ""


def facts_of(states: Mapping[Any, DeviceState]) -> dict[str, dict[str, Any]]:
    """Layer -> "path as JSON" -> plain value: what two readings are compared by."""
    return {
        layer.value: {json.dumps(path): plain(value) for path, value in steady(state)}
        for layer, state in sorted(states.items(), key=lambda item: item[0].value)
    }
