"""Human units <-> canonical whole numbers. A bare number is refused: nobody guesses KB from KiB.

KB = 1000 bytes and KiB = 1024 bytes. Every parser raises ValueError with a sentence for people.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal

BYTES: Mapping[str, int] = {
    "B": 1, "KB": 10**3, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30,
}  # fmt: skip
NANOSECONDS: Mapping[str, int] = {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9}
METRES: Mapping[str, int] = {"m": 1, "km": 1000}
MBPS: Mapping[str, int] = {"M": 1, "G": 1000, "T": 10**6}
RATES: Mapping[str, int] = {"Mb/s": 1, "Gb/s": 1000}
PERCENT: Mapping[str, int] = {"%": 1}

_QUANTITY = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,9})?) ?([A-Za-zµ/%]{1,4})?")
_FRACTION = re.compile(r"(?:1/)?[0-9]{1,3}")
_LARGEST_EXPONENT = 7


def parse(text: str, units: Mapping[str, int], example: str) -> int:
    """``text`` in the unit whose factor is 1. Raises ValueError without a unit, or for a fraction of that unit."""
    found = _QUANTITY.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not a quantity like {example}")
    number, unit = found.groups()
    if unit is None:
        raise ValueError(f"{text} has no unit; write it like {example}")
    if unit not in units:
        raise ValueError(f"{unit!r} is not one of the units {', '.join(units)}")
    exact = Decimal(number) * units[unit]
    if exact != exact.to_integral_value():
        smallest = min(units, key=lambda name: units[name])
        raise ValueError(f"{text} is not a whole number of {smallest}")
    return int(exact)


def format_quantity(value: int, units: Mapping[str, int]) -> str:
    """``value`` in the largest unit that needs no fraction; ``parse`` gives the same value back."""
    fitting = {name: factor for name, factor in units.items() if value % factor == 0 and (factor == 1 or value)}
    unit = max(fitting, key=lambda name: fitting[name])
    return f"{value // fitting[unit]} {unit}"


def parse_bytes(text: str) -> int:
    """Bytes: ``150 KB``, ``1.5 MB``, ``1 MiB``."""
    return parse(text, BYTES, "150 KB or 1 MiB")


def parse_ns(text: str) -> int:
    """Nanoseconds: ``200 ms``, ``4 us``."""
    return parse(text, NANOSECONDS, "200 ms")


def parse_ms(text: str) -> int:
    """Milliseconds: ``200 ms``, ``1.5 s``."""
    return _whole(text, 10**6, "milliseconds")


def parse_us(text: str) -> int:
    """Microseconds: ``4 us``, ``1 ms``."""
    return _whole(text, 10**3, "microseconds")


def _whole(text: str, factor: int, name: str) -> int:
    value, rest = divmod(parse_ns(text), factor)
    if rest:
        raise ValueError(f"{text} is not a whole number of {name}")
    return value


def parse_metres(text: str) -> int:
    """Whole metres: ``40 m``. Headroom is computed from whole metres: round up."""
    return parse(text, METRES, "40 m")


def parse_mbps(text: str) -> int:
    """Port speed in Mb/s: ``400G``, ``1.6T``."""
    return parse(text, MBPS, "400G")


def parse_rate_mbps(text: str) -> int:
    """A rate in Mb/s: ``5 Mb/s``, ``1 Gb/s``."""
    return parse(text, RATES, "5 Mb/s")


def parse_percent(text: str) -> int:
    """Whole percent: ``70%``."""
    return parse(text, PERCENT, "70%")


def parse_alpha_exponent(text: str) -> int:
    """N of alpha = 2^n: ``1/8`` is -3, ``1`` is 0, ``128`` is 7 (SONiC's dynamic_th: -8 to 7)."""
    if _FRACTION.fullmatch(text) is None:
        raise ValueError(f"{text!r} is not an alpha like 1/8, 1 or 4")
    number = int(text.removeprefix("1/"))
    exponent = number.bit_length() - 1
    if number < 1 or 2**exponent != number:
        raise ValueError(f"alpha {text} is not a power of two")
    signed = -exponent if text.startswith("1/") else exponent
    if not -_LARGEST_EXPONENT - 1 <= signed <= _LARGEST_EXPONENT:
        raise ValueError(f"alpha {text} is outside 1/256 to 128")
    return signed
