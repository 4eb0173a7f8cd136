"""Reading and expected state -> Plan: the fewest lines, tried on a model of the switch before anything is typed."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fabric_drift.change import Plan, Refusal
from fabric_drift.diff import Difference
from fabric_drift.finding import Layer
from fabric_drift.platform import Reading, Target, UnparsedLine
from fabric_drift.platforms.eos.plan_steps import steps
from fabric_drift.platforms.eos.plan_target import Goal, target
from fabric_drift.platforms.eos.plan_tree import Tree, read_tree
from fabric_drift.platforms.eos.reading import EosReading
from fabric_drift.platforms.eos.render import render
from fabric_drift.platforms.eos.state import NO_SUCH_PROFILE
from fabric_drift.state import DeviceState, Identity, Unobserved, is_said
from fabric_drift.state.values import Path

ROUTE = "config_session"
BASE_DEADLINE_S = 300
"""To collect the answers of a large switch over a new connection, twice, and to judge them."""
LINES_PER_SECOND = 5
UNSAVED = (
    "! running-config has changes that nobody saved: this change isn't saved either, see `show running-config diffs`"
)


@dataclass(frozen=True, slots=True)
class SessionPlan(Plan):
    """``saves``: startup-config equals running-config, so saving at confirmation keeps nothing but this change."""

    saves: bool = False
    hostname: str = ""
    """What the switch called itself; looked at again before anything is typed."""


def plan(reading: Reading, expected: DeviceState, where: Target) -> Plan:
    """See ``Changer.plan``. Raises Unsupported like ``render``.

    An unobserved fact is refused, unless the very lines that make it so (a threshold in kbytes) are replaced.
    """
    render(expected, replace(where, names=reading.names))  # refuses what can't be expressed, LAGs included
    refusals = [*_wrong_device(reading, expected), *_unread(reading)]
    if refusals or not isinstance(reading, EosReading) or reading.running is None:
        return SessionPlan(where.device, "eos", "", refusals=tuple(refusals))
    goal = Goal(reading.running, expected)
    before = read_tree(reading.running.config)
    differences = goal.differences(before)
    after = target(goal)
    made = tuple(steps(goal, before, after))
    refusals += _not_understood(reading.unparsed, differences)
    refusals += _out_of_reach([item for item in differences if _several_encodings(item)])
    refusals += _out_of_reach(goal.differences(after))
    return SessionPlan(
        device=where.device,
        platform="eos",
        route=ROUTE if made else "",
        steps=made,
        refusals=tuple(refusals),
        diff=_diff(before, after, saves=reading.saved_is_running) if made else "",
        deadline_s=BASE_DEADLINE_S + sum(len(step.forward) + len(step.undo) for step in made) // LINES_PER_SECOND,
        saves=reading.saved_is_running,
        hostname=_hostname(reading),
    )


def _wrong_device(reading: Reading, expected: DeviceState) -> Iterator[Refusal]:
    """Nothing is written to a switch that calls itself by another name, or by none."""
    wanted = expected.identity.hostname if isinstance(expected.identity, Identity) else None
    running = reading.states.get(Layer.RUNNING, DeviceState()).identity
    found = running.hostname if isinstance(running, Identity) else running
    if isinstance(wanted, str) and found != wanted:
        problem = found.reason if isinstance(found, Unobserved) else f"the switch calls itself {found}, not {wanted}"
        yield Refusal(("identity", "hostname"), problem, "Correct the address in the inventory")


def _hostname(reading: Reading) -> str:
    identity = reading.states[Layer.RUNNING].identity
    return identity.hostname if isinstance(identity, Identity) and isinstance(identity.hostname, str) else ""


def _unread(reading: Reading) -> Iterator[Refusal]:
    ports = reading.states.get(Layer.RUNNING, DeviceState()).ports
    remedy = "Read the switch again; see the error"
    if not isinstance(reading, EosReading):
        yield Refusal((), "this is no reading of an EOS switch", remedy)
    elif isinstance(ports, Unobserved):
        yield Refusal(("ports",), ports.reason, remedy)


def _not_understood(unparsed: Sequence[UnparsedLine], differences: Sequence[Difference]) -> Iterator[Refusal]:
    """Lines that may decide a fact that is to be changed: nobody can say what the change would do.

    A profile that is attached and missing is no riddle: it is made.
    """
    paths = [item.path for item in differences]
    for line in unparsed:
        if line.layer is not Layer.RUNNING or line.path[:1] == ("untranslated",) or line.reason == NO_SUCH_PROFILE:
            continue
        if any(_overlap(line.path, path) for path in paths):
            problem = f"line {line.line_number} may decide it: {line.line.strip()[:80]!r} ({line.reason})"
            yield Refusal(line.path, problem, "Remove the line by hand, or leave the fact out of the intent")


def _overlap(one: Path, other: Path) -> bool:
    length = min(len(one), len(other))
    return one[:length] == other[:length]


def _several_encodings(item: Difference) -> bool:
    """Error-correction encodings add up: a line replaces none of them."""
    return item.path[-1] == "fec" and isinstance(item.actual, Unobserved)


REMEDIES = {
    "speed_mbps": "Set the speed by hand: `speed` needs the number of lanes of the transceiver",
    "unreferenced": "Remove it by hand once nobody needs it",
}


def _out_of_reach(left: Sequence[Difference]) -> Iterator[Refusal]:
    """What would still differ after the change."""
    for item in left:
        word = next((part for part in item.path if part in REMEDIES), "")
        if isinstance(item.actual, Unobserved):
            problem = f"can't be seen: {item.actual.reason}"
        elif not is_said(item.actual) and len(item.path) == 2:  # noqa: PLR2004  ports/X
            problem = "the switch has no such interface"
        else:
            problem = f"no line of ours makes {item.actual} into {item.expected}"
        yield Refusal(item.path, problem, REMEDIES.get(word, "Set it by hand, or leave it out of the intent"))


def _diff(before: Tree, after: Tree, *, saves: bool) -> str:
    """The owned lines that differ, with the sections that they stand in."""
    old, new = _text(before), _text(after)
    changed = difflib.unified_diff(old, new, "running-config", "planned", n=0, lineterm="")
    lines = [line if not line.startswith("@@") else "@@" for line in changed]
    return "".join(f"{line}\n" for line in ([] if saves else [UNSAVED]) + lines)


def _text(tree: Tree) -> list[str]:
    """One line per setting, each with the sections above it, sorted: order is no difference on EOS."""
    lines = [
        " / ".join(part for part in (header, queue, line) if part)
        for header, content in tree.sections.items()
        for (queue, _), line in content.items()
    ]
    return sorted([*lines, *(header for header in tree.sections if header)])
