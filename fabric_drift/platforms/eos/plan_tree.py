"""The owned part of a configuration as sections of keyed lines: edited, read back, and compared into native lines.

It models what EOS does with a line (a key has one value) and nothing else, so a plan can be tried before a switch
has seen it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from fabric_drift.platforms.eos.body import MULTICAST_HEADER, QUEUE_HEADER
from fabric_drift.platforms.eos.config import Config, Section
from fabric_drift.platforms.eos.plan_lines import Family, Key, entries, joined, key_of
from fabric_drift.platforms.eos.state import device_state, effective
from fabric_drift.state import DeviceState

GLOBAL = ""
QUEUE_FAMILY = ("qos", "queues")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a setting stands: section header, header of the queue below it ("" for none), key."""

    section: str
    queue: str
    key: str


@dataclass(frozen=True, slots=True)
class Edit:
    """One setting that differs; None: not configured."""

    place: Place
    before: str | None
    after: str | None


class Tree:
    """Section header -> (queue header, key) -> line. Copied before it is changed."""

    def __init__(self, sections: Mapping[str, Mapping[tuple[str, str], str]]) -> None:
        self.sections = {header: dict(lines) for header, lines in sections.items()}

    def copy(self) -> Tree:
        """A tree of its own with the same lines."""
        return Tree(self.sections)

    def get(self, place: Place) -> str | None:
        """The line at ``place``."""
        return self.sections.get(place.section, {}).get((place.queue, place.key))

    def put(self, section: str, queue: str, line: str) -> None:
        """Enters ``line``; the words that the switch has for a queue (``uc-tx-queue``) are kept."""
        lines = self.sections.setdefault(section, {})
        queue = next((known for known, _ in lines if queue and _number(known) == _number(queue)), queue)
        key = key_of(line).name
        if "uc-tx-queue" in lines.get((queue, key), ""):
            line = line.replace(" tx-queue", " uc-tx-queue")
        lines[queue, key] = line

    def drop(self, place: Place) -> None:
        """Takes a setting back to its default."""
        self.sections.get(place.section, {}).pop((place.queue, place.key), None)

    def apply(self, edit: Edit) -> None:
        """One edit."""
        if edit.after is None:
            self.drop(edit.place)
        else:
            section = self.sections.setdefault(edit.place.section, {})
            section[edit.place.queue, edit.place.key] = edit.after

    def places(self, section: str, families: frozenset[Family]) -> list[Place]:
        """The settings of a section that decide one of ``families``."""
        lines = self.sections.get(section, {})
        return [Place(section, *where) for where, line in lines.items() if family_of(where[0], line) in families]


def _number(queue: str) -> str:
    """The number of a unicast queue's header; multicast queues are others."""
    return queue if queue.startswith("mc-") else queue.rpartition(" ")[2]


def family_of(queue: str, line: str) -> Family | None:
    """The facts that ``line`` decides: ECN for its own queue, scheduling for all together. None: none of ours."""
    form = key_of(line).form
    if form is None or queue.startswith("mc-"):
        return None
    return (*QUEUE_FAMILY, _number(queue)) if form.family == QUEUE_FAMILY else form.family


def read_tree(config: Config) -> Tree:
    """``config`` as a tree; a queue's header without lines is forgotten."""
    sections = {GLOBAL: config.global_}
    sections |= {f"qos profile {name}": section for name, section in config.profiles.items()}
    sections |= {f"interface {name}": section for name, section in config.interfaces.items()}
    return Tree({header: dict(_lines(section)) for header, section in sections.items()})


def _lines(section: Section) -> Iterator[tuple[tuple[str, str], str]]:
    queue = ""
    for raw in section.lines:
        line = raw.strip(" ")
        if not line or line == "!" or line.startswith("!!"):
            continue
        is_child = raw.startswith("      ")
        if not is_child:
            queue = line if QUEUE_HEADER.fullmatch(line) or MULTICAST_HEADER.fullmatch(line) else ""
        if is_child or not queue:
            for entry in entries(line):
                yield (queue, key_of(entry).name), entry


def state_of(tree: Tree, config: Config) -> DeviceState:
    """What a switch with the owned lines of ``tree``, and the rest of ``config``, is in effect."""
    profiles = [header for header in tree.sections if header.startswith("qos profile ")]
    changed = replace(
        config,
        global_=_section(tree, GLOBAL),
        profiles={header.removeprefix("qos profile "): _section(tree, header) for header in profiles},
        interfaces={name: _section(tree, f"interface {name}") for name in config.interfaces},
    )
    return device_state(effective(changed))


def _section(tree: Tree, header: str) -> Section:
    raw: list[str] = []
    for queue, lines in _by_queue(tree.sections.get(header, {})).items():
        raw += [f"   {queue}"] * bool(queue)
        raw += [f"{'   ' if queue else ''}   {line}" for line in lines]
    return Section(header, [0], raw, [0] * len(raw))


def _by_queue(lines: Mapping[tuple[str, str], str]) -> dict[str, list[str]]:
    """Lines of the section itself first, then queue by queue."""
    found: dict[str, list[str]] = {"": []}
    for (queue, _), line in lines.items():
        found.setdefault(queue, []).append(line)
    return found


def edits(before: Tree, after: Tree) -> list[Edit]:
    """Every setting that differs, in the order of the sections."""
    found = []
    for section in [*after.sections, *(header for header in before.sections if header not in after.sections)]:
        old, new = before.sections.get(section, {}), after.sections.get(section, {})
        found += [
            Edit(Place(section, *where), old.get(where), new.get(where))
            for where in [*(where for where in old if where not in new), *new]
            if old.get(where) != new.get(where)
        ]
    return found


def native(before: Tree, after: Tree) -> tuple[str, ...]:
    """The lines to type to get from ``before`` to ``after``.

    Device, profiles, interfaces, and profiles that go last: none is referred to any more.
    """
    found: dict[str, list[Edit]] = {}
    for edit in edits(before, after):
        found.setdefault(edit.place.section, []).append(edit)
    gone = [header for header in before.sections if header not in after.sections]
    made = [header for header in after.sections if header not in before.sections]
    changed = {*found, *made} - {*gone}
    lines = [line for header in sorted(changed, key=rank) for line in _section_lines(header, found.get(header, []))]
    return (*lines, *(f"no {header}" for header in sorted(gone)))


def rank(header: str) -> tuple[int, list[tuple[int, str]]]:
    """Sort key of sections: device, profiles, interfaces; Ethernet9/1 before Ethernet10/1."""
    kind = 0 if not header else 1 if header.startswith("qos profile ") else 2
    parts = header.replace("/", " ").replace("Ethernet", "Ethernet ").replace("Channel", "Channel ").split()
    return kind, [(int(part), "") if part.isdigit() and len(part) < 10 else (-1, part) for part in parts]  # noqa: PLR2004  a number, not an attack


def _section_lines(header: str, changes: list[Edit]) -> Iterator[str]:
    if header:
        yield header
    queues: dict[str, list[Edit]] = {"": []}
    for edit in changes:
        queues.setdefault(edit.place.queue, []).append(edit)
    for queue, inside in queues.items():
        if queue:
            yield f"   {queue}"
        indent = ("   " if header else "") + ("   " if queue else "")
        yield from (f"{indent}{line}" for line in joined(_typed(inside)))


def _typed(changes: list[Edit]) -> Iterator[str]:
    """Removals first: ``no priority-flow-control`` after the priorities that it would take along."""
    yield from (_removal(edit) for edit in sorted(changes, key=lambda edit: -len(edit.place.key)) if edit.after is None)
    yield from (edit.after for edit in changes if edit.after is not None)


def _removal(edit: Edit) -> str:
    assert edit.before is not None, "an edit changes something"
    known: Key = key_of(edit.before)
    return known.removal or f"no {edit.before.removeprefix('no ')}"
