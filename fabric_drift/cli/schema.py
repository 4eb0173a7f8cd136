"""``fabric-drift schema``."""

from __future__ import annotations

import importlib
import json
from typing import Annotated

import typer

DOCUMENTS = {
    "intent": "fabric_drift.intent",
    "infiniband": "fabric_drift.intent.infiniband",
    "check": "fabric_drift.report.document",
    "review": "fabric_drift.review.document",
}
"""Document -> module whose ``json_schema()`` describes it."""

Of = Annotated[str, typer.Option("--of", help=f"{', '.join(DOCUMENTS)}.")]


def schema(of: Of = "intent") -> None:
    """Print the JSON Schema of a document.

    Of the intent, for editors, which complete and check with it; of the JSON that check and review write, for programs.

    \b
    fabric-drift schema > fabric.schema.json           # yaml-language-server: $schema=fabric.schema.json
    fabric-drift schema --of infiniband > infiniband.schema.json
    fabric-drift schema --of check > check-1.schema.json
    """  # noqa: D301  click reads the backspace
    if of not in DOCUMENTS:
        raise typer.BadParameter(f"{of!r} is no document. Use {', '.join(DOCUMENTS)}", param_hint="--of")
    typer.echo(text(of), nl=False)


def text(document: str) -> str:
    """The schema as it is published."""
    return json.dumps(importlib.import_module(DOCUMENTS[document]).json_schema(), indent=2, sort_keys=True) + "\n"
