"""Previews and outcomes as plain dictionaries, for plays and machines."""

from __future__ import annotations

from typing import Any

from fabric_drift.change import Plan
from fabric_drift.platform import Disruption
from fabric_drift.transport.scrub import scrub
from fabric_drift.workflow import plan_json
from fabric_drift.workflow.outcome import (
    DevicePreview,
    Outcome,
    Part,
    PreviewResult,
    PreviewStatus,
    Status,
)
from fabric_drift.workflow.plan_file import approval_as_json

REFUSALS_TOLD = 5


def previewed(result: PreviewResult) -> dict[str, Any]:
    """A whole preview. Native text is without secrets."""
    bad = (PreviewStatus.REFUSED, PreviewStatus.FAILED)
    return {
        "summary": summary(result),
        "devices": {device.device: _device(device) for device in result.devices},
        "shapes": _shapes(result),
        "waves": [
            {"number": w.number, "part": w.part.value, "devices": list(w.devices), "is_canary": w.is_canary}
            for w in result.waves
        ],
        "parts": _parts(result),
        "ok": not any(device.status in bad for device in result.devices),
        "changed": any(device.status is PreviewStatus.PLANNED for device in result.devices),
    }


def summary(result: PreviewResult) -> list[str]:
    """For people: one paragraph per shape, then who can't be changed and why, then the count."""
    by_name = {device.device: device for device in result.devices}
    lines: list[str] = []
    for shape, names in sorted(result.shapes.items()):
        first = by_name[names[0]]
        steps = first.plan.steps if first.plan else ()
        noun = "device" if len(names) == 1 else "devices"
        lines.append(f"shape {shape}: {len(names)} {noun} ({', '.join(names)}), disruption {first.disruption}")
        lines += [f"  {_step_line(step)}" for step in steps]
    for (status, reasons), refused in _reasons(result).items():
        more = len(reasons) - REFUSALS_TOLD
        lines.append(f"{status.value}: {', '.join(refused)}")
        lines += [f"  {text}" for text in reasons[:REFUSALS_TOLD]]
        lines += [f"  ... and {more} more reasons"] if more > 0 else []
    counts = {status: sum(d.status is status for d in result.devices) for status in PreviewStatus}
    lines.append(", ".join(f"{count} {status.value}" for status, count in counts.items() if count) or "no devices")
    return lines


def _reasons(result: PreviewResult) -> dict[tuple[PreviewStatus, tuple[str, ...]], list[str]]:
    """(status, why) -> devices: a fleet that is refused for one reason is one paragraph."""
    found: dict[tuple[PreviewStatus, tuple[str, ...]], list[str]] = {}
    for device in result.devices:
        told = (
            *(f"{'/'.join(item.path)}: {item.problem}. {item.remedy}" for item in device.refusals),
            *(text.removeprefix(f"{device.device}: ") for text in device.problems),
        )
        if told:
            found.setdefault((device.status, told), []).append(device.device)
    return found


def _step_line(step: Any) -> str:
    undo = "undone by its inverse" if step.undo else "undone by the whole saved configuration"
    price = f" ({step.undo_disruption})" if step.undo_disruption is not Disruption.NONE else ""
    return f"{step.kind.value}: {step.title}; {step.disruption}; {undo}{price}"


def _device(device: DevicePreview) -> dict[str, Any]:
    return {
        "status": device.status.value,
        "disruption": str(device.disruption),
        "shape": device.shape,
        "parts": [part.value for part in device.parts],
        "steps": [
            {"part": part.value, **step}
            for part, plan in device.parts.items()
            for step in plan_json.as_json(plan)["steps"]
        ],
        "refusals": [
            {"path": "/".join(item.path), "problem": item.problem, "remedy": item.remedy} for item in device.refusals
        ],
        "problems": list(device.problems),
        "diff": scrub(device.plan.diff) if device.plan else "",
        "notes": list(device.notes),
        "approval": approval_as_json(device.approval) if device.approval else {},
    }


def _shapes(result: PreviewResult) -> list[dict[str, Any]]:
    by_name = {device.device: device for device in result.devices}
    return [
        {
            "shape": shape,
            "devices": list(names),
            "disruption": str(by_name[names[0]].disruption),
            "diff": _device(by_name[names[0]])["diff"],
        }
        for shape, names in sorted(result.shapes.items())
    ]


def _parts(result: PreviewResult) -> dict[str, Any]:
    """Per part the devices in their order and the sizes of the batches, as ``serial`` wants them."""
    found: dict[str, Any] = {part.value: {"devices": [], "serial": []} for part in Part}
    for wave in result.waves:
        found[wave.part.value]["devices"] += list(wave.devices)
        found[wave.part.value]["serial"].append(len(wave.devices))
    return found


def would_be(device: DevicePreview, part: Part | None) -> dict[str, Any]:
    """What an apply would do to one device, in the form of ``ended``."""
    plan = device.plan if part is None else device.parts.get(part)
    ok = device.status in (PreviewStatus.UNCHANGED, PreviewStatus.PLANNED)
    steps = len(plan.steps) if plan else 0
    problems = [*device.problems, *(f"{'/'.join(r.path)}: {r.problem}. {r.remedy}" for r in device.refusals)]
    return {
        "status": device.status.value,
        "ok": ok,
        "changed": ok and steps > 0,
        "message": problems[0] if problems else f"{steps} steps would be done" if steps else "nothing to do",
        "problems": problems,
        "by_hand": "",
        "stages": [],
        "run_id": "",
        "log": "",
        "notes": list(device.notes),
        **_native(plan),
    }


MESSAGES = {
    Status.UNCHANGED: "nothing to do",
    Status.CHANGED: "changed, proven and confirmed",
    Status.UNDONE: "undone; the device is as before",
    Status.REFUSED: "refused; nothing was done",
    Status.FAILED_BEFORE_CHANGE: "failed before anything was changed",
    Status.NEEDS_HUMAN: "NEEDS A HUMAN",
    Status.NOT_ATTEMPTED: "not attempted",
}


def ended(outcome: Outcome) -> dict[str, Any]:
    """How an apply ended."""
    message = ": ".join((MESSAGES[outcome.status], *outcome.problems[:1]))
    return {
        "status": outcome.status.value,
        "ok": outcome.ok,
        "changed": outcome.status in (Status.CHANGED, Status.UNDONE, Status.NEEDS_HUMAN),
        "message": f"{message}. By hand on {outcome.device}: {outcome.by_hand}" if outcome.by_hand else message,
        "problems": list(outcome.problems),
        "is_stale": outcome.is_stale,
        "by_hand": outcome.by_hand,
        "stages": [stage.value for stage in outcome.stages],
        "run_id": outcome.run_id,
        "log": outcome.log,
        "notes": list(outcome.notes),
        **_native(outcome.plan),
    }


def not_ours(host: str) -> dict[str, Any]:
    """A host of the play that the intent doesn't know: left alone."""
    outcome = Outcome(host, Status.UNCHANGED, notes=("the intent doesn't know it",))
    return ended(outcome)


def _native(plan: Plan | None) -> dict[str, Any]:
    steps = plan_json.as_json(plan)["steps"] if plan else []
    after = "".join(f"{line}\n" for step in steps for line in step["forward"])
    before = "".join(f"{line}\n" for step in reversed(steps) for line in step["undo"])
    text = scrub(plan.diff) if plan and plan.steps else ""
    return {
        "commands": after.splitlines(),
        "before": before,
        "after": after,
        "diff": {"prepared": text if text.endswith("\n") or not text else f"{text}\n"},
    }
