"""Runs the marked console blocks of a page as a reader would: in order, in one folder, with what they print.

A block is marked by a line ``<!-- run -->`` before it, or ``<!-- run: exit 4 -->`` where its last command
ends with another status. Lines after a ``$ command`` are its output: they must come in this order; ``...``
stands for any number of lines, and what comes after the last line given is not compared.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

BLOCK = re.compile(
    r"^<!-- run(?:: exit (?P<status>\d+))? -->\n+```console\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Call:
    """One command of a page. ``expected``: the lines that must be in its output, in order."""

    command: str
    expected: tuple[str, ...]
    status: int


def calls(page: str) -> Iterator[Call]:
    """Every command of the marked blocks, in order."""
    for block in BLOCK.finditer(page):
        parts = re.split(r"^\$ ", block["body"], flags=re.MULTILINE)
        assert not parts[0].strip(), f"output before the first command: {parts[0]!r}"
        for number, part in enumerate(parts[1:], 1):
            is_last = number == len(parts) - 1
            command, *output = _joined(part).splitlines()
            yield Call(command, tuple(output), int(block["status"] or 0) if is_last else 0)


def _joined(part: str) -> str:
    return re.sub(r"\s*\\\n\s*", " ", part)


def run(call: Call, folder: Path, environment: Mapping[str, str]) -> None:
    """Runs one command; an AssertionError says what differs from the page."""
    done = subprocess.run(
        ["bash", "-c", call.command],
        cwd=folder,
        env=dict(environment),
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=240,
    )
    assert done.returncode == call.status, f"$ {call.command}\n{done.stdout}\nexit status {done.returncode}"
    rest = iter(done.stdout.splitlines())
    for line in call.expected:
        if line.strip() not in ("", "..."):
            assert any(found.rstrip() == line.rstrip() for found in rest), (
                f"$ {call.command}\nno line {line!r} here or not in this order:\n{done.stdout}"
            )


def command_folder(folder: Path) -> Path:
    """A folder with `fabric-drift` of this checkout in it, installed or not."""
    folder.mkdir()
    script = folder / "fabric-drift"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m fabric_drift "$@"\n')
    script.chmod(0o755)
    return folder
