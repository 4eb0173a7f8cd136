"""Linux hosts with RoCE NICs; mlx5 first. See README.md for what is read and rendered."""

from __future__ import annotations

from collections.abc import Mapping

from fabric_drift.change import Changer, Health, Plan, Procedure
from fabric_drift.finding import Layer
from fabric_drift.platform import Capability, Command, Output, Platform, Reading, Rendered, Target
from fabric_drift.platforms.linux_host.capabilities import CAPABILITIES, OBJECT_FIELDS, RELEASES
from fabric_drift.platforms.linux_host.commands import families, next_commands
from fabric_drift.platforms.linux_host.health import COMMANDS as HEALTH_COMMANDS
from fabric_drift.platforms.linux_host.health import health
from fabric_drift.platforms.linux_host.localise import localise
from fabric_drift.platforms.linux_host.parse import LAYERS, parse
from fabric_drift.platforms.linux_host.plan import plan
from fabric_drift.platforms.linux_host.procedure import procedure
from fabric_drift.platforms.linux_host.render import render
from fabric_drift.state.device import DeviceState
from fabric_drift.state.values import Path


class LinuxHost:
    """Fulfils ``fabric_drift.platform.Platform`` and ``fabric_drift.change.Changer``."""

    name: str = "linux_host"
    title: str = "Linux host (mlx5)"
    releases: tuple[str, ...] = RELEASES
    layers: tuple[Layer, ...] = LAYERS
    capabilities: tuple[Capability, ...] = CAPABILITIES
    object_fields: tuple[Path, ...] = OBJECT_FIELDS
    command_families: tuple[Command, ...] = families()

    def commands(self, outputs: Mapping[str, Output]) -> tuple[Command, ...]:
        """Return the commands to run next."""
        return next_commands(outputs)

    def parse(self, outputs: Mapping[str, Output]) -> Reading:
        """Read what the host said."""
        return parse(outputs)

    def localise(self, expected: DeviceState, target: Target) -> DeviceState:
        """Put ``expected`` as an mlx5 host would show it."""
        return localise(expected, target)

    def render(self, expected: DeviceState, target: Target) -> tuple[Rendered, ...]:
        """Render the files of the next boot."""
        return render(expected, target)

    def plan(self, reading: Reading, expected: DeviceState, target: Target) -> Plan:
        """Steps for the program ``roce-qos``."""
        return plan(reading, expected, target)

    def procedure(self, plan: Plan, run_id: str) -> Procedure:
        """Stages of a change with a systemd timer that undoes it."""
        return procedure(plan, run_id)

    def health_commands(self) -> tuple[Command, ...]:
        """Links and neighbours."""
        return HEALTH_COMMANDS

    def health(self, outputs: Mapping[str, Output]) -> Health:
        """Links that are up, and neighbours."""
        return health(outputs)


PLATFORM: Platform = LinuxHost()
CHANGER: Changer = LinuxHost()
