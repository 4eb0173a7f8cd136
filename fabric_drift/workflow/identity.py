"""Is this the device that was asked for, and a release that the intent allows? Asked before anything else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fnmatch import fnmatchcase

from fabric_drift.finding import Layer
from fabric_drift.platform import Reading
from fabric_drift.state import UNSAID, DeviceState, Identity, is_said
from fabric_drift.state.values import Unobserved

BOUNDARIES = ".-_+~"


def observed(reading: Reading, fact: str) -> tuple[Layer | None, str]:
    """(layer, value) of an identity fact, from the first layer that says it; (None, reason) where none does."""
    reason = "no layer says it"
    for layer in Layer:
        identity = reading.states[layer].identity if layer in reading.states else UNSAID
        value = getattr(identity, fact) if isinstance(identity, Identity) else identity
        if is_said(value):
            return layer, str(value)
        if isinstance(value, Unobserved):
            reason = value.reason
    return None, reason


def same_host(wanted: str, answered: str) -> bool:
    """Host names don't care about case; a domain after the wanted short name doesn't matter either."""
    wanted, answered = wanted.lower(), answered.lower().rstrip(".")
    return answered == wanted or ("." not in wanted and answered.split(".", 1)[0] == wanted)


def release_allowed(release: str, allowed: Iterable[str]) -> bool:
    """Equal, matched by a pattern with ``*``, or continued after a boundary: 4.32 allows 4.32.2F, not 4.321."""
    return any(
        release == item or fnmatchcase(release, item) or (release.startswith(item) and release[len(item)] in BOUNDARIES)
        for item in allowed
    )


def without_checked(expected: DeviceState) -> DeviceState:
    """``expected`` without the host name and release, which were judged here already."""
    if not isinstance(expected.identity, Identity):
        return expected
    return replace(expected, identity=replace(expected.identity, hostname=UNSAID, release=UNSAID))


def wanted_hostname(expected: DeviceState, device: str) -> str:
    """The host name that the intent asks for: its own, or the device's name."""
    identity = expected.identity
    hostname = identity.hostname if isinstance(identity, Identity) else UNSAID
    return str(hostname) if is_said(hostname) else device
