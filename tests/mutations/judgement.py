"""Every change by hand of every device, judged by the product and held against the expectation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from fabric_drift.finding import Finding, Verdict
from fabric_drift.state import UNSAID, Path
from fabric_drift.state.tree import facts, plain
from fabric_drift.workflow.findings import at
from tests.mutations.expected import PLATFORMS, Expectation, Rule, Wanted, load
from tests.mutations.fabric import Subject, judged, localised, subject


@dataclass(frozen=True)
class Outcome:
    """What one change made, and what is wrong with that."""

    device: str
    name: str
    commands: tuple[str, ...]
    rule: Rule
    findings: tuple[Finding, ...]
    missed: tuple[Wanted, ...]
    false: tuple[Finding, ...]
    blurred: tuple[Finding, ...]
    """Right findings whose evidence doesn't show what changed, or whose expected value wasn't there before."""

    @property
    def problems(self) -> list[str]:
        """One line each; empty where all is as expected."""
        told = [f"missed {'/'.join(item.path)} in {item.layer}: {item.actual or item.reason}" for item in self.missed]
        told += [f"false {_line(item)}" for item in self.false]
        return told + [
            f"evidence of {_line(item)}: {[line for e in item.evidence for line in e.lines]}" for item in self.blurred
        ]


def _line(finding: Finding) -> str:
    layer = finding.layer.value if finding.layer else "-"
    return f"{'/'.join(finding.path)} in {layer}: {finding.verdict.value} {finding.actual}"


def names() -> Iterator[tuple[str, str]]:
    """(device, change) of every change that the lab's devices offer."""
    for platform in PLATFORMS:
        for device in load(platform).devices:
            yield from ((device, name) for name in changes(device))


def changes(device: str) -> Mapping[str, tuple[str, ...]]:
    """Name -> commands: what the lab offers, and what the expectation adds."""
    here = subject(device)
    return {**here.emulator.mutations(here.store), **expectation(device).also}


def expectation(device: str) -> Expectation:
    """The file that speaks of a device."""
    return next(load(platform) for platform in PLATFORMS if device in load(platform).devices)


def outcome(device: str, name: str) -> Outcome:
    """Makes one change on a copy of the device. Raises LookupError where nobody wrote what must come of it."""
    here, wishes = subject(device), expectation(device)
    commands = changes(device)[name]
    rule, caught = wishes.rule_for(device, name, commands)
    changed = here.changed(commands)
    result = judged(changed, changed.outputs())
    assert not result.problem, result.problem
    before = Counter(map(_key, _baseline(device)))
    new = []
    for finding in result.findings:
        if before[_key(finding)]:
            before[_key(finding)] -= 1
        else:
            new.append(finding)
    return Outcome(
        device,
        name,
        tuple(commands),
        rule,
        tuple(new),
        *_compared(here, rule.wanted(caught, wishes.ports[device]), new),
    )


def _compared(
    here: Subject, wanted: Sequence[Wanted], findings: Sequence[Finding]
) -> tuple[tuple[Wanted, ...], tuple[Finding, ...], tuple[Finding, ...]]:
    """(missed, false, blurred)."""
    left, missed, blurred = list(findings), [], []
    for wish in wanted:
        met = next((finding for finding in left if wish.is_met_by(finding)), None)
        if met is None:
            missed.append(wish)
            continue
        left.remove(met)
        if not wish.is_shown_by(met) or not _was_there(here, met):
            blurred.append(met)
    return tuple(missed), tuple(left), tuple(blurred)


def _was_there(here: Subject, finding: Finding) -> bool:
    """Whether the finding expects what the device had before the change, where that layer said anything."""
    if finding.verdict is not Verdict.DRIFT or finding.layer is None:
        return True
    before = at(_states(here.name)[finding.layer], finding.path)
    return before is UNSAID or _covers(plain(finding.expected), plain(before))


def _covers(expected: Any, before: Any) -> bool:
    """Every fact of ``expected`` that ``before`` speaks of is so in it."""
    if isinstance(expected, dict) and isinstance(before, dict):
        return all(_covers(value, before[key]) for key, value in expected.items() if key in before)
    return bool(expected == before)


def _key(finding: Finding) -> tuple[Any, ...]:
    return (finding.path, finding.layer, finding.verdict, str(finding.actual))


@cache
def _baseline(device: str) -> tuple[Finding, ...]:
    here = subject(device)
    return judged(here, here.outputs()).findings


@cache
def _states(device: str) -> Any:
    here = subject(device)
    return here.platform.parse(here.outputs()).states


def expected_patterns(device: str) -> set[str]:
    """Patterns of the facts that are expected of a device: ports and keys of maps are ``*``."""
    return {pattern(path) for path, _ in facts(localised(device))}


def unreached(device: str, outcomes: Iterable[Outcome]) -> set[str]:
    """Expected and owned facts of a device that no change has moved."""
    reached = {pattern(finding.path) for outcome in outcomes for finding in outcome.findings}
    owned = {"/".join(path) for path in subject(device).platform.object_fields}
    missing = {fact for fact in expected_patterns(device) if fact not in reached}
    return missing | {fact for fact in owned if not any(_is_below(fact, found) for found in reached)}


def _is_below(owned: str, found: str) -> bool:
    """Whether a finding is about an owned fact or something below it."""
    wanted, parts = owned.split("/"), found.split("/")
    return len(parts) >= len(wanted) and all(want in ("*", part) for want, part in zip(wanted, parts, strict=False))


def pattern(path: Path) -> str:
    """``ports/Ethernet0/qos/maps/dscp_to_tc/26`` as ``ports/*/qos/maps/dscp_to_tc/*``."""
    parts = list(path)
    for index, part in enumerate(parts):
        named = index == 1 and parts[0] in ("ports", "pools", "unreferenced", "job")
        if (
            named
            or part.isdigit()
            or (index and parts[index - 1] in ("firmware_parameters", "reaction", "notification"))
        ):
            parts[index] = "*"
    return "/".join(parts)
