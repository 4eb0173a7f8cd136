"""What every model of the intent is: frozen, closed, and typed by what a human writes."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from fabric_drift.intent import units


class Model(BaseModel):
    """Frozen; unknown keys are refused; the text below a field is its description in the editor."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True, populate_by_name=True
    )


def fault(code: str, problem: str) -> PydanticCustomError:
    """An error of one value. ``problem`` is a sentence without a full stop; braces in it stay as they are."""
    return PydanticCustomError(code, "{problem}", {"problem": problem})


def _text(value: Any) -> str:
    """Text, or a whole number that stands for a name (a release 202411)."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise fault("FD-INT-005", f"{_kind(value)} is not a text")
    return str(value)


def _kind(value: Any) -> str:
    if value is None:
        return "nothing"
    names = {dict: "a mapping", tuple: "a list", bool: f"the truth value {str(value).lower()}"}
    return names.get(type(value), repr(value))


def named(pattern: str, what: str) -> tuple[BeforeValidator, WithJsonSchema]:
    """A text that must match ``pattern`` as a whole."""
    compiled = re.compile(pattern)

    def check(value: Any) -> str:
        text = _text(value)
        if compiled.fullmatch(text) is None:
            raise fault("FD-INT-010", f"{text[:60]!r} is not {what}")
        return text

    schema = {"type": ["string", "integer"], "pattern": f"^(?:{pattern})$", "description": what}
    return BeforeValidator(check), WithJsonSchema(schema)


def quantity(parser: Callable[[str], int], example: str, *kinds: str) -> tuple[BeforeValidator, WithJsonSchema]:
    """A number with a unit; ``parser`` gives its canonical whole number. ``kinds``: JSON types besides string."""

    def check(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise fault("FD-INT-005", f"{_kind(value)} is not a quantity like {example}")
        try:
            return parser(str(value))
        except ValueError as error:
            raise fault("FD-INT-006", str(error)) from None

    return BeforeValidator(check), WithJsonSchema({"type": ["string", *kinds], "examples": [example]})


def whole(low: int, high: int, what: str) -> tuple[BeforeValidator, WithJsonSchema]:
    """A whole number of ``low`` to ``high``."""

    def check(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise fault("FD-INT-005", f"{_kind(value)} is not {what}, a whole number of {low} to {high}")
        if not low <= value <= high:
            raise fault("FD-INT-007", f"{value} is not {what} ({low}-{high})")
        return value

    return BeforeValidator(check), WithJsonSchema({"type": "integer", "minimum": low, "maximum": high})


def word(*allowed: str) -> tuple[BeforeValidator, WithJsonSchema]:
    """One of a few words."""

    def check(value: Any) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise fault("FD-INT-009", f"{_kind(value)} is not one of {', '.join(allowed)}")
        return value

    return BeforeValidator(check), WithJsonSchema({"enum": list(allowed)})


def _switch(value: Any) -> bool:
    words = {"on": True, "off": False, True: True, False: False}
    if not isinstance(value, str | bool) or value not in words:
        raise fault("FD-INT-009", f"{_kind(value)} is not one of on, off")
    return words[value]


def within(low: int, high: int, unit: str) -> BeforeValidator:
    """A range check behind a quantity; written after it, so it runs before: order of Annotated is inner first."""

    def check(value: Any) -> int:
        if isinstance(value, int) and not low <= value <= high:
            raise fault("FD-INT-007", f"{value} {unit} is outside {low} to {high} {unit}")
        return int(value)

    return BeforeValidator(check)


Name: TypeAlias = Annotated[str, *named(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", "a name (letters, digits, . _ -)")]
PortName: TypeAlias = Annotated[
    str, *named(r"[A-Za-z0-9][A-Za-z0-9_./:,\[\]-]{0,127}", "a port name or a range of them")
]
DeviceRange: TypeAlias = Annotated[
    str, *named(r"[A-Za-z0-9][A-Za-z0-9_.,\[\]/-]{0,127}", "a device name or a range of them")
]
Text: TypeAlias = Annotated[str, *named(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029]{1,400}", "a text of one line")]
FileName: TypeAlias = Annotated[str, *named(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}", "a file name in this directory")]
Priority: TypeAlias = Annotated[int, *whole(0, 7, "a priority, traffic class, queue or group")]
Dscp: TypeAlias = Annotated[int, *whole(0, 63, "a DSCP")]
MtuBytes: TypeAlias = Annotated[int, *whole(1280, 9978, "an IP MTU in bytes")]
Bytes: TypeAlias = Annotated[int, *quantity(units.parse_bytes, "150 KB")]
Milliseconds: TypeAlias = Annotated[int, *quantity(units.parse_ms, "200 ms")]
Microseconds: TypeAlias = Annotated[int, *quantity(units.parse_us, "4 us")]
Metres: TypeAlias = Annotated[int, *quantity(units.parse_metres, "40 m")]
SpeedMbps: TypeAlias = Annotated[int, *quantity(units.parse_mbps, "400G")]
RateMbps: TypeAlias = Annotated[int, *quantity(units.parse_rate_mbps, "5 Mb/s")]
AlphaExponent: TypeAlias = Annotated[int, *quantity(units.parse_alpha_exponent, "1/8", "integer")]
Switch: TypeAlias = Annotated[bool, BeforeValidator(_switch), WithJsonSchema({"enum": ["on", "off", True, False]})]


Percent: TypeAlias = Annotated[int, within(0, 100, "%"), *quantity(units.parse_percent, "70%")]


def _scheduling(value: Any) -> int | str:
    if value == "strict":
        return "strict"
    try:
        share = units.parse_percent(str(value))
    except ValueError as error:
        raise fault("FD-INT-006", f"{error}, or write strict") from None
    if not 1 <= share <= 100:  # noqa: PLR2004 - percent
        raise fault("FD-INT-007", f"a share of {share} % is outside 1 to 100 %")
    return share


Scheduling: TypeAlias = Annotated[
    int | str,
    Field(union_mode="left_to_right"),
    BeforeValidator(_scheduling),
    WithJsonSchema({"type": "string", "examples": ["strict", "70%"]}),
]


def _dscps(value: Any) -> tuple[int, ...]:
    items = value if isinstance(value, tuple) else (value,)
    found = [number for item in items for number in _dscp_span(item)]
    twice = [number for number, following in pairwise(sorted(found)) if number == following]
    if twice:
        raise fault("FD-INT-030", f"DSCP {twice[0]} is listed twice in one class")
    if not found:
        raise fault("FD-INT-007", "an empty list holds no DSCP")
    return tuple(found)


def _dscp_span(item: Any) -> range:
    if isinstance(item, str) and re.fullmatch(r"[0-9]{1,2}-[0-9]{1,2}", item):
        low, high = (int(part) for part in item.split("-"))
    elif isinstance(item, int) and not isinstance(item, bool):
        low = high = item
    else:
        raise fault("FD-INT-005", f"{_kind(item)} is not a DSCP or a range like 24-31")
    if not 0 <= low <= high <= 63:  # noqa: PLR2004 - six bits
        raise fault("FD-INT-007", f"{item} is not a DSCP (0-63)")
    return range(low, high + 1)


_DSCP_ITEM = {"anyOf": [{"type": "integer", "minimum": 0, "maximum": 63}, {"type": "string"}]}
DscpSet: TypeAlias = Annotated[
    tuple[int, ...],
    BeforeValidator(_dscps),
    WithJsonSchema({"anyOf": [*_DSCP_ITEM["anyOf"], {"type": "array", "items": _DSCP_ITEM}]}),
]
