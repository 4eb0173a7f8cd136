"""The interactive shell of a device: enough for a person, and for libraries that read up to the prompt.

Devices whose shell has modes (EOS: configuration, sessions) keep them; others run one command per line.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable

import asyncssh

from fabric_drift.lab.device import RunningDevice
from fabric_drift.lab.faults import Fault

_LEAVE = {"exit", "logout", "quit"}
# What a session tells its own terminal never reaches the device; EOS confirms it.
_EOS_TERMINAL = re.compile(r"terminal (width|length) (\d+)")
_LINUX_TERMINAL = ("stty ", "export ", "unset ")


class Login:
    """One user in one shell."""

    def __init__(self, device: RunningDevice, user: str) -> None:
        self._device, self._user = device, user
        self._terminal = device.terminal(user)

    @property
    def prompt(self) -> str:
        """The prompt of a device of this kind."""
        return self._terminal.prompt if self._terminal else f"{self._user}@{self._device.device.name}:~$ "

    def leaves(self, line: str) -> bool:
        """Whether the line ends the shell: ``exit`` only leaves a mode where there is one."""
        return line in _LEAVE and ")" not in self.prompt

    def answer(self, line: str) -> str:
        """What the device says."""
        if not line:
            return ""
        if self._terminal is None:
            answer = self._device.run(self._user, line) if not line.startswith(_LINUX_TERMINAL) else None
            return answer.stdout + answer.stderr if answer else ""
        terminal = _EOS_TERMINAL.fullmatch(line)
        if terminal:
            return f"Width set to {terminal[2]} columns.\n" if terminal[1] == "width" else "Pagination disabled.\n"
        if line in {"enable", "disable"}:
            return self._terminal.type(line).stdout
        return self._device.type(self._terminal, self._user, line).stdout


async def converse(
    process: asyncssh.SSHServerProcess[str], device: RunningDevice, fault: Callable[[], Fault] = Fault
) -> None:
    """Reads lines and answers them until the user leaves; paging is always off.

    ``fault``: what the device does wrong now. ``drop:N`` cuts the connection before the Nth line of this shell.
    """
    login = Login(device, process.get_extra_info("username"))
    process.stdout.write(login.prompt)
    lines = 0
    async for raw in process.stdin:
        line = raw.strip()
        lines += bool(line)
        now = fault()
        if now.kind == "hang":
            await process.wait_closed()
            return
        if now.kind == "slow":
            await asyncio.sleep(now.number)
        if now.kind == "drop" and lines >= now.number:
            process.get_extra_info("connection").abort()
            return
        if login.leaves(line):
            break
        process.stdout.write(login.answer(line) + login.prompt)
    process.channel.write_eof()
    process.exit(0)
