"""The interactive shell of a device: enough for a person, and for libraries that read up to the prompt."""

from __future__ import annotations

import asyncssh

from fabric_drift.lab.device import RunningDevice

_LEAVE = {"exit", "logout", "quit"}
# What a session tells its own terminal; it never reaches the device.
_TERMINAL_EOS = ("terminal ",)
_TERMINAL_LINUX = ("stty ", "export ", "unset ")


def prompt(emulator: str, hostname: str, user: str, *, enabled: bool = False) -> str:
    """The prompt of a device of this kind."""
    if emulator == "eos":
        return f"{hostname}{'#' if enabled else '>'}"
    return f"{user}@{hostname}:~$ "


async def converse(process: asyncssh.SSHServerProcess[str], device: RunningDevice) -> None:
    """Reads lines and answers them until the user leaves; paging is always off."""
    user = process.get_extra_info("username")
    kind, name = device.device.emulator, device.device.name
    enabled = False
    process.stdout.write(prompt(kind, name, user))
    async for raw in process.stdin:
        line = raw.strip()
        if line in _LEAVE:
            break
        if kind == "eos" and line in {"enable", "disable"}:
            enabled = line == "enable"
        elif line and not line.startswith(_TERMINAL_EOS if kind == "eos" else _TERMINAL_LINUX):
            answer = device.run(user, line)
            process.stdout.write(answer.stdout + answer.stderr)
        process.stdout.write(prompt(kind, name, user, enabled=enabled))
    process.channel.write_eof()
    process.exit(0)
