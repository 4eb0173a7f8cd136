"""The interactive shell of a network device, by netmiko: line by line, each answered by a prompt or lost."""

from __future__ import annotations

import asyncio
import getpass
import re
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fabric_drift.change import Action
from fabric_drift.errors import FabricDriftError, Unauthorised, Unreachable, Unsupported
from fabric_drift.platform import Output
from fabric_drift.transport.control import LOST
from fabric_drift.transport.endpoint import Endpoint
from fabric_drift.transport.host_keys import known_hosts_files
from fabric_drift.transport.limits import Limits
from fabric_drift.transport.text import one_line

if TYPE_CHECKING:
    from netmiko import BaseConnection

MODES = r"(?:\([^()\r\n]{0,80}\)){0,3}[>#][ \t]*$"
"""What may follow the device's name in a prompt: modes such as (config-s-fabric), then > or #."""


class ShellControl:
    """Actions as lines typed into one shell; the modes that a line enters stay for the next."""

    def __init__(self, connection: BaseConnection) -> None:
        self._connection = connection
        self._prompt = re.escape(connection.base_prompt) + MODES
        self._is_lost = False

    async def act(self, action: Action) -> Output:
        """The answer; never raises for what a device does. A prompt that isn't seen in time means lost."""
        if self._is_lost:
            return LOST
        if action.stdin or "\n" in action.command:
            return Output(exit_status=None, error="not sent: a shell takes one line per action")
        output = await asyncio.to_thread(self._typed, action)
        self._is_lost = bool(output.error)
        return output

    def _typed(self, action: Action) -> Output:
        try:
            answer = self._connection.send_command(
                action.command, expect_string=self._prompt, read_timeout=action.timeout_s
            )
        except _foreign() as error:
            return Output(exit_status=None, error=f"no prompt after the line: {one_line(_reason(error))}")
        return Output(str(answer))


def _foreign() -> tuple[type[Exception], ...]:
    """What netmiko and paramiko raise; slow to import, so only when a shell is used."""
    from netmiko.exceptions import NetmikoBaseException  # noqa: PLC0415
    from paramiko.ssh_exception import SSHException  # type: ignore[import-untyped]  # noqa: PLC0415

    return (NetmikoBaseException, SSHException, OSError, EOFError)


def _reason(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


@asynccontextmanager
async def shell_control(
    endpoint: Endpoint, limits: Limits, netmiko_type: str, *, verify_host_keys: bool = True
) -> AsyncIterator[ShellControl]:
    """An open shell. Raises Unreachable, Unauthorised, or Unsupported (behind a jump host) on entering."""
    if endpoint.jump:
        raise Unsupported(
            "an interactive shell behind a jump host isn't supported",
            where=endpoint.name,
            remedy="Run the play on the jump host",
            code="FD-SSH-010",
        )
    with tempfile.TemporaryDirectory() as folder:
        trusted = _trusted(endpoint, Path(folder))
        options = _options(endpoint, limits, netmiko_type)
        options |= {"ssh_strict": verify_host_keys, "alt_host_keys": True, "alt_key_file": str(trusted)}
        try:
            connection = await asyncio.to_thread(_connected, options)
        except _foreign() as error:
            raise _translated(error, endpoint, options["username"]) from error
    try:
        yield ShellControl(connection)
    finally:
        await asyncio.to_thread(_closed, connection)


def _trusted(endpoint: Endpoint, folder: Path) -> Path:
    """One file of all known hosts, since netmiko takes one; empty where there is none: nothing is trusted."""
    trusted = folder / "known_hosts"
    trusted.write_bytes(b"\n".join(Path(name).read_bytes() for name in known_hosts_files(endpoint)))
    return trusted


def _options(endpoint: Endpoint, limits: Limits, netmiko_type: str) -> dict[str, Any]:
    keys = endpoint.key_files
    return {
        "device_type": netmiko_type,
        "host": endpoint.address,
        "port": endpoint.port,
        "username": endpoint.user or getpass.getuser(),
        "password": endpoint.password.reveal() if endpoint.password is not None else None,
        "use_keys": bool(keys) or endpoint.password is None,
        "key_file": keys[0] if keys else None,
        "allow_agent": not keys and endpoint.password is None,
        "conn_timeout": limits.connect_seconds,
        "auth_timeout": limits.connect_seconds,
        "banner_timeout": limits.connect_seconds,
        "keepalive": 15,
    }


def _connected(options: dict[str, Any]) -> BaseConnection:
    from netmiko import ConnectHandler  # noqa: PLC0415  slow to import

    connection = ConnectHandler(**options)
    if not connection.check_enable_mode():
        connection.enable()
    return connection


def _closed(connection: BaseConnection) -> None:
    """Without farewell lines: they would be typed into whatever mode the device is in."""
    connection.paramiko_cleanup()


def _translated(error: Exception, endpoint: Endpoint, user: str) -> FabricDriftError:
    text = str(error)
    if type(error).__name__ == "NetmikoAuthenticationException":
        return Unauthorised(
            f"the device refused the login of user {user!r}",
            where=endpoint.name,
            remedy="Check the user, the key and the password in the inventory",
            code="FD-SSH-004",
        )
    if "not found in known_hosts" in text or "Host key for server" in text:
        return Unreachable(
            f"the host key of {endpoint.address} port {endpoint.port} isn't the known one, or isn't known",
            where=endpoint.name,
            remedy="Compare its fingerprint on the console, then correct the known hosts",
            code="FD-SSH-003",
        )
    return Unreachable(
        f"no shell on {endpoint.address} port {endpoint.port}: {one_line(_reason(error))}",
        where=endpoint.name,
        remedy="Check the path to the device, and that SSH runs there",
        code="FD-SSH-001",
    )
