"""The SSH server of one lab device: users, exec channels with real exit codes, and faults of the transport."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import asyncssh

from fabric_drift.lab import troubles
from fabric_drift.lab.device import RunningDevice
from fabric_drift.lab.emulator import Answer
from fabric_drift.lab.faults import SUDO_REFUSAL, Fault, spoil, sudo_refuses
from fabric_drift.lab.keys import other_host_key
from fabric_drift.lab.sandbox import channel, unavailable
from fabric_drift.lab.shell import converse

ADDRESS = "127.0.0.1"
NOT_FOUND = 127
_MEGABYTE_OF_TEXT = "interface Ethernet0 counters 0 0 0 0 0 0 0 0 0\n".ljust(64, " ") * (1_000_000 // 64)
# Curve25519 first: post-quantum exchanges cost a lab of hundreds of devices ten times the handshake.
_KEY_EXCHANGES = ("curve25519-sha256", "curve25519-sha256@libssh.org", "ecdh-sha2-nistp256")

logger = logging.getLogger(__name__)
Process = asyncssh.SSHServerProcess[str]


class _Login(asyncssh.SSHServer):
    """Lets the users of the lab in, by key or password."""

    def __init__(self, users: dict[str, asyncssh.SSHKey], password: str) -> None:
        self._users = {user: key.public_data for user, key in users.items()}
        self._password = password

    def begin_auth(self, username: str) -> bool:  # noqa: ARG002 - the name is asyncssh's
        """Everybody has to prove who they are."""
        return True

    def public_key_auth_supported(self) -> bool:
        """Keys are the usual way in."""
        return True

    def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        """The user's own key, and no other."""
        return self._users.get(username) == key.public_data

    def password_auth_supported(self) -> bool:
        """Network tools still use passwords."""
        return True

    def validate_password(self, username: str, password: str) -> bool:
        """The lab's password, for users that exist."""
        return username in self._users and password == self._password


class DeviceServer:
    """Listens for one device. ``port`` 0 takes a free one; after ``listen`` it is the real one."""

    def __init__(
        self,
        device: RunningDevice,
        host_key: asyncssh.SSHKey,
        users: dict[str, asyncssh.SSHKey],
        password: str,
        port: int = 0,
    ) -> None:
        self.device = device
        self.port = port
        self.fault = Fault()
        self._host_key = host_key
        self._users = users
        self._password = password
        self._acceptor: asyncssh.SSHAcceptor | None = None

    async def listen(self) -> None:
        """Opens the port. Raises OSError when it is taken."""
        changed = self.fault.kind == "changed-host-key"
        self._acceptor = await asyncssh.listen(
            ADDRESS,
            self.port,
            server_factory=lambda: _Login(self._users, self._password),
            server_host_keys=[other_host_key() if changed else self._host_key],
            process_factory=self._serve,
            encoding="utf-8",
            errors="surrogateescape",
            kex_algs=_KEY_EXCHANGES,
            gss_host=None,
            agent_forwarding=False,
            backlog=128,
            reuse_address=True,
        )
        self.port = self._acceptor.get_port()

    async def close(self) -> None:
        """Closes the port and every connection."""
        if self._acceptor:
            self._acceptor.close()
            await self._acceptor.wait_closed()
            self._acceptor = None

    async def set_fault(self, fault: Fault) -> None:
        """From now on the device behaves like this."""
        before, self.fault = self.fault, fault
        reopening = {"refuse", "changed-host-key"}
        if {before.kind, fault.kind} & reopening:
            await self.close()
            if fault.kind != "refuse":
                await self.listen()

    def troubled(self) -> str:
        """What is wrong on the way to the device and in it."""
        inside = troubles.told(self.device.store) if self.device.is_used else ()
        known = [str(self.fault)] * (self.fault.kind != "none" or not inside)
        return ", ".join((*known, *inside))

    async def _serve(self, process: Process) -> None:
        try:
            if process.command is None:
                await converse(process, self.device, lambda: self.fault)
            else:
                await self._serve_command(process, process.command)
        except (asyncssh.ConnectionLost, BrokenPipeError, ConnectionError):
            logger.info("%s: the client went away", self.device.device.name)
        except Exception:
            # An emulator that fails must look like a failed command, not like a success or a hang.
            logger.exception("%s: %r failed", self.device.device.name, process.command)
            process.stderr.write("lab: internal error of the emulator, see daemon.log\n")
            process.exit(70)

    async def _serve_command(self, process: Process, command: str) -> None:
        fault = self.fault
        connection = process.get_extra_info("connection")
        if fault.kind == "hang":
            await process.wait_closed()
            return
        if fault.kind == "slow":
            await asyncio.sleep(fault.number)
        if fault.kind == "drop" and self._count(connection) >= fault.number:
            connection.abort()
            return
        user = process.get_extra_info("username")
        if self.device.needs_sandbox(user, command) and not sudo_refuses(fault, command):
            await self._serve_sandbox(process, user, command)
            return
        if sudo_refuses(fault, command):
            answer = self.device.refuse(user, command, SUDO_REFUSAL)
        else:
            answer = await self.device.run_with_gate(user, command, await self._input(process, command))
        if fault.kind == "big":
            await _flood(process, int(fault.number))
        await self._answer(process, answer, fault)

    async def _serve_sandbox(self, process: Process, user: str, command: str) -> None:
        """What the emulator's shell can't run, where the machine can have sandboxes; else it isn't found."""
        lacks = unavailable()
        if lacks or not self.device.sandbox:
            status, text = NOT_FOUND, f"lab: this command {lacks or 'is not emulated'}\n"
            process.stderr.write(text)
        else:
            process.channel.set_write_buffer_limits(0)
            status = await channel.serve(process, self.device.sandbox, user, command)
        self.device.log_command(user, command, status)
        await process.stdout.drain()
        await process.stderr.drain()
        process.channel.write_eof()
        process.exit(status)

    async def _input(self, process: Process, command: str) -> str:
        """Standard input, of commands that read it: others must not wait for a client that keeps it open."""
        if not self.device.reads_input(command):
            return ""
        return await process.stdin.read()

    async def _answer(self, process: Process, answer: Answer, fault: Fault) -> None:
        """Output, end of file, exit code: in this order, or multiplexing clients lose the exit code."""
        name = self.device.device.name
        process.channel.set_write_buffer_limits(0)
        process.stdout.write(spoil(fault, answer.stdout, name))
        process.stderr.write(answer.stderr)
        await process.stdout.drain()
        await process.stderr.drain()
        process.channel.write_eof()
        process.exit(answer.exit_status)

    def _count(self, connection: Any) -> int:
        """Commands of this connection so far, this one included."""
        seen = int(connection.get_extra_info("lab_commands", 0)) + 1
        connection.set_extra_info(lab_commands=seen)
        return seen


async def _flood(process: Process, megabytes: int) -> None:
    for _ in range(megabytes):
        process.stdout.write(_MEGABYTE_OF_TEXT)
        await process.stdout.drain()
