"""``-o FORMAT[:FILE]``, several at once: text to the terminal, JSON and Markdown to files."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from fabric_drift.errors import FabricDriftError
from fabric_drift.report.files import write_private
from fabric_drift.report.json import json
from fabric_drift.report.markdown import markdown
from fabric_drift.report.text import text
from fabric_drift.result import CheckResult

FORMATS = ("text", "json", "md")


class OutputError(FabricDriftError):
    """The user must act: a report can't go where it should."""

    kind = "usage"


@dataclass(frozen=True, slots=True)
class Destination:
    """One report; without a ``file`` it goes to standard output."""

    form: str
    file: Path | None


def destinations(wanted: Sequence[str]) -> tuple[Destination, ...]:
    """Parsed and checked before any device is read. Raises OutputError."""
    found = tuple(_destination(item) for item in wanted or ("text",))
    if sum(item.file is None for item in found) > 1:
        raise OutputError(
            "two reports can't share standard output", remedy="Give FORMAT:FILE for one", code="FD-CLI-002"
        )
    return found


def _destination(item: str) -> Destination:
    form, _, name = item.partition(":")
    form = {"markdown": "md"}.get(form, form)
    if form not in FORMATS:
        raise OutputError(f"{form!r} is no format", remedy=f"Use {', '.join(FORMATS)}", code="FD-CLI-002")
    if name in ("", "-"):
        return Destination(form, None)
    file = Path(name)
    if not file.parent.is_dir() or file.is_dir():
        raise OutputError(f"{file} can't be written", remedy="Name a file in an existing folder", code="FD-CLI-002")
    return Destination(form, file)


def write(result: CheckResult, places: Sequence[Destination], *, verbose: bool, colour: bool) -> None:
    """All reports; files first, so that a full terminal pipe costs none. Raises OutputError."""
    for place in sorted(places, key=lambda item: item.file is None):
        content = _content(result, place, verbose=verbose, colour=colour and place.file is None)
        if place.file is None:
            sys.stdout.write(content)
            continue
        try:
            write_private(place.file, content)
        except OSError as error:
            raise OutputError(
                f"{place.file} can't be written: {error.strerror}", remedy="Free the place", code="FD-CLI-003"
            ) from error


def _content(result: CheckResult, place: Destination, *, verbose: bool, colour: bool) -> str:
    if place.form == "text":
        return text(result, colour=colour, verbose=verbose)
    return json(result) if place.form == "json" else markdown(result, verbose=verbose)


def wants_colour(stream: TextIO, *, asked: bool | None) -> bool:
    """--colour/--no-colour, else NO_COLOR (no-color.org), else whether it is a terminal."""
    if asked is not None:
        return asked
    return not os.environ.get("NO_COLOR") and stream.isatty()
