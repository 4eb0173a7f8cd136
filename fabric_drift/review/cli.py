"""``fabric-drift review``: two revisions of the intent in a Git checkout, no device, no credential."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from fabric_drift.platform import Disruption
from fabric_drift.report.files import write_private
from fabric_drift.report.outputs import destinations
from fabric_drift.review.json import json
from fabric_drift.review.markdown import markdown
from fabric_drift.review.model import Review
from fabric_drift.review.text import text

FORMATS: dict[str, Callable[[Review], str]] = {"text": text, "md": markdown, "json": json}
LEVELS = {str(level): level for level in Disruption}
EXIT_ABOVE_LIMIT = 4

Base = Annotated[str, typer.Option("--base", help="Revision to compare with, e.g. origin/main.", show_default=False)]
Head = Annotated[str | None, typer.Option("--head", help="Revision with the change; default: the files as they lie.")]
Intent = Annotated[str, typer.Option("--intent", envvar="FABRIC_DRIFT_INTENT", help="Folder of the intent.")]
Output = Annotated[
    list[str] | None, typer.Option("--output", "-o", help="text, md or json; FORMAT:FILE writes a file. Repeatable.")
]
Limit = Annotated[
    str | None,
    typer.Option("--allow", help=f"Exit 4 when a step may disturb more than: {', '.join(LEVELS)}."),
]


def command(
    base: Base, head: Head = None, intent: Intent = "intent", output: Output = None, allow: Limit = None
) -> None:
    """Say what a change of the intent would do to every device, and how risky that is.

    Reads two revisions of a Git checkout; needs no device and no credential, and writes nothing to either.

    \b
    fabric-drift review --base origin/main --intent intent/pod1
    fabric-drift review --base HEAD~1 --head HEAD -o text -o md:review.md -o json:review.json

    Exit: 0 reviewed, 2 usage or intent error, 4 a step may disturb more than --allow.
    """  # noqa: D301  click reads the backspace
    from fabric_drift.review.revisions import review  # noqa: PLC0415 - pydantic and platforms only when they are used

    places = destinations(output or ())
    limit = _level(allow)
    found = review(Path.cwd(), base, head, intent)
    for place in places:
        document = FORMATS[place.form](found)
        if place.file:
            write_private(place.file, document)
        else:
            sys.stdout.write(document)
    if limit is not None and (found.disruption > limit or found.problems):
        raise typer.Exit(EXIT_ABOVE_LIMIT)


def _level(name: str | None) -> Disruption | None:
    if name is not None and name not in LEVELS:
        raise typer.BadParameter(f"{name!r} is not a disruption. Use {', '.join(LEVELS)}", param_hint="--allow")
    return LEVELS[name] if name else None
