"""OpenSM: the files and the console of an SM node, and the subnet behind it by SMP."""

from __future__ import annotations

from collections.abc import Mapping

from fabric_drift.change import Health, Plan, Procedure
from fabric_drift.finding import Layer
from fabric_drift.platform import Capability, Command, Output, Reading, Rendered, Target
from fabric_drift.platforms.opensm import localise as localisation
from fabric_drift.platforms.opensm import parse as parser
from fabric_drift.platforms.opensm import plan as planner
from fabric_drift.platforms.opensm import procedure as procedures
from fabric_drift.platforms.opensm.capabilities import CAPABILITIES, FIELDS
from fabric_drift.platforms.opensm.commands import STATUS, SUBNET, commands
from fabric_drift.state.device import DeviceState


class OpenSm:
    """The platform ``opensm``. See ``platform.Platform``."""

    name = "opensm"
    title = "OpenSM 3.3 on a Linux host"
    releases = localisation.RELEASES
    layers = (Layer.SAVED, Layer.RUNNING, Layer.NOS, Layer.HARDWARE)
    capabilities: tuple[Capability, ...] = CAPABILITIES
    object_fields = FIELDS
    command_families = (STATUS, SUBNET)

    def commands(self, outputs: Mapping[str, Output]) -> tuple[Command, ...]:
        """See ``Platform.commands``."""
        return commands(outputs)

    def parse(self, outputs: Mapping[str, Output]) -> Reading:
        """See ``Platform.parse``."""
        return parser.parse(outputs)

    def localise(self, expected: DeviceState, target: Target) -> DeviceState:
        """See ``Platform.localise``."""
        return localisation.localise(expected, target)

    def render(self, expected: DeviceState, target: Target) -> tuple[Rendered, ...]:
        """See ``Platform.render``."""
        return localisation.render(expected, target)

    def plan(self, reading: Reading, expected: DeviceState, target: Target) -> Plan:
        """See ``Changer.plan``."""
        return planner.plan(reading, expected, target)

    def procedure(self, plan: Plan, run_id: str) -> Procedure:
        """See ``Changer.procedure``."""
        return procedures.procedure(plan, run_id)

    def health_commands(self) -> tuple[Command, ...]:
        """See ``Changer.health_commands``."""
        return procedures.health_commands()

    def health(self, outputs: Mapping[str, Output]) -> Health:
        """See ``Changer.health``."""
        return procedures.health(outputs)


PLATFORM = OpenSm()
