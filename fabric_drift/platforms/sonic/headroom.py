"""``pg_profile_lookup.ini``: what the static buffer model derives for a lossless priority group.

buffermgrd makes ``pg_lossless_<speed>_<cable>_profile`` from the row of (port speed, cable length) and binds
it to the priority groups that ``pfc_enable`` names; without a row the port stays without lossless buffers and
only syslog knows (sonic-swss cfgmgr/buffermgr.cpp).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from fabric_drift.platforms.sonic.documents import Problems, Row
from fabric_drift.platforms.sonic.keys import number

DERIVED = re.compile(r"pg_lossless_([0-9]{1,9})_([0-9]{1,9})m_profile")
NAME_KEY = "pg_profile_lookup"
"""Prefix of the rows in ``Reading.names``: "pg_profile_lookup/400000/5" -> "19456 19456 86016 0"."""
SHORTEST = 6
LONGEST = 7


class Headroom(NamedTuple):
    """One row, in bytes; ``threshold`` is a dynamic or static one as the pool's mode says."""

    size: int
    xon: int
    xoff: int
    threshold: int
    xon_offset: int | None = None

    def profile(self, mode: str, pool: str) -> Row:
        """The BUFFER_PROFILE row that buffermgrd writes."""
        row = {"pool": pool, "size": str(self.size), "xon": str(self.xon), "xoff": str(self.xoff)}
        row["dynamic_th" if mode == "dynamic" else "static_th"] = str(self.threshold)
        if self.xon_offset is not None:
            row["xon_offset"] = str(self.xon_offset)
        return row


Lookup = Mapping[tuple[int, int], Headroom]


def lookup_of(text: str, problems: Problems) -> dict[tuple[int, int], Headroom]:
    """(speed in Mb/s, cable in m) -> row. A line that isn't understood, or a second row, is a problem."""
    table: dict[tuple[int, int], Headroom] = {}
    for line in text.splitlines():
        words = line.partition("#")[0].split()
        if not words:
            continue
        row = _row(words)
        if row is None or row[0] in table:
            problems.add(line, "not a row of speed, cable, size, xon, xoff and threshold" if row is None else "twice")
        else:
            table[row[0]] = row[1]
    return table


def _row(words: list[str]) -> tuple[tuple[int, int], Headroom] | None:
    if not SHORTEST <= len(words) <= LONGEST or not words[1].endswith("m"):
        return None
    speed, cable = number(words[0]), number(words[1][:-1])
    numbers = [number(word) for word in words[2:]]
    if speed is None or cable is None or None in numbers:
        return None
    return (speed, cable), Headroom(*(value for value in numbers if value is not None))


def as_names(table: Lookup) -> dict[str, str]:
    """The table as names of a reading, so that it reaches ``localise`` with the target."""
    return {
        f"{NAME_KEY}/{speed}/{cable}": " ".join(str(value) for value in row if value is not None)
        for (speed, cable), row in sorted(table.items())
    }


def from_names(names: Mapping[str, str]) -> dict[tuple[int, int], Headroom]:
    """The table of a target's names; empty where the device hasn't been read."""
    table: dict[tuple[int, int], Headroom] = {}
    for key, text in names.items():
        prefix, _, rest = key.partition("/")
        speed, _, cable = rest.partition("/")
        if prefix == NAME_KEY:
            table[int(speed), int(cable)] = Headroom(*(int(word) for word in text.split()))
    return table
