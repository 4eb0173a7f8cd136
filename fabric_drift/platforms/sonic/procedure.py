"""How a plan gets onto a SONiC switch: every command of every stage, and the scripts that stay on the switch.

Nothing is saved before the change is confirmed, so a reboot inside the window brings back the saved configuration, and
takes the timers and /run with it: the switch is then as it was when it was last saved. What the window leaves behind is
the run's folder and its checkpoint; ``Stage.TIDY`` removes them.

* Lock: a transient systemd timer of a fixed name. systemd refuses a second one, it outlives us, and ends by itself.
  Its description says whose it is: one command makes both, so there is no lock without an owner.
* Dead man: a second timer runs ``undo.sh`` unless the run was confirmed. Both go by the monotonic clock.
* Commit, undo and confirm are scripts under one ``flock``, run as units of their own: they end whatever becomes of our
  connection, and an undo that fires meanwhile waits for them. Each may run twice. A commit that hangs is killed when
  the dead man's time is up.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from fabric_drift.change import Action, Plan, Procedure, Stage
from fabric_drift.platforms.sonic.plan import CONFIG_RELOAD, GCU_PATCH

RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
FOLDER = "/var/lib/fabric-drift"
FLOCK = "/run/fabric-drift.flock"
CHECKPOINTS = "/etc/sonic/checkpoints"
LOCK_UNIT = "fabric-drift-lock"
LOCK_SLACK_S = 900
"""How much longer than the dead man's timer the lock lives: the undo itself must still be alone."""
WHOSE = f"systemctl show -p Description {LOCK_UNIT}.timer"
EDIT_S = 120
FAILED = (r"^Error:", r"^Usage:", r"Traceback \(most recent call last\)")


def procedure(plan: Plan, run_id: str) -> Procedure:
    """See ``fabric_drift.change.Changer.procedure``. Raises ValueError for a plan or run that can't be run."""
    if not RUN_ID.fullmatch(run_id):
        raise ValueError(f"{run_id!r} is no run id: letters, digits, - and _ only, 64 at most")
    if plan.refusals or not plan.steps or plan.route not in {GCU_PATCH, CONFIG_RELOAD}:
        raise ValueError("only a plan with steps, a route and without refusals can be run")
    run = _Run(plan, run_id)
    return Procedure(
        run_id=run_id,
        channel="exec",
        stages={
            Stage.PREFLIGHT: run.preflight(),
            Stage.LOCK: run.lock(),
            Stage.SAVE: run.save(),
            Stage.REHEARSE: run.rehearse(),
            Stage.ARM: run.arm(),
            Stage.COMMIT: (run.script("commit"),),
            Stage.CONFIRM: (run.script("confirm"),),
            Stage.UNDO: (run.script("undo"),),
            Stage.TIDY: (run.tidy(),),
        },
        deadline_s=plan.deadline_s,
        by_hand=run.by_hand(),
    )


def _sudo(command: str, *, stdin: str = "", timeout_s: int = 60, must_show: str = "") -> Action:
    return Action(f"sudo -n {command}", stdin=stdin, refused_by=FAILED, timeout_s=timeout_s, must_show=must_show)


class _Run:
    def __init__(self, plan: Plan, run_id: str) -> None:
        self.plan = plan
        self.run_id = run_id
        self.folder = f"{FOLDER}/{run_id}"
        self.begun = f"/run/fabric-drift-{run_id}.begun"
        self.log = f"/run/fabric-drift-{run_id}.log"
        """In memory: an undo must not fail for want of room for its log."""
        self.held = f"/run/fabric-drift-{run_id}.held"
        self.checkpoint = f"fabric-drift-{run_id}"
        self.undo_unit = f"fabric-drift-undo-{run_id}"
        self.owner = f"fabric-drift run {run_id}"
        self.reloads = plan.route == CONFIG_RELOAD or any(not step.undo for step in plan.steps)

    def preflight(self) -> tuple[Action, ...]:
        """The right device, and an updater that works at all.

        One field that YANG doesn't know blocks the updater for good; an empty patch shows it.
        """
        name = rf"(?m)^{re.escape(self.plan.device)}\s*$"
        checks = [
            _sudo("sonic-db-cli CONFIG_DB hget DEVICE_METADATA\\|localhost hostname", must_show=name),
            _sudo(f"mkdir -p -m 700 {FOLDER}"),
        ]
        if self.plan.route == GCU_PATCH:
            checks += [
                _sudo(f"tee {FOLDER}/empty.json", stdin="[]\n"),
                _sudo(f"config apply-patch -d {FOLDER}/empty.json", timeout_s=EDIT_S),
            ]
        return tuple(checks)

    def lock(self) -> tuple[Action, ...]:
        """Refused when another run holds it; the answer then says which."""
        timer = f"--on-active={self.plan.deadline_s + LOCK_SLACK_S}s true"
        take = f'systemd-run --unit={LOCK_UNIT} --description="{self.owner}" {timer}'
        return (_sudo(f"bash -c '{take} && exit 0; {WHOSE}; exit 1'"),)

    def save(self) -> tuple[Action, ...]:
        """The running configuration as a checkpoint, and every file that the switch needs to go on alone."""
        return (
            _sudo(f"mkdir -p -m 700 {self.folder}"),
            _sudo(f"config checkpoint {self.checkpoint}", timeout_s=EDIT_S),
            _sudo(f"cp {CHECKPOINTS}/{self.checkpoint}.cp.json {self.folder}/running.json"),
            *(_sudo(f"tee {self.folder}/{name}", stdin=text) for name, text in self._files()),
        )

    def rehearse(self) -> tuple[Action, ...]:
        """Dry runs: of the patch's effect, and of the way there and back, which has to be no way at all."""
        if self.plan.route == CONFIG_RELOAD:
            return (
                _sudo(f"cp {self.folder}/running.json {self.folder}/staged.json"),
                _sudo(f"jsonpatch -i {self.folder}/staged.json {self.folder}/forward-1.json"),
            )
        names = ("whole",) if self.reloads else ("whole", "there-and-back", "undo")
        return tuple(
            _sudo(f"config apply-patch -d {self.folder}/{name}.json", timeout_s=self.plan.deadline_s) for name in names
        )

    def arm(self) -> tuple[Action, ...]:
        """The dead man's timer; the second command shows that it is there."""
        timer = f"--on-active={self.plan.deadline_s}s --timer-property=AccuracySec=1s"
        return (
            _sudo(f"systemd-run --unit={self.undo_unit} {timer} {self._locked('undo')}"),
            _sudo(f"systemctl is-active {self.undo_unit}.timer", must_show="(?m)^active"),
        )

    def script(self, name: str) -> Action:
        """Runs one of the scripts as a unit, and waits for it; what a unit says is in the log, so that is shown."""
        limits = f" --property=RuntimeMaxSec={self.plan.deadline_s}" if name == "commit" else ""
        unit = f"systemd-run --wait --collect --unit=fabric-drift-{name}-{self.run_id}-now{limits}"
        return _sudo(
            f"bash -c '{unit} {self._locked(name)} || exec bash {self.folder}/told.sh'",
            timeout_s=self.plan.deadline_s + LOCK_SLACK_S,
        )

    def tidy(self) -> Action:
        """Needs none of the files: they may be what could not be written. Refuses while a change is half done."""
        at, half = self.folder, f"test -e {self.begun} && test ! -e {self.folder}/undone"
        lines = (
            f"{half} && test ! -e {at}/confirmed && exit 1",
            *self._unlock(),
            f"rm -rf {at} {self.begun} {self.log} {CHECKPOINTS}/{self.checkpoint}.cp.json",
        )
        return _sudo(f"bash -c '{'; '.join(lines)}'")

    def _locked(self, name: str) -> str:
        return f"flock {FLOCK} bash {self.folder}/{name}.sh"

    def _files(self) -> Iterator[tuple[str, str]]:
        patches = [json.loads(step.forward[0]) for step in self.plan.steps]
        undo = [item for step in reversed(self.plan.steps) if step.undo for item in json.loads(step.undo[0])]
        whole = [item for patch in patches for item in patch]
        for number, patch in enumerate(patches, 1):
            yield f"forward-{number}.json", json.dumps(patch) + "\n"
        yield "whole.json", json.dumps(whole) + "\n"
        if not self.reloads:
            yield "undo.json", json.dumps(undo) + "\n"
            yield "there-and-back.json", json.dumps(whole + undo) + "\n"
        for name, lines in self._scripts().items():
            yield f"{name}.sh", "\n".join((f"# fabric-drift run {self.run_id}: {name}", *lines)) + "\n"

    def _scripts(self) -> dict[str, tuple[str, ...]]:
        at, log = self.folder, f">> {self.log} 2>&1"
        unsaved = f"rm -f {at}/running.json {at}/staged.json {CHECKPOINTS}/{self.checkpoint}.cp.json {self.begun}"
        back = "reload -y -f" if self.reloads else "apply-patch"
        what = "running" if self.reloads else "undo"
        return {
            "commit": (
                f"test -e {at}/undone && exit 1",
                f"test -e {at}/committed && exit 0",
                f"touch {self.begun} {at}/begun || exit 1",
                *(f"{line} {log} || exit 1" for line in self._commit()),
                f"touch {at}/committed",
            ),
            "undo": (
                f"test -e {at}/confirmed && exec bash {at}/confirm.sh",
                f"touch {at}/undone",
                f"test -e {self.begun} || exec bash {at}/unlock.sh",
                f"config {back} {at}/{what}.json {log} || exec bash {at}/failed.sh",
                f"logger -t fabric-drift 'run {self.run_id} was undone'",
                f"exec bash {at}/unlock.sh",
            ),
            "told": (f"cat {self.log}", "exit 1"),
            "failed": (
                f"logger -p user.err -t fabric-drift 'run {self.run_id} could NOT be undone: see {self.log}'",
                "exit 1",
            ),
            "unlock": (*self._unlock(), f"rm -f {self.begun}"),
            "confirm": (
                f"test -e {at}/undone && exit 1",
                f"test -e {at}/committed || exit 1",
                f"touch {at}/confirmed || exit 1",
                f"config save -y {log} || exit 1",
                *self._unlock(),
                unsaved,
            ),
        }

    def _commit(self) -> Iterator[str]:
        if self.plan.route == CONFIG_RELOAD:
            yield f"config reload -y -f {self.folder}/staged.json"
        else:
            for number, _ in enumerate(self.plan.steps, 1):
                yield f"config apply-patch {self.folder}/forward-{number}.json"

    def _unlock(self) -> tuple[str, ...]:
        """The dead man's timer is ours alone; the lock only if we hold it."""
        return (
            f"systemctl stop {self.undo_unit}.timer || true",
            f"{WHOSE} > {self.held}",
            f'grep -qx "Description={self.owner}" {self.held} && systemctl stop {LOCK_UNIT}.timer || true',
            f"rm -f {self.held}",
        )

    def by_hand(self) -> str:
        """What a human types, in this order, until one works."""
        undo = f"sudo config reload -y -f {self.folder}/running.json"
        if not self.reloads:
            undo = f"sudo config apply-patch {self.folder}/undo.json || {undo}"
        return f"{undo}; sudo systemctl stop {self.undo_unit}.timer {LOCK_UNIT}.timer"
