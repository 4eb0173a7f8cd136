"""Small ways to answer: success, refusal, and SONiC's text tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from fabric_drift.lab.emulator import Answer

USAGE = 2
NOT_FOUND = 127
_HEADER_PADDING = 2  # tabulate's MIN_PADDING


class RefusedError(Exception):
    """The command can't be done; the text is the device's own, ``status`` its exit code."""

    def __init__(self, text: str, status: int = 1) -> None:
        super().__init__(text)
        self.answer = Answer(stderr=text if text.endswith("\n") else f"{text}\n", exit_status=status)


def usage(program: str, problem: str) -> RefusedError:
    """The way SONiC's command line (click) complains."""
    return RefusedError(f"Usage: {program} [OPTIONS] COMMAND [ARGS]...\n\nError: {problem}", USAGE)


def as_json(value: Any) -> str:
    """JSON as sonic-cfggen and ``config save`` print it: sorted, four spaces."""
    return json.dumps(value, indent=4, sort_keys=True) + "\n"


def simple_table(headers: Sequence[str], rows: Sequence[Sequence[str]], *, right: bool = False) -> str:
    """A table in tabulate's ``simple`` format; ``right`` aligns text to the right."""
    widths = [
        max(len(header) + _HEADER_PADDING, *(len(line[index]) for line in rows), 0)
        for index, header in enumerate(headers)
    ]
    lines = [headers, ["-" * width for width in widths], *rows]
    adjust = str.rjust if right else str.ljust
    return "".join(
        "  ".join(adjust(cell, width) for cell, width in zip(line, widths, strict=True)).rstrip() + "\n"
        for line in lines
    )
