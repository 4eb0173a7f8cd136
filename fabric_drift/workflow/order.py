"""The only order in which a fabric may change (design law 7), as a pure function over plans and topology.

Within a device the platform orders its steps: buffers, maps, scheduling, ECN, PFC, watchdog. Between devices a
class that is added carries no traffic before hosts mark it, so a switch is done in one go, and the fabric is
ordered by parts: all switches, then all hosts, then jobs; what is removed goes the other way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from fabric_drift.change import Kind, Phase, Plan, Step
from fabric_drift.workflow.outcome import Part, Wave
from fabric_drift.workflow.topology import Topology

BATCH = 8
ADDS = {"switch": Part.ADD_ON_SWITCHES, "host": Part.ADD_ON_HOSTS, "job": Part.ADD_TO_JOBS}
REMOVES = {"switch": Part.REMOVE_FROM_SWITCHES, "host": Part.REMOVE_FROM_HOSTS, "job": Part.REMOVE_FROM_JOBS}
OUTSIDE_IN = frozenset(REMOVES.values())


def part_of(step: Step, *, is_host: bool) -> Part:
    """The part that a step belongs to."""
    on_host = is_host or step.phase is Phase.HOST
    place = "job" if step.phase is Phase.JOB else "host" if on_host else "switch"
    return (REMOVES if step.kind is Kind.REMOVE else ADDS)[place]


def parts(plan: Plan, *, is_host: bool) -> dict[Part, Plan]:
    """The plan by parts, in their order and without empty ones; steps keep their order."""
    found: dict[Part, list[Step]] = {part: [] for part in Part}
    for step in plan.steps:
        found[part_of(step, is_host=is_host)].append(step)
    return {part: replace(plan, steps=tuple(steps)) for part, steps in found.items() if steps}


def waves(plans: Mapping[str, Mapping[Part, Plan]], topology: Topology, *, batch: int = BATCH) -> tuple[Wave, ...]:
    """Waves of at most ``batch`` devices, part after part; a device is in at most one wave per part.

    Within a wave no two devices are of one redundancy group or neighbours of each other. Of every shape one
    device goes first, with other first devices only (canaries); all canaries of a part go before the others.
    """
    if batch < 1:
        raise ValueError(f"a batch of {batch} devices")
    levels = topology.levels()
    found: list[Wave] = []
    for part in Part:
        devices = _in_order(part, (name for name in plans if part in plans[name]), levels)
        first = _first_of_each_shape(devices, {name: plans[name][part].shape for name in devices})
        rest = [name for name in devices if name not in first]
        for is_canary, names in ((True, [name for name in devices if name in first]), (False, rest)):
            found += [
                Wave(len(found) + number, part, together, is_canary)
                for number, together in enumerate(_batches(names, topology, batch), start=1)
            ]
    return tuple(found)


def _in_order(part: Part, devices: Iterable[str], levels: Mapping[str, int]) -> list[str]:
    """What is added starts far from the hosts, what is removed starts near them."""
    sign = 1 if part in OUTSIDE_IN else -1
    return sorted(devices, key=lambda name: (sign * levels.get(name, 0), name))


def _first_of_each_shape(devices: Sequence[str], shapes: Mapping[str, str]) -> set[str]:
    first: dict[str, str] = {}
    for name in devices:
        first.setdefault(shapes[name], name)
    return set(first.values())


def _batches(devices: Sequence[str], topology: Topology, batch: int) -> list[tuple[str, ...]]:
    waiting = list(devices)
    found = []
    while waiting:
        together: list[str] = []
        left: list[str] = []
        for index, name in enumerate(waiting):
            if len(together) == batch:
                left += waiting[index:]
                break
            (together if _may_join(name, together, topology) else left).append(name)
        found.append(tuple(together))
        waiting = left
    return found


def _may_join(name: str, together: Sequence[str], topology: Topology) -> bool:
    group, near = topology.groups.get(name), topology.neighbours(name)
    return not any(other in near or (group and topology.groups.get(other) == group) for other in together)
