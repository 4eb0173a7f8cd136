"""Reads a session: ``$ COMMAND``, its lines (those of stderr start with ``! ``), ``[rc=N]``."""

from __future__ import annotations

import re
from pathlib import Path

from fabric_drift.platform import Output

HERE = Path(__file__).parent
END = re.compile(r"\[rc=(\d+)\]")


def read_session(path: Path) -> dict[str, Output]:
    """Answer by command; of a command that was run twice, the last."""
    outputs: dict[str, Output] = {}
    command, stdout, stderr = "", "", ""
    for raw in path.read_bytes().decode().splitlines(keepends=True):
        line = raw.replace("\r", "")
        if line.startswith("$ "):
            command, stdout, stderr = line[2:].rstrip("\n"), "", ""
        elif found := END.fullmatch(line.rstrip("\n")):
            outputs[command] = Output(stdout, stderr, int(found[1]))
        elif line.startswith("! "):
            stderr += line[2:]
        else:
            stdout += line
    return outputs


def capture(name: str) -> dict[str, Output]:
    """A session of this folder."""
    return read_session(HERE / "captures" / f"{name}.txt")
