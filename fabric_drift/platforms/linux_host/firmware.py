"""``mlxconfig -d PCI -e q`` and ``mlxreg ... PPCC`` -> firmware parameters and the running congestion control.

Source of the table: mstflint mlxconfig (printSingleParam); of PPCC: a public health check of a cloud (oci-hpc),
which takes ``value`` 1 for programmable congestion control. No output of a real NIC of ours has been seen.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from fabric_drift.platforms.linux_host.answers import Problem
from fabric_drift.state.values import Missing, Unobserved

COLUMNS = {
    ("Default", "Current", "Next Boot"): (1, 2),
    ("Default", "Current", "New"): (1, None),
    ("Next Boot",): (None, 0),
    ("Current",): (0, None),
}
"""Headings -> index of the current and of the next value. "New" is what a set would bring: not the next boot."""

_PREAMBLE = re.compile(r"(Device #\d+:|-{3,}|(Device type|Name|Description|Device|PCI device|Base MAC|Versions):.*)")
_HEADING = re.compile(r"Configurations:\s+(.*\S)")
_ROW = re.compile(r"(?:\*|RO|\s)*\s(?P<name>[A-Z][A-Za-z0-9_]*(?:\[\d+\])?)\s+(?P<cells>\S.*)")
_TRAILER = re.compile(r"The '(\*|RO)' shows parameters .*")
_ENUM = re.compile(r"[^\s()]{0,60}\((\d{1,10}|0x[0-9a-fA-F]{1,16})\)")
_NUMBER = re.compile(r"\d{1,20}|0x[0-9a-fA-F]{1,16}")
_ARRAY = re.compile(r"Array\[\d+\.\.\d+\]")
_REGISTER_ROW = re.compile(r"(\w+)\s*\|\s*(0x[0-9a-fA-F]{1,8})")


@dataclass(frozen=True, slots=True)
class Parameters:
    """Firmware parameters by name; values are decimal numbers as text. None: the table has no such column."""

    current: Mapping[str, str | Missing] | None = None
    next_boot: Mapping[str, str | Missing] | None = None
    lines: Mapping[str, tuple[int, str]] | None = None
    """Name -> line number in the table (from 1 at "Configurations:") and row; for evidence."""
    problems: tuple[Problem, ...] = ()


def read_mlxconfig(text: str) -> Parameters:
    """Read the table of one device. What comes before it differs per device, so only the table is cached."""
    head, mark, table = text.partition("Configurations:")
    strays = [line for line in head.splitlines() if line.strip() and not _PREAMBLE.fullmatch(line.strip())]
    problems = tuple(Problem(line, "not a line of mlxconfig as known", _BELOW) for line in strays)
    if not mark:
        return Parameters(problems=(*problems, Problem(head[:200], "mlxconfig shows no table", _BELOW)))
    read = _read_table(mark + table)
    return Parameters(read.current, read.next_boot, read.lines, (*problems, *read.problems))


_BELOW = ("nic", "firmware_parameters")


@lru_cache(maxsize=64)
def _read_table(text: str) -> Parameters:
    lines = text.splitlines()
    heading = _HEADING.fullmatch(lines[0].strip())
    names = tuple(re.split(r"\s{2,}", heading[1])) if heading else ()
    if names not in COLUMNS:
        return Parameters(problems=(Problem(lines[0], "headings that aren't known", _BELOW),))
    rows: dict[str, tuple[str, ...]] = {}
    where: dict[str, tuple[int, str]] = {}
    problems: list[Problem] = []
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip() or _TRAILER.fullmatch(line.strip()):
            continue
        name, cells = _row(line, len(names))
        if not name or name in rows:
            problems.append(Problem(line, "not a row of the table, or a second one of that name", _BELOW, number))
            rows.pop(name, None)
            continue
        rows[name], where[name] = cells, (number, line)
    current, next_boot = COLUMNS[names]
    return Parameters(_column(rows, current), _column(rows, next_boot), where, tuple(problems))


def _row(line: str, columns: int) -> tuple[str, tuple[str, ...]]:
    found = _ROW.fullmatch(" " + line.rstrip()) if len(line) < 400 else None  # noqa: PLR2004 - a table row
    if not found:
        return "", ()
    for cells in (re.split(r"\s{2,}", found["cells"]), found["cells"].split()):
        if len(cells) == columns:
            return found["name"], tuple(cells)
    return "", ()


def _column(rows: Mapping[str, tuple[str, ...]], index: int | None) -> Mapping[str, str | Missing] | None:
    return None if index is None else {name: plain_value(cells[index]) for name, cells in sorted(rows.items())}


def plain_value(cell: str) -> str | Missing:
    """``True(1)`` -> ``1``, ``0x10`` -> ``16``, ``6`` -> ``6``; an array has to be asked for by element."""
    enum = _ENUM.fullmatch(cell)
    text = enum[1] if enum else cell
    if _NUMBER.fullmatch(text):
        return str(int(text, 0) if text.startswith("0x") else int(text))
    if _ARRAY.fullmatch(cell):
        return Unobserved("an array, which mlxconfig shows only element by element")
    return cell


def read_ppcc(text: str) -> tuple[str | Missing, tuple[Problem, ...]]:
    """``pcc`` when the register PPCC says that programmable congestion control runs, else ``dcqcn``."""
    values = [
        found[2]
        for line in text.splitlines()
        if (found := _REGISTER_ROW.fullmatch(line.strip())) and found[1] == "value"
    ]
    below = ("nic", "congestion_control")
    if len(values) != 1:
        return Unobserved("register PPCC doesn't show one field `value`"), (
            Problem(text[:200], "no single field `value` in register PPCC", below),
        )
    known = {0: "dcqcn", 1: "pcc"}.get(int(values[0], 16))
    if known is None:
        return Unobserved(f"register PPCC has value {values[0]}"), (
            Problem(values[0], "a value that isn't known", below),
        )
    return known, ()
