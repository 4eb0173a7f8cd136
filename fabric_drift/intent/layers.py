"""Inheritance: fabric -> role -> port role -> hardware -> device -> port. The last layer that says a key wins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fabric_drift.intent.classes import ClassOverride
from fabric_drift.intent.fabric import Device, Fabric, PortIntent, TreePath
from fabric_drift.intent.settings import Settings, WatchdogSettings

KeyPath = tuple[str, ...]
"""A key of the settings: ("mtu",), ("watchdog", "detect"), ("class_overrides", "rdma", "queue")."""


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer that may say something about a port."""

    name: str
    path: TreePath
    settings: Settings


@dataclass(frozen=True, slots=True, eq=False)
class Resolved:
    """The settings of a port after inheritance. ``decided``: key -> (value, index of the layer that won)."""

    layers: tuple[Layer, ...]
    decided: Mapping[KeyPath, tuple[Any, int]]

    def get(self, *key: str, default: Any = None) -> Any:
        """The value of a key, or ``default`` where no layer says it."""
        found = self.decided.get(key)
        return default if found is None else found[0]

    def has(self, key: str) -> bool:
        """Whether any layer says ``key`` or something below it."""
        return any(path[0] == key for path in self.decided)

    def path_of(self, *key: str) -> TreePath | None:
        """Where the winning value is written, or None."""
        found = self.decided.get(key)
        return None if found is None else (*self.layers[found[1]].path, *key)


def layers_of(fabric: Fabric, device: Device, port: str, intent: PortIntent) -> tuple[Layer, ...]:
    """All layers of one port, weakest first."""
    document = fabric.document
    return (
        Layer("fabric", ("settings",), document.settings),
        Layer(f"role {device.role}", ("roles", device.role, "settings"), document.roles[device.role].settings),
        Layer(f"port role {intent.role}", ("port_roles", intent.role), document.port_roles[intent.role]),
        Layer(
            f"hardware {device.hardware}",
            ("hardware", device.hardware, "settings"),
            document.hardware[device.hardware].settings,
        ),
        Layer(f"device {device.name}", ("devices", device.entry, "settings"), device.settings),
        Layer(f"port {port}", (*intent.path, "settings"), intent.settings),
    )


def resolve(fabric: Fabric, device: Device, port: str, intent: PortIntent) -> Resolved:
    """The settings of one port; one object for all ports that share their layers."""
    key = ("resolved", device.role, intent.role, device.hardware, id(device.settings), id(intent.settings))
    known = fabric.memo.get(key)
    if known is None:
        layers = layers_of(fabric, device, port, intent)
        decided: dict[KeyPath, tuple[Any, int]] = {}
        for index, layer in enumerate(layers):
            for path, value in said(layer.settings):
                decided[path] = (value, index)
        known = fabric.memo[key] = Resolved(layers, decided)
    return known


def said(settings: Settings) -> Iterator[tuple[KeyPath, Any]]:
    """Every key that one layer says, with its value."""
    for name in settings.model_fields_set:
        value = getattr(settings, name)
        if isinstance(value, WatchdogSettings):
            yield from (((name, key), getattr(value, key)) for key in value.model_fields_set)
        elif name == "class_overrides" and value is not None:
            yield from _overrides(name, value)
        elif value is not None:
            yield (name,), value


def _overrides(name: str, value: Mapping[str, ClassOverride]) -> Iterator[tuple[KeyPath, Any]]:
    for traffic_class, override in value.items():
        for key in override.model_fields_set:
            yield (name, traffic_class, key), getattr(override, key)
