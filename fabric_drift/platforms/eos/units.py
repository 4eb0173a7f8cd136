"""EOS writes seconds with decimals and thresholds with a unit; states have milliseconds and bytes."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from fabric_drift.state import ABSENT, Ecn, Unobserved
from fabric_drift.state.device import Fact

NANOSECONDS = {"milliseconds": 1_000_000, "microseconds": 1_000}

UNPROVEN = {
    "kbytes": "whether a kbyte has 1000 or 1024 bytes on EOS is documented nowhere; configure the threshold in bytes",
    "mbytes": "whether an mbyte has 10^6 or 2^20 bytes on EOS is documented nowhere; configure the threshold in bytes",
    "segments": "how many bytes a segment has depends on the ASIC; configure the threshold in bytes",
}


def milliseconds(seconds: str) -> int:
    """``0.05`` -> 50, exactly. Raises ValueError for a part of a millisecond."""
    value = Decimal(seconds) * 1000
    if value != value.to_integral_value():
        raise ValueError(f"{seconds} s is not a whole number of milliseconds")
    return int(value)


def seconds(value_ms: int, decimals: int) -> str:
    """50 -> ``0.05`` (``decimals`` 2). Raises ValueError where that would round."""
    text = f"{Decimal(value_ms) / 1000:.{decimals}f}"
    if Decimal(text) * 1000 != value_ms:
        raise ValueError(f"{value_ms} ms is finer than {decimals} decimals of a second")
    return text


def numbers(text: str, most: int) -> list[int]:
    """``1 2 5-7`` -> [1, 2, 5, 6, 7]. Raises ValueError for anything outside of 0..``most``."""
    result: list[int] = []
    for part in text.replace(",", " ").split():
        low, _, high = part.partition("-")
        first, last = int(low), int(high or low)
        if not 0 <= first <= last <= most:
            raise ValueError(f"{part} is not between 0 and {most}")
        result += range(first, last + 1)
    if not result:
        raise ValueError("the list of values is empty")
    return result


@dataclass(frozen=True, slots=True)
class Threshold:
    """A ``random-detect ecn`` line: (number, unit) of both ends, percent, weight; None where the line is silent."""

    minimum: tuple[int, str]
    maximum: tuple[int, str]
    probability: int | None
    weight: int | None

    def ecn(self) -> Ecn | Unobserved:
        """The facts of the line; units without a proven factor are Unobserved, what the line leaves out is ABSENT.

        A threshold in bytes says that there is none in time, and the other way round.
        """
        if self.minimum[1] != self.maximum[1]:
            return Unobserved("the two thresholds have different units")
        unit = self.minimum[1]
        probability: Fact[int] = ABSENT if self.probability is None else self.probability
        weight: Fact[int] = ABSENT if self.weight is None else self.weight
        low, high = self.minimum[0], self.maximum[0]
        if unit == "bytes":
            return Ecn(low, high, ABSENT, ABSENT, max_probability_percent=probability, weight=weight)
        if unit in NANOSECONDS:
            factor = NANOSECONDS[unit]
            in_time = (low * factor, high * factor)
            return Ecn(ABSENT, ABSENT, *in_time, max_probability_percent=probability, weight=weight)
        unknown = Unobserved(UNPROVEN.get(unit, f"{unit} is not a unit that is known"))
        other = ABSENT if unit in UNPROVEN else unknown
        return Ecn(unknown, unknown, other, other, max_probability_percent=probability, weight=weight)
