"""Finding, verdict, severity, evidence: what a check says, and its JSON (schema version 1)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Any

from fabric_drift.state.tree import plain
from fabric_drift.state.values import Path, path_text


class Layer(str, Enum):
    """Where a fact was read. Each layer can lie about the next."""

    SAVED = "saved"
    RUNNING = "running"
    NOS = "nos"
    SAI = "sai"
    HARDWARE = "hardware"


class Verdict(str, Enum):
    """``UNOBSERVED`` and ``ERROR`` are never counted or printed as fine."""

    MATCH = "match"
    DRIFT = "drift"
    WAIVED = "waived"
    NOT_APPLICABLE = "not_applicable"
    UNOBSERVED = "unobserved"
    ERROR = "error"
    INFORMATION = "information"
    """Differs outside the managed scope: told, never counted as drift, never touched."""


class Severity(IntEnum):
    """Ordered, so that ``--fail-on high`` can compare."""

    INFO = 0
    LOW = 1
    MEDIUM = 2
    HIGH = 3
    CRITICAL = 4


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the device answered: the command and the lines of its output that decided."""

    command: str
    lines: tuple[str, ...] = ()
    line_number: int = 0
    """1-based line of the first of ``lines`` in the output, 0 where output has no lines (JSON, Redis)."""


@dataclass(frozen=True, slots=True)
class Source:
    """The line of the intent that asked."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact that isn't as intended, or could not be told."""

    device: str
    path: Path
    layer: Layer | None
    verdict: Verdict
    expected: Any
    actual: Any
    rule: str = "FD-FACT-000"
    severity: Severity = Severity.HIGH
    message: str = ""
    sources: tuple[Source, ...] = ()
    evidence: tuple[Evidence, ...] = ()

    @property
    def id(self) -> str:
        """Stable over runs: same device, fact, layer and rule, same id, whatever the values are."""
        layer = self.layer.value if self.layer else "-"
        text = "\0".join((self.device, *self.path, layer, self.rule))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def as_json(self) -> dict[str, Any]:
        """The finding in the shape of the JSON report, schema version 1."""
        return {
            "id": self.id,
            "device": self.device,
            "path": list(self.path),
            "fact": path_text(self.path),
            "layer": self.layer.value if self.layer else None,
            "verdict": self.verdict.value,
            "severity": self.severity.name.lower(),
            "rule": self.rule,
            "message": self.message,
            "expected": plain(self.expected),
            "actual": plain(self.actual),
            "sources": [{"file": source.file, "line": source.line} for source in self.sources],
            "evidence": [
                {"command": item.command, "lines": list(item.lines), "line_number": item.line_number}
                for item in self.evidence
            ],
        }


SEVERITY_ORDER = sorted(Severity, reverse=True)
