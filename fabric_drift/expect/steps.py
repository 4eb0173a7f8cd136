"""Steps of an explanation: what each layer of the intent says, and how a derived value comes about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fabric_drift.finding import Source
from fabric_drift.intent.fabric import Device, Fabric, TreePath
from fabric_drift.intent.faults import locate
from fabric_drift.intent.layers import layers_of
from fabric_drift.intent.policy import PortClass
from fabric_drift.intent.ports import PortView
from fabric_drift.state.values import Path


@dataclass(frozen=True, slots=True)
class Step:
    """One layer or one derivation; the last one wins. ``decides``: the value stands or falls with this line."""

    name: str
    value: Any
    source: Source
    decides: bool = True


@dataclass(frozen=True, slots=True)
class Question:
    """What is explained: a fact of a device, and its port where it is one of a port."""

    fabric: Fabric
    device: Device
    path: Path
    value: Any
    """The fact itself."""
    view: PortView | None = None

    @property
    def port(self) -> PortView:
        """The port of a fact below ``ports``."""
        assert self.view is not None
        return self.view

    def source(self, path: TreePath) -> Source:
        """The line of the written intent."""
        node = locate(self.fabric.root, path)
        return Source(node.file, node.line)

    def said(self, name: str, value: Any, path: TreePath) -> Step:
        """A step that stands in the intent as it is."""
        return Step(name, value, self.source(path))

    def by_class(self, item: PortClass, key: str) -> TreePath:
        """Where a class says (or, by its priority, implies) one of its numbers."""
        override = self.port.resolved.path_of("class_overrides", item.name, key)
        if override is not None:
            return override
        written: TreePath = ("classes", item.name)
        is_own = key in self.fabric.document.classes[item.name].model_fields_set
        return (*written, key) if is_own else (*written, "priority")


def inherited(question: Question, *key: str, name: str = "") -> Iterator[Step]:
    """What every layer says about a key of the settings, weakest first; the last decides."""
    resolved = question.port.resolved
    winner = resolved.decided.get(key)
    view = question.port
    for index, layer in enumerate(layers_of(question.fabric, question.device, view.name, view.intent)):
        path = (*layer.path, *key)
        node = question.fabric.root
        found = True
        for part in path:
            child = node.child(part)
            found = found and child is not None
            node = child or node
        if not found:
            continue
        value = winner[0] if winner and winner[1] == index else node.value
        text = f"{name}, {layer.name}" if name else layer.name
        yield Step(text, value, Source(node.file, node.line), decides=bool(winner and winner[1] == index))


def cabled(question: Question, key: str, value: Any) -> Iterator[Step]:
    """The cable plan's word, then the layers that may override it."""
    link = question.port.link
    layers = list(inherited(question, key))
    if link is not None and value not in ("", None):
        yield Step("cable plan", value, Source(link.file, link.line), decides=not layers)
    yield from layers


def lossless(question: Question) -> Iterator[Step]:
    """The lossless classes of a port, with their PFC priorities."""
    for item in question.port.policy.classes:
        if item.lossless:
            yield question.said(f"class {item.name} is lossless", True, ("classes", item.name, "lossless"))
            key = "priority" if question.device.is_host else "pfc_priority"
            number = item.priority if question.device.is_host else item.pfc_priority
            yield question.said(f"PFC priority of {item.name}", number, question.by_class(item, key))
