"""One command over a real SSH connection to a lab device, for the owner of the lab."""

from __future__ import annotations

import asyncssh

from fabric_drift.lab.control import LabError
from fabric_drift.lab.directory import LabDirectory
from fabric_drift.lab.emulator import Answer

CONNECT_SECONDS = 10
LOST = 255
"""Exit code where the device gave none, as OpenSSH has it."""


async def run(directory: LabDirectory, port: int, user: str, command: str) -> Answer:
    """The answer of the device on ``port``. Raises LabError when it can't be reached."""
    try:
        async with asyncssh.connect(
            "127.0.0.1",
            port,
            username=user,
            client_keys=[str(directory.user_key(user))],
            known_hosts=str(directory.known_hosts_file),
            agent_path=None,
            config=None,
            connect_timeout=CONNECT_SECONDS,
        ) as connection:
            result = await connection.run(command, encoding=None)
    except (OSError, asyncssh.Error) as error:
        raise LabError(f"127.0.0.1:{port}: {error or type(error).__name__}") from error
    status = LOST if result.exit_status is None else result.exit_status
    return Answer(_text(result.stdout), _text(result.stderr), status)


def _text(output: object) -> str:
    return output.decode("utf-8", "replace") if isinstance(output, bytes) else ""
