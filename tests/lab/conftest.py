"""A running lab per test module, and a real SSH client."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import asyncssh
import pytest

from fabric_drift.lab import control, fabrics
from fabric_drift.lab.directory import LabDirectory
from fabric_drift.lab.emulator import LabDevice

T = TypeVar("T")
Connecting = AbstractAsyncContextManager[asyncssh.SSHClientConnection]


@dataclass(frozen=True)
class Lab:
    """A lab that runs, seen from outside."""

    directory: LabDirectory

    def port(self, device: str) -> int:
        return self.directory.read_fabric()[1][device]

    def connect(self, device: str, user: str = "admin", **options: Any) -> Connecting:
        """An SSH connection as any client would make it; to be used in ``async with``."""
        defaults: dict[str, Any] = {
            "username": user,
            "client_keys": [str(self.directory.user_key(user))],
            "known_hosts": str(self.directory.known_hosts_file),
            "agent_path": None,
            "config": None,
            "connect_timeout": 10,
        }
        connecting: Connecting = asyncssh.connect("127.0.0.1", self.port(device), **{**defaults, **options})
        return connecting

    def run(self, device: str, command: str, user: str = "admin") -> asyncssh.SSHCompletedProcess:
        """One command over one connection; output as bytes."""

        async def main() -> asyncssh.SSHCompletedProcess:
            async with self.connect(device, user) as connection:
                return await connection.run(command, encoding=None)

        return asyncio.run(asyncio.wait_for(main(), 30))

    def text(self, device: str, command: str, user: str = "admin") -> str:
        """Standard output of a command that has to succeed."""
        result = self.run(device, command, user)
        assert result.exit_status == 0, result.stderr
        assert isinstance(result.stdout, bytes)
        return result.stdout.decode()

    def order(self, **request: Any) -> Any:
        return control.order(self.directory, request)

    def log(self, device: str, name: str = "commands.log") -> str:
        return (self.directory.device(device) / name).read_text(encoding="utf-8")


def within(seconds: float, work: Coroutine[Any, Any, T]) -> T:
    """The result of async work, or TimeoutError."""

    async def main() -> T:
        return await asyncio.wait_for(work, seconds)

    return asyncio.run(main())


def start_lab(root: Path, devices: tuple[LabDevice, ...]) -> Lab:
    """A lab on free ports."""
    directory = LabDirectory(root)
    directory.write_fabric(devices, {device.name: 0 for device in devices})
    control.start(directory)
    return Lab(directory)


def sonic_switches() -> tuple[LabDevice, ...]:
    """The SONiC switches of pod1: all releases, both ASICs."""
    return tuple(device for device in fabrics.pod1() if device.emulator == "sonic")


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    running = start_lab(tmp_path_factory.mktemp("lab"), sonic_switches())
    yield running
    assert control.stop(running.directory)
