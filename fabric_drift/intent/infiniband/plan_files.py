"""Which of three forms a plan has: text of ``ibnetdiscover``, a topology file (``.topo``), or a CSV of cables."""

from __future__ import annotations

from pathlib import Path

from fabric_drift.errors import IntentError
from fabric_drift.intent.faults import make
from fabric_drift.intent.infiniband.plan import PlannedNode
from fabric_drift.intent.infiniband.plan_cabling import cabled, read_names
from fabric_drift.intent.infiniband.plan_csv import read_csv
from fabric_drift.intent.infiniband.plan_discovered import is_discovered, read_discovered
from fabric_drift.intent.infiniband.plan_topo import read_topo


def read_plan(path: Path, errors: list[IntentError], guids: Path | None = None) -> dict[str, PlannedNode]:
    """Nodes by GUID. ``guids``: names and GUIDs, for the forms that have only names.

    Faults go to ``errors``, each with its file and line; after any, the plan must not be used.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        errors.append(make("FD-INT-015", f"the plan can't be read ({type(error).__name__})", where=str(path)))
        return {}
    if path.suffix != ".csv" and is_discovered(text):
        return read_discovered(text, path, errors)
    if guids is None:
        problem = "this plan names nodes without their GUIDs"
        remedy = "Name a CSV with name, kind, node_guid, port, port_guid under plan_guids, or use ibnetdiscover"
        errors.append(make("FD-INT-064", problem, where=str(path), remedy=remedy))
        return {}
    names = read_names(guids, errors)
    cables = read_csv(text, path, errors) if path.suffix == ".csv" else read_topo(text, path, errors)
    return cabled(list(cables), names, str(path), errors)
