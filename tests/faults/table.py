"""The bad days, each with the ends that are allowed. What every end must be true of is checked beside it."""

from __future__ import annotations

from dataclasses import dataclass

from fabric_drift.change import Stage
from fabric_drift.workflow.outcome import Status

CHANGED, UNDONE, REFUSED = Status.CHANGED, Status.UNDONE, Status.REFUSED
EARLY, HUMAN = Status.FAILED_BEFORE_CHANGE, Status.NEEDS_HUMAN
BEFORE_COMMIT = (Stage.PREFLIGHT, Stage.LOCK, Stage.SAVE, Stage.REHEARSE, Stage.ARM)


@dataclass(frozen=True)
class Fault:
    """``accident``: (stage, what, when, action); ``what`` is an accident or, with ``!``, a hurt of the bench.

    ``hurts`` happen before the run. ``then``: time that passes after our process was killed.
    """

    name: str
    ends: tuple[Status, ...]
    hurts: tuple[str, ...] = ()
    accidents: tuple[tuple[Stage, str, str, int], ...] = ()
    unreadable_after: tuple[tuple[Stage, int], ...] = ()
    edits_after: Stage | None = None
    full_log_at: Stage | None = None
    stale: str = ""
    two: bool = False
    then: float = 0.0

    @property
    def kills(self) -> bool:
        return any(what == "kill" for _, what, _, _ in self.accidents)

    @property
    def needs(self) -> tuple[str, ...]:
        """The hurts that a bench must know."""
        return (*self.hurts, *(what[1:] for _, what, _, _ in self.accidents if what.startswith("!")))


def at(stage: Stage, what: str, when: str = "before", action: int = -1) -> tuple[Stage, str, str, int]:
    return stage, what, when, action


def _before_commit() -> list[Fault]:
    found = []
    for stage in BEFORE_COMMIT:
        ends = (REFUSED, EARLY) if stage in (Stage.PREFLIGHT, Stage.LOCK) else (EARLY,)
        kinds = ("refuse", "drop", "hang", "garbage")
        found += [Fault(f"{what} at {stage.value}", ends, accidents=(at(stage, what),)) for what in kinds]
        found.append(Fault(f"drop after {stage.value}", ends, accidents=(at(stage, "drop", "after"),)))
        noise = at(stage, "garbage", "after")
        found.append(Fault(f"garbage after {stage.value}", (*ends, CHANGED), accidents=(noise,)))
        found.append(Fault(f"killed at {stage.value}", (EARLY,), accidents=(at(stage, "kill"),)))
        found.append(Fault(f"killed after {stage.value}", (EARLY,), accidents=(at(stage, "kill", "after"),)))
        found.append(Fault(f"run log full at {stage.value}", (EARLY,), full_log_at=stage))
    return found


def _commit() -> list[Fault]:
    commit = Stage.COMMIT
    found = [
        Fault(
            f"{what} {name} commit",
            (UNDONE, CHANGED) if what == "garbage" else (UNDONE,),
            accidents=(at(commit, what, when, action),),
        )
        for what in ("refuse", "drop", "hang", "garbage")
        for name, when, action in (("before", "before", 0), ("at", "before", -1), ("after", "after", -1))
    ]
    fails = at(commit, "refuse", "after")
    return [
        *found,
        Fault("run log full at commit", (EARLY,), full_log_at=commit),
        Fault("killed before commit", (EARLY, UNDONE), accidents=(at(commit, "kill", "before", 0),)),
        Fault("killed after commit", (UNDONE,), accidents=(at(commit, "kill", "after"),)),
        Fault("killed after commit, timer fires", (UNDONE,), accidents=(at(commit, "kill", "after"),), then=1000.0),
        Fault("refused in the middle", (UNDONE, EARLY), hurts=("refuses the second port",)),
        Fault("reboot during commit", (UNDONE,), accidents=(at(commit, "!reboot", "before"),)),
        Fault("reboot after commit", (UNDONE,), accidents=(at(commit, "!reboot", "after"),)),
        Fault("timer fires after commit", (UNDONE,), accidents=(at(commit, "!timer fires", "after"),)),
        Fault("timer fires during commit", (UNDONE,), accidents=(at(commit, "!timer fires", "before"),)),
        Fault("timer fires while the commit runs", (UNDONE,), hurts=("timer in the commit",)),
        Fault("device's clock jumps", (UNDONE,), accidents=(at(commit, "!device's clock jumps", "after"),)),
        Fault("killed before undo", (UNDONE,), accidents=(fails, at(Stage.UNDO, "kill", "before", 0))),
        Fault("killed after undo", (UNDONE,), accidents=(fails, at(Stage.UNDO, "kill", "after"))),
        Fault("killed at undo, timer fires", (UNDONE,), accidents=(fails, at(Stage.UNDO, "kill")), then=1000.0),
        Fault("drop at undo", (UNDONE,), accidents=(fails, at(Stage.UNDO, "drop"))),
        Fault("drop after undo", (UNDONE,), accidents=(fails, at(Stage.UNDO, "drop", "after"))),
        Fault("hang at undo", (UNDONE,), accidents=(fails, at(Stage.UNDO, "hang"))),
        Fault("undo refused, timer works", (UNDONE,), accidents=(fails, at(Stage.UNDO, "refuse"))),
        Fault("undo and timer fail", (HUMAN,), hurts=("broken undo", "broken timer"), accidents=(fails,)),
        Fault("killed after commit, no timer", (HUMAN, UNDONE), hurts=("broken undo", "broken timer"),
              accidents=(at(commit, "kill", "after"),), then=1000.0),
    ]  # fmt: skip


def _proof() -> list[Fault]:
    commit = Stage.COMMIT
    return [
        Fault("hardware doesn't follow", (UNDONE,), hurts=("deaf hardware",)),
        Fault("own drops grow", (UNDONE,), hurts=("own drops after commit",)),
        Fault("drops grow on the neighbour only", (UNDONE,), hurts=("neighbour drops after commit",)),
        Fault("port goes down", (UNDONE, HUMAN), accidents=(at(commit, "!port down", "after"),)),
        Fault(
            "only the neighbour loses the link", (HUMAN,), accidents=(at(commit, "!neighbour loses the link", "after"),)
        ),
        Fault("health unreadable before", (REFUSED,), hurts=("health unreadable",)),
        Fault("health unreadable after", (UNDONE, HUMAN), accidents=(at(commit, "!health unreadable", "after"),)),
        Fault("neighbour unreadable before", (REFUSED,), hurts=("neighbour unreachable",)),
        Fault("neighbour lost after", (UNDONE, HUMAN), accidents=(at(commit, "!neighbour unreachable", "after"),)),
        Fault("a new connection fails once", (CHANGED,), unreadable_after=((commit, 1),)),
        Fault("no new connection, then the timer", (UNDONE,), unreadable_after=((commit, 99), (Stage.UNDO, 3))),
        Fault("unreachable for good after commit", (HUMAN,), accidents=(at(commit, "!unreachable", "after"),)),
        Fault("changed by hand after commit", (UNDONE, HUMAN), edits_after=commit),
    ]


def _confirm() -> list[Fault]:
    confirm = Stage.CONFIRM
    return [
        Fault("refuse at confirm", (UNDONE,), accidents=(at(confirm, "refuse", "before", 0),)),
        Fault("refuse after confirm", (CHANGED, UNDONE), accidents=(at(confirm, "refuse", "after"),)),
        Fault("drop before confirm", (CHANGED, UNDONE), accidents=(at(confirm, "drop", "before", 0),)),
        Fault("drop after confirm", (CHANGED,), accidents=(at(confirm, "drop", "after"),)),
        Fault("hang at confirm", (CHANGED, UNDONE), accidents=(at(confirm, "hang", "before", 0),)),
        Fault("garbage at confirm", (CHANGED, UNDONE), accidents=(at(confirm, "garbage", "before", 0),)),
        Fault("garbage after confirm", (CHANGED, UNDONE), accidents=(at(confirm, "garbage", "after"),)),
        Fault("garbage at undo", (UNDONE,), accidents=(at(Stage.COMMIT, "refuse"), at(Stage.UNDO, "garbage"))),
        Fault("killed before confirm", (UNDONE,), accidents=(at(confirm, "kill", "before", 0),)),
        Fault("killed after confirm", (CHANGED,), accidents=(at(confirm, "kill", "after"),)),
        Fault("killed at confirm, timer fires", (UNDONE,), accidents=(at(confirm, "kill", "before", 0),), then=1000.0),
        Fault("timer fires before confirm", (UNDONE,), accidents=(at(confirm, "!timer fires", "before", 0),)),
        Fault("disk full at confirm", (UNDONE, HUMAN), accidents=(at(confirm, "!full disk", "before", 0),)),
        Fault("run log full at confirm", (UNDONE,), full_log_at=confirm),
        Fault("reboot after confirm", (CHANGED,), accidents=(at(confirm, "!reboot", "after"),)),
    ]


def _approach() -> list[Fault]:
    return [
        Fault("nothing happens", (CHANGED,)),
        Fault("wrong device", (REFUSED,), hurts=("other device",)),
        Fault("wrong release", (REFUSED,), hurts=("other release",)),
        Fault("unreachable", (REFUSED,), hurts=("unreachable",)),
        Fault("locked by somebody", (REFUSED, EARLY), hurts=("locked by somebody",)),
        Fault("drain gate says no", (REFUSED,), hurts=("drain gate says no",)),
        Fault("drain gate hangs", (REFUSED,), hurts=("drain gate hangs",)),
        Fault("drain gate lies", (REFUSED,), hurts=("drain gate lies",)),
        Fault("disk full", (EARLY, REFUSED), hurts=("full disk",)),
        Fault("changed between plan and lock", (REFUSED,), edits_after=Stage.LOCK),
        Fault("plan stale: by hand", (REFUSED,), stale="by hand"),
        Fault("plan stale: intent", (REFUSED,), stale="intent"),
        Fault("two at once", (CHANGED,), two=True),
    ]


FAULTS = (*_approach(), *_before_commit(), *_commit(), *_proof(), *_confirm())
