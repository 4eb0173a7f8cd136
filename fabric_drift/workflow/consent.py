"""What may be done without being asked for by name, and what not: one refusal per step that goes too far."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from fabric_drift.change import Kind, Phase, Plan, Refusal, Step
from fabric_drift.errors import IntentError
from fabric_drift.platform import Disruption
from fabric_drift.state.values import Path
from fabric_drift.workflow.expectations import Device
from fabric_drift.workflow.observe import is_fact
from fabric_drift.workflow.outcome import Consent

BY_DEFAULT = Disruption.REORDER
IN_PLACE = "in_place"
NAMES = (*(str(level) for level in Disruption), IN_PLACE)
DRAINED = frozenset(("drained", "maintenance"))
CRITICAL: tuple[tuple[str, ...], ...] = (
    ("ports", "*", "mtu_bytes"),
    ("ports", "*", "qos", "trust"),
    ("ports", "*", "qos", "maps"),
    ("ports", "*", "qos", "pfc", "priorities"),
)
"""Facts on which both ends of a path must agree: class, DSCP, PFC and MTU. Also what lies below them."""


def known(names: frozenset[str]) -> None:
    """Raises IntentError for a name that allows nothing: a typing error must not pass for consent."""
    unknown = sorted(names - set(NAMES))
    if unknown:
        raise IntentError(
            f"{', '.join(unknown)} can't be allowed", what="allow", remedy=f"Use {', '.join(NAMES)}", code="FD-CHG-001"
        )


def is_drained(device: Device, consent: Consent) -> bool:
    """Whether the intent or the operator says that no job runs over the device."""
    return device.lifecycle in DRAINED or device.name in consent.drained


def missing(plan: Plan, device: Device, consent: Consent) -> tuple[Refusal, ...]:
    """A refusal for every step that isn't covered.

    A step is covered up to ``reorder``, up to the highest level that was allowed by name, and, where its
    price is known, on a drained device. The price of a step includes that of its undo, which may run by itself.
    """
    return tuple(refusal for step in plan.steps for refusal in _missing(step, device, consent))


def _missing(step: Step, device: Device, consent: Consent) -> Iterator[Refusal]:
    price = max(step.disruption, step.undo_disruption)
    path = step.paths[0] if step.paths else ()
    drained = is_drained(device, consent)
    if not (_allowed(price, consent) or (drained and price is not Disruption.UNKNOWN)):
        told = f"costs {step.disruption}" if price is step.disruption else f"costs {price} when it has to be undone"
        drain = "" if price is Disruption.UNKNOWN else "Drain the device (lifecycle: drained), or "
        allow = f"{'allow' if drain else 'Allow'} it by name: allow={price}"
        yield Refusal(path, f"{step.title}: {told}, which wasn't allowed", drain + allow)
    if step.kind is Kind.CHANGE and not drained and IN_PLACE not in consent.allow and _critical(step):
        yield Refusal(
            path,
            f"{step.title}: changes class, DSCP, PFC or MTU in place, where no order keeps both ends in step",
            "Drain the device (lifecycle: drained), or add the new class, move the hosts and remove the old class in"
            f" changes of their own, or allow it by name: allow={IN_PLACE}",
        )


def _allowed(price: Disruption, consent: Consent) -> bool:
    if price is Disruption.UNKNOWN:
        return str(price) in consent.allow
    levels = [level for level in Disruption if str(level) in consent.allow and level is not Disruption.UNKNOWN]
    return price <= max([BY_DEFAULT, *levels])


def _critical(step: Step) -> bool:
    """A native row doesn't say which facts it holds, so its phase has to."""
    if any(not is_fact(path) for path in step.paths):
        return step.phase in (Phase.MAPS, Phase.PFC) or any("mtu" in path[-1:] for path in step.paths)
    return any(_covers(pattern, path) for pattern in CRITICAL for path in step.paths)


def _covers(pattern: tuple[str, ...], path: Path) -> bool:
    return len(path) >= len(pattern) and all(
        fnmatchcase(part, wanted) for part, wanted in zip(path, pattern, strict=False)
    )
