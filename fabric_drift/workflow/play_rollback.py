"""Taking back as an Ansible play asks for it: a host and its variables in, a plain dictionary out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path as FilePath
from typing import Any

from fabric_drift.workflow import journal, told
from fabric_drift.workflow.expectations import from_intent
from fabric_drift.workflow.outcome import Outcome, Part, Status
from fabric_drift.workflow.play_change import clean_lines, scene_for
from fabric_drift.workflow.rollback import Past, inverse, past, rollback


def rollback_host(
    host: str, variables: Mapping[str, Mapping[str, Any]], inventory: Iterable[str], arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """Takes back one part of what was done to one host of the play since ``since`` (beginning of a run id).

    ``arguments`` and result as of ``apply_host``, with since instead of approval and plan. ``runs`` lists
    {run_id, part} of those still to be taken back, newest first; before them one of no part that was cut, whenever
    it began: it is brought to its end, and nothing is taken back on top. Raises our errors for usage, intent,
    inventory and the run log.
    """
    expectations = from_intent(FilePath(arguments["intent"]))
    if host not in expectations.devices:
        return {**told.not_ours(host), "runs": []}
    run_log, since = FilePath(arguments["run_log"]), str(arguments["since"])
    part = Part(arguments["part"]) if arguments.get("part") else None
    near = [name for name in expectations.topology().neighbours(host) if name in variables]
    scene, _ = scene_for(expectations, variables, [host, *near], inventory, arguments)
    if arguments.get("check_mode"):
        plain = _would_be(host, run_log, past(run_log, host, since), part)
    else:
        outcome = rollback(scene, host, run_log=run_log, since=since, part=part)
        plain = told.ended(outcome)
    return clean_lines({**plain, "runs": _named(run_log, host, past(run_log, host, since))})


def _would_be(host: str, run_log: FilePath, runs: Sequence[Past], part: Part | None) -> dict[str, Any]:
    cut = journal.unfinished(run_log, host)
    if cut:
        message = f"run {cut[-1].stem} was cut: it would be brought to its end, and nothing taken back on top"
        return {**told.ended(Outcome(host, Status.CHANGED)), "message": message}
    mine = bool(runs) and (part is None or runs[0].part == part.value)
    status = Status.CHANGED if mine else Status.UNCHANGED
    message = f"run {runs[0].run_id} would be taken back" if mine else "nothing to take back"
    return {**told.ended(Outcome(host, status, inverse(runs[0].plan) if mine else None)), "message": message}


def _named(run_log: FilePath, host: str, runs: Sequence[Past]) -> list[dict[str, Any]]:
    cut = [{"run_id": path.stem, "part": "", "cut": True} for path in journal.unfinished(run_log, host)[-1:]]
    return [*cut, *({"run_id": run.run_id, "part": run.part} for run in runs)]
