"""Every name that the intent uses must be declared; said once per use, with the nearest known name."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from difflib import get_close_matches
from typing import Any

from fabric_drift.intent.document import Document
from fabric_drift.intent.fabric import TreePath
from fabric_drift.intent.faults import Faults
from fabric_drift.intent.hardware import SwitchHardware
from fabric_drift.intent.settings import Settings
from fabric_drift.intent.topology import DeviceEntry


def check(document: Document, faults: Faults) -> None:
    """All references of the document."""
    for path, settings in all_settings(document):
        _settings(document, path, settings, faults)
    _classes(document, faults)
    _ecn(document, faults)
    for name, profile in document.nic_profiles.items():
        if profile.marks_class is not None:
            path = ("nic_profiles", name, "marks_class")
            known(faults, path, "class", profile.marks_class, document.classes)
    if document.job is not None:
        known(faults, ("job", "class"), "class", document.job.class_, document.classes)
    for name, entry in document.devices.items():
        _device(document, name, entry, faults)


def all_settings(document: Document) -> Iterator[tuple[TreePath, Settings]]:
    """Every block of settings with its place."""
    yield ("settings",), document.settings
    for name, role in document.roles.items():
        yield ("roles", name, "settings"), role.settings
    for name, port_role in document.port_roles.items():
        yield ("port_roles", name), port_role
    for name, hardware in document.hardware.items():
        yield ("hardware", name, "settings"), hardware.settings
    for name, entry in document.devices.items():
        yield ("devices", name, "settings"), entry.settings
        for port, item in entry.ports.items():
            yield ("devices", name, "ports", port, "settings"), item.settings


def known(faults: Faults, path: TreePath, what: str, name: str, declared: Collection[str]) -> bool:
    """Whether ``name`` is declared; an error with the nearest spelling if it isn't."""
    if name in declared:
        return True
    close = get_close_matches(name, sorted(declared), n=1)
    remedy = f"Declare it, or write {close[0]}" if close else ""
    faults.add("FD-INT-020", path, f"no {what} is called {name!r}", remedy)
    return False


def _settings(document: Document, path: TreePath, settings: Settings, faults: Faults) -> None:
    lists: tuple[tuple[str, Collection[str] | None], ...] = (
        ("carries", settings.carries),
        ("class_overrides", settings.class_overrides),
        ("rewrite_dscp", settings.rewrite_dscp),
    )
    for key, names in lists:
        for name in names or ():
            known(faults, (*path, key), "class", name, document.classes)
    for name in settings.nic_families or ():
        known(faults, (*path, "nic_families"), "NIC family", name, _families(document))
    if settings.nic is not None:
        known(faults, (*path, "nic"), "NIC profile", settings.nic, document.nic_profiles)


def _families(document: Document) -> set[str]:
    return {profile.family for profile in document.nic_profiles.values()}


def _classes(document: Document, faults: Faults) -> None:
    for name, entry in document.classes.items():
        by_nic: dict[str, Any] = getattr(entry, "dscp_by_nic", {})
        for family in by_nic:
            path = ("classes", name, "dscp_by_nic", family)
            known(faults, path, "NIC family", family, _families(document))


def _ecn(document: Document, faults: Faults) -> None:
    switches = [item for item in document.hardware.values() if isinstance(item, SwitchHardware)]
    asics = {name for item in switches for name in (item.asic, item.chip) if name}
    for index, rule in enumerate(document.ecn):
        known(faults, ("ecn", index, "class"), "class", rule.class_, document.classes)
        if rule.asic is not None:
            known(faults, ("ecn", index, "asic"), "ASIC", rule.asic, asics)
        if rule.port_role is not None:
            known(faults, ("ecn", index, "port_role"), "port role", rule.port_role, document.port_roles)


def _device(document: Document, name: str, entry: DeviceEntry, faults: Faults) -> None:
    path: TreePath = ("devices", name)
    has_role = known(faults, (*path, "role"), "role", entry.role, document.roles)
    known(faults, (*path, "hardware"), "hardware", entry.hardware, document.hardware)
    for port, item in entry.ports.items():
        known(faults, (*path, "ports", port), "port role", item.role, document.port_roles)
    platform = entry.platform or (document.roles[entry.role].platform if has_role else None)
    if has_role and platform is None:
        faults.add("FD-INT-004", path, f"neither the device nor its role {entry.role} says a platform")
    elif has_role and entry.releases is None and platform not in document.releases:
        faults.add("FD-INT-026", path, f"no releases are declared for the platform {platform}")
