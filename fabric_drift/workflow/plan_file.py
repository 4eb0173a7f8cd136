"""A preview on disk: what was approved, device by device. A later apply refuses what has moved since."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any

from fabric_drift.errors import IntentError
from fabric_drift.workflow.outcome import Approval, Part, PreviewResult

SCHEMA = 1


def as_json(preview: PreviewResult) -> str:
    """Deterministic: the same preview gives the same bytes."""
    devices = {item.device: approval_as_json(item.approval) for item in preview.devices if item.approval}
    return json.dumps({"schema": SCHEMA, "fabric": preview.fabric, "devices": devices}, indent=2) + "\n"


def write(path: FilePath, preview: PreviewResult) -> None:
    """Writes the file atomically, readable by the owner only."""
    handle, fresh = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(as_json(preview))
            file.flush()
            os.fsync(file.fileno())
        FilePath(fresh).replace(path)
    except BaseException:
        FilePath(fresh).unlink(missing_ok=True)
        raise


def read(path: FilePath) -> dict[str, Approval]:
    """The approvals by device. Raises IntentError for a file that isn't one, or is of another version."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return _devices(content)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise IntentError(
            f"isn't a plan file that can be used: {type(error).__name__}: {' '.join(str(error).split())}",
            where=str(path),
            remedy="Write it again with a preview",
            code="FD-CHG-002",
        ) from error


def _devices(content: Mapping[str, Any]) -> dict[str, Approval]:
    if content["schema"] != SCHEMA:
        raise ValueError(f"schema {content['schema']} isn't {SCHEMA}")
    return {str(name): approval_from_json(item) for name, item in content["devices"].items()}


def approval_as_json(approval: Approval) -> dict[str, Any]:
    """Plain form, also of results of a play."""
    steps = {part.value: list(hashes) for part, hashes in approval.steps.items()}
    return {"intent": approval.intent, "rendered": approval.rendered, "steps": steps}


def approval_from_json(item: Mapping[str, Any]) -> Approval:
    """Raises KeyError, ValueError or TypeError for anything else."""
    steps = {Part(part): tuple(str(one) for one in hashes) for part, hashes in dict(item["steps"]).items()}
    return Approval(str(item["intent"]), str(item["rendered"]), steps)
