"""From a reading and what is expected to a plan: minimal patches, one route, undo, refusals.

A plan is checked before anybody sees it: the rows that it leads to are read back, must say what is expected, and must
say the same as before of every port that isn't managed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from fabric_drift.change import Kind, Phase, Plan, Refusal, Step
from fabric_drift.diff import Difference, DiffMemo, diff
from fabric_drift.finding import Layer, Verdict
from fabric_drift.platform import Disruption, Reading, Target
from fabric_drift.platforms.sonic import edits as e
from fabric_drift.platforms.sonic import gcu
from fabric_drift.platforms.sonic import tables as t
from fabric_drift.platforms.sonic.adopt import OBJECTS, listed, references
from fabric_drift.platforms.sonic.config import config_state
from fabric_drift.platforms.sonic.derived import settled, what_sonic_derives
from fabric_drift.platforms.sonic.documents import Problems, Tables
from fabric_drift.platforms.sonic.localise import asic_of
from fabric_drift.platforms.sonic.patch import Change, changes, document, forward, in_words, patched
from fabric_drift.platforms.sonic.reading import SonicReading
from fabric_drift.platforms.sonic.render import render
from fabric_drift.platforms.sonic.steps import path_of, steps_of
from fabric_drift.state.device import DeviceState
from fabric_drift.state.tree import plain
from fabric_drift.state.values import path_text

PLATFORM = "sonic"
GCU_PATCH = "gcu_patch"
CONFIG_RELOAD = "config_reload"
ROUNDS = 4
"""One to edit, one for objects that nobody refers to any more; more means that edits work against each other."""
BASE_S = 180
PER_CHANGE_S = 2
PER_FLAP_S = 60
"""A link that GCU took down was seen to need more than 40 s (sonic-buildimage issue 20381)."""
RELOAD_S = 900


@dataclass(frozen=True, slots=True)
class _Goal:
    rows: Tables
    differences: tuple[Difference, ...]


def plan(reading: Reading, expected: DeviceState, target: Target) -> Plan:
    """See ``fabric_drift.change.Changer.plan``. ``expected`` is localised; raises Unsupported like ``render``."""
    if not isinstance(reading, SonicReading):
        raise TypeError("a plan for SONiC needs a reading by this platform's parse")
    first = _differences(expected, reading.states[Layer.RUNNING])
    blind = _blind(first)
    if blind or not first:
        return Plan(target.device, PLATFORM, "", refusals=blind)
    target = replace(target, names=_own_names(reading, expected, target))
    goal = _goal(reading, expected, target, first)
    refusals = _unreachable(reading, expected, goal)
    if refusals:
        return Plan(target.device, PLATFORM, "", refusals=refusals)
    derived = what_sonic_derives(reading.rows, goal.rows, reading.lookup)
    steps = steps_of(reading.rows, goal.rows, derived)
    reasons = _refused(reading.rows, steps, target) or _tried(reading, expected, steps, target)
    return _routed(reading.rows, goal.rows, steps, reasons, target)


def _differences(expected: DeviceState, actual: DeviceState) -> tuple[Difference, ...]:
    return tuple(item for _, item in diff(expected, {Layer.RUNNING: actual}, DiffMemo()).differences)


def _blind(differences: tuple[Difference, ...]) -> tuple[Refusal, ...]:
    return tuple(
        Refusal(item.path, f"can't be seen: {item.actual.reason}", "Make it readable, then plan again")
        for item in differences
        if item.verdict is Verdict.UNOBSERVED
    )


def _own_names(reading: SonicReading, expected: DeviceState, target: Target) -> dict[str, str]:
    """Names to adopt, without those that ports outside of the intent use too: editing these would change them."""
    names = {**reading.names, **target.names}
    managed = set(expected.ports) if isinstance(expected.ports, Mapping) else set()
    foreign = _used_by(reading.rows, managed)
    return {role: name for role, name in names.items() if "#" in role or (role.partition("/")[0], name) not in foreign}


def _used_by(rows: Tables, managed: set[str]) -> set[tuple[str, str]]:
    """(table, name) of objects that ports other than ``managed`` refer to."""
    theirs: Tables = {}
    for table in ("PORT_QOS_MAP", *e.INDEXED):
        content = rows.get(table, {})
        theirs[table] = {key: row for key, row in content.items() if _owner(key) not in {*managed, "global"}}
    return {(table, name) for table, name, _ in references(theirs) if table in OBJECTS}


def _owner(key: str) -> str:
    return key.partition("|")[0]


def _goal(reading: SonicReading, expected: DeviceState, target: Target, first: tuple[Difference, ...]) -> _Goal:
    """Rows that say what is expected, as near to the running ones as can be; with what still differs."""
    (file,) = render(expected, target)
    wanted: Tables = json.loads(file.text)
    edits = _all_groups(expected) if any(item.path == ("buffer_model",) for item in first) else set()
    rows, differences = reading.rows, first
    for _ in range(ROUNDS):
        new = {edit for item in differences for edit in e.edits_of(item.path)}
        if not new - edits:
            break
        edits |= new
        rows = e.edited(reading.rows, wanted, edits)
        differences = _differences(expected, _state(reading, rows))
        if not differences:
            break
    return _Goal(rows, differences)


def _all_groups(expected: DeviceState) -> set[e.Edit]:
    """Another buffer model has other rows for the same groups."""
    ports = expected.ports if isinstance(expected.ports, Mapping) else {}
    return {("BUFFER_PG", port, str(group), "profile") for port in ports for group in t.QUEUES}


def _state(reading: SonicReading, rows: Tables) -> DeviceState:
    """What SONiC will make of the rows."""
    problems = Problems(Layer.RUNNING, "plan")
    rows = settled(reading.rows, rows, reading.lookup)
    return config_state(rows, reading.chassis, reading.lookup, problems, layer=Layer.SAVED)


def _unreachable(reading: SonicReading, expected: DeviceState, goal: _Goal) -> tuple[Refusal, ...]:
    """Differences that stay, profiles that a list would name in vain, and foreign ports that would change."""
    left = [
        Refusal(
            item.path,
            f"would be {json.dumps(plain(item.actual))} instead of {json.dumps(plain(item.expected))}",
            "Change it by hand, or leave it out of the intent",
        )
        for item in goal.differences
    ]
    gone = reading.rows.get("BUFFER_PROFILE", {}).keys() - goal.rows.get("BUFFER_PROFILE", {}).keys()
    left += [
        Refusal(
            ("unreferenced", f"BUFFER_PROFILE/{name}"),
            f"{table}|{key} still names it",
            "Take it out of the list by hand first",
        )
        for table, key, name in listed(goal.rows)
        if name in gone
    ]
    after, before = _state(reading, goal.rows).ports, reading.states[Layer.RUNNING].ports
    managed = set(expected.ports) if isinstance(expected.ports, Mapping) else set()
    if isinstance(after, Mapping) and isinstance(before, Mapping):
        left += [
            Refusal(("ports", port), "is not managed, and would change too", "Give it objects of its own first")
            for port in sorted(before.keys() - managed)
            if after.get(port) != before[port] and _told(after.get(port)) != _told(before[port])
        ]
    return tuple(left)


def _told(port: Any) -> str:
    return json.dumps(plain(port), sort_keys=True)


def _tried(reading: SonicReading, expected: DeviceState, steps: list[Step], target: Target) -> dict[str, str]:
    """Both ways on paper, with what buffermgrd does meanwhile: the patches must lead to the goal, the undo back."""
    sent = there = reading.rows
    for step in steps:
        patch = json.loads(step.forward[0])
        sent, there = patched(sent, patch), settled(there, patched(there, patch), reading.lookup)
        if not _bound(sent):
            return {"BUFFER_PG": "a priority group would name a profile that buffermgrd has yet to make"}
    if _differences(expected, _as_it_is(reading, there)):
        return {"BUFFER_PG": "buffermgrd would bind other headroom than is wanted while the switch runs"}
    undo = [item for step in reversed(steps) for item in json.loads(step.undo[0])]
    back = patched(there, undo)
    before = reading.states[Layer.RUNNING]
    again = _as_it_is(reading, settled(there, back, reading.lookup))
    if _told(again.ports) != _told(before.ports):
        return {"BUFFER_PG": "buffermgrd would not go back to the headroom of before while the switch runs"}
    return {pointer: f"undoing: {reason}" for pointer, reason in _reasons(there, back, target)}


def _bound(rows: Tables) -> bool:
    known = {*rows.get("BUFFER_PROFILE", {}), "NULL"}
    return all(row.get("profile", "NULL") in known for row in rows.get("BUFFER_PG", {}).values())


def _as_it_is(reading: SonicReading, rows: Tables) -> DeviceState:
    return config_state(rows, reading.chassis, reading.lookup, Problems(Layer.RUNNING, "plan"), layer=Layer.RUNNING)


def _routed(old: Tables, new: Tables, steps: list[Step], reasons: dict[str, str], target: Target) -> Plan:
    """One route per plan: patches, unless the updater refuses one of them."""
    found = list(changes(old, new))
    lines = [line for change in found for line in in_words(change)]
    if not reasons:
        return Plan(target.device, PLATFORM, GCU_PATCH, tuple(steps), (), _text(lines), _deadline_s(steps))
    by_hand = _leftovers(steps, reasons)
    if by_hand:
        return Plan(target.device, PLATFORM, "", refusals=by_hand, diff=_text(lines))
    lines += [f"# {reason}" for reason in sorted(set(reasons.values()))]
    reload = Step(
        title="whole configuration by config reload",
        paths=tuple(sorted({path_of(change) for change in found})),
        phase=Phase.BUFFERS,
        kind=Kind.CHANGE,
        forward=(document(forward(found)),),
        undo=(),
        disruption=Disruption.RELOAD,
        evidence="; ".join(sorted(set(reasons.values()))),
        undo_disruption=Disruption.RELOAD,
    )
    return Plan(target.device, PLATFORM, CONFIG_RELOAD, (reload,), (), _text(lines), RELOAD_S)


def _text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _refused(old: Tables, steps: list[Step], target: Target) -> dict[str, str]:
    """Pointer of each change that the updater refuses -> why."""
    reasons: dict[str, str] = {}
    rows = old
    for step in steps:
        after = patched(rows, json.loads(step.forward[0]))
        reasons.update(_reasons(rows, after, target))
        rows = after
    return reasons


def _reasons(old: Tables, new: Tables, target: Target) -> Iterator[tuple[str, str]]:
    asic = asic_of(target)
    for change in changes(old, new):
        reason = gcu.refusal_of(change, target.release, target.hardware, asic) or _forgets_nothing(change, new)
        if reason:
            yield change.pointer, reason


def _forgets_nothing(change: Change, new: Tables) -> str:
    """The PFC priorities that buffermgrd has heard of stay when the field goes away (cfgmgr/buffermgr.cpp)."""
    dynamic = new.get("DEVICE_METADATA", {}).get("localhost", {}).get("buffer_model") == "dynamic"
    whole = change.whole_row and "pfc_enable" in str(change.before)
    gone = change.table == "PORT_QOS_MAP" and change.operation == "remove" and (change.field == "pfc_enable" or whole)
    return "" if dynamic or not gone else "buffermgrd keeps lossless groups of a port that has no PFC priority any more"


def _leftovers(steps: list[Step], reasons: dict[str, str]) -> tuple[Refusal, ...]:
    """Objects that nobody needs are no reason to reload a switch: where they are all, they go by hand."""
    items = {item["path"]: item["op"] for step in steps for item in json.loads(step.forward[0])}
    names = {pointer: pointer.split("/")[1:] for pointer in reasons}
    if any(items.get(pointer) != "remove" or len(parts) != 2 for pointer, parts in names.items()):  # noqa: PLR2004
        return ()
    return tuple(
        Refusal(
            ("unreferenced", path_text(tuple(parts))),
            reasons[pointer],
            f"Remove it by hand: sudo sonic-db-cli CONFIG_DB del '{'|'.join(parts)}'",
        )
        for pointer, parts in sorted(names.items())
        if parts[0] in OBJECTS
    )


def _deadline_s(steps: list[Step]) -> int:
    """Long enough for the patches, for links to come back, and for the check over a new connection."""
    operations = sum(len(json.loads(step.forward[0])) for step in steps)
    flapping = sum(step.disruption >= Disruption.PORT_FLAP for step in steps)
    ports = sum(len(step.ports) for step in steps if step.disruption >= Disruption.PORT_FLAP)
    return BASE_S + PER_CHANGE_S * (operations + 2 * ports) + PER_FLAP_S * flapping
