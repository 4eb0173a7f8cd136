"""A connection that may change a device: actions one after the other, and none after one without a whole answer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fabric_drift.change import Action
from fabric_drift.platform import Output
from fabric_drift.transport.endpoint import Endpoint
from fabric_drift.transport.limits import Limits
from fabric_drift.transport.ssh import SshSession, connect

LOST = Output(exit_status=None, error="not sent: the connection was lost before")


class ExecControl:
    """One exec channel per action."""

    def __init__(self, session: SshSession) -> None:
        self._session = session
        self._is_lost = False

    async def act(self, action: Action) -> Output:
        """The answer; never raises for what a device does."""
        if self._is_lost:
            return LOST
        output = await self._session.answer(
            action.command, action.stdin.encode(), action.timeout_s, f"the action's {action.timeout_s} s"
        )
        self._is_lost = bool(output.error)
        return output


@asynccontextmanager
async def exec_control(
    endpoint: Endpoint, limits: Limits, *, verify_host_keys: bool = True
) -> AsyncIterator[ExecControl]:
    """An open session. Raises Unreachable or Unauthorised on entering."""
    async with connect(endpoint, limits, verify_host_keys=verify_host_keys) as session:
        yield ExecControl(session)
