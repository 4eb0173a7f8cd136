"""Emulated GPU host with mlx5 NICs. Written from documentation and captures; knows nothing of our host platform."""

from fabric_drift.lab.linux_host.emulator import EMULATOR

__all__ = ["EMULATOR"]
