"""An emulated SONiC switch, written from public documentation and source of SONiC, never from our platform."""

from fabric_drift.lab.sonic.emulator import SonicEmulator

EMULATOR = SonicEmulator()
