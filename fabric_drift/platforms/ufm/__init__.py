"""NVIDIA UFM over its REST API: partitions, options and the routing engine, as UFM believes them. Experimental."""

from __future__ import annotations

from collections.abc import Mapping

from fabric_drift.change import Health, Plan, Procedure
from fabric_drift.finding import Layer
from fabric_drift.platform import Capability, Command, Output, Reading, Rendered, Target
from fabric_drift.platforms.ufm import localise as localisation
from fabric_drift.platforms.ufm import parse as parser
from fabric_drift.platforms.ufm import plan as planner
from fabric_drift.platforms.ufm.capabilities import CAPABILITIES, FIELDS
from fabric_drift.platforms.ufm.commands import FAMILIES, commands
from fabric_drift.state.device import DeviceState


class Ufm:
    """The platform ``ufm``. See ``platform.Platform``. It plans for people to read, and never changes anything."""

    name = "ufm"
    title = "NVIDIA UFM Enterprise over REST (experimental)"
    releases = localisation.RELEASES
    layers = (Layer.NOS,)
    capabilities: tuple[Capability, ...] = CAPABILITIES
    object_fields = FIELDS
    command_families = FAMILIES

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
        """See ``Changer.plan``. A plan with steps always has a refusal too."""
        return planner.plan(reading, expected, target)

    def procedure(self, plan: Plan, run_id: str) -> Procedure:
        """Raises Unsupported: nothing is ever written to a UFM."""
        del run_id
        return planner.procedure(plan)

    def health_commands(self) -> tuple[Command, ...]:
        """See ``Changer.health_commands``."""
        return planner.health_commands()

    def health(self, outputs: Mapping[str, Output]) -> Health:
        """See ``Changer.health``."""
        return planner.health(outputs)


PLATFORM = Ufm()
