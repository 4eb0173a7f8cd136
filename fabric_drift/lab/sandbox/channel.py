"""A command of an SSH channel in a sandbox: input and output stream, since Ansible waits for one to send the other."""

from __future__ import annotations

import asyncio
import codecs
from typing import TypeAlias

import asyncssh

from fabric_drift.lab.sandbox.host import SandboxHost

CHUNK_BYTES = 65536
Process: TypeAlias = "asyncssh.SSHServerProcess[str]"


async def serve(process: Process, host: SandboxHost, user: str, command: str) -> int:
    """The exit status, after all output was sent. A client that goes away ends the command."""
    child = await host.start(user, command)
    assert child.stdout
    assert child.stderr
    feeding = asyncio.create_task(_feed(process, child))
    gone = asyncio.create_task(process.wait_closed())
    output = asyncio.gather(_pump(child.stdout, process.stdout), _pump(child.stderr, process.stderr))
    said_all = False
    try:
        await asyncio.wait((gone, output), return_when=asyncio.FIRST_COMPLETED)
        said_all = output.done() and not output.exception()
    finally:
        for task in (feeding, gone, output):
            task.cancel()
        status = await host.end(child, abandoned=not said_all)
    return status


async def _feed(process: Process, child: asyncio.subprocess.Process) -> None:
    assert child.stdin
    try:
        while text := await process.stdin.read(CHUNK_BYTES):
            child.stdin.write(text.encode("utf-8", "surrogateescape"))
            await child.stdin.drain()
        child.stdin.close()
    except (ConnectionError, asyncssh.Error):
        child.stdin.close()  # it reads no more, or the client went away


async def _pump(source: asyncio.StreamReader, sink: asyncssh.SSHWriter[str]) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    while block := await source.read(CHUNK_BYTES):
        sink.write(decoder.decode(block))
        await sink.drain()
    sink.write(decoder.decode(b"", final=True))
