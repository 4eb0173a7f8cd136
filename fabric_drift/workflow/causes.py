"""What rules say of a whole device. A cause of several findings is told beside them, and not counted a second time."""

from __future__ import annotations

from dataclasses import replace

from fabric_drift.finding import Verdict
from fabric_drift.platform import Reading
from fabric_drift.rules import infiniband
from fabric_drift.rules.infiniband import SmNodeView
from fabric_drift.state import DeviceState
from fabric_drift.state.tree import is_subtree
from fabric_drift.workflow.findings import Judgement, bounded


def add_causes(judgement: Judgement, expected: DeviceState, reading: Reading) -> None:
    """Adds what rules say of the whole device: as information where they name the cause of findings that are there."""
    if is_subtree(expected.infiniband):
        for found in infiniband.check({judgement.device: SmNodeView(expected, reading.states)}):
            shown = tuple(bounded(item) for item in reading.evidence(found.layer, found.path)) if found.layer else ()
            item = replace(found, evidence=shown, sources=judgement.sources(found.path))
            if item.rule in infiniband.COUNTING:
                judgement.facts[item.verdict] += 1
                judgement.findings.append(item)
            else:
                judgement.findings.append(replace(item, verdict=Verdict.INFORMATION))
