"""The same finding on many ports and devices is one thing to read: said once, with everything it is about."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass

from fabric_drift.finding import Evidence, Finding, Layer, Severity, Verdict
from fabric_drift.report.harmless import value_text
from fabric_drift.report.ranges import compress, natural
from fabric_drift.state import ABSENT, Path

ORDER = (Verdict.DRIFT, Verdict.ERROR, Verdict.UNOBSERVED, Verdict.WAIVED, Verdict.INFORMATION)
MARKS = {
    Verdict.ERROR: "!",
    Verdict.UNOBSERVED: "?",
    Verdict.WAIVED: "w",
    Verdict.INFORMATION: "i",
    Verdict.DRIFT: "~",
}


@dataclass(frozen=True, slots=True)
class Group:
    """Findings that differ only in device, port and layer; ``fact`` has ``*`` for the port.

    Layers are together only where they say the same of the same places.
    """

    fact: str
    findings: tuple[Finding, ...]

    @property
    def layers(self) -> str:
        """``saved, running``, or ``no layer``."""
        names = {finding.layer.value for finding in self.findings if finding.layer}
        return ", ".join(layer.value for layer in Layer if layer.value in names) or "no layer"

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """What the first device said of the first place, layer by layer, each answer once."""
        first = self.first
        same = [f for f in self.findings if (f.device, f.path) == (first.device, first.path)]
        return tuple(dict.fromkeys(item for finding in same for item in finding.evidence))

    @property
    def first(self) -> Finding:
        """The one that is shown for all."""
        return self.findings[0]

    @property
    def mark(self) -> str:
        """``+`` is there though not intended, ``-`` intended and not there, ``~`` differs; see ``MARKS``."""
        if self.first.verdict is not Verdict.DRIFT:
            return MARKS[self.first.verdict]
        if self.first.expected is ABSENT:
            return "+"
        return "-" if self.first.actual is ABSENT else "~"

    @property
    def devices(self) -> tuple[str, ...]:
        """Sorted names."""
        return tuple(sorted({finding.device for finding in self.findings}, key=natural))

    def places(self) -> list[str]:
        """``leaf[1-4]: Ethernet[0-56/8]``: devices with the same ports together."""
        ports: dict[str, set[str]] = {}
        for finding in self.findings:
            port = finding.path[1] if finding.path[:1] == ("ports",) and len(finding.path) > 1 else ""
            ports.setdefault(finding.device, set()).add(port)
        devices: dict[str, list[str]] = {}
        for device, names in ports.items():
            devices.setdefault(compress(name for name in names if name), []).append(device)
        ordered = sorted(devices.items(), key=lambda item: [natural(name) for name in sorted(item[1], key=natural)])
        return [f"{compress(names)}: {where}" if where else compress(names) for where, names in ordered]


def grouped(findings: Iterable[Finding]) -> list[Group]:
    """Groups, the worst first."""
    alike: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        alike.setdefault(_key(finding), []).append(finding)
    same_places = _joined(alike.values(), _places)
    same_ports = _joined(same_places, _ports)
    return sorted((Group(_fact(members), tuple(members)) for members in same_ports), key=_order)


def _joined(groups: Iterable[list[Finding]], sameness: Callable[[list[Finding]], Hashable]) -> Iterable[list[Finding]]:
    """Groups that are the same in a respect are one."""
    joined: dict[Hashable, list[Finding]] = {}
    for members in groups:
        joined.setdefault(sameness(members), []).extend(members)
    return joined.values()


def _places(members: list[Finding]) -> Hashable:
    """Layers that say the same of the same places differ only in the layer."""
    return (_said(members[0]), frozenset((f.device, f.path) for f in members))


def _ports(members: list[Finding]) -> Hashable:
    """Entries of a map (DSCP 8, 9, 10) that say the same on the same ports and layers differ only in the entry."""
    if not members[0].path[-1:] or not members[0].path[-1].isdecimal():
        return (_said(members[0]), frozenset((f.device, f.path) for f in members))
    ports = frozenset((f.device, f.path[:-1], f.layer) for f in members)
    return (_said(members[0]), ports)


def _fact(members: list[Finding]) -> str:
    """The path of all members: ports/*/qos/maps/dscp_to_tc/[8-15]."""
    entries = {f.path[-1] for f in members if f.path}
    if len(entries) == 1 or not members[0].path:
        return general(members[0].path)
    return f"{general(members[0].path[:-1])}/{compress(entries)}"


def _said(finding: Finding) -> tuple[str, ...]:
    """Everything that a reader sees of a finding except its place and layer."""
    values = (value_text(finding.expected), value_text(finding.actual))
    seen = finding.evidence[0].lines if finding.verdict is Verdict.UNOBSERVED and finding.evidence else ()
    return (finding.verdict.value, finding.rule, *values, finding.message, *seen)


def _key(finding: Finding) -> tuple[str, ...]:
    return (*_said(finding), general(finding.path), finding.layer.value if finding.layer else "")


def _order(group: Group) -> tuple[object, ...]:
    first = group.first
    return (
        ORDER.index(first.verdict),
        -first.severity,
        group.fact,
        group.layers,
        group.devices,
        value_text(first.actual),
    )


def general(path: Path) -> str:
    """The path for people, with ``*`` for the port."""
    if path[:1] == ("ports",) and len(path) > 1:
        path = ("ports", "*", *path[2:])
    return "/".join(path) or "(whole device)"


def by_severity(findings: Iterable[Finding]) -> dict[Severity, int]:
    """How many findings of each severity, the worst first, without zeros."""
    listed = list(findings)
    counts = {severity: sum(f.severity is severity for f in listed) for severity in sorted(Severity, reverse=True)}
    return {severity: number for severity, number in counts.items() if number}
