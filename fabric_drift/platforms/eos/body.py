"""The body of an interface or qos profile -> its settings, once per distinct body.

Bodies repeat over ports and devices, so reading is memoised on the owned lines; the result is compared by identity.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from fabric_drift.platforms.eos.lines import NOT_UNDERSTOOD, Remark, Settings, Slot, family, read_line
from fabric_drift.platforms.eos.words import FOREIGN, NESTED
from fabric_drift.state import Unobserved

QUEUE_HEADER = re.compile(r"(?:uc-)?tx-queue ([0-7])")
MULTICAST_HEADER = re.compile(r"mc-tx-queue [0-7]")
INDENT = 3
"""Blanks per level in ``interface`` and ``qos profile`` (AVD 6.4's templates, captures of EOS)."""


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """``remarks``: (index of the owned line, why). A slot that two lines disagree on is Unobserved."""

    settings: Settings
    remarks: tuple[tuple[int, Remark], ...] = ()


EMPTY = Body({})

LONGEST_REMEMBERED = 16_000
"""Characters; longer bodies are read each time, so that hostile text can't fill the memory."""


def owned(lines: Iterable[str]) -> list[tuple[int, str]]:
    """(index, line) of the lines under an interface that are ours or that nobody knows; see ``words``."""
    kept: list[tuple[int, str]] = []
    skip_children = False
    for index, raw in enumerate(lines):
        if raw[3:4] == " ":
            if not skip_children:
                kept.append((index, raw))
            continue
        word, _, rest = raw[3:].partition(" ")
        if word == "no":
            word = rest.partition(" ")[0]
        skip_children = word in NESTED
        if word in FOREIGN or _is_bridging(raw):
            continue
        kept.append((index, raw))
    return kept


def _is_bridging(raw: str) -> bool:
    """``switchport mode trunk`` and the like; only the bare word decides whether a port is routed."""
    return raw.startswith(("   switchport ", "   no switchport "))


def read_body(context: str, lines: tuple[str, ...]) -> Body:
    """Settings and remarks of the owned ``lines`` of an ``interface`` or ``profile``."""
    return (_remembered if sum(map(len, lines)) <= LONGEST_REMEMBERED else _read)(context, lines)


def _read(context: str, lines: tuple[str, ...]) -> Body:
    settings: Settings = {}
    remarks: list[tuple[int, Remark]] = []
    for index, found in walk(context, lines):
        if isinstance(found, Remark):
            remarks.append((index, found))
            continue
        remarks += [(index, Remark(reason, family(lines[index].strip(" ")))) for reason in put(settings, found)]
    return Body(settings, tuple(remarks))


_remembered = lru_cache(maxsize=4096)(_read)


def put(settings: Settings, new: Settings) -> Iterator[str]:
    """Adds ``new``; a second, different value makes the slot Unobserved and is told."""
    for slot, value in new.items():
        if slot in settings and settings[slot] != value:
            settings[slot] = Unobserved(f"two lines disagree on {_slot_text(slot)}")
            yield f"a second value of {_slot_text(slot)}"
        else:
            settings[slot] = value


def _slot_text(slot: Slot) -> str:
    return " ".join(str(part) for part in slot)


def walk(context: str, lines: Sequence[str]) -> Iterator[tuple[int, Settings | Remark]]:
    """(index, what the line sets or why it isn't translated), line by line, queues resolved to their number."""
    queue: int | None = None
    for index, raw in enumerate(lines):
        line = raw.strip(" ")
        depth = len(raw) - len(raw.lstrip(" "))
        if not line or line == "!" or line.startswith("!!"):
            continue
        if depth == INDENT:
            queue = None
            header = QUEUE_HEADER.fullmatch(line)
            if header:
                queue = int(header[1])
                continue
            if MULTICAST_HEADER.fullmatch(line):
                queue = -1
                continue
            for found in read_line(context, line):
                yield index, found
        elif depth == 2 * INDENT and queue is not None:
            yield from ((index, found) for found in _queue_line(queue, line))
        else:
            yield index, Remark(f"{NOT_UNDERSTOOD}: {depth} blanks of indentation here")


def _queue_line(queue: int, line: str) -> Iterator[Settings | Remark]:
    if queue < 0:
        yield Remark("multicast queues have no fact", None)
        return
    for found in read_line("queue", line):
        yield found if isinstance(found, Remark) else {(*slot, queue): value for slot, value in found.items()}
