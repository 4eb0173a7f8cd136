"""Asks a device what its platform wants to know, in rounds, within its time, scrubbed at the source."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Protocol

from fabric_drift.errors import FabricDriftError, Unparsed
from fabric_drift.platform import Command, Output, Platform
from fabric_drift.transport.account import may_run
from fabric_drift.transport.endpoint import Endpoint
from fabric_drift.transport.limits import Limits
from fabric_drift.transport.recording import Recording
from fabric_drift.transport.scrub import scrub

MAX_ROUNDS = 4


class Session(Protocol):
    """Anything that answers commands."""

    async def run(self, command: Command, seconds: float, limit_name: str) -> Output:
        """The answer within ``seconds``; never raises for what a device does."""
        ...


async def collect(session: Session, platform: Platform, limits: Limits) -> dict[str, Output]:
    """All answers by ``Command.text``. Raises Unparsed when the platform asks without an end."""
    clock = asyncio.get_running_loop().time
    ends = clock() + limits.device_seconds
    outputs: dict[str, Output] = {}
    for _ in range(MAX_ROUNDS):
        wanted = new_commands(platform, outputs)
        for command in wanted:
            outputs[command.text] = await _ask(session, command, limits, ends - clock())
        if not wanted:
            return outputs
    if new_commands(platform, outputs):
        raise Unparsed(
            f"{platform.name} still asks for commands after {MAX_ROUNDS} rounds",
            remedy="Report this with the capture of the device",
            code="FD-COL-001",
        )
    return outputs


def new_commands(platform: Platform, outputs: Mapping[str, Output]) -> tuple[Command, ...]:
    """What the platform asks next. Raises Unparsed for a command outside of its published list."""
    wanted = tuple(command for command in platform.commands(outputs) if command.text not in outputs)
    for command in wanted:
        if not may_run(platform, command):
            raise Unparsed(
                f"{platform.name} asks for a command that isn't in its published list: {command.text!r}",
                remedy="Report this with the capture of the device",
                code="FD-COL-002",
            )
    return wanted


async def _ask(session: Session, command: Command, limits: Limits, remaining: float) -> Output:
    if remaining <= 0:
        return Output(exit_status=None, error=f"not asked: the device's {limits.device_seconds:g} s were over")
    if remaining < limits.command_seconds:
        answer = await session.run(command, remaining, f"the device's {limits.device_seconds:g} s")
    else:
        answer = await session.run(command, limits.command_seconds, f"the command's {limits.command_seconds:g} s")
    return scrubbed(answer)


def scrubbed(output: Output) -> Output:
    """The output without secrets."""
    return replace(output, stdout=scrub(output.stdout), stderr=scrub(output.stderr))


def session_for(
    endpoint: Endpoint, platform: Platform, limits: Limits, *, verify: bool
) -> AbstractAsyncContextManager[Session]:
    """A new connection of the kind that the platform is read over. Entering it raises Unreachable or Unauthorised."""
    from fabric_drift.transport import rest  # noqa: PLC0415

    if rest.is_rest(platform):
        return rest.connect(endpoint, limits, verify=verify)
    from fabric_drift.transport.ssh import connect  # noqa: PLC0415  asyncssh is slow to import and not always needed

    return connect(endpoint, limits, verify_host_keys=verify)


async def read_device(
    endpoint: Endpoint, platform: Platform, limits: Limits, *, verify_host_keys: bool = True
) -> Recording:
    """What one device answers now. A failure is a value in the recording, never an exception."""
    try:
        async with session_for(endpoint, platform, limits, verify=verify_host_keys) as session:
            outputs = await collect(session, platform, limits)
    except FabricDriftError as failure:
        return Recording(endpoint.name, platform.name, failure=failure)
    return Recording(endpoint.name, platform.name, outputs)
