"""The plain (JSON) form of a lab fabric, as the daemon keeps it in its state directory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from fabric_drift.lab.emulator import LabDevice, LabPort


def device_to_plain(device: LabDevice) -> dict[str, Any]:
    """``device`` in JSON types."""
    plain = asdict(device)
    plain["ports"] = [asdict(port) for port in device.ports]
    plain["options"] = dict(device.options)
    return plain


def device_from_plain(plain: Mapping[str, Any]) -> LabDevice:
    """The device that ``device_to_plain`` wrote down.

    Raises TypeError or KeyError when the text isn't one of ours.
    """
    return LabDevice(**{**plain, "ports": tuple(LabPort(**port) for port in plain["ports"])})


def fabric_to_plain(devices: Sequence[LabDevice]) -> list[dict[str, Any]]:
    """A whole fabric, in its order."""
    return [device_to_plain(device) for device in devices]


def fabric_from_plain(plain: Sequence[Mapping[str, Any]]) -> tuple[LabDevice, ...]:
    """The fabric that ``fabric_to_plain`` wrote down."""
    return tuple(device_from_plain(item) for item in plain)
