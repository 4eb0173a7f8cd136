"""Cable plans: CSV files with a header and one cable (or one range of cables) per row; # starts a note."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from fabric_drift.errors import IntentError
from fabric_drift.intent import units
from fabric_drift.intent.faults import make
from fabric_drift.intent.nodes import has_control_characters
from fabric_drift.intent.ranges import expand

REQUIRED = ("a_device", "a_port", "b_device", "b_port", "speed", "cable")
OPTIONAL = ("fec", "plane", "rail")
_PARSERS: dict[str, Callable[[str], int]] = {"speed": units.parse_mbps, "cable": units.parse_metres}
FEC = ("", "rs", "fc", "none", "auto")


@dataclass(frozen=True, slots=True)
class Cable:
    """One cable as written; port names of hosts may still be selectors (rail:1)."""

    a_device: str
    a_port: str
    b_device: str
    b_port: str
    speed_mbps: int
    cable_m: int
    fec: str
    plane: str
    rail: int | None
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class _Row:
    cells: dict[str, str]
    file: str
    line: int


def read_cables(path: Path, name: str, errors: list[IntentError]) -> list[Cable]:
    """All cables of one plan; faults go to ``errors``, one per cell or row."""
    cables: list[Cable] = []
    cache: dict[tuple[str, str], int] = {}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for row in _rows(file, name, errors):
                cables += _cables(row, cache, errors)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = " ".join(str(error).split())
        errors.append(make("FD-INT-012", f"the cable plan cannot be read ({reason})", where=f"{name}:1"))
    return cables


def _rows(file: Iterator[str], name: str, errors: list[IntentError]) -> Iterator[_Row]:
    reader = csv.reader(file, strict=True)
    header: list[str] = []
    for cells in reader:
        line = reader.line_num
        if not cells or cells[0].startswith("#"):
            continue
        if not header:
            header = [cell.strip() for cell in cells]
            if not _header_is_right(header, f"{name}:{line}", errors):
                return
        elif len(cells) != len(header):
            problem = f"{len(cells)} cells under {len(header)} columns"
            errors.append(make("FD-INT-012", problem, where=f"{name}:{line}"))
        else:
            yield _Row(dict(zip(header, cells, strict=True)), name, line)


def _header_is_right(header: list[str], where: str, errors: list[IntentError]) -> bool:
    wrong = [cell for cell in header if cell not in REQUIRED + OPTIONAL]
    missing = [cell for cell in REQUIRED if cell not in header]
    if wrong or missing or len(set(header)) < len(header):
        columns = f"{', '.join(REQUIRED)} and may have {', '.join(OPTIONAL)}"
        errors.append(make("FD-INT-012", f"the header must have the columns {columns}", where=where))
        return False
    return True


def _cables(row: _Row, cache: dict[tuple[str, str], int], errors: list[IntentError]) -> list[Cable]:
    """The cables of one row: ends with ranges are paired in order."""
    cell = {column: text.strip() for column, text in row.cells.items()}
    before = len(errors)
    for column, text in cell.items():
        if has_control_characters(text) or (not text and column in REQUIRED):
            _bad(row, column, f"{text[:40]!r} is no value", "FD-INT-008" if text else "FD-INT-012", errors)
    if len(errors) > before:
        return []
    speed = _number(row, "speed", cache, errors)
    length = _number(row, "cable", cache, errors)
    rail = _rail(row, cell.get("rail", ""), errors)
    fec = cell.get("fec", "")
    if fec not in FEC:
        _bad(row, "fec", f"{fec!r} is not one of {', '.join(FEC[1:])}", "FD-INT-009", errors)
    ends = _ends(row, cell, errors)
    if len(errors) > before:
        return []
    plane = cell.get("plane", "")
    return [Cable(*four, speed, length, fec, plane, rail, row.file, row.line) for four in ends]


def _ends(row: _Row, cell: dict[str, str], errors: list[IntentError]) -> list[tuple[str, str, str, str]]:
    names = [cell[column] for column in REQUIRED[:4]]
    if not any("[" in name for name in names):
        return [(sys.intern(names[0]), sys.intern(names[1]), sys.intern(names[2]), sys.intern(names[3]))]
    try:
        return list(pair_ends((names[0], names[1]), (names[2], names[3])))
    except ValueError as error:
        errors.append(make("FD-INT-011", str(error), where=f"{row.file}:{row.line}"))
        return []


def pair_ends(a: tuple[str, str], b: tuple[str, str]) -> Iterator[tuple[str, str, str, str]]:
    """Ends of all cables between two ranges, in order. Raises ValueError when they don't pair."""
    left = [(device, port) for device in expand(a[0]) for port in expand(a[1])]
    right = [(device, port) for device in expand(b[0]) for port in expand(b[1])]
    if len(left) != len(right):
        raise ValueError(f"{len(left)} ports on one end, {len(right)} on the other")
    for (a_device, a_port), (b_device, b_port) in zip(left, right, strict=True):
        yield sys.intern(a_device), sys.intern(a_port), sys.intern(b_device), sys.intern(b_port)


def _number(row: _Row, column: str, cache: dict[tuple[str, str], int], errors: list[IntentError]) -> int:
    """A quantity of the row; the same text is parsed once per file."""
    text = row.cells[column].strip()
    known = cache.get((column, text))
    if known is not None:
        return known
    try:
        cache[column, text] = _PARSERS[column](text)
    except ValueError as error:
        _bad(row, column, str(error), "FD-INT-006", errors)
        return 0
    return cache[column, text]


def _rail(row: _Row, text: str, errors: list[IntentError]) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 5):  # noqa: PLR2004 - rails are small numbers
        _bad(row, "rail", f"{text!r} is not a rail number", "FD-INT-005", errors)
        return None
    return int(text)


def _bad(row: _Row, column: str, problem: str, code: str, errors: list[IntentError]) -> None:
    errors.append(make(code, problem, where=f"{row.file}:{row.line}", path=(column,)))
