"""A plan in the run log and back, so that another process can undo it or take it back later."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabric_drift.change import Kind, Phase, Plan, Step
from fabric_drift.platform import Disruption
from fabric_drift.transport.scrub import scrub


def as_json(plan: Plan) -> dict[str, Any]:
    """Plain form without secrets. ``whole`` says whether nothing had to be left out for that."""
    steps = [step_as_json(step) for step in plan.steps]
    clean = [{**step, "forward": _clean(step["forward"]), "undo": _clean(step["undo"])} for step in steps]
    return {
        "device": plan.device,
        "platform": plan.platform,
        "route": plan.route,
        "deadline_s": plan.deadline_s,
        "shape": plan.shape,
        "diff": scrub(plan.diff),
        "whole": clean == steps,
        "steps": clean,
    }


def _clean(lines: list[str]) -> list[str]:
    return [scrub(line) for line in lines]


def step_as_json(step: Step) -> dict[str, Any]:
    """Plain form of a step, as it is."""
    return {
        "title": step.title,
        "paths": [list(path) for path in step.paths],
        "phase": step.phase.name.lower(),
        "kind": step.kind.value,
        "forward": list(step.forward),
        "undo": list(step.undo),
        "disruption": str(step.disruption),
        "undo_disruption": str(step.undo_disruption),
        "evidence": step.evidence,
        "ports": list(step.ports),
    }


def from_json(item: Mapping[str, Any]) -> Plan:
    """Raises KeyError, ValueError or TypeError for anything that isn't the plain form."""
    return Plan(
        device=str(item["device"]),
        platform=str(item["platform"]),
        route=str(item["route"]),
        steps=tuple(_step(step) for step in item["steps"]),
        diff=str(item["diff"]),
        deadline_s=int(item["deadline_s"]),
    )


def _step(item: Mapping[str, Any]) -> Step:
    return Step(
        title=str(item["title"]),
        paths=tuple(tuple(map(str, path)) for path in item["paths"]),
        phase=Phase[item["phase"].upper()],
        kind=Kind(item["kind"]),
        forward=tuple(map(str, item["forward"])),
        undo=tuple(map(str, item["undo"])),
        disruption=Disruption[item["disruption"].upper()],
        evidence=str(item["evidence"]),
        ports=tuple(map(str, item["ports"])),
        undo_disruption=Disruption[item["undo_disruption"].upper()],
    )
