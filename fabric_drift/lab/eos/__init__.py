"""Emulated Arista EOS. Written from documentation and captures; knows nothing of our EOS platform."""

from fabric_drift.lab.eos.emulator import EMULATOR

__all__ = ["EMULATOR"]
