"""The commands that are run on an SM node: two programs that only read, installed by the role."""

from __future__ import annotations

from collections.abc import Mapping

from fabric_drift.finding import Layer
from fabric_drift.platform import Command, Output

FOLDER = "/usr/local/libexec/fabric_drift"
STATUS = Command(f"python3 {FOLDER}/ib_status.py", privileged=True)
SUBNET = Command(f"python3 {FOLDER}/ib_reader.py", privileged=True, layer=Layer.HARDWARE)
PROGRAMS = ("ib_status.py", "ib_reader.py", "ib_change.py")


def commands(outputs: Mapping[str, Output]) -> tuple[Command, ...]:
    """Both at once: neither needs the other's answer."""
    return () if outputs else (STATUS, SUBNET)
