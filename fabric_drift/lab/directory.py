"""The state directory of a lab: where everything of it is, and how files in it are written."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fabric_drift.lab.emulator import LabDevice
from fabric_drift.lab.spec import fabric_from_plain, fabric_to_plain

ENVIRONMENT_VARIABLE = "FABRIC_DRIFT_LAB"
DEFAULT = ".lab"
PRIVATE_FILE = 0o600
PRIVATE_DIRECTORY = 0o700


def write_atomically(path: Path, text: str) -> None:
    """Replaces ``path`` as a whole, readable by its owner only; a reader sees the old or the new text."""
    path.parent.mkdir(mode=PRIVATE_DIRECTORY, parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE_FILE)
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
    temporary.replace(path)


@dataclass(frozen=True, slots=True)
class LabDirectory:
    """Paths of one lab. ``root`` is absolute."""

    root: Path

    @classmethod
    def default(cls) -> LabDirectory:
        """``$FABRIC_DRIFT_LAB``, else ``.lab`` of the current directory."""
        return cls(Path(os.environ.get(ENVIRONMENT_VARIABLE) or DEFAULT).absolute())

    @property
    def fabric_file(self) -> Path:
        """The devices of the lab and the ports their SSH servers listen on."""
        return self.root / "lab.json"

    @property
    def pid_file(self) -> Path:
        """Locked by the daemon as long as it lives."""
        return self.root / "daemon.pid"

    @property
    def log_file(self) -> Path:
        """What the daemon has to say."""
        return self.root / "daemon.log"

    @property
    def clock_file(self) -> Path:
        """What the lab's clock showed when it was last put forward, or the daemon stopped."""
        return self.root / "clock.json"

    @property
    def socket_file(self) -> Path:
        """Where the daemon takes orders of its owner."""
        return self.root / "control.sock"

    @property
    def inventory_file(self) -> Path:
        """Ansible inventory of the lab."""
        return self.root / "inventory.yml"

    @property
    def known_hosts_file(self) -> Path:
        """Host keys of all devices."""
        return self.root / "known_hosts"

    @property
    def password_file(self) -> Path:
        """The password of both users, made for this lab."""
        return self.root / "password"

    def user_key(self, user: str) -> Path:
        """Private key of an SSH user of the lab."""
        return self.root / "keys" / user

    def allow_file(self, emulator: str) -> Path:
        """The command list of the restricted account, per kind of device."""
        return self.root / "allow" / f"{emulator}.json"

    @property
    def image(self) -> Path:
        """What the sandboxes of all hosts share."""
        return self.root / "image"

    def device(self, name: str) -> Path:
        """Everything kept of one device."""
        return self.root / name

    def write_fabric(self, devices: Sequence[LabDevice], ports: dict[str, int]) -> None:
        """Writes down what this lab consists of."""
        write_atomically(
            self.fabric_file, json.dumps({"devices": fabric_to_plain(devices), "ports": ports}, indent=1) + "\n"
        )

    def read_fabric(self) -> tuple[tuple[LabDevice, ...], dict[str, int]]:
        """What ``write_fabric`` wrote. Raises FileNotFoundError when there is no lab here."""
        plain: dict[str, Any] = json.loads(self.fabric_file.read_text(encoding="utf-8"))
        return fabric_from_plain(plain["devices"]), dict(plain["ports"])
