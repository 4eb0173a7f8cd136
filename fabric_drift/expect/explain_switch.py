"""Explanations of facts that switch ports have: maps, PFC, scheduling, ECN, buffers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fabric_drift.expect.steps import Question, Step, cabled, inherited, lossless
from fabric_drift.finding import Source
from fabric_drift.intent.ecn import matching
from fabric_drift.intent.policy import PortClass
from fabric_drift.intent.ports import buffers_of, ecn_place, headroom_row
from fabric_drift.intent.units import BYTES, MBPS, format_quantity


def setting(key: str, default: str = "") -> object:
    """An explainer of a fact that is a setting as it is."""

    def explain(question: Question) -> Iterator[Step]:
        steps = list(inherited(question, key))
        if steps:
            yield from steps
        elif default:
            yield question.said(f"default: {default}", default, question.port.intent.path)

    return explain


def speed(question: Question) -> Iterator[Step]:
    """Settings over the cable plan."""
    link = question.port.link
    yield from cabled(question, "speed", link.speed_mbps if link else None)


def cable(question: Question) -> Iterator[Step]:
    """Settings over the cable plan."""
    link = question.port.link
    yield from cabled(question, "cable", link.cable_m if link else None)


def fec(question: Question) -> Iterator[Step]:
    """Settings over the cable plan."""
    link = question.port.link
    yield from cabled(question, "fec", link.fec if link else None)


def neighbour(question: Question) -> Iterator[Step]:
    """The cable."""
    link = question.port.link
    if link is not None:
        far = " ".join(link.far(question.device.name, question.port.name))
        yield Step("cable plan", far, Source(link.file, link.line))


def dscp_map(question: Question) -> Iterator[Step]:
    """The class of one DSCP, or of all of them."""
    key = "priority" if question.device.is_host else "traffic_class"
    policy = question.port.policy
    asked = question.path[-1]
    for item in policy.classes:
        if asked.isdigit() and int(asked) not in item.dscps:
            continue
        if item.dscps:
            text = ", ".join(str(dscp) for dscp in item.dscps)
            yield question.said(f"DSCP {text} is in class {item.name}", item.dscps, ("classes", item.name, "dscp"))
            yield _number(question, item, key)
            if asked.isdigit():
                return
    unlisted = f"DSCP {asked} is in no class" if asked.isdigit() else "every other DSCP"
    default = policy.default
    yield question.said(f"{unlisted}: default class {default.name}", default.name, ("classes", default.name, "kind"))
    yield _number(question, default, key)


def _number(question: Question, item: PortClass, key: str) -> Step:
    words = key.replace("_", " ")
    return question.said(f"{words} of {item.name}", getattr(item, key), question.by_class(item, key))


def class_numbers(source_key: str, target_key: str) -> object:
    """An explainer of a map from one number of a class to another."""

    def explain(question: Question) -> Iterator[Step]:
        asked = question.path[-1]
        for item in question.port.policy.classes:
            if not asked.isdigit() or int(asked) == getattr(item, source_key):
                yield _number(question, item, source_key)
                yield _number(question, item, target_key)

    return explain


def pfc(question: Question) -> Iterator[Step]:
    """PFC follows from the lossless classes."""
    steps = list(lossless(question))
    yield from steps
    priorities = question.port.policy.pfc_priorities
    source = steps[-1].source if steps else question.source(("classes",))
    yield Step("PFC priorities of the lossless classes", priorities, source, decides=not steps)


def watchdog(question: Question) -> Iterator[Step]:
    """Settings; the watched priorities are the lossless ones."""
    last = question.path[-1]
    key = {"detect_ms": "detect", "restore_ms": "restore", "action": "action", "poll_ms": "poll"}.get(last)
    if key is not None:
        yield from inherited(question, "watchdog", key, name="watchdog")
        return
    said = list(inherited(question, "watchdog"))
    yield from said[:-1]
    yield from (replace(step, decides=True) for step in said[-1:])
    for step in lossless(question):
        yield replace(step, decides=last == "priorities" or not said)


def scheduling(question: Question) -> Iterator[Step]:
    """Shares of the classes, as a ratio."""
    key = "nic_traffic_class" if question.device.is_host else "queue"
    shares = []
    for item in question.port.policy.classes:
        value = item.scheduling if isinstance(item.scheduling, str) else f"{item.scheduling}%"
        name = f"class {item.name} in {key.replace('_', ' ')} {getattr(item, key)}"
        yield question.said(name, value, question.by_class(item, "scheduling"))
        if isinstance(item.scheduling, int):
            shares.append(f"{item.scheduling} %")
    yield from inherited(question, "unused_queues", name="unused queues")
    first = question.source(("classes",))
    yield Step(f"weights: {' : '.join(shares)}, divided by their common divisor", question.value, first, decides=False)


def ecn(question: Question) -> Iterator[Step]:
    """The most specific rule of the class in the queue."""
    queue = int(question.path[4])
    for item in question.port.policy.classes:
        if item.queue != queue:
            continue
        yield _number(question, item, "queue")
        for index in matching(question.fabric.document.ecn, ecn_place(question.port, item.name)):
            rule = question.fabric.document.ecn[index]
            keys = [str(key) for key in rule.keys if key is not None]
            yield question.said(f"ECN rule for {', '.join(keys)}", rule.marking, ("ecn", index))


def priority_group(question: Question) -> Iterator[Step]:
    """The lossless class of the group, the cable, and the vendor's row."""
    group = int(question.path[4])
    for item in question.port.policy.classes:
        if item.priority_group == group:
            yield _number(question, item, "priority_group")
            if item.lossless:
                yield question.said(f"class {item.name} is lossless", True, ("classes", item.name, "lossless"))
    yield from speed(question)
    yield from cable(question)
    yield from _row(question)


def _row(question: Question) -> Iterator[Step]:
    view, hardware = question.port, question.device.hardware
    buffers = buffers_of(question.fabric, question.device)
    if buffers is None:
        return
    path = ("hardware", hardware, "buffers")
    limits = {"pool": buffers.lossless.pool, "alpha_exponent": buffers.lossless.alpha}
    if question.path[-1] in limits:
        yield question.said(f"lossless groups of {hardware}", limits[question.path[-1]], (*path, "lossless"))
        return
    if view.speed_mbps is None or view.cable_m is None:
        return
    found = headroom_row(buffers, view.speed_mbps, view.cable_m)
    if found is None:
        return
    index, row = found
    text = f"{format_quantity(row.speed, MBPS).replace(' ', '')} up to {row.cable} m, for a cable of {view.cable_m} m"
    yield question.said(
        f"row of {hardware} for {text}: xoff {format_quantity(row.xoff, BYTES)} ({buffers.source})",
        row.xoff,
        (*path, "headroom", index),
    )
