"""Linux hosts with RoCE NICs; mlx5 first. See README.md for what is read and rendered."""

from __future__ import annotations

from collections.abc import Mapping

from fabric_drift.finding import Layer
from fabric_drift.platform import Capability, Command, Output, Platform, Reading, Rendered, Target
from fabric_drift.platforms.linux_host.capabilities import CAPABILITIES, OBJECT_FIELDS, RELEASES
from fabric_drift.platforms.linux_host.commands import families, next_commands
from fabric_drift.platforms.linux_host.localise import localise
from fabric_drift.platforms.linux_host.parse import LAYERS, parse
from fabric_drift.platforms.linux_host.render import render
from fabric_drift.state.device import DeviceState
from fabric_drift.state.values import Path


class LinuxHost:
    """Fulfils ``fabric_drift.platform.Platform``."""

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


PLATFORM: Platform = LinuxHost()
