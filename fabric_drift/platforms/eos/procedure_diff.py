"""What ``show session-config diffs`` has to show, and must not show, for a staged plan: two regular expressions.

Releases order sections differently, join entries of maps, and hide what equals a default. So nothing unplanned may
appear, and every planned line has to appear that no release can hide or join.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from fabric_drift.change import Step
from fabric_drift.platforms.eos.plan_lines import LISTS, key_of

NEGATIONS = ("no ", "default ")
ANY_MAP = r"qos map (?:dscp|cos|traffic-class) [\d ,-]+ to [a-z-]+ ?\d*(?: drop-precedence [0-2])?"
SOMETHING = r"^[+-](?!\+\+|--)\s*\S"


def unplanned(steps: Sequence[Step]) -> str:
    """Matches a line of a difference that no step asked for."""
    typed = {line.strip() for step in steps for line in (*step.forward, *step.undo)}
    words = [re.escape(line) for line in sorted(typed)]
    words += [ANY_MAP] if any(_is_map(line) for line in typed) else []
    allowed = "|".join(["!", *words])
    return rf"^[+-](?!\+\+ |-- )\s*(?!(?:{allowed})\s*$)\S.*$"


def must_show(steps: Sequence[Step]) -> str:
    """Matches a difference that holds every line that can't be hidden; at least one line."""
    added = {line for step in steps for line in _certain(step.forward)}
    removed = {line for step in steps for line in _certain(step.undo)}
    looks = [rf"(?=.*?^\+\s*{re.escape(line)}\s*$)" for line in sorted(added - removed)]
    looks += [rf"(?=.*?^-\s*{re.escape(line)}\s*$)" for line in sorted(removed - added)]
    return rf"(?ms)\A{''.join(looks)}.*?{SOMETHING}"


def _certain(lines: Iterable[str]) -> Iterator[str]:
    """Lines that a difference shows as they are typed: no headers, removals, maps, or what may be a default."""
    for raw in lines:
        line = raw.strip()
        form = key_of(line).form
        if form is not None and not form.maybe_hidden and not line.startswith(NEGATIONS):
            yield line


def _is_map(line: str) -> bool:
    return LISTS.fullmatch(line.removeprefix("no ")) is not None or line.startswith("no qos map ")
