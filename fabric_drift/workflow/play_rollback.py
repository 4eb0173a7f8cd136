"""Taking back as an Ansible play asks for it: a host and its variables in, a plain dictionary out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path as FilePath
from typing import Any

from fabric_drift.workflow import told
from fabric_drift.workflow.expectations import from_intent
from fabric_drift.workflow.outcome import Outcome, Part, Status
from fabric_drift.workflow.play_change import clean_lines, scene_for
from fabric_drift.workflow.rollback import Past, inverse, past, rollback


def rollback_host(
    host: str, variables: Mapping[str, Mapping[str, Any]], inventory: Iterable[str], arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """Takes back one part of what was done to one host of the play since ``since`` (beginning of a run id).

    ``arguments`` and result as of ``apply_host``, with since instead of approval and plan. ``runs`` lists
    {run_id, part} of those still to be taken back, newest first. Raises our errors for usage, intent, inventory
    and the run log.
    """
    expectations = from_intent(FilePath(arguments["intent"]))
    if host not in expectations.devices:
        return {**told.not_ours(host), "runs": []}
    run_log, since = FilePath(arguments["run_log"]), str(arguments["since"])
    part = Part(arguments["part"]) if arguments.get("part") else None
    near = [name for name in expectations.topology().neighbours(host) if name in variables]
    scene, _ = scene_for(expectations, variables, [host, *near], inventory, arguments)
    if arguments.get("check_mode"):
        runs = past(run_log, host, since)
        mine = bool(runs) and (part is None or runs[0].part == part.value)
        status = Status.CHANGED if mine else Status.UNCHANGED
        outcome = Outcome(host, status, inverse(runs[0].plan) if mine else None)
        message = f"run {runs[0].run_id} would be taken back" if mine else "nothing to take back"
        plain = {**told.ended(outcome), "message": message, "runs": _named(runs)}
    else:
        outcome = rollback(scene, host, run_log=run_log, since=since, part=part)
        plain = {**told.ended(outcome), "runs": _named(past(run_log, host, since))}
    return clean_lines(plain)


def _named(runs: Sequence[Past]) -> list[dict[str, str]]:
    return [{"run_id": run.run_id, "part": run.part} for run in runs]
