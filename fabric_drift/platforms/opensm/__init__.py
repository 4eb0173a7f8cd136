"""OpenSM: the files and the console of an SM node, and the subnet behind it by SMP."""

from __future__ import annotations

from collections.abc import Mapping

from fabric_drift.platform import Capability, Command, Output, Reading, Rendered, Target
from fabric_drift.finding import Layer
from fabric_drift.platforms.opensm import localise as localisation
from fabric_drift.platforms.opensm import parse as parser
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


PLATFORM = OpenSm()
