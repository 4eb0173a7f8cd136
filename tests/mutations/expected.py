"""The hand-written data of this folder: which findings each change by hand must make."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from fabric_drift.finding import Finding
from fabric_drift.state.tree import plain

HERE = Path(__file__).parent
PLATFORMS = ("sonic", "eos", "linux_host")
SLASH = "%"
"""Stands for a slash inside of one part of a path: ports/Ethernet1%1/mtu_bytes."""


@dataclass(frozen=True)
class Wanted:
    """One finding that must be there. ``reason``: part of why something is unobserved; None: ``actual`` counts."""

    path: tuple[str, ...]
    layer: str
    verdict: str
    actual: Any
    reason: str | None
    shows: str | None

    def is_met_by(self, finding: Finding) -> bool:
        """Same fact, layer, verdict and value; the evidence is asked for apart."""
        place = (finding.path, finding.layer and finding.layer.value, finding.verdict.value)
        if place != (self.path, self.layer, self.verdict):
            return False
        if self.reason is not None:
            return self.reason in getattr(finding.actual, "reason", "")
        return bool(plain(finding.actual) == self.actual)

    def is_shown_by(self, finding: Finding) -> bool:
        """Whether the evidence names what changed, as a word of its own."""
        if self.shows is None:
            return True
        word = rf"(?<![0-9A-Za-z.]){re.escape(self.shows)}" + (r"(?!\w)" if self.shows[-1].isalnum() else "")
        return any(re.search(word, line) for item in finding.evidence for line in item.lines)


@dataclass(frozen=True)
class Rule:
    """What one kind of change must look like."""

    name: re.Pattern[str]
    command: re.Pattern[str]
    devices: tuple[str, ...]
    finds: tuple[Mapping[str, Any], ...]
    why: str

    def caught(self, device: str, name: str, commands: Sequence[str]) -> dict[str, str] | None:
        """What the expressions caught, or None where the rule is about another change."""
        by_name, by_command = self.name.fullmatch(name), self.command.search("\n".join(commands))
        if device not in self.devices or by_name is None or by_command is None:
            return None
        return {key: value or "" for key, value in (by_name.groupdict() | by_command.groupdict()).items()}

    @property
    def title(self) -> str:
        """The name as people read it: what an expression catches is ``*``."""
        alike = re.sub(r"\(\?P<\w+>((?:[^()]|\([^()]*\))*)\)", lambda found: _star(found[1]), self.name.pattern)
        return re.sub(r"\\[wSd]\+?", "*", alike)

    def paths(self, caught: Mapping[str, str]) -> list[tuple[str, ...]]:
        """The facts that move, with the set of ports still by its name."""
        return [tuple(entry["fact"].format_map(caught).split("/")) for entry in self.finds]

    def wanted(self, caught: Mapping[str, str], ports: Mapping[str, Sequence[str]]) -> list[Wanted]:
        """The findings that the rule asks for, port by port and layer by layer."""
        return [found for entry in self.finds for found in _wanted(entry, caught, ports)]


def _star(expression: str) -> str:
    """A name in an expression stays, anything else is ``*``."""
    return expression if re.fullmatch(r"[\w:./]+", expression) else "*"


def _wanted(
    entry: Mapping[str, Any], caught: Mapping[str, str], ports: Mapping[str, Sequence[str]]
) -> Iterator[Wanted]:
    shows = entry.get("shows", "{value}")
    reason = entry["reason"].format_map(caught) if "reason" in entry else None
    actual = None if reason else _value(entry["actual"], caught)
    for path in _paths(entry["fact"].format_map(caught), ports):
        for layer in entry["layers"]:
            word = shows[layer] if isinstance(shows, Mapping) else shows
            shown = None if word is None else str(word).format_map(caught)
            yield Wanted(path, layer, entry.get("verdict", "drift"), actual, reason, shown)


def _value(value: Any, caught: Mapping[str, str]) -> Any:
    """Numbers that were caught are numbers, unless {text: ...} says otherwise."""
    if isinstance(value, Mapping):
        return str(value["text"]).format_map(caught) if list(value) == ["text"] else dict(value)
    if not isinstance(value, str):
        return value
    text = value.format_map(caught)
    return int(text) if text.lstrip("-").isdigit() else text


def _paths(fact: str, ports: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, ...]]:
    found = re.search(r"<(\w+)>", fact)
    for name in ports[found[1]] if found else ("",):
        text = fact.replace(found[0], name.replace("/", SLASH)) if found else fact
        yield tuple(part.replace(SLASH, "/") for part in text.split("/"))


@dataclass(frozen=True)
class Expectation:
    """One file of this folder."""

    platform: str
    devices: tuple[str, ...]
    ports: Mapping[str, Mapping[str, tuple[str, ...]]]
    also: Mapping[str, tuple[str, ...]]
    """Changes that the lab doesn't offer by itself."""
    rules: tuple[Rule, ...]
    unreached: Mapping[str, str]

    def rule_for(self, device: str, name: str, commands: Sequence[str]) -> tuple[Rule, Mapping[str, str]]:
        """The first rule about a change, and what it caught. Raises LookupError where nobody wrote one."""
        for rule in self.rules:
            caught = rule.caught(device, name, commands)
            if caught is not None:
                return rule, caught
        raise LookupError(f"{device}: no rule says what {name!r} ({commands}) must look like")


@cache
def load(platform: str) -> Expectation:
    """The expectations of a platform."""
    data = yaml.safe_load((HERE / f"{platform}.yml").read_text())
    devices = tuple(data["devices"])
    return Expectation(
        platform=platform,
        devices=devices,
        ports={
            device: {name: tuple(_names(text)) for name, text in sets.items()} for device, sets in data["ports"].items()
        },
        also={name: tuple(commands) for name, commands in data.get("also", {}).items()},
        rules=tuple(_rule(entry, devices) for entry in data["rules"]),
        unreached=data["unreached"],
    )


def _rule(entry: Mapping[str, Any], devices: tuple[str, ...]) -> Rule:
    known = {"name", "command", "devices", "why", "finds"}
    assert entry.keys() <= known, f"{entry['name']}: {sorted(entry.keys() - known)}"
    name, command = re.compile(entry["name"]), re.compile(entry.get("command", ""))
    return Rule(name, command, tuple(entry.get("devices", devices)), tuple(entry["finds"]), entry.get("why", ""))


def _names(text: str) -> Iterator[str]:
    """``Ethernet[0-24/8],Ethernet[1-2]/1`` as names."""
    for part in text.split(","):
        found = re.fullmatch(r"(.*)\[(\d+)-(\d+)(?:/(\d+))?\](.*)", part)
        if found is None:
            yield part
        else:
            numbers = range(int(found[2]), int(found[3]) + 1, int(found[4] or 1))
            yield from (f"{found[1]}{number}{found[5]}" for number in numbers)
