"""The JSON report, as ``document`` has it. No times: same result, same bytes."""

from __future__ import annotations

import json as standard
from typing import Any

from fabric_drift.finding import Verdict
from fabric_drift.report.document import CheckHead, DeviceDocument
from fabric_drift.report.harmless import cleaned
from fabric_drift.result import CheckResult, DeviceResult


def json(result: CheckResult, *, verbose: bool = False) -> str:  # noqa: ARG001  JSON always says everything
    """The whole result as JSON text, finding by finding: there may be 20,000, each large as objects."""
    head = _dumps(_head(result)).removesuffix("\n}")
    findings = ",\n".join(_indented(_dumps(finding.as_json())) for finding in result.findings)
    return f'{head},\n  "findings": [\n{findings}\n  ]\n}}\n' if findings else f'{head},\n  "findings": []\n}}\n'


def _dumps(value: Any) -> str:
    return standard.dumps(cleaned(value), indent=2, ensure_ascii=False)


def _indented(text: str) -> str:
    """As an item of a list of the report; JSON has no line break inside a string."""
    return "    " + text.replace("\n", "\n    ")


def _head(result: CheckResult) -> CheckHead:
    """Everything but the findings."""
    return {
        "schema": "fabric-drift/check",
        "version": 1,
        "fabric": result.fabric,
        "summary": {
            "devices": len(result.devices),
            "statuses": {status.value: count for status, count in result.statuses.items()},
            "facts": {verdict.value: count for verdict, count in result.facts.items()},
            "drift": result.drift(),
            "incomplete": result.incomplete,
        },
        "warnings": list(result.warnings),
        "devices": [_device(device) for device in result.devices],
    }


def _device(device: DeviceResult) -> DeviceDocument:
    return {
        "name": device.name,
        "platform": device.platform,
        "release": device.release,
        "lifecycle": device.lifecycle,
        "status": device.status.value,
        "problem": device.problem,
        "facts": {verdict.value: device.facts.get(verdict, 0) for verdict in Verdict},
        "notes": list(device.notes),
        "refused": list(device.refused),
    }
