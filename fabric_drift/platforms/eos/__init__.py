"""Arista EOS 4.30 to 4.35: what it reads and translates is in README.md beside this file."""

from __future__ import annotations

from collections.abc import Mapping

from fabric_drift.change import Health, Plan, Procedure
from fabric_drift.finding import Layer
from fabric_drift.platform import Command, Output, Reading, Rendered, Target
from fabric_drift.platforms.eos import capabilities as _capabilities
from fabric_drift.platforms.eos import health as _health
from fabric_drift.platforms.eos.commands import COMMANDS, ONLY_HEALTH
from fabric_drift.platforms.eos.commands import commands as _commands
from fabric_drift.platforms.eos.localise import localise as _localise
from fabric_drift.platforms.eos.parse import parse as _parse
from fabric_drift.platforms.eos.plan import plan as _plan
from fabric_drift.platforms.eos.procedure import procedure as _procedure
from fabric_drift.platforms.eos.render import render as _render
from fabric_drift.state import DeviceState


class Eos:
    """The platform contract for EOS, see ``fabric_drift.platform.Platform``."""

    name = "eos"
    title = "Arista EOS"
    releases = _capabilities.RELEASES
    layers = (Layer.SAVED, Layer.RUNNING, Layer.NOS)
    capabilities = _capabilities.CAPABILITIES
    object_fields = _capabilities.OBJECT_FIELDS
    command_families = (*COMMANDS, *ONLY_HEALTH)

    def commands(self, outputs: Mapping[str, Output]) -> tuple[Command, ...]:
        """One round of read-only commands."""
        return _commands(outputs)

    def parse(self, outputs: Mapping[str, Output]) -> Reading:
        """Three layers, unparsed lines, evidence."""
        return _parse(outputs)

    def localise(self, expected: DeviceState, target: Target) -> DeviceState:
        """``expected`` as EOS would show it."""
        return _localise(expected, target)

    def render(self, expected: DeviceState, target: Target) -> tuple[Rendered, ...]:
        """eos.cfg."""
        return _render(expected, target)

    def plan(self, reading: Reading, expected: DeviceState, target: Target) -> Plan:
        """The fewest lines from the running configuration to ``expected``, with their inverse."""
        return _plan(reading, expected, target)

    def procedure(self, plan: Plan, run_id: str) -> Procedure:
        """One configuration session per run, committed on a timer."""
        return _procedure(plan, run_id)

    def health_commands(self) -> tuple[Command, ...]:
        """Links, neighbours, BGP sessions, drops."""
        return _health.COMMANDS

    def health(self, outputs: Mapping[str, Output]) -> Health:
        """What must not get worse."""
        return _health.health(outputs)


PLATFORM = Eos()
