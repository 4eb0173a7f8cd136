"""How a plan gets onto an SM node: the verbs of ``ib_change.py``, and a systemd timer as dead man's switch."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from fabric_drift.change import Action, Health, Plan, Procedure, Stage
from fabric_drift.platform import Command, Output
from fabric_drift.platforms.opensm import subnet
from fabric_drift.platforms.opensm.commands import FOLDER, STATUS, SUBNET

PROGRAM = f"sudo -n python3 {FOLDER}/ib_change.py"
RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
SWEEP_S = 180
STRONGER = {"none": 0, "reload": 1, "restart": 2}


def procedure(plan: Plan, run_id: str) -> Procedure:
    """Commands of every stage. Raises ValueError for a run id that can't be part of a unit's name."""
    if not RUN_ID.fullmatch(run_id):
        raise ValueError(f"{run_id!r} can't be a run id: letters, digits, dots and dashes, 64 at most")
    staged = [json.loads(line) for step in plan.steps for line in step.forward]
    files = {item["file"]: item["text"] for item in staged}
    action = max((item["action"] for item in staged), key=STRONGER.__getitem__)
    document = json.dumps({"files": files, "action": action}, sort_keys=True)

    def verb(
        name: str, *, stdin: str = "", timeout_s: int = 60, must_show: str = "", words: str = ""
    ) -> tuple[Action, ...]:
        return (Action(f"{PROGRAM} {name} {run_id}{words}", stdin=stdin, timeout_s=timeout_s, must_show=must_show),)

    host = re.escape(plan.device.partition(".")[0])
    return Procedure(
        run_id=run_id,
        channel="exec",
        stages={
            Stage.PREFLIGHT: (Action("uname -n", must_show=rf"^{host}(\.|$)"),),
            Stage.LOCK: verb("begin"),
            Stage.SAVE: verb("stage", stdin=document),
            Stage.REHEARSE: verb("rehearse", must_show="^undo:"),
            Stage.ARM: verb("arm", words=f" {plan.deadline_s}"),
            Stage.COMMIT: verb("commit", timeout_s=SWEEP_S),
            Stage.CONFIRM: verb("confirm"),
            Stage.UNDO: verb("undo", timeout_s=SWEEP_S),
            Stage.TIDY: verb("tidy"),
        },
        deadline_s=plan.deadline_s,
        by_hand=f"{PROGRAM} undo {run_id}; sudo -n {STATUS.text}",
    )


def health_commands() -> tuple[Command, ...]:
    """The subnet, once more."""
    return (SUBNET,)


def health(outputs: Mapping[str, Output]) -> Health:
    """Links that are active, and the managers that answer."""
    output = outputs.get(SUBNET.text)
    if output is None or not output.whole:
        return Health(unreadable=("the subnet could not be read",))
    try:
        document = subnet.parse(output.stdout).raw
    except ValueError as error:
        return Health(unreadable=(f"the subnet was not understood: {error}",))
    up = {key for key, port in document["ports"].items() if port["state"] == "active"}
    managers = {f"{sm['guid']} subnet manager" for sm in document["sms"]}
    unreadable = tuple(f"{name} did not answer ({what})" for name, what in document["unanswered"][:20])
    return Health(ports_up=frozenset(up), neighbours=frozenset(managers), unreadable=unreadable)
