"""Lab hosts in which any program runs: bubblewrap sandboxes whose /sys and vendor tools are the emulator's."""

from fabric_drift.lab.sandbox.host import SandboxHost, unavailable

__all__ = ["SandboxHost", "unavailable"]
