"""A small SSH server on loopback with bad days, for tests of the transport alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncssh

USER, PASSWORD = "drift", "right"
Reply = Callable[["asyncssh.SSHServerProcess[bytes]"], Awaitable[None]]


@dataclass
class FakeDevice:
    """Answers by exact command; an answer is text, or a coroutine that does as it likes with the channel."""

    answers: dict[str, str | bytes | Reply]
    asked: list[str] = field(default_factory=list)

    async def handle(self, process: asyncssh.SSHServerProcess[bytes]) -> None:
        command = process.command or ""
        self.asked.append(command)
        answer = self.answers.get(command)
        if answer is None:
            process.stderr.write(f"sh: 1: {command}: not found\n".encode())
            process.exit(127)
        elif callable(answer):
            await answer(process)
        else:
            process.stdout.write(answer if isinstance(answer, bytes) else answer.encode())
            process.exit(0)


class _Server(asyncssh.SSHServer):
    def begin_auth(self, username: str) -> bool:
        return True

    def password_auth_supported(self) -> bool:
        return True

    def validate_password(self, username: str, password: str) -> bool:
        return (username, password) == (USER, PASSWORD)


@dataclass(frozen=True)
class Login:
    """An endpoint, as the transport wants it."""

    name: str
    port: int
    known_hosts: tuple[str, ...]
    password: Any
    address: str = "127.0.0.1"
    user: str = USER
    key_files: tuple[str, ...] = ()
    jump: str = ""
    ca_file: str = ""
    tls_name: str = ""
    token: None = None


@dataclass
class Password:
    value: str = PASSWORD

    def reveal(self) -> str:
        return self.value


@asynccontextmanager
async def serve(directory: Path, device: FakeDevice, name: str = "leaf1") -> AsyncIterator[Login]:
    """The device on a free port; the login trusts its host key."""
    key = asyncssh.generate_private_key("ssh-ed25519")
    server = await asyncssh.create_server(
        _Server, "127.0.0.1", 0, server_host_keys=[key], process_factory=device.handle, encoding=None
    )
    port = server.get_port()
    known = directory / f"known_hosts_{name}"
    kind, public, *_ = key.export_public_key().decode().split()
    known.write_text(f"[127.0.0.1]:{port} {kind} {public}\n")
    try:
        yield Login(name, port, (str(known),), Password())
    finally:
        server.close()
        await server.wait_closed()


async def hang(process: asyncssh.SSHServerProcess[bytes]) -> None:
    await asyncio.sleep(3600)


async def endless(process: asyncssh.SSHServerProcess[bytes]) -> None:
    """200 MB, made as it is sent."""
    block = b"x" * 65535 + b"\n"
    for _ in range(3200):
        process.stdout.write(block)
        await process.stdout.drain()
    process.exit(0)


async def half_then_drop(process: asyncssh.SSHServerProcess[bytes]) -> None:
    process.stdout.write(b'{"ports": {"Ether')
    await process.stdout.drain()
    process.channel.get_connection().abort()


async def no_sudo(process: asyncssh.SSHServerProcess[bytes]) -> None:
    process.stderr.write(b"sudo: a password is required\n")
    process.exit(1)
