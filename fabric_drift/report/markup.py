"""Foreign text in Markdown, for every document that is posted: it is shown, and nothing acts on it.

A backslash only keeps Markdown from acting. Sites also look for mentions, references, links and emoji in the text
that comes out, so an invisible space takes those apart; inside code nothing is looked for, and text stays copyable.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from fabric_drift.report.harmless import clean

_SPECIAL = re.compile(r"([\\`*_\[\]|~$<>&])")
_FIRST = re.compile(r"^(\d{1,9}(?=[.)])|(?=[-+=#]))")
"""What would begin a list or a heading."""
_GAP = "&#8203;"
_ACTING = re.compile(
    r"(?<=[@#!$%~&^])(?=[\w\"\[{])"  # @name #1 !1 $1 %1 ~label &1, on GitHub or GitLab
    r"|(?<=\bGH-)(?=\d)"
    r"|(?<=:)(?=//)|(?<=\bwww)(?=\.)"  # links
    r"|(?<=:)(?=[\w+-]+:)",  # :emoji:, which 0000:ab:00.0 is too
    re.IGNORECASE | re.ASCII,
)
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}


def escaped(text: str) -> str:
    """``text`` as plain words, also in a table cell: no markup, no HTML, no link, mention, reference or emoji."""
    parts = [_plain(part) for part in _ACTING.split(clean(text).lstrip(" "))]
    parts[0] = _FIRST.sub(r"\1\\", parts[0])
    return _GAP.join(parts)


def _plain(text: str) -> str:
    return _SPECIAL.sub(lambda found: _ENTITIES.get(found[1], f"\\{found[1]}"), text)


def code(text: str) -> str:
    """``text`` as a code span, also in a table cell: there a bar is drawn broken. Nothing for no text."""
    shown = clean(text).replace("|", "\N{BROKEN BAR}")
    if "`" not in shown:
        return f"`{shown}`" if shown.strip() else ""
    fence = "`" * (_longest_run([shown]) + 1)
    return f"{fence} {shown} {fence}"


def fenced(lines: Iterable[str], language: str = "") -> list[str]:
    """``lines`` as a block of code that none of them can end."""
    shown = [clean(line) for line in lines]
    fence = "`" * max(3, _longest_run(shown) + 1)
    return [f"{fence}{language}", *shown, fence]


def _longest_run(lines: Iterable[str]) -> int:
    return max((len(run) for line in lines for run in re.findall(r"`+", line)), default=0)
