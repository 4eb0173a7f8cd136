"""One stage on an open session: its actions in their order, until one fails. What a device says is judged here."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fabric_drift.change import Action, Stage
from fabric_drift.platform import Output
from fabric_drift.transport.scrub import scrub
from fabric_drift.transport.text import one_line
from fabric_drift.workflow.access import ControlSession

TAIL_CHARACTERS = 2000


@dataclass(frozen=True, slots=True)
class StageEnd:
    """``problem`` is "" where all went well. ``lost``: no clear answer, neither yes nor no: the effect is unknown."""

    stage: Stage
    problem: str = ""
    lost: bool = False
    actions: tuple[dict[str, Any], ...] = ()
    """For the run log: command, hash of the input, exit status, error, end of the output without secrets."""

    @property
    def ok(self) -> bool:
        """Whether every action succeeded."""
        return not self.problem


async def walk(session: ControlSession, stage: Stage, actions: Sequence[Action]) -> StageEnd:
    """Runs the actions. The first that fails ends the stage; later ones aren't sent."""
    told: list[dict[str, Any]] = []
    for action in actions:
        output = await session.act(action)
        told.append(_told(action, output))
        problem, is_clear = judged(action, output)
        if problem:
            return StageEnd(stage, f"{action_name(action)}: {problem}", not is_clear, tuple(told))
    return StageEnd(stage, actions=tuple(told))


def judged(action: Action, output: Output) -> tuple[str, bool]:
    """(why the action failed, in the device's words where it has some, or ""; whether the device said so)."""
    if output.error:
        return output.error, False
    text = f"{output.stdout}\n{output.stderr}"
    for pattern in action.refused_by:
        found = re.search(pattern, text, re.MULTILINE)
        if found:
            return f"the device refused: {one_line(scrub(_line_of(text, found.start())))}", True
    if output.exit_status != 0:
        words = (output.stderr.strip() or output.stdout.strip()).splitlines()
        return f"exit status {output.exit_status}: {one_line(scrub(words[-1] if words else 'no message'))}", True
    if action.must_show and not re.search(action.must_show, text, re.MULTILINE):
        return f"the answer doesn't show {action.must_show!r}", False
    return "", True


def _line_of(text: str, position: int) -> str:
    end = text.find("\n", position)
    return text[text.rfind("\n", 0, position) + 1 : end if end >= 0 else len(text)]


def action_name(action: Action) -> str:
    """The command on one line, without secrets."""
    return one_line(scrub(action.command))


def _told(action: Action, output: Output) -> dict[str, Any]:
    told: dict[str, Any] = {"command": action_name(action), "exit_status": output.exit_status}
    if action.stdin:
        told["stdin_sha256"] = hashlib.sha256(action.stdin.encode()).hexdigest()
    if output.error:
        told["error"] = output.error
    answer = scrub(output.stdout + output.stderr).strip()
    if answer:
        told["answer"] = answer[-TAIL_CHARACTERS:]
    return told
