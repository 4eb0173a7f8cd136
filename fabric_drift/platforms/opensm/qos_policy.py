"""qos-policy.conf: a grammar stricter than OpenSM's own, which drops the whole file for one word.

Sections, tags and their values: opensm doc/QoS_management_in_OpenSM.txt and osm_qos_parser_y.y. What comes out are the
lines that mean something, each in one way of writing it: no indents, comments, descriptions (``use``), or blanks.
``qos-setup`` is read by OpenSM and ignored, so it is a fault here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from fabric_drift.platforms.opensm.partitions import Fault

DEFAULT_LEVEL = "DEFAULT"
SERVICE_LEVELS = 16
IGNORED = "qos-setup"
DROPPED = "OpenSM drops the whole QoS policy"
GUESSED = "OpenSM drops the whole QoS policy, or makes of it what it likes"
"""Seen with 3.3.23: an MTU code 9 drops the policy, a service level 16 makes the SA answer no path at all."""
LONGEST_LINE = 4000

_NUMBER = r"(?:0x[0-9a-fA-F]{1,16}|[0-9]{1,20})"
_RANGES = re.compile(rf"{_NUMBER}(?:-{_NUMBER})?(?:,{_NUMBER}(?:-{_NUMBER})?){{0,999}}")
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_PORT_NAMES = re.compile(r"[^\x00-\x1f\x7f]{1,400}")
_ULP = re.compile(r"(any|ipoib|sdp|rds|iser|srp)(?:,([a-z-]{4,30}) ([^ ]{1,400}))?")
ULP_KEYS = ("port-num", "pkey", "service-id", "target-port-guid", "source-port-guid", "source-target-port-guid")


def _hex(width: int) -> Callable[[str], str]:
    """Ranges of numbers that are written in hexadecimal."""
    return lambda text: _ranges(text, lambda number: f"0x{number:0{width}x}")


def _ranges(text: str, written: Callable[[int], str] = str) -> str:
    compact = re.sub(r"\s*([,-])\s*", r"\1", text)
    if not _RANGES.fullmatch(compact):
        raise ValueError(f"{text[:40]!r} is not a list of numbers and ranges")
    return re.sub(_NUMBER, lambda found: written(int(found[0], 16 if found[0].startswith("0x") else 10)), compact)


def _within(low: int, high: int) -> Callable[[str], str]:
    def check(text: str) -> str:
        if not re.fullmatch("[0-9]{1,3}", text) or not low <= int(text) <= high:
            raise ValueError(f"{text[:40]!r} is not a number of {low} to {high}")
        return str(int(text))

    return check


def _matching(pattern: re.Pattern[str], what: str) -> Callable[[str], str]:
    def check(text: str) -> str:
        if not pattern.fullmatch(text):
            raise ValueError(f"{text[:40]!r} is not {what}")
        return text

    return check


_name = _matching(_NAME, "a name")
_types = _matching(re.compile(r"(?:CA|SWITCH|ROUTER|ALL|SELF)(?:,(?:CA|SWITCH|ROUTER|ALL|SELF)){0,4}"), "node types")
_text = _matching(_PORT_NAMES, "a text")
REPEATED = frozenset({"port-guid", "port-name", "partition", "node-type", "source", "destination", "pkey"})
Line = tuple[int, str]
"""Number and text."""
Tags = Mapping[str, Callable[[str], str]]
SECTIONS: Mapping[str, tuple[str, Tags]] = {
    "port-groups": ("port-group", {
        "name": _name, "use": _text, "port-guid": _hex(16), "port-name": _text, "pkey": _hex(4), "partition": _text,
        "node-type": _types,
    }),
    "qos-levels": ("qos-level", {
        "name": _name, "use": _text, "sl": _within(0, 15), "mtu-limit": _within(1, 5), "rate-limit": _within(2, 22),
        "packet-life": _within(0, 63), "path-bits": _ranges, "pkey": _hex(4),
    }),
    "qos-match-rules": ("qos-match-rule", {
        "use": _text, "qos-class": _ranges, "source": _name, "destination": _name, "service-id": _ranges,
        "pkey": _hex(4), "qos-level-name": _name,
    }),
}  # fmt: skip
NEEDED = {"port-group": ("name",), "qos-level": ("name", "sl"), "qos-match-rule": ("qos-level-name",)}


@dataclass(slots=True)
class PolicyFile:
    """The lines that mean something, and every fault. ``pkeys``: (line, P_Key) that some rule names."""

    lines: list[str] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    pkeys: list[tuple[int, str]] = field(default_factory=list)
    groups: set[str] = field(default_factory=set)
    levels: set[str] = field(default_factory=set)
    wanted: list[tuple[int, str, str]] = field(default_factory=list)
    """(line, group | level, name) that some rule names."""
    has_default: bool = False


def parse(text: str) -> PolicyFile:
    """The file. Never raises."""
    policy = PolicyFile()
    lines = iter(_lines(text, policy))
    here, is_lost = next(lines, None), False
    while here is not None:
        number, line = here
        if line in SECTIONS or line == "qos-ulps":
            read = _ulps if line == "qos-ulps" else _section
            here, is_lost = read(line, number, lines, policy) or next(lines, None), False
            continue
        if line == IGNORED:
            _fault(policy, number, line, "OpenSM ignores qos-setup: SL2VL and arbitration are options of opensm.conf")
            _skip(lines, f"end-{IGNORED}")
        elif not is_lost:  # what follows is not told line by line
            _fault(policy, number, line, f"no section of a QoS policy: {DROPPED}")
            is_lost = True
        here = next(lines, None)
    _refers(policy)
    return policy


def _lines(text: str, policy: PolicyFile) -> Iterator[Line]:
    for number, raw in enumerate(text.splitlines(), start=1):
        if len(raw) > LONGEST_LINE:
            _fault(policy, number, raw, "longer than any line of a QoS policy")
            continue
        line = " ".join(raw.split("#", 1)[0].split())
        if line:
            yield number, line


def _fault(policy: PolicyFile, number: int, line: str, reason: str) -> None:
    policy.faults.append(Fault(number, line[:200], reason))


def _skip(lines: Iterator[Line], end: str) -> None:
    for _, line in lines:
        if line == end:
            return


def _section(name: str, start: int, lines: Iterator[Line], policy: PolicyFile) -> Line | None:
    """port-groups, qos-levels or qos-match-rules. Gives the line that opens another section before this one ends."""
    item, tags = SECTIONS[name]
    policy.lines.append(name)
    for number, line in lines:
        if line == f"end-{name}":
            policy.lines.append(line)
            return None
        if line in SECTIONS or line == "qos-ulps":
            _fault(policy, start, name, f"no end-{name}: {DROPPED}")
            return number, line
        if line == item:
            _item(item, tags, number, lines, policy)
        else:
            _fault(policy, number, line, f"no {item} in {name}: {DROPPED}")
    _fault(policy, start, name, f"no end-{name}: {DROPPED}")
    return None


def _item(item: str, tags: Tags, start: int, lines: Iterator[Line], policy: PolicyFile) -> None:
    said: dict[str, str] = {}
    policy.lines.append(item)
    for number, line in lines:
        if line == f"end-{item}":
            policy.lines.append(line)
            _whole(item, said, start, policy)
            return
        tag, colon, value = (part.strip() for part in line.partition(":"))
        if not colon or tag not in tags:
            _fault(policy, number, line, f"no tag of {item}: {DROPPED}")
            continue
        if tag in said and tag not in REPEATED:
            _fault(policy, number, line, f"{tag} is said twice: {DROPPED}")
        try:
            said[tag] = tags[tag](value)
        except ValueError as error:
            said[tag] = ""
            _fault(policy, number, line, f"{error}: {GUESSED}")
            continue
        if tag != "use":
            policy.lines.append(f"{tag}: {said[tag]}")
        _note(policy, number, tag, said[tag])
    _fault(policy, start, item, f"no end-{item}: {DROPPED}")


def _note(policy: PolicyFile, number: int, tag: str, value: str) -> None:
    """What other places must know of."""
    if tag == "pkey":
        policy.pkeys += [(number, key) for key in value.split(",") if "-" not in key]
    elif tag == "qos-level-name":
        policy.wanted.append((number, "qos-level", value))
    elif tag in ("source", "destination"):
        policy.wanted.append((number, "port-group", value))


def _whole(item: str, said: Mapping[str, str], start: int, policy: PolicyFile) -> None:
    for tag in NEEDED[item]:
        if tag not in said:
            _fault(policy, start, item, f"no {tag}: {DROPPED}")
    names = {"qos-level": policy.levels, "port-group": policy.groups}.get(item)
    if names is None or "name" not in said:
        return
    if said["name"] in names:
        _fault(policy, start, item, f"{said['name']} is defined twice: {GUESSED}")
    names.add(said["name"])


def _ulps(name: str, start: int, lines: Iterator[Line], policy: PolicyFile) -> Line | None:
    policy.lines.append(name)
    for number, line in lines:
        if line == "end-qos-ulps":
            policy.lines.append(line)
            return None
        if line in SECTIONS:
            _fault(policy, start, name, f"no end-{name}: {DROPPED}")
            return number, line
        who, colon, level = (part.strip() for part in line.rpartition(":"))
        if not colon or not re.fullmatch("[0-9]{1,2}", level) or int(level) >= SERVICE_LEVELS:
            _fault(policy, number, line, f"no rule of the form `any, pkey 0x0010 : SL`: {DROPPED}")
        elif who == "default":
            policy.has_default = True
            policy.lines.append(f"default : {int(level)}")
        else:
            _ulp(number, line, re.sub(r"\s*,\s*", ",", who), int(level), policy)
    _fault(policy, start, name, f"no end-{name}: {DROPPED}")
    return None


def _ulp(number: int, line: str, who: str, level: int, policy: PolicyFile) -> None:
    found = _ULP.fullmatch(who)
    if found is None or (found[2] and found[2] not in ULP_KEYS):
        _fault(policy, number, line, f"no protocol with one of {', '.join(ULP_KEYS)}: {DROPPED}")
        return
    value = found[3]
    try:
        if found[2] == "pkey":
            value = _hex(4)(value)
            policy.pkeys += [(number, key) for key in value.split(",") if "-" not in key]
        elif found[2]:
            value = _hex(16)(value) if found[2].endswith("guid") else _ranges(value)
    except ValueError as error:
        _fault(policy, number, line, f"{error}: {DROPPED}")
        return
    policy.lines.append(f"{found[1]}, {found[2]} {value} : {level}" if found[2] else f"{found[1]} : {level}")


def _refers(policy: PolicyFile) -> None:
    """Names that must be defined somewhere in the file."""
    known = {"qos-level": policy.levels, "port-group": policy.groups}
    for number, kind, name in policy.wanted:
        if name not in known[kind]:
            _fault(policy, number, name, f"no {kind} is called {name}: {DROPPED}")
    if (policy.levels or policy.wanted) and DEFAULT_LEVEL not in policy.levels and not policy.has_default:
        _fault(policy, 1, "qos-levels", f"no level is called {DEFAULT_LEVEL}: {DROPPED}")


def render(lines: tuple[str, ...]) -> str:
    """The file."""
    head = "# QoS policy. Written by fabric_drift: changes by hand are drift.\n"
    return head + "".join(f"{line}\n" for line in lines)
