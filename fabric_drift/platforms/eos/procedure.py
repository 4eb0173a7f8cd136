"""A plan -> the lines of every stage, for netmiko's ``arista_eos`` shell: one configuration session per run.

What each stage relies on is in README.md. Every line of configuration is typed in a session, never live; the commit's
own timer is the dead-man timer: the switch goes back by itself unless the commit is confirmed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from fabric_drift.change import Action, Plan, Procedure, Stage, Step
from fabric_drift.platforms.eos.plan import SessionPlan
from fabric_drift.platforms.eos.procedure_diff import must_show, unplanned

RUN_ID = re.compile(r"[A-Za-z0-9_-]{1,40}", re.ASCII)
SESSIONS = "show configuration sessions | json"

REFUSED = (
    r"^\s*%",
    r"(?i)invalid input|(incomplete|ambiguous) command|authorization denied|maximum number of pending sessions",
    r"(?i)^! .*(not supported|does not exist|will not take effect|unavailable)",
)
"""What the switch says when it refuses a line (arista.eos 12.0's error patterns), or takes it without effect."""

OTHER_TIMER = r'"commitTimerSessionName":\s*"[^"]+"'
ANY_PENDING = (r'"state":\s*"pending', OTHER_TIMER)
ANOTHER_PENDING = (r'(?s)"state":\s*"pending.*"state":\s*"pending', OTHER_TIMER)
COPIED = r"Copy completed successfully"
LONGEST_TIMER_S = 24 * 3600 - 1
COMMIT_TIMEOUT_S = 180


def procedure(plan: Plan, run_id: str) -> Procedure:
    """See ``Changer.procedure``. Raises ValueError for a run id that can't be part of a session's name."""
    if not RUN_ID.fullmatch(run_id):
        raise ValueError(f"{run_id!r} can't be part of the name of a session and a file")
    if not plan.steps or plan.refusals:
        raise ValueError("there is nothing to do, or it was refused")
    session = f"fabric-drift-{run_id}"
    deadline_s = min(plan.deadline_s, LONGEST_TIMER_S)
    hostname = plan.hostname if isinstance(plan, SessionPlan) else ""
    saves = isinstance(plan, SessionPlan) and plan.saves
    return Procedure(
        run_id=run_id,
        channel="shell",
        netmiko_type="arista_eos",
        deadline_s=deadline_s,
        by_hand=f"configure session {session} abort\nconfigure replace {saved_file(session)}",
        stages={
            Stage.PREFLIGHT: _preflight(hostname),
            Stage.LOCK: _lock(session),
            Stage.SAVE: _save(session),
            Stage.REHEARSE: (*_rehearse_undo(session, plan.steps), *_stage(session, plan.steps)),
            Stage.ARM: _last_look(session, plan.steps),
            Stage.COMMIT: _commit(session, deadline_s),
            Stage.CONFIRM: _confirm(session, saves=saves),
            Stage.UNDO: _undo(session),
            Stage.TIDY: _tidy(session),
        },
    )


def saved_file(session: str) -> str:
    """Where the running configuration of before the change is kept."""
    return f"flash:{session}.cfg"


def _preflight(hostname: str) -> tuple[Action, ...]:
    """The right switch, and nobody else at work on it."""
    name = (Action("show hostname | json", refused_by=REFUSED, must_show=rf'"hostname":\s*"{re.escape(hostname)}"'),)
    return (*(name if hostname else ()), Action(SESSIONS, refused_by=(*REFUSED, *ANY_PENDING), must_show=r'"sessions"'))


def _lock(session: str) -> tuple[Action, ...]:
    """An empty pending session, then a look whether it is the only one: of two who announce themselves, neither passes.

    It outlives our process, and counts as foreign for everybody else.
    """
    return (
        _silent(f"configure session {session}"),
        _silent("end"),
        Action(SESSIONS, refused_by=(*REFUSED, *ANOTHER_PENDING), must_show=rf'"{session}"'),
    )


def _save(session: str) -> tuple[Action, ...]:
    file = saved_file(session)
    return (
        Action(f"copy running-config {file}", refused_by=REFUSED, must_show=COPIED),
        Action(f"dir {file}", refused_by=REFUSED, must_show=re.escape(f"{session}.cfg")),
    )


def _silent(line: str) -> Action:
    """A line that a switch takes without a word: its echo and notes (``! ...``) are none, anything else refuses."""
    word = rf"^(?!\s*$)(?!! )(?!\s*{re.escape(line)}\s*$).+$"
    return Action(line, refused_by=(*REFUSED, word))


def _forward(steps: Iterable[Step]) -> tuple[Action, ...]:
    return tuple(_silent(line.strip()) for step in steps for line in step.forward)


def _rehearse_undo(session: str, steps: Sequence[Step]) -> tuple[Action, ...]:
    """The change and its inverse in a session of their own: together they must change nothing."""
    backward = tuple(_silent(line.strip()) for step in reversed(steps) for line in step.undo)
    return (
        _silent(f"configure session {session}-undo"),
        *_forward(steps),
        *backward,
        Action("show session-config diffs", refused_by=(*REFUSED, r"^[+-]")),
        _silent("abort"),
    )


def _stage(session: str, steps: Sequence[Step]) -> tuple[Action, ...]:
    """The change itself, staged: the switch's own difference is the planned one."""
    return (
        _silent(f"configure session {session}"),
        *_forward(steps),
        Action("show session-config diffs", refused_by=(*REFUSED, unplanned(steps)), must_show=must_show(steps)),
        _silent("end"),
    )


def _last_look(session: str, steps: Sequence[Step]) -> tuple[Action, ...]:
    """Nobody came, and nobody changed the switch since it was rehearsed. The timer is armed by the commit itself."""
    return (
        Action(SESSIONS, refused_by=(*REFUSED, *ANOTHER_PENDING), must_show=rf'"{session}"'),
        Action(
            f"show session-config named {session} diffs",
            refused_by=(*REFUSED, unplanned(steps)),
            must_show=must_show(steps),
        ),
    )


def _commit(session: str, deadline_s: int) -> tuple[Action, ...]:
    """``must_show``: the pending timer as releases up to 4.31 tell it, or as later ones do (napalm issue 2166)."""
    hours, rest = divmod(deadline_s, 3600)
    timer = f"{hours:02}:{rest // 60:02}:{rest % 60:02}"
    armed = rf'(?s)"commitTimerSessionName":\s*"{session}"|"{session}".*"pendingCommitTimer"'
    return (
        Action(f"configure session {session} commit timer {timer}", refused_by=REFUSED, timeout_s=COMMIT_TIMEOUT_S),
        Action(SESSIONS, refused_by=REFUSED, must_show=armed),
    )


def _confirm(session: str, *, saves: bool) -> tuple[Action, ...]:
    """Disarmed first, saved then: a switch that saved but didn't confirm would come back half way after a reboot."""
    save = (Action("write memory", refused_by=REFUSED, must_show=COPIED, timeout_s=COMMIT_TIMEOUT_S),)
    return (
        Action(f"configure session {session} commit", refused_by=REFUSED, timeout_s=COMMIT_TIMEOUT_S),
        Action(SESSIONS, refused_by=(*REFUSED, r'"pendingCommitTimer"', OTHER_TIMER)),
        *(save if saves else ()),
        Action(f"delete {saved_file(session)}"),
    )


def _undo(session: str) -> tuple[Action, ...]:
    """Abort where the timer still runs; then the saved *running* configuration, which changes nothing after an abort.

    The first three may fail: it depends on where the run ended. The file stays until somebody has looked.
    """
    return (
        Action("end"),
        Action(f"configure session {session} abort", timeout_s=COMMIT_TIMEOUT_S),
        Action(f"configure session {session}-undo abort"),
        Action(f"configure replace {saved_file(session)}", refused_by=REFUSED, timeout_s=COMMIT_TIMEOUT_S),
        Action(SESSIONS, refused_by=(*REFUSED, _ours_pending(session)), must_show=r'"sessions"'),
    )


def _tidy(session: str) -> tuple[Action, ...]:
    return (
        Action("end"),
        Action(f"configure session {session}-undo abort"),
        Action(f"configure session {session} abort"),
        Action(f"delete {saved_file(session)}"),
        Action(SESSIONS, refused_by=(*REFUSED, _ours_pending(session)), must_show=r'"sessions"'),
    )


def _ours_pending(session: str) -> str:
    inside = r"[^{}]*(?:\{[^{}]*\}[^{}]*)*"
    return rf'"{session}(?:-undo)?":\s*\{{{inside}"state":\s*"pending|"commitTimerSessionName":\s*"{session}"'
