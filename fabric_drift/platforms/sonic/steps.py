"""From changed rows to ordered steps: what SONiC's updater gets, what undoes it, and what that disturbs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from fabric_drift.change import Kind, Phase, Step
from fabric_drift.platform import Disruption
from fabric_drift.platforms.sonic import tables as t
from fabric_drift.platforms.sonic.capabilities import OBJECT_EDITS, ROW_EDITS, SORTER
from fabric_drift.platforms.sonic.derived import Derived
from fabric_drift.platforms.sonic.documents import Row, Tables
from fabric_drift.platforms.sonic.patch import Change, backward, changes, document, forward
from fabric_drift.state.values import Path

PORTS_PER_PATCH = 8
"""The updater's sorter took 0.8 s for 4 ports, 6 s for 16, and more than 150 s for 64 (run on one shared machine)."""
FLAPPING = frozenset({"BUFFER_PG", "BUFFER_QUEUE", "PORT_QOS_MAP", "QUEUE"})
"""Rows of a port that the updater only touches while it holds the port down."""
PHASES = {
    **dict.fromkeys((item.table for item in t.MAPS), Phase.MAPS),
    "BUFFER_POOL": Phase.BUFFERS,
    "BUFFER_PROFILE": Phase.BUFFERS,
    "CABLE_LENGTH": Phase.BUFFERS,
    "DEFAULT_LOSSLESS_BUFFER_PARAMETER": Phase.BUFFERS,
    "PFC_WD": Phase.WATCHDOG,
    "PORT": Phase.BUFFERS,
    "PORT_QOS_MAP": Phase.MAPS,
    "SCHEDULER": Phase.SCHEDULING,
    "WRED_PROFILE": Phase.ECN,
}
FLAPPING_FIELDS = frozenset({"admin_status", "fec", "speed"})
Group: TypeAlias = tuple[int, Phase, Kind, str, tuple[str, ...]]
"""(rank, phase, kind, table, ports): what goes into one patch."""
LAST = 9


@dataclass(frozen=True, slots=True)
class RowChange:
    """One row before and after, {} where there is none."""

    table: str
    key: str
    before: Row
    after: Row

    @property
    def port(self) -> str:
        """The port of the key."""
        return self.key.partition("|")[0]


def row_changes(old: Tables, new: Tables) -> Iterator[RowChange]:
    """Rows that differ; of PORT, what restarts a link apart from what doesn't."""
    for table in sorted(old.keys() | new.keys()):
        before, after = old.get(table, {}), new.get(table, {})
        for key in sorted(before.keys() | after.keys()):
            one, two = before.get(key, {}), after.get(key, {})
            if one == two:
                continue
            if table == "PORT":
                quiet = {**one, **{field: value for field, value in two.items() if field not in FLAPPING_FIELDS}}
                found = [RowChange(table, key, one, quiet), RowChange(table, key, quiet, two)]
                yield from (change for change in found if change.before != change.after)
            else:
                yield RowChange(table, key, one, two)


def steps_of(old: Tables, new: Tables, derived: Derived) -> list[Step]:
    """The steps in their order. What SONiC derives by itself is left to it."""
    groups = _groups(old, new)
    sent, full, steps = old, old, []
    for group in sorted(groups):
        members = groups[group]
        sent_after, full_after = sent, full
        for change in members:
            row = (change.table, change.key, change.before, change.after)
            if not derived.writes(*row):
                sent_after = _with_row(sent_after, change)
            if not derived.undoes(*row):
                full_after = _with_row(full_after, change)
        done = list(changes(sent, sent_after))
        if done:
            undone = _undone(old, (full, full_after), (sent, sent_after))
            steps.append(_step(group, done, [*undone, *_raised(old, group[-1], undone)]))
        sent, full = sent_after, full_after
    return steps


def _raised(old: Tables, ports: tuple[str, ...], undone: list[Change]) -> Iterator[Change]:
    """A patch that fails half-way leaves a port down that the updater took down: the undo says what it was."""
    said = {change.key for change in undone if (change.table, change.field) == ("PORT", "admin_status")}
    for port in ports:
        admin = old.get("PORT", {}).get(port, {}).get("admin_status")
        if port not in said:
            yield Change("replace", "PORT", port, "admin_status", admin or "down", admin)


def _undone(old: Tables, full: tuple[Tables, Tables], sent: tuple[Tables, Tables]) -> list[Change]:
    """What has to be undone. A table that is there or not as SONiC likes goes back as a whole."""
    found = list(changes(*full))
    for table in sorted({change.table for change in found}):
        if any((table in ours) != (table in theirs) for ours, theirs in zip(full, sent, strict=True)):
            whole = Change("replace", table, "", "", full[1].get(table) or full[0].get(table), old.get(table))
            found = [whole, *(change for change in found if change.table != table)]
    return found


def _groups(old: Tables, new: Tables) -> dict[Group, list[RowChange]]:
    """Objects first, then ports in batches, then the watchdog; what nobody refers to any more goes last."""
    found: dict[Group, list[RowChange]] = {}
    per_port: dict[str, list[RowChange]] = {}
    for change in row_changes(old, new):
        if _flaps(change):
            per_port.setdefault(change.port, []).append(change)
        else:
            kind = Kind.ADD if not change.before else Kind.REMOVE if not change.after else Kind.CHANGE
            phase = PHASES.get(change.table, Phase.BUFFERS)
            gone = kind is Kind.REMOVE and change.table in OBJECT_EDITS
            rank = LAST - phase if gone else phase - LAST
            group = (rank, phase, kind, _table(change), ())
            found.setdefault(group, []).append(change)
    for batch in _batches(sorted(per_port, key=_natural)):
        members = [change for port in batch for change in per_port[port]]
        phase = Phase.PFC if any(change.table == "PORT_QOS_MAP" for change in members) else Phase.SCHEDULING
        found[0, phase, Kind.CHANGE, "ports", tuple(batch)] = members
    return found


def _flaps(change: RowChange) -> bool:
    if change.table == "PORT":
        return any(change.before.get(field) != change.after.get(field) for field in FLAPPING_FIELDS)
    return change.table in FLAPPING and change.key != "global"


def _table(change: RowChange) -> str:
    """Rows of one table make one patch; of PORT, the same fields."""
    if change.table != "PORT":
        return change.table
    fields = {name for name in change.before.keys() | change.after.keys() if name in ROW_EDITS}
    changed = sorted(name for name in fields if change.before.get(name) != change.after.get(name))
    return f"PORT {' '.join(changed)}"


def _batches(ports: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(ports), PORTS_PER_PATCH):
        yield ports[start : start + PORTS_PER_PATCH]


def _natural(port: str) -> tuple[str, int]:
    head = port.rstrip("0123456789")
    return head, int(port[len(head) :] or 0)


def _with_row(rows: Tables, change: RowChange) -> Tables:
    content = dict(rows.get(change.table, {}))
    if change.table == "PORT":
        moved = {**content.get(change.key, {}), **change.after}
        content[change.key] = {field: text for field, text in moved.items() if field in change.after}
    elif change.after:
        content[change.key] = change.after
    else:
        content.pop(change.key, None)
    result = {**rows, change.table: content}
    return {table: kept for table, kept in result.items() if kept}


def _step(group: Group, done: list[Change], undone: list[Change]) -> Step:
    _, phase, kind, table, ports = group
    disruption, evidence = Disruption.PORT_FLAP, SORTER
    title = f"ports {', '.join(ports)}"
    if not ports:
        disruption, evidence = _disturbs(table, kind)
        title = f"{kind.value} {table}"
    return Step(
        title=title,
        paths=tuple(sorted({path_of(change) for change in done})),
        phase=phase,
        kind=kind,
        forward=(document(forward(done)),),
        undo=(document(backward(undone)),),
        disruption=disruption,
        evidence=evidence,
        ports=ports or touched(done) * (disruption > Disruption.NONE),
        undo_disruption=disruption,
    )


def touched(done: list[Change]) -> tuple[str, ...]:
    """The ports that rows of a table name; () where they name none."""
    if any(change.table == "CABLE_LENGTH" for change in done):
        return tuple(sorted({change.field for change in done if change.field}, key=_natural))
    return tuple(sorted({change.port for change in done if change.table in {"PFC_WD", "PORT"}}, key=_natural))


def _disturbs(table: str, kind: Kind) -> tuple[Disruption, str]:
    """An object that nobody refers to yet, or any more, disturbs nobody."""
    if table.startswith("PORT "):
        rows = [ROW_EDITS[field] for field in table.split()[1:]]
        return max(rows, default=(Disruption.UNKNOWN, "no evidence"))
    disruption, evidence = OBJECT_EDITS.get(table, (Disruption.UNKNOWN, "no evidence"))
    idle = kind is not Kind.CHANGE and table not in {"PFC_WD", "CABLE_LENGTH", "PORT_QOS_MAP"}
    return (Disruption.NONE, evidence) if idle else (disruption, evidence)


def path_of(change: Change) -> Path:
    """The row as a path, for people who look for it on the switch."""
    return tuple(part for part in ("CONFIG_DB", change.table, change.key, change.field) if part)
