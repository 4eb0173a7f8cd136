"""Small files read by one ``grep -H``: which were there, what they hold, why others weren't."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from fabric_drift.platform import Output
from fabric_drift.platforms.linux_host.answers import NO_SUCH_FILE, clip, lacks_command
from fabric_drift.state.values import ABSENT, Missing, Unobserved

_COMPLAINT = re.compile(r"^(?:grep|ls): (?:cannot access )?'?(?P<path>/[^\s']{1,400})'?: (?P<message>.{1,200})$")
_ANSWERED = (0, 1, 2)
"""grep's own exit statuses: matched, nothing matched, some file couldn't be read."""


@dataclass(frozen=True, slots=True)
class Files:
    """Answer of one grep. ``lines``: path -> its lines that aren't blank; ``complaints``: path -> message."""

    command: str
    lines: Mapping[str, tuple[str, ...]]
    complaints: Mapping[str, str]
    strays: tuple[tuple[int, str], ...] = ()
    trouble: str = ""
    """Why the answer isn't whole; "" when grep itself ended it."""

    def value(self, path: str) -> str | Missing:
        """First line of a file; ABSENT when grep says that there is no such file or that it is empty."""
        if path in self.lines:
            return self.lines[path][0]
        return self.why_not(path)

    def why_not(self, path: str) -> Missing:
        """ABSENT for a file or folder that isn't there or is empty; else Unobserved with the reason."""
        if self.trouble:
            return Unobserved(self.trouble)
        for known, message in self.complaints.items():
            if path == known or path.startswith(known + "/"):
                return ABSENT if message == NO_SUCH_FILE else Unobserved(f"{known}: {clip(message)}")
        return ABSENT

    def below(self, folder: str) -> dict[str, tuple[str, ...]]:
        """Relative path -> lines of every file below ``folder``."""
        start = folder + "/"
        return {path[len(start) :]: lines for path, lines in self.lines.items() if path.startswith(start)}


def read_files(command: str, output: Output | None, path_pattern: re.Pattern[str]) -> Files:
    """``output`` of a grep with -H; ``path_pattern`` (MULTILINE) gives path and text of every line."""
    if output is None:
        return Files(command, {}, {}, trouble=f"`{command}` was not run")
    lines: dict[str, list[str]] = {}
    rows = path_pattern.findall(output.stdout)
    for path, text in rows:
        lines.setdefault(path, []).append(text.rstrip("\r"))
    complaints, other = _complaints(output.stderr)
    return Files(
        command,
        {path: tuple(found_lines) for path, found_lines in lines.items()},
        complaints,
        _strays(output.stdout, len(rows), path_pattern),
        _trouble(command, output, bool(complaints), other),
    )


def _strays(stdout: str, understood: int, path_pattern: re.Pattern[str]) -> tuple[tuple[int, str], ...]:
    """Number and text of the lines that don't start with a path; searched for only where some are missing."""
    if stdout.count("\n") + (not stdout.endswith("\n") and stdout != "") == understood:
        return ()
    rows = enumerate(stdout.split("\n"), start=1)
    return tuple((number, row) for number, row in rows if row.strip() and not path_pattern.match(row))


def _complaints(stderr: str) -> tuple[dict[str, str], str]:
    """Complaints by path, and the first line of stderr that is none."""
    found: dict[str, str] = {}
    other = ""
    for line in stderr.splitlines()[:500]:
        match = _COMPLAINT.match(line.rstrip())
        if match:
            found[match["path"]] = match["message"]
        elif line.strip() and not other:
            other = line.strip()
    return found, other


def _trouble(command: str, output: Output, complained: bool, other: str) -> str:
    short = " ".join(command.split()[:3])
    if output.error:
        return f"`{short} ...`: {clip(output.error)}"
    if lacks_command(output):
        return "`grep` isn't installed, or not on the account's PATH"
    if output.exit_status not in _ANSWERED:
        return f"`{short} ...`: exit status {output.exit_status}: {clip(output.stderr)}"
    if output.exit_status != 0 and other:
        return f"`{short} ...`: {clip(other)}"
    if output.exit_status == 2 and not complained:  # noqa: PLR2004 - grep: error
        return f"`{short} ...` failed without naming a file"
    return ""


def number_of(value: str | Missing, limit: int = 2**32 - 1) -> int | Missing:
    """Decimal or 0x number of a small file. Raises ValueError when it isn't one."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    if not re.fullmatch(r"\d{1,10}|0x[0-9a-fA-F]{1,8}", text):
        raise ValueError(f"{clip(text)!r} is not a number")
    number = int(text, 0) if text.startswith("0x") else int(text)
    if number > limit:
        raise ValueError(f"{number} is above {limit}")
    return number
