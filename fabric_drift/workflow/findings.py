"""A reading against what is expected: findings and counts of one device that is the right one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from fabric_drift.diff import Difference, DiffMemo, count, diff, same, unexpected
from fabric_drift.finding import Evidence, Finding, Layer, Severity, Source, Verdict
from fabric_drift.platform import Reading, UnparsedLine
from fabric_drift.rules.facts import UNMANAGED_RULE, UNPARSED_RULE, UNREAD_RULE, rule_for
from fabric_drift.state import UNSAID, DeviceState, Path, Unobserved, is_said
from fabric_drift.state.tree import child, is_subtree

EVIDENCE_LINES, EVIDENCE_CHARACTERS = 8, 400
LAYERS = {layer: number for number, layer in enumerate(Layer)}


@dataclass(slots=True)
class Judgement:
    """Findings and counts, while they are made."""

    device: str
    sources: Callable[[Path], tuple[Source, ...]]
    findings: list[Finding] = field(default_factory=list)
    facts: Counter[Verdict] = field(default_factory=Counter)

    def add(self, verdict: Verdict, path: Path, layer: Layer | None, facts: int = 1, **details: Any) -> None:
        """One finding that stands for ``facts`` facts. Only findings are worth their source lines."""
        details.setdefault("sources", self.sources(path))
        details["evidence"] = tuple(bounded(item) for item in details.get("evidence", ()))
        self.facts[verdict] += facts
        self.findings.append(Finding(self.device, path, layer, verdict, **details))


def bounded(evidence: Evidence) -> Evidence:
    """The evidence, cut to what a person reads: a row of the ASIC's database can have 50,000 characters."""
    if len(evidence.lines) <= EVIDENCE_LINES and all(len(line) <= EVIDENCE_CHARACTERS for line in evidence.lines):
        return evidence
    lines = [
        line if len(line) <= EVIDENCE_CHARACTERS else f"{line[:EVIDENCE_CHARACTERS]}..."
        for line in evidence.lines[:EVIDENCE_LINES]
    ]
    more = len(evidence.lines) - EVIDENCE_LINES
    return replace(evidence, lines=(*lines, *([f"... and {more} more lines"] if more > 0 else ())))


def compare(judgement: Judgement, expected: DeviceState, reading: Reading, away: Callable[[str], bool]) -> None:
    """Adds everything that isn't as expected. ``away``: whether a neighbour needn't be there (lifecycle)."""
    memo = DiffMemo()
    result = diff(expected, reading.states, memo)
    judgement.facts[Verdict.MATCH] += result.matches
    judgement.facts[Verdict.NOT_APPLICABLE] += result.not_applicable
    for layer, difference in result.differences:
        if _missing_neighbour(expected, difference, away) or _port_of_another(
            expected, difference, reading.states[layer]
        ):
            judgement.facts[Verdict.NOT_APPLICABLE] += 1
        else:
            _difference(judgement, layer, difference, reading)
    for path in result.unread:
        _unread(judgement, expected, path)
    for line in reading.unparsed:
        _unparsed(judgement, expected, line)
    for layer, path in _clouded(reading.unparsed):
        _withdraw_matches(judgement, at(expected, path), at(reading.states.get(layer, UNSAID), path), memo)
    _unmanaged(judgement, expected, reading)
    judgement.findings.sort(key=order)


def order(finding: Finding) -> tuple[Any, ...]:
    """By path, then layer: the order of findings of one device everywhere."""
    layer = LAYERS[finding.layer] if finding.layer else len(LAYERS)
    lines = finding.evidence[0].line_number if finding.evidence else 0
    return (finding.path, layer, finding.rule, finding.verdict.value, lines, repr(finding.actual))


def _difference(judgement: Judgement, layer: Layer, found: Difference, reading: Reading) -> None:
    rule = rule_for(found.path)
    judgement.add(
        found.verdict,
        found.path,
        layer,
        max(1, count(found.expected)),
        expected=found.expected,
        actual=found.actual,
        rule=rule.id,
        severity=rule.severity,
        message=rule.title if found.verdict is Verdict.DRIFT else "Could not be seen",
        evidence=_evidence(layer, found, reading),
    )


def _evidence(layer: Layer, found: Difference, reading: Reading) -> tuple[Evidence, ...]:
    """What decided; of PFC priorities just those that differ, where the platform can tell them apart."""
    if (
        found.path[-2:] == ("pfc", "priorities")
        and isinstance(found.expected, tuple)
        and isinstance(found.actual, tuple)
    ):
        members = sorted({*found.expected} ^ {*found.actual})
        shown = [item for member in members for item in reading.evidence(layer, (*found.path, str(member)))]
        if shown:
            return tuple(sorted(dict.fromkeys(shown), key=lambda item: item.line_number))
    return reading.evidence(layer, found.path)


def _missing_neighbour(expected: DeviceState, found: Difference, away: Callable[[str], bool]) -> bool:
    """Nobody on a link whose other end the intent lets be away; somebody else there is drift all the same."""
    if found.path[:1] != ("ports",) or "neighbour" not in found.path or is_said(found.actual):
        return False
    device = at(expected, (*found.path[: found.path.index("neighbour") + 1], "device"))
    return isinstance(device, str) and away(device)


def _port_of_another(expected: DeviceState, found: Difference, state: DeviceState) -> bool:
    """The port of a neighbour that is another device: it follows from that finding."""
    if found.path[:1] != ("ports",) or found.path[-2:] != ("neighbour", "port"):
        return False
    device = (*found.path[:-1], "device")
    return is_said(at(state, device)) and at(state, device) != at(expected, device)


def _unread(judgement: Judgement, expected: DeviceState, path: Path) -> None:
    wanted = at(expected, path)
    facts = count(wanted)
    if not facts:  # a subtree of which the intent says nothing: nothing is missing
        return
    judgement.add(
        Verdict.UNOBSERVED,
        path,
        None,
        facts,
        expected=wanted,
        actual=Unobserved("no layer that was read carries it"),
        rule=UNREAD_RULE,
        severity=rule_for(path).severity,
        message="Nothing that was read says it",
    )


def _unparsed(judgement: Judgement, expected: DeviceState, line: UnparsedLine) -> None:
    outside = line.path[:1] == ("ports",) and len(line.path) > 1 and at(expected, line.path[:2]) is UNSAID
    judgement.add(
        Verdict.INFORMATION if outside else Verdict.UNOBSERVED,
        line.path,
        line.layer,
        expected=UNSAID,
        actual=Unobserved(line.reason),
        rule=UNPARSED_RULE,
        severity=Severity.INFO if outside else Severity.HIGH,
        message=f"Not understood: {line.reason}",
        evidence=(Evidence(line.command, (line.line,), line.line_number),),
    )


def _clouded(lines: Iterable[UnparsedLine]) -> list[tuple[Layer, Path]]:
    """The subtrees that unparsed lines leave in doubt, without those inside another."""
    places = sorted(
        {(LAYERS[line.layer], line.layer, line.path) for line in lines}, key=lambda item: (item[0], item[2])
    )
    kept: list[tuple[Layer, Path]] = []
    for _, layer, path in places:
        if not any(layer is other and path[: len(above)] == above for other, above in kept):
            kept.append((layer, path))
    return kept


def _withdraw_matches(judgement: Judgement, wanted: Any, found: Any, memo: DiffMemo) -> None:
    """What matched below a line that nobody understood is not known to match."""
    if is_subtree(wanted) and is_subtree(found):
        matched = memo.compare(wanted, found, is_open=True).matches
    else:
        matched = int(wanted is not UNSAID and same(wanted, found))
    judgement.facts[Verdict.MATCH] -= matched
    judgement.facts[Verdict.UNOBSERVED] += matched


def at(state: Any, path: Path) -> Any:
    """What ``state`` says at ``path``: a subtree, a value, or the value that ends the path early; else UNSAID."""
    for part in path:
        if not is_subtree(state):
            return state
        state = child(state, part)
    return state


def _unmanaged(judgement: Judgement, expected: DeviceState, reading: Reading) -> None:
    """Ports that the intent leaves alone, as they are now: the running layer speaks before the saved one."""
    told: set[Path] = set()
    for layer in sorted(reading.states, key=lambda layer: (layer is not Layer.RUNNING, LAYERS[layer])):
        for path in unexpected(expected, reading.states[layer]):
            if path not in told:
                told.add(path)
                judgement.add(
                    Verdict.INFORMATION,
                    path,
                    layer,
                    expected=UNSAID,
                    actual=_outline(at(reading.states[layer], path)),
                    rule=UNMANAGED_RULE,
                    severity=Severity.INFO,
                    message="Outside the managed scope",
                    sources=(),
                )


OUTLINE: tuple[tuple[str, Path], ...] = (
    ("admin up", ("admin_up",)),
    ("speed", ("speed_mbps",)),
    ("mtu", ("mtu_bytes",)),
    ("trust", ("qos", "trust")),
    ("pfc", ("qos", "pfc", "priorities")),
)


def _outline(port: Any) -> str:
    """A foreign port in a few words: enough to see that it changed."""
    said = [(title, at(port, path)) for title, path in OUTLINE]
    return ", ".join(f"{title} {_short(value)}" for title, value in said if is_said(value)) or "present"


def _short(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ",".join(map(str, value)) or "none" if isinstance(value, tuple) else str(value)
