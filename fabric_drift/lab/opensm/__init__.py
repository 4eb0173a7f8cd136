"""SM nodes as devices of the lab: real OpenSMs behind the lab's SSH servers."""

from fabric_drift.lab.opensm.emulator import EMULATOR

__all__ = ["EMULATOR"]
