"""From the running tree to the target in steps: one per phase and kind, each with the lines that undo it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabric_drift.change import Kind, Phase, Step
from fabric_drift.platform import Disruption, Operation
from fabric_drift.platforms.eos.capabilities import CAPABILITIES
from fabric_drift.platforms.eos.config import is_port
from fabric_drift.platforms.eos.plan_lines import key_of
from fabric_drift.platforms.eos.plan_target import Goal
from fabric_drift.platforms.eos.plan_tree import GLOBAL, Edit, Tree, edits, native
from fabric_drift.state.values import Path

NOT_DOCUMENTED = "no Arista document says what it does to traffic in flight"
UNUSED = "no interface uses the profile (running-config)"
SHUTDOWN = "ports/*/admin_up"
Batch = tuple[Phase, Kind]


def steps(goal: Goal, before: Tree, after: Tree) -> Iterator[Step]:
    """Steps in the order of design law 7: additions and changes upward, then removals downward."""
    here = before
    open_paths = {item.path for item in goal.differences(before)}
    for (phase, kind), changes in _batches(before, after):
        there = here.copy()
        for edit in changes:
            there.apply(edit)
            if edit.place.key == "service-profile" and edit.after:
                there.sections.setdefault(edit.after.replace("service-profile", "qos profile", 1), {})
        _drop_profiles(there, after, phase, kind)
        left = {item.path for item in goal.differences(there)}
        yield _step(goal, (phase, kind), tuple(sorted(open_paths - left)), here, there)
        here, open_paths = there, left


def _drop_profiles(there: Tree, after: Tree, phase: Phase, kind: Kind) -> None:
    """Profiles go in the very last step, as a whole."""
    if (phase, kind) == (Phase.BUFFERS, Kind.REMOVE):
        for header in [header for header in there.sections if header not in after.sections]:
            del there.sections[header]


def _batches(before: Tree, after: Tree) -> list[tuple[Batch, list[Edit]]]:
    found: dict[Batch, list[Edit]] = {}
    moved = _moved(before, after)
    for edit in edits(before, after):
        found.setdefault(_batch(edit, before, after, moved), []).append(edit)
    gone = [header for header in before.sections if header not in after.sections]
    if gone:
        found.setdefault((Phase.BUFFERS, Kind.REMOVE), [])
    return sorted(found.items(), key=lambda item: _position(item[0]))


def _position(batch: Batch) -> tuple[int, int, str]:
    phase, kind = batch
    return (1, -phase, "") if kind is Kind.REMOVE else (0, int(phase), kind.value)


def _moved(before: Tree, after: Tree) -> frozenset[str]:
    """Profiles that interfaces come to with another profile behind them."""
    where = ("", "service-profile")
    return frozenset(
        after.sections[header].get(where, "").removeprefix("service-profile ")
        for header, lines in before.sections.items()
        if where in lines and header in after.sections and lines[where] != after.sections[header].get(where)
    )


def _batch(edit: Edit, before: Tree, after: Tree, moved: frozenset[str]) -> Batch:
    section = edit.place.section
    if section not in after.sections:
        return Phase.BUFFERS, Kind.REMOVE
    name = section.removeprefix("qos profile ")
    if name != section and section not in before.sections:
        return Phase.PFC, Kind.CHANGE if name in moved else Kind.ADD
    if edit.place.key == "service-profile":
        return Phase.PFC, _kind_of_attachment(edit, moved)
    form = key_of(edit.after or edit.before or "").form
    phase = form.phase if form else Phase.PFC
    return phase, _kind(edit)


def _kind_of_attachment(edit: Edit, moved: frozenset[str]) -> Kind:
    """In one step with the lines of the profile."""
    if edit.after is None:
        return Kind.REMOVE
    return Kind.CHANGE if edit.before or edit.after.removeprefix("service-profile ") in moved else Kind.ADD


def _kind(edit: Edit) -> Kind:
    if edit.place.key == "mtu":  # a smaller MTU is a removal: hosts have to go first
        return Kind.ADD if _number(edit.after) >= _number(edit.before) else Kind.REMOVE
    if edit.after is None:
        return Kind.REMOVE
    return Kind.ADD if edit.before is None else Kind.CHANGE


def _number(line: str | None) -> int:
    return int(line.rpartition(" ")[2]) if line else 1500


def _step(goal: Goal, batch: Batch, paths: tuple[Path, ...], here: Tree, there: Tree) -> Step:
    phase, kind = batch
    changes = edits(here, there)
    made = {header for header in there.sections if header not in here.sections}
    gone = {header for header in here.sections if header not in there.sections}
    ports = _ports(changes, there, goal)
    level, undo_level = (
        _disruption(changes),
        _disruption([Edit(item.place, item.after, item.before) for item in changes]),
    )
    return Step(
        title=_title(kind, changes, made, gone),
        paths=paths,
        phase=phase,
        kind=kind,
        forward=native(here, there),
        undo=native(there, here),
        disruption=level if ports else Disruption.NONE,
        evidence=_evidence(changes) if ports else UNUSED,
        ports=ports,
        undo_disruption=undo_level if ports else Disruption.NONE,
    )


VERBS = {Kind.ADD: "add", Kind.CHANGE: "change", Kind.REMOVE: "remove"}


def _title(kind: Kind, changes: Sequence[Edit], made: set[str], gone: set[str]) -> str:
    """Without names of ports, so that devices with the same change have the same shape; new profiles as a whole."""
    whole = made | gone
    places = [item.place for item in changes if item.place.section not in whole]
    what = [*sorted(made), *(_what(item.section, item.queue, item.key) for item in places)]
    what += [f"unused {header}" for header in sorted(gone)]
    return f"{VERBS[kind]} {', '.join(dict.fromkeys(what))}"


def _what(section: str, queue: str, key: str) -> str:
    where = section if section.startswith("qos profile ") else "interface" if section else "switch"
    digits = "".join(" " if part.isdigit() and not section else f" {part}" for part in key.split())
    return f"{where}{f' {queue}' if queue else ''}:{digits}".replace("  ", " ").strip()


def _disruption(changes: Sequence[Edit]) -> Disruption:
    return max((_level(edit) for edit in changes), default=Disruption.NONE)


def _level(edit: Edit) -> Disruption:
    """From the capability of the fact. A port that comes up carried nothing before."""
    form = key_of(edit.after or edit.before or "").form
    if form is not None and form.fact == SHUTDOWN and edit.after != "shutdown":
        return Disruption.NONE
    rows = {row.fact: row.disruption for row in CAPABILITIES if row.operation is Operation.WRITE and row.supported}
    return rows.get(_row(form.fact, rows) if form else "", Disruption.UNKNOWN)


def _row(fact: str, rows: dict[str, Disruption]) -> str:
    """The row of the capability table that covers ``fact`` or lies below it."""
    return next((row for row in rows if row == fact or row.startswith(f"{fact}/")), "")


def _evidence(changes: Sequence[Edit]) -> str:
    if _disruption(changes) is Disruption.UNKNOWN:
        return NOT_DOCUMENTED
    return "EOS User Manual, Ethernet ports: shutdown disables the interface"


def _ports(changes: Sequence[Edit], there: Tree, goal: Goal) -> tuple[str, ...]:
    """Ports that a line reaches: through the map of the switch, their profile, their LAG, or themselves."""
    sections = {edit.place.section for edit in changes}
    names = [name for name in goal.running.interfaces if is_port(name)]
    if GLOBAL in sections:
        return tuple(sorted(names))
    return tuple(sorted(name for name in names if sections & _reach(name, there, goal)))


def _reach(name: str, there: Tree, goal: Goal) -> set[str]:
    unit = goal.unit(name)
    profile = there.sections.get(f"interface {unit}", {}).get(("", "service-profile"), "")
    return {f"interface {name}", f"interface {unit}", profile.replace("service-profile", "qos profile", 1)}
