"""SONiC (community) as a platform: see README.md beside this file."""

from __future__ import annotations

from collections.abc import Mapping

from fabric_drift.change import Health, Plan, Procedure
from fabric_drift.finding import Layer
from fabric_drift.platform import Capability, Command, Output, Reading, Rendered, Target
from fabric_drift.platforms.sonic import commands as _commands
from fabric_drift.platforms.sonic.capabilities import CAPABILITIES, OBJECT_FIELDS
from fabric_drift.platforms.sonic.health import health, health_commands
from fabric_drift.platforms.sonic.localise import localise
from fabric_drift.platforms.sonic.parse import parse
from fabric_drift.platforms.sonic.plan import plan
from fabric_drift.platforms.sonic.procedure import procedure
from fabric_drift.platforms.sonic.render import render
from fabric_drift.platforms.sonic.tables import RELEASES
from fabric_drift.state.device import DeviceState
from fabric_drift.state.values import Path


class Sonic:
    """Community SONiC, single ASIC. Fulfils ``platform.Platform`` and ``change.Changer``."""

    name = "sonic"
    title = "SONiC (community)"
    releases: tuple[str, ...] = RELEASES
    layers: tuple[Layer, ...] = (Layer.SAVED, Layer.RUNNING, Layer.NOS, Layer.SAI)
    capabilities: tuple[Capability, ...] = CAPABILITIES
    object_fields: tuple[Path, ...] = OBJECT_FIELDS
    command_families: tuple[Command, ...] = _commands.FAMILIES

    def commands(self, outputs: Mapping[str, Output]) -> tuple[Command, ...]:
        """See ``commands.commands``."""
        return _commands.commands(outputs)

    def parse(self, outputs: Mapping[str, Output]) -> Reading:
        """See ``parse.parse``."""
        return parse(outputs)

    def localise(self, expected: DeviceState, target: Target) -> DeviceState:
        """See ``localise.localise``."""
        return localise(expected, target)

    def render(self, expected: DeviceState, target: Target) -> tuple[Rendered, ...]:
        """See ``render.render``."""
        return render(expected, target)

    def plan(self, reading: Reading, expected: DeviceState, target: Target) -> Plan:
        """See ``plan.plan``."""
        return plan(reading, expected, target)

    def procedure(self, plan: Plan, run_id: str) -> Procedure:
        """See ``procedure.procedure``."""
        return procedure(plan, run_id)

    def health_commands(self) -> tuple[Command, ...]:
        """See ``health.health_commands``."""
        return health_commands()

    def health(self, outputs: Mapping[str, Output]) -> Health:
        """See ``health.health``."""
        return health(outputs)


PLATFORM = Sonic()
