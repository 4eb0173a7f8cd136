"""ECN marking rules, keyed by class, ASIC, port speed and port role; the most specific rule wins."""

from __future__ import annotations

from typing import Annotated, Any, Self, TypeAlias

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from fabric_drift.intent import units
from fabric_drift.intent.base import Model, Name, Percent, SpeedMbps, Switch, fault, whole, word

BASES = ("bytes", "ns", "percent")


class Threshold(Model):
    """A queue threshold in one basis: bytes, time or fill percent. Bases are never converted."""

    basis: str
    value: int


def _threshold(value: Any) -> Any:
    text = str(value)
    parsers = (units.BYTES, "bytes"), (units.NANOSECONDS, "ns"), (units.PERCENT, "percent")
    for table, basis in parsers:
        if any(text.removesuffix(unit).strip().replace(".", "").isdigit() for unit in table if text.endswith(unit)):
            try:
                return Threshold(basis=basis, value=units.parse(text, table, "150 KB"))
            except ValueError as error:
                raise fault("FD-INT-006", str(error)) from None
    raise fault("FD-INT-006", f"{text[:40]!r} is not a threshold with a unit, like 150 KB, 12 us or 30%")


ThresholdField: TypeAlias = Annotated[
    Threshold,
    BeforeValidator(_threshold),
    WithJsonSchema({"type": "string", "examples": ["150 KB", "12 us", "30%"]}),
]


class EcnRule(Model):
    """Marking of one class where the given keys match. ``marking: off`` says: here it isn't marked."""

    class_: Name = Field(alias="class")
    """Class whose queue is marked."""
    asic: Name | None = None
    """Only on this ASIC or chip."""
    speed: SpeedMbps | None = None
    """Only on ports of this speed."""
    port_role: Name | None = None
    """Only on ports of this role."""
    marking: Switch = True
    kmin: ThresholdField | None = None
    """Queue length at which marking starts: bytes, time or percent of the queue's limit."""
    kmax: ThresholdField | None = None
    """Queue length at which every packet is marked."""
    probability: Percent | None = None
    """Marking probability just below kmax."""
    weight: Annotated[int, *whole(0, 15, "an averaging weight")] | None = None
    """Exponent of the moving average, where the platform has one."""
    colours: tuple[Annotated[str, *word("green", "yellow", "red")], ...] | None = None
    """Drop colours that are marked; default: as the platform's localisation says."""
    wred_drop: Switch | None = None
    """Whether packets that can't be marked are dropped; default: unmanaged."""

    @model_validator(mode="after")
    def _coherent(self) -> Self:
        if not self.marking:
            return self
        if self.kmin is None or self.kmax is None or self.probability is None:
            raise fault("FD-INT-004", "a marking rule needs kmin, kmax and probability")
        if self.kmin.basis != self.kmax.basis:
            raise fault("FD-INT-033", f"kmin is in {self.kmin.basis} and kmax in {self.kmax.basis}")
        if not 0 < self.kmin.value < self.kmax.value:
            raise fault("FD-INT-033", f"kmin {self.kmin.value} is not between 0 and kmax {self.kmax.value}")
        if self.probability == 0:
            raise fault("FD-INT-033", "a probability of 0% marks nothing")
        return self

    @property
    def keys(self) -> tuple[Name | int | None, ...]:
        """What the rule is keyed by."""
        return (self.class_, self.port_role, self.asic, self.speed)


Place: TypeAlias = tuple[tuple[str | int | None, ...], ...]
"""What a rule is compared with, key by key: (class), (port role), (ASIC, chip), (speed)."""


def matching(rules: tuple[EcnRule, ...], place: Place) -> list[int]:
    """Indexes of the most specific rules for a place: [] where none fits, two or more in a tie."""
    best: dict[int, list[int]] = {}
    for index, rule in enumerate(rules):
        if all(key is None or key in asked for key, asked in zip(rule.keys, place, strict=True)):
            best.setdefault(sum(key is not None for key in rule.keys), []).append(index)
    return best[max(best)] if best else []
