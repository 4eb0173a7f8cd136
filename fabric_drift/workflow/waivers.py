"""Accepted drift: a YAML file with scope, reason, owner and expiry. An expired waiver gives the finding back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path as FilePath
from typing import Any

import yaml

from fabric_drift.errors import IntentError, IntentErrors
from fabric_drift.finding import Finding, Source, Verdict
from fabric_drift.state import Path

SOON_DAYS = 14
SCOPE = ("id", "fact", "rule", "devices", "layer")
REQUIRED = ("reason", "owner", "expires")


@dataclass(frozen=True, slots=True)
class Waiver:
    """``devices``: patterns with ``*``. ``fact``: path with ``*`` for one part, covering what lies below it."""

    reason: str
    owner: str
    expires: date
    source: Source
    id: str = ""
    fact: str = ""
    rule: str = ""
    layer: str = ""
    devices: tuple[str, ...] = ("*",)

    def covers(self, finding: Finding) -> bool:
        """Whether the finding is in its scope. Only drift can be accepted: what wasn't seen can't."""
        return (
            finding.verdict is Verdict.DRIFT
            and self.id in ("", finding.id)
            and self.rule in ("", finding.rule)
            and self.layer in ("", finding.layer.value if finding.layer else "")
            and any(fnmatchcase(finding.device, pattern) for pattern in self.devices)
            and _covers(self.fact, finding.path)
        )


def _covers(pattern: str, path: Path) -> bool:
    """A port's name may hold slashes, so both sides are compared part by part after joining and splitting."""
    wanted, found = [part for part in pattern.split("/") if part], "/".join(path).split("/")
    if _parts_cover(wanted, list(path)):
        return True
    return "*" not in wanted and _parts_cover(wanted, found)


def _parts_cover(wanted: list[str], found: list[str]) -> bool:
    return len(wanted) <= len(found) and all(
        fnmatchcase(part, pattern) for pattern, part in zip(wanted, found, strict=False)
    )


def apply(findings: Sequence[Finding], waivers: Sequence[Waiver], today: date) -> tuple[Finding, ...]:
    """The findings, those that a waiver in force covers as ``waived`` with its reason, owner and expiry."""
    in_force = [waiver for waiver in waivers if waiver.expires >= today]
    return tuple(_waived(finding, in_force) for finding in findings) if in_force else tuple(findings)


def _waived(finding: Finding, waivers: Sequence[Waiver]) -> Finding:
    for waiver in waivers:
        if waiver.covers(finding):
            note = f"{finding.message}; waived until {waiver.expires} by {waiver.owner}: {waiver.reason}"
            return replace(finding, verdict=Verdict.WAIVED, message=note, sources=(*finding.sources, waiver.source))
    return finding


def warnings(waivers: Sequence[Waiver], findings: Sequence[Finding], today: date) -> tuple[str, ...]:
    """What somebody should do about waivers: expired, about to, or without anything to waive."""
    used = {str(source) for finding in findings if finding.verdict is Verdict.WAIVED for source in finding.sources}
    told = []
    for waiver in waivers:
        days = (waiver.expires - today).days
        if days < 0:
            told.append(f"{waiver.source}: waiver of {waiver.owner} expired on {waiver.expires}; its findings are back")
        elif str(waiver.source) not in used:
            told.append(f"{waiver.source}: waiver of {waiver.owner} waives nothing; remove it")
        elif days <= SOON_DAYS:
            told.append(f"{waiver.source}: waiver of {waiver.owner} expires in {days} d, on {waiver.expires}")
    return tuple(told)


def load(path: FilePath) -> tuple[Waiver, ...]:
    """The waivers of a file. Raises IntentErrors with every fault."""
    faults: list[IntentError] = []
    try:
        node = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
        waivers = [waiver for item in _items(path, node) if (waiver := _waiver(path, item, faults)) is not None]
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        mark = getattr(error, "problem_mark", None)
        problem = f"can't be read: {' '.join(str(getattr(error, 'problem', None) or error).split())}"
        faults.append(_fault(path, mark.line + 1 if mark else 1, "", problem, "Fix the file"))
    if faults:
        raise IntentErrors(faults)
    return tuple(waivers)


def _items(path: FilePath, node: yaml.Node | None) -> list[yaml.Node]:
    if node is None:
        return []
    if (
        isinstance(node, yaml.MappingNode)
        and [key.value for key, _ in node.value] == ["waivers"]
        and isinstance(node.value[0][1], yaml.SequenceNode)
    ):
        return list(node.value[0][1].value)
    line = node.start_mark.line + 1
    raise IntentErrors([_fault(path, line, "", "isn't a mapping with one list `waivers`", "See docs/check.md")])


def _waiver(path: FilePath, node: yaml.Node, faults: list[IntentError]) -> Waiver | None:
    line = node.start_mark.line + 1
    found = len(faults)

    def fault(what: str, problem: str, remedy: str) -> None:
        faults.append(_fault(path, line, what, problem, remedy))

    if not isinstance(node, yaml.MappingNode):
        fault("waivers", "an entry isn't a mapping", "Give reason, owner, expires and a scope")
        return None
    keys = [key.value for key, _ in node.value]
    for key in sorted({key for key in keys if keys.count(key) > 1}):
        fault(key, "is given twice", "Remove one")
    for key in sorted(set(keys) - {*SCOPE, *REQUIRED}):
        fault(key, "isn't a key of a waiver", f"Use {', '.join((*SCOPE, *REQUIRED))}")
    values = {key.value: yaml.SafeLoader("").construct_object(value, deep=True) for key, value in node.value}
    _check_values(values, fault)
    if len(faults) > found:
        return None
    return _built(values, Source(str(path), line))


def _check_values(values: dict[str, Any], fault: Any) -> None:
    for key in REQUIRED:
        if not values.get(key):
            fault(key, "is missing", "Say who accepted it, why and until when")
    if values.get("expires") and type(values["expires"]) is not date:
        fault("expires", f"{values['expires']!r} isn't a date", "Write it as YYYY-MM-DD")
    if not any(values.get(key) for key in ("id", "fact", "rule")):
        fault("id", "a waiver without id, fact or rule would waive everything", "Name what is accepted")
    devices = values.get("devices", "*")
    if not isinstance(devices, str) and not (isinstance(devices, list) and all(isinstance(d, str) for d in devices)):
        fault("devices", "isn't a name, a pattern or a list of them", "Write names, `*` is allowed")
    for key in ("id", "fact", "rule", "layer", "reason", "owner"):
        if not isinstance(values.get(key, ""), str):
            fault(key, f"{values[key]!r} isn't text", "Put it in quotes")


def _built(values: dict[str, Any], source: Source) -> Waiver:
    devices = values.get("devices", "*")
    scope = {key: values.get(key, "") for key in ("id", "fact", "rule", "layer")}
    return Waiver(
        reason=" ".join(values["reason"].split()),
        owner=values["owner"],
        expires=values["expires"],
        source=source,
        devices=(devices,) if isinstance(devices, str) else tuple(devices),
        **scope,
    )


def _fault(path: FilePath, line: int, what: str, problem: str, remedy: str) -> IntentError:
    return IntentError(problem, where=f"{path}:{line}", what=what, remedy=remedy, code="FD-WAV-001")
