"""What a reviewer must not miss: the headline, the concerns, and the rollout over all shapes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

from fabric_drift.platform import Disruption
from fabric_drift.review.model import Concern, Kind, Review, RolloutStep, Shape
from fabric_drift.review.rows import Row
from fabric_drift.review.steps import Step
from fabric_drift.state.values import ABSENT, UNSAID


def _pfc_lost(row: Row) -> str:
    if row.pattern[-2:] != ("pfc", "priorities") or not isinstance(row.before, tuple):
        return ""
    after = row.after if isinstance(row.after, tuple) else ()
    lost = sorted(set(row.before) - set(after))
    return f"PFC is taken off priority {', '.join(map(str, lost))}: its traffic is lossy from then on" if lost else ""


def _pfc_new(row: Row) -> str:
    if row.pattern[-2:] != ("pfc", "priorities") or not isinstance(row.after, tuple):
        return ""
    before = row.before if isinstance(row.before, tuple) else ()
    new = sorted(set(row.after) - set(before))
    return f"PFC is put on priority {', '.join(map(str, new))}: headroom must be there first" if new else ""


def _watchdog_off(row: Row) -> bool:
    return row.pattern[-2:] == ("pfc", "watchdog") and (row.after is ABSENT or row.after is UNSAID)


def _pfc_gone(shape: Shape) -> bool:
    """Whether no priority is left that a watchdog would have to watch."""
    return any(change.row.pattern[-2:] == ("pfc", "priorities") and change.row.after == () for change in shape.changes)


def _mtu_lower(row: Row) -> str:
    lower = row.pattern[-1] == "mtu_bytes" and isinstance(row.before, int) and isinstance(row.after, int)
    if lower and row.after < row.before:
        return f"The MTU falls from {row.before} to {row.after}: frames above it are dropped"
    return ""


def _headroom_smaller(row: Row) -> str:
    if row.pattern[-1] == "xoff_bytes" and isinstance(row.before, int) and isinstance(row.after, int):
        return "Headroom shrinks: frames in flight after a pause may be dropped" if row.after < row.before else ""
    return ""


def _unmanaged(row: Row) -> str:
    gone = row.after is UNSAID and row.pattern[:1] == ("ports",) and len(row.pattern) == 2  # noqa: PLR2004
    return "Ports leave the managed scope: what is configured there stays and is no longer checked" if gone else ""


QUESTIONS: tuple[Callable[[Row], str], ...] = (
    _pfc_lost, _pfc_new, _headroom_smaller, _mtu_lower, _unmanaged,
)  # fmt: skip
WATCHDOG_OFF = "The PFC watchdog goes: a stuck queue pauses the fabric until somebody finds it"
KINDS = {
    Kind.ADDED: "Devices come into the intent: everything on them is new",
    Kind.REMOVED: "Devices leave the intent: what is configured on them stays and is no longer checked",
}


def concerns(shapes: Iterable[Shape]) -> tuple[Concern, ...]:
    """Every concern once, with its devices."""
    found: dict[str, set[str]] = defaultdict(set)
    for shape in shapes:
        if shape.kind is not Kind.CHANGED:
            found[KINDS[shape.kind]].update(shape.devices)
            continue
        for change in shape.changes:
            for text in filter(None, (question(change.row) for question in QUESTIONS)):
                found[text].update(shape.devices)
        if any(_watchdog_off(change.row) for change in shape.changes) and not _pfc_gone(shape):
            found[WATCHDOG_OFF].update(shape.devices)
    return tuple(Concern(text, tuple(sorted(devices))) for text, devices in sorted(found.items()))


def rollout(shapes: Iterable[Shape]) -> tuple[RolloutStep, ...]:
    """The steps of all shapes in one order; steps of one place in it are done together."""
    places: dict[tuple[tuple[bool, int], str], list[tuple[Shape, Step]]] = defaultdict(list)
    for shape in shapes:
        for step in filter(lambda step: step.is_written, shape.steps):
            where = "hosts" if step.on_hosts else "switches"
            places[step.order, f"{step.title} on {where}"].append((shape, step))
    return tuple(
        RolloutStep(
            title,
            tuple(sorted({name for shape, _ in taking for name in shape.devices})),
            tuple(sorted({shape.id for shape, _ in taking})),
            max(step.disruption for _, step in taking),
        )
        for (_, title), taking in sorted(places.items())
    )


def headline(review: Review) -> str:
    """The risk in one sentence."""
    if not review.shapes:
        return "No device changes."
    devices = f"{review.changed_devices} of {review.changed_devices + review.unchanged} devices change"
    alike = f"in {len(review.shapes)} shape{'s' if len(review.shapes) > 1 else ''}"
    return f"{devices} {alike}; {_worst(review)}."


def _worst(review: Review) -> str:
    if review.problems:
        return "the change can't be rendered for every device"
    if review.disruption is Disruption.UNKNOWN:
        blind = sum(step.disruption is Disruption.UNKNOWN for step in review.rollout)
        known = f", worst known {review.known_disruption}" if review.known_disruption else ""
        return f"disruption unknown: evidence is missing in {blind} of {len(review.rollout)} steps{known}"
    return f"worst disruption: {review.disruption}"
