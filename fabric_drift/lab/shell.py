"""The interactive shell of a device: enough for a person, and for libraries that read up to the prompt.

It runs one command per line. EOS keeps a configuration mode between lines; here that works over exec channels only.
"""

from __future__ import annotations

import re

import asyncssh

from fabric_drift.lab.device import RunningDevice

_LEAVE = {"exit", "logout", "quit"}
# What a session tells its own terminal never reaches the device; EOS confirms it.
_EOS_TERMINAL = re.compile(r"terminal (width|length) (\d+)")
_LINUX_TERMINAL = ("stty ", "export ", "unset ")
_NO_CONFIGURATION_MODE = "% lab: configure over an exec channel, all lines in one command\n"


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
        elif line:
            process.stdout.write(_answer(device, user, line))
        process.stdout.write(prompt(kind, name, user, enabled=enabled))
    process.channel.write_eof()
    process.exit(0)


def _answer(device: RunningDevice, user: str, line: str) -> str:
    if device.device.emulator == "eos":
        terminal = _EOS_TERMINAL.fullmatch(line)
        if terminal:
            return f"Width set to {terminal[2]} columns.\n" if terminal[1] == "width" else "Pagination disabled.\n"
        if line in {"configure", "configure terminal"}:
            return _NO_CONFIGURATION_MODE
    elif line.startswith(_LINUX_TERMINAL):
        return ""
    answer = device.run(user, line)
    return answer.stdout + answer.stderr
