"""How a plan gets onto a host: the verbs of ``roce-qos change``, among them a systemd timer as dead man's switch.

The account that changes needs sudo rights for this one program only.
"""

from __future__ import annotations

import re

from fabric_drift.change import Action, Plan, Procedure, Stage
from fabric_drift.platforms.linux_host.plan import PER_NIC_S

PROGRAM = "sudo -n roce-qos"
VERSION = r"^roce-qos 1\."
RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
GATE_S = 90
"""The program gives the drain gate 60 s."""
FLAPPING = frozenset(("admin_up", "mtu_bytes", "fec", "dcbx", "global_pause", "trust", "pfc_priorities"))
"""Keys for which the program asks the drain gate; the same as in its settings.py."""


def procedure(plan: Plan, run_id: str) -> Procedure:
    """Commands of every stage. Raises ValueError for a run id that can't be part of a unit's name."""
    if not RUN_ID.fullmatch(run_id):
        raise ValueError(f"{run_id!r} can't be a run id: letters, digits, dots and dashes, 64 at most")
    lines = [line for step in plan.steps for line in step.forward]
    seconds = GATE_S + PER_NIC_S * len({line.partition(" ")[0] for line in lines})
    flaps = any(line.partition(" ")[2].partition("=")[0] in FLAPPING for step in plan.steps for line in _live(step))

    def change(verb: str, timeout_s: int = 60, **named: str) -> tuple[Action, ...]:
        return (Action(f"{PROGRAM} change {verb} {run_id}", timeout_s=timeout_s, **named),)  # type: ignore[arg-type]

    return Procedure(
        run_id=run_id,
        channel="exec",
        stages={
            Stage.PREFLIGHT: _preflight(plan, flaps=flaps),
            Stage.LOCK: change("begin"),
            Stage.SAVE: change("stage", seconds, stdin="".join(f"{line}\n" for line in lines)),
            Stage.REHEARSE: change("rehearse", seconds, must_show="^undo:"),
            Stage.ARM: (Action(f"{PROGRAM} change arm {run_id} {plan.deadline_s}"),),
            Stage.COMMIT: change("commit", seconds),
            Stage.CONFIRM: change("confirm"),
            Stage.UNDO: change("undo", seconds),
            Stage.TIDY: change("tidy"),
        },
        deadline_s=plan.deadline_s,
        by_hand=f"{PROGRAM} change undo {run_id}; {PROGRAM} check; {PROGRAM} show PCI",
    )


def _live(step: object) -> tuple[str, ...]:
    forward: tuple[str, ...] = getattr(step, "forward", ())
    return forward if getattr(step, "ports", ()) else ()


def _preflight(plan: Plan, *, flaps: bool) -> tuple[Action, ...]:
    """The right host, with the program, and drained where links may go down."""
    host = plan.device.partition(".")[0]
    return (
        Action("cat /proc/sys/kernel/hostname", must_show=rf"^{re.escape(host)}(\.|$)"),
        Action(f"{PROGRAM} --version", must_show=VERSION),
        *((Action(f"{PROGRAM} drained", timeout_s=GATE_S),) if flaps else ()),
    )
