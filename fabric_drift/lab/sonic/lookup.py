"""Headroom by speed and cable length: ``pg_profile_lookup.ini`` of the static model, and the dynamic model's sums.

xoff of the Tomahawk 5 rows: Dell Z9864F in sonic-buildimage, stand-in for the 7060X6; size, xon and xon_offset: its
7060X6-64PE-O128S2. xoff of Spectrum-4: the SN5600's shipped tables (sonic-buildimage 086b03b).
"""

from __future__ import annotations

from dataclasses import dataclass

SPECTRUM4_XOFF_BYTES: dict[int, dict[int, int]] = {
    100_000: {5: 113_664, 40: 126_976, 300: 225_280},
    200_000: {5: 131_072, 40: 157_696, 300: 355_328},
    400_000: {5: 231_424, 40: 283_648, 300: 677_888},
    800_000: {5: 257_024, 40: 362_496, 300: 1_150_976},
}
SPECTRUM4_XON_BYTES = 19_456
_KIBIBYTE = 1024

TOMAHAWK5_LOOKUP = """\
# PG lossless profiles.
# speed cable size    xon  xoff    threshold xon_offset
100000  5m    18796   0    147066  0         3556
100000  40m   18796   0    160274  0         3556
100000  300m  18796   0    258572  0         3556
200000  5m    18796   0    229362  0         3556
200000  40m   18796   0    255778  0         3556
200000  300m  18796   0    452374  0         3556
400000  5m    18796   0    393192  0         3556
400000  40m   18796   0    446024  0         3556
400000  300m  18796   0    839216  0         3556
800000  5m    18796   0    729488  0         3556
800000  40m   18796   0    835406  0         3556
800000  300m  18796   0    1621536 0         3556
"""


@dataclass(frozen=True, slots=True)
class LookupRow:
    """One line of ``pg_profile_lookup.ini``; sizes in bytes as text, ``xon_offset`` may be empty."""

    size: str
    xon: str
    xoff: str
    threshold: str
    xon_offset: str = ""


def read_lookup(text: str) -> dict[tuple[str, str], LookupRow]:
    """(speed, cable) -> row, read as buffermgrd reads it: words in order, a later row replaces an earlier one."""
    rows: dict[tuple[str, str], LookupRow] = {}
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        speed, cable, *rest = (*line.split()[:7], *[""] * 7)
        rows[speed, cable] = LookupRow(*rest[:5])
    return rows


def spectrum4_xoff_bytes(speed_mbps: int, cable_m: int) -> int:
    """What the dynamic model computes: the shipped rows, straight lines between and beyond them, whole KiB."""
    rows = SPECTRUM4_XOFF_BYTES.get(speed_mbps) or SPECTRUM4_XOFF_BYTES[400_000]
    if cable_m in rows:
        return rows[cable_m]
    low, high = (5, 40) if cable_m < 40 else (40, 300)  # noqa: PLR2004 - metres of the rows above
    slope = (rows[high] - rows[low]) / (high - low)
    exact = rows[low] + slope * (cable_m - low)
    return -(-int(exact) // _KIBIBYTE) * _KIBIBYTE
