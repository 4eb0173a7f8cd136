"""One SSH connection, one exec channel per command. Every end of a command is told apart."""

from __future__ import annotations

import asyncio
import getpass
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncssh

from fabric_drift.platform import Command, Output
from fabric_drift.transport.endpoint import Endpoint
from fabric_drift.transport.foreign import FOREIGN, translate
from fabric_drift.transport.host_keys import is_about_host_key, known_hosts, not_verified
from fabric_drift.transport.limits import Limits
from fabric_drift.transport.text import decode, one_line

CHUNK_BYTES = 65536
CIPHERS = "^aes128-gcm@openssh.com,aes256-gcm@openssh.com"
"""Preferred to ChaCha20, asyncssh's first choice, which takes it six calls per packet; others stay allowed."""


class SshSession:
    """Runs commands on an open connection. Never raises for what a device does: it says so in the Output."""

    def __init__(self, connection: asyncssh.SSHClientConnection, answer_bytes: int) -> None:
        self._connection = connection
        self._answer_bytes = answer_bytes

    async def run(self, command: Command, seconds: float, limit_name: str) -> Output:
        """The answer to one command; ``limit_name`` says whose ``seconds`` they are, for the message."""
        return await self.answer(command.wire, b"", seconds, limit_name)

    async def answer(self, wire: str, stdin: bytes, seconds: float, limit_name: str) -> Output:
        """The answer to a command as it goes over the wire, with what it reads from its standard input."""
        try:
            async with asyncio.timeout(seconds):
                return await self._run(wire, stdin)
        except TimeoutError:
            return Output(exit_status=None, error=f"no whole answer within {limit_name}")
        except (asyncssh.Error, OSError) as error:
            reason = error.reason if isinstance(error, asyncssh.Error) else str(error)
            return Output(exit_status=None, error=f"the connection failed: {one_line(reason)}")

    async def _run(self, wire: str, stdin: bytes) -> Output:
        process = await self._connection.create_process(wire, encoding=None)
        try:
            if stdin:
                process.stdin.write(stdin)
            process.stdin.write_eof()
            (stdout, cut), (stderr, _) = await asyncio.gather(
                self._read(process, process.stdout), self._read(process, process.stderr)
            )
            if not cut:
                await process.wait_closed()
        finally:
            process.close()
        return self._output(stdout, stderr, process, cut=cut)

    async def _read(self, process: asyncssh.SSHClientProcess[bytes], stream: Any) -> tuple[bytes, bool]:
        """Bytes of a stream, and whether it was cut at the limit; a cut closes the channel."""
        parts: list[bytes] = []
        size = 0
        while chunk := await stream.read(CHUNK_BYTES):
            parts.append(chunk)
            size += len(chunk)
            if size > self._answer_bytes:
                process.close()
                return b"".join(parts)[: self._answer_bytes], True
        return b"".join(parts), False

    def _output(self, stdout: bytes, stderr: bytes, process: asyncssh.SSHClientProcess[bytes], *, cut: bool) -> Output:
        text, error = decode(stdout)
        complaint, _ = decode(stderr)
        if cut:
            return Output(text, complaint, None, f"the answer is larger than {self._answer_bytes} bytes and was cut")
        status = process.exit_status
        if process.exit_signal:
            status, error = None, f"the command was ended by signal {one_line(process.exit_signal[0])}"
        elif status is None:
            error = "the connection ended before the command did"
        return Output(text, complaint, status, error)


@asynccontextmanager
async def connect(endpoint: Endpoint, limits: Limits, *, verify_host_keys: bool = True) -> AsyncIterator[SshSession]:
    """An open session. Raises Unreachable or Unauthorised, with what to do about it."""
    user = endpoint.user or getpass.getuser()
    known = None
    try:
        known = known_hosts(endpoint) if verify_host_keys else None
        connection = await asyncssh.connect(
            endpoint.address,
            endpoint.port,
            username=user,
            known_hosts=known,
            connect_timeout=limits.connect_seconds,
            login_timeout=limits.connect_seconds,
            encryption_algs=CIPHERS,
            **_credentials(endpoint),
        )
    except FOREIGN as error:
        if known is not None and is_about_host_key(error):
            raise not_verified(endpoint, known) from error
        raise translate(error, device=endpoint.name, address=endpoint.address, port=endpoint.port, user=user) from error
    try:
        yield SshSession(connection, limits.answer_bytes)
    finally:
        connection.abort()


def _credentials(endpoint: Endpoint) -> dict[str, Any]:
    """Only what the inventory says; without a key file asyncssh asks the agent and the default keys."""
    options: dict[str, Any] = {}
    if endpoint.key_files:
        options["client_keys"] = list(endpoint.key_files)
    if endpoint.password is not None:
        options["password"] = endpoint.password.reveal()
    if endpoint.jump:
        options["tunnel"] = endpoint.jump
    return options
