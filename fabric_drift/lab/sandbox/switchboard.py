"""Who answers one sandbox: calls of the emulator's programs, ``sudo``, and the file system below /sys.

A socket of the sandbox's own says which host and which user ask. One message each way per connection.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from fabric_drift.lab.emulator import Answer, KernelFiles
from fabric_drift.lab.sandbox.fuse import FuseServer

MAX_BYTES = 1024 * 1024
MAX_DESCRIPTORS = 4
LAST_SECONDS = 2.0
SEND_BUFFER_BYTES = 4 * 1024 * 1024


class Exchange(Protocol):
    """What is asked for."""

    def call(self, user: str, argv: list[str]) -> Answer:
        """A program of the emulator's."""
        ...

    def kernel_files(self, user: str) -> KernelFiles:
        """/sys, as that user sees it."""
        ...

    def wrote(self) -> None:
        """Something below /sys was written to."""
        ...

    async def sudo(self, argv: list[str], streams: tuple[int, int, int]) -> int:
        """A command as root; its exit status."""
        ...


class Switchboard:
    """Listens at ``path`` until it is closed."""

    def __init__(self, path: Path, user: str, exchange: Exchange) -> None:
        self.path = path
        self._user, self._exchange = user, exchange
        self._loop = asyncio.get_running_loop()
        self._servers: list[FuseServer] = []
        self._unmounted = asyncio.Event()
        self._connections: set[socket.socket] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._listener.setblocking(False)
        path.unlink(missing_ok=True)  # of a lab that was killed
        folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
        try:
            self._listener.bind(f"/proc/self/fd/{folder}/{path.name}")  # a path may have 107 bytes
        finally:
            os.close(folder)
        self._listener.listen()
        self._loop.add_reader(self._listener, self._accept)

    async def close(self) -> None:
        """The sandbox is gone."""
        await self.refuse()
        if self._servers:  # its last process may still be dying: the mount goes with it
            with suppress(TimeoutError):
                await asyncio.wait_for(self._unmounted.wait(), LAST_SECONDS)
        self._loop.remove_reader(self._listener)
        self._listener.close()
        self.path.unlink(missing_ok=True)
        for connection in list(self._connections):
            self._hang_up(connection)
        for server in list(self._servers):
            self._stop(server)

    async def refuse(self) -> None:
        """Ends what the sandbox asked for and has not got yet: commands of ``sudo``."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _accept(self) -> None:
        connection, _ = self._listener.accept()
        connection.setblocking(False)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        self._connections.add(connection)
        self._loop.add_reader(connection, self._receive, connection)

    def _hang_up(self, connection: socket.socket) -> None:
        self._loop.remove_reader(connection)
        self._connections.discard(connection)
        connection.close()

    def _receive(self, connection: socket.socket) -> None:
        self._loop.remove_reader(connection)
        message, descriptors, _, _ = socket.recv_fds(connection, MAX_BYTES, MAX_DESCRIPTORS)
        task = self._loop.create_task(self._answer(connection, message, descriptors))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, connection: socket.socket, message: bytes, descriptors: list[int]) -> None:
        try:
            match json.loads(message or b"{}"), descriptors:
                case {"call": [*argv]}, []:
                    answer = self._exchange.call(self._user, [str(word) for word in argv])
                    self._send(connection, stdout=answer.stdout, stderr=answer.stderr, exit_status=answer.exit_status)
                case {"sudo": [*argv]}, [stdin, stdout, stderr]:
                    streams, descriptors = (stdin, stdout, stderr), []
                    self._send(connection, exit_status=await self._exchange.sudo([str(word) for word in argv], streams))
                case {"serve": "sysfs"}, [descriptor]:
                    descriptors = []
                    self._serve(descriptor)
                    connection.send(b"+")
                case _:
                    self._send(connection, stderr="lab: not understood\n", exit_status=70)
        except (ConnectionError, BlockingIOError):
            pass  # who asked is gone
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
            if connection in self._connections:
                self._hang_up(connection)

    def _send(self, connection: socket.socket, **answer: Any) -> None:
        if connection in self._connections:
            connection.send(json.dumps(answer).encode())

    def _serve(self, descriptor: int) -> None:
        os.set_blocking(descriptor, False)
        server = FuseServer(descriptor, "/sys", self._exchange.kernel_files(self._user), self._exchange.wrote)
        self._servers.append(server)
        self._loop.add_reader(descriptor, self._request, server)

    def _request(self, server: FuseServer) -> None:
        if not server.serve():
            self._stop(server)

    def _stop(self, server: FuseServer) -> None:
        self._servers.remove(server)
        if not self._servers:
            self._unmounted.set()
        self._loop.remove_reader(server.descriptor)
        os.close(server.descriptor)
