"""From what a host has to what it should have: steps for the program ``roce-qos``, by key, over all NICs alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from fabric_drift.change import Kind, Phase, Plan, Step
from fabric_drift.finding import Layer
from fabric_drift.platform import Capability, Disruption, Operation, Reading, Target
from fabric_drift.platforms.linux_host.capabilities import CAPABILITIES
from fabric_drift.platforms.linux_host.conf import KEYS
from fabric_drift.platforms.linux_host.differing import UNSEEN, Item, differing, found_at
from fabric_drift.state.device import DeviceState
from fabric_drift.state.tree import is_subtree

ROUTE = "host_script"
SHORT = 48
"""Characters of a value in a title."""
SHORTEST_DEADLINE_S = 300
PER_NIC_S = 15
"""Reading a NIC twice, its writes, and its link coming up again."""

_ORDER = {key.name: number for number, key in enumerate(KEYS)}
_WRITES = tuple(item for item in CAPABILITIES if item.operation is Operation.WRITE and item.supported)


def plan(reading: Reading, expected: DeviceState, target: Target) -> Plan:
    """Steps from the running layer and the files of the next boot to a localised state.

    Firmware parameters are no part of it: ``roce-qos firmware`` writes them, they come into effect at the next boot.
    """
    items, refusals = differing(reading, expected)
    steps = tuple(_steps(reading, items))
    return Plan(
        device=target.device,
        platform="linux_host",
        route=ROUTE if steps else "",
        steps=steps,
        refusals=tuple(refusals),
        diff="".join(f"{line}\n" for line in (*_diff(items), *_firmware(reading, expected))),
        deadline_s=max(SHORTEST_DEADLINE_S, 180 + PER_NIC_S * len({item.place for item in items})),
    )


def _steps(reading: Reading, items: list[Item]) -> Iterator[Step]:
    running = [item for item in items if item.runs]
    running.sort(key=lambda item: (_ORDER[item.name], item.text, item.now_text, item.place))
    for _, alike in groupby(running, key=lambda item: (item.name, item.text, item.now_text)):
        group = list(alike)
        for kind, same in _by_kind(reading, group):
            yield _running_step(same, kind)
    boots = [item for item in items if not item.runs and item.path[0] == "ports"]
    if boots:
        # Never a CHANGE: the NIC already has these values, so no path gets out of step.
        yield _file_step(f"{len(boots)} keys of the files of the next boot", boots, Phase.HOST, Kind.ADD)
    for kind in Kind:
        jobs = [item for item in items if item.path[0] == "job" and _kind_of_job(item) is kind]
        if jobs:
            yield _file_step(f"environment of jobs: {kind.value} {_names(jobs)}", jobs, Phase.JOB, kind)


def _by_kind(reading: Reading, items: list[Item]) -> Iterator[tuple[Kind, list[Item]]]:
    kinds = [(_kind(reading, item), item) for item in items]
    for kind in Kind:
        same = [item for found, item in kinds if found is kind]
        if same:
            yield kind, same


def _running_step(items: list[Item], kind: Kind) -> Step:
    first = items[0]
    capability = _capability(first.path)
    nics = f"{len(items)} NICs" if len(items) > 1 else first.place
    disturbs = capability.disruption > Disruption.REORDER
    return Step(
        title=f"{first.name}: {_short(first.now_text)} -> {_short(first.text)} on {nics}",
        paths=tuple(item.path for item in items),
        phase=Phase.HOST,
        kind=kind,
        forward=tuple(_line(item, item.text) for item in items),
        undo=tuple(_line(item, item.now_text) for item in items if item.now_text not in ("", UNSEEN)),
        disruption=capability.disruption,
        evidence="; ".join(filter(None, (capability.how, capability.source, capability.proof))),
        ports=tuple(item.place for item in items) if disturbs else (),
        undo_disruption=capability.disruption,
    )


def _file_step(title: str, items: list[Item], phase: Phase, kind: Kind) -> Step:
    return Step(
        title=title,
        paths=tuple(item.path for item in items),
        phase=phase,
        kind=kind,
        forward=tuple(_line(item, item.text) for item in items),
        undo=tuple(_line(item, item.now_text) for item in items if item.path[0] == "job"),
        disruption=Disruption.NONE,
        evidence="files are read when a NIC appears, or a job starts",
    )


def _line(item: Item, text: str) -> str:
    """As ``roce-qos change stage`` takes it. An old map of a NIC that trusted PCP has no line."""
    return f"{item.place} {item.name}={text}" if text else f"{item.place} -{item.name}"


def _capability(path: tuple[str, ...]) -> Capability:
    """The row of the table with the longest pattern that covers ``path``."""
    rows = [row for row in _WRITES if _covers(row.fact.split("/"), path)]
    return max(rows, key=lambda row: row.fact.count("/"))


def _covers(pattern: list[str], path: tuple[str, ...]) -> bool:
    return len(pattern) <= len(path) and all(
        part in ("*", name) for part, name in zip(pattern, path[: len(pattern)], strict=True)
    )


def _kind(reading: Reading, item: Item) -> Kind:
    """An addition takes nothing away from traffic that is lossless now; a removal gives it nothing.

    On a NIC where nothing is lossless yet, whatever comes is an addition.
    """
    lossless, _ = found_at(reading.states[Layer.RUNNING], ("ports", item.place, "qos", "pfc", "priorities"))
    if item.name == "pfc_priorities":
        return _of_sets(set(lossless), set(item.wanted))
    if not lossless or item.now_text == UNSEEN:
        return Kind.ADD
    if item.name == "mtu_bytes":
        return Kind.ADD if item.wanted > item.now else Kind.REMOVE
    if item.name == "dscp_to_priority" and is_subtree(item.now):
        moved = [dscp for dscp, priority in item.wanted.items() if item.now[dscp] != priority]
        if not any(item.now[dscp] for dscp in moved):
            return Kind.ADD
        return Kind.CHANGE if any(item.wanted[dscp] for dscp in moved) else Kind.REMOVE
    return Kind.CHANGE


def _of_sets(old: set[int], new: set[int]) -> Kind:
    if old <= new:
        return Kind.ADD
    return Kind.REMOVE if new <= old else Kind.CHANGE


def _kind_of_job(item: Item) -> Kind:
    if not item.now_text:
        return Kind.ADD
    return Kind.CHANGE if item.text else Kind.REMOVE


def _names(items: Iterable[Item]) -> str:
    return ", ".join(item.name for item in items)


def _short(text: str) -> str:
    return text if len(text) <= SHORT else f"{text[: SHORT - 3]}..."


def _diff(items: list[Item]) -> Iterator[str]:
    for item in items:
        where = "" if item.runs or item.path[0] == "job" else " (file of the next boot)"
        if item.now_text and (item.runs or item.path[0] == "job"):
            yield f"- {item.place} {item.name}={item.now_text}"
        if item.text:
            yield f"+ {item.place} {item.name}={item.text}{where}"


def _firmware(reading: Reading, expected: DeviceState) -> Iterator[str]:
    """Comments on parameters that only a boot changes."""
    ports: Any = expected.ports if is_subtree(expected.ports) else {}
    for pci, port in sorted(ports.items()):
        wanted, _ = found_at(port, ("nic", "firmware_parameters"))
        for name, value in sorted(wanted.items()) if isinstance(wanted, Mapping) else ():
            now, _ = found_at(reading.states[Layer.SAVED], ("ports", pci, "nic", "firmware_parameters", name))
            if now != value:
                yield f"# {pci} {name}={value} is for `roce-qos firmware apply`, then a boot"
