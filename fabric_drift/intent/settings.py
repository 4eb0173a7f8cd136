"""Settings of ports: the one vocabulary of all layers (fabric, role, port role, hardware, device, port)."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import BeforeValidator, Field

from fabric_drift.intent.base import (
    Dscp,
    Metres,
    Milliseconds,
    Model,
    MtuBytes,
    Name,
    Scheduling,
    SpeedMbps,
    Switch,
    named,
    whole,
    word,
)
from fabric_drift.intent.classes import ClassOverride


def _watchdog(value: Any) -> Any:
    """``watchdog: off`` is short for ``{enabled: off}``."""
    return {"enabled": value} if isinstance(value, str | bool) else value


class WatchdogSettings(Model):
    """PFC watchdog of the lossless priorities."""

    enabled: Switch = True
    """off: no watchdog on the port."""
    poll: Milliseconds | None = None
    """How often queues are looked at; one value per device."""
    detect: Milliseconds | None = None
    """How long a queue may stand still."""
    restore: Milliseconds | None = None
    """How long a queue must be free of pause before it is trusted again."""
    action: Annotated[str, *word("drop", "forward", "alert", "errdisable")] | None = None
    """What happens to the traffic of a stuck queue."""


class Breakout(Model):
    """Where the port comes from when its cage is split."""

    mode: Annotated[str, *named(r"[1-8]x[0-9]{1,4}G", "a breakout mode like 2x400G")]
    cage: Annotated[int, *whole(0, 1023, "a cage number")]
    """Number of the cage on the front panel."""
    lane: Annotated[int, *whole(1, 8, "a position in the cage")]
    """Position of this port in the cage, from 1."""


def _rewrite(value: Any) -> Any:
    return {} if value in ("off", False) else value


Rewrite: TypeAlias = Annotated[dict[Name, Dscp], BeforeValidator(_rewrite)]


class Settings(Model):
    """Every key is optional; the last layer that says one wins, key by key."""

    admin: Annotated[str, *word("up", "down")] | None = None
    """Administrative state; default up."""
    speed: SpeedMbps | None = None
    """Default: the speed of the cable plan."""
    cable: Metres | None = None
    """Cable length; default: the length of the cable plan."""
    fec: Annotated[str, *word("rs", "fc", "none", "auto")] | None = None
    """Forward error correction; default: the cable plan's, else unmanaged."""
    breakout: Breakout | None = None
    """Cage, lane and mode of a split port."""
    mtu: MtuBytes | None = None
    """IP MTU in bytes, without layer-2 headers."""
    trust: Annotated[str, *word("dscp", "pcp")] | None = None
    """What classifies a packet; default dscp."""
    global_pause: Switch | None = None
    """802.3x pause; default off."""
    dcbx: Annotated[str, *word("off", "ieee", "cee", "firmware")] | None = None
    """Who negotiates DCB; default: unmanaged."""
    dcbx_willing: Switch | None = None
    """Whether this end obeys the other one; default: unmanaged."""
    pfc_asymmetric: Switch | None = None
    """Whether pause is sent and obeyed on different priorities; default: unmanaged."""
    watchdog: Annotated[WatchdogSettings, BeforeValidator(_watchdog)] | None = None
    """PFC watchdog, or off."""
    carries: tuple[Name, ...] | None = None
    """Classes of the port; default: all."""
    class_overrides: dict[Name, ClassOverride] | None = None
    """Other numbers or scheduling of a class on these ports."""
    nic_families: tuple[Name, ...] | None = None
    """NIC families whose DSCPs the port classifies; default: all of the fabric."""
    unused_queues: Scheduling | None = None
    """Scheduling of queues of no class: strict or a weight in percent; default: unmanaged."""
    rewrite_dscp: Rewrite | None = None
    """Egress rewrite, class by class, or off: DSCP leaves as it came. Default: unmanaged."""
    nic: Name | None = None
    """NIC profile of a host's port."""


SettingsField: TypeAlias = Annotated[Settings, Field(default_factory=Settings)]
