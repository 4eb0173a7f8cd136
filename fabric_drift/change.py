"""What a platform says about a change: steps, refusals, and the procedure that a device goes through.

All of it is data and pure; ``workflow`` walks a :class:`Procedure` over a session, journals every stage and
never skips one. A platform that can change a device fulfils :class:`Changer` beside ``Platform``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import Protocol

from fabric_drift.platform import Command, Disruption, Output, Reading, Target
from fabric_drift.state.device import DeviceState
from fabric_drift.state.values import Path


class Phase(IntEnum):
    """Where a step stands in the only order that is allowed on undrained paths (design law 7).

    Additive steps run upward (switch buffers first, jobs last), removals downward.
    """

    BUFFERS = 1
    MAPS = 2
    SCHEDULING = 3
    ECN = 4
    PFC = 5
    WATCHDOG = 6
    HOST = 7
    JOB = 8


class Kind(str, Enum):
    """A CHANGE is in place: neither order protects it, so its disruption decides alone."""

    ADD = "add"
    CHANGE = "change"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True)
class Step:
    """One native edit with its inverse.

    ``forward`` and ``undo`` are native lines, or one JSON document; ``undo`` empty means that only the
    whole saved configuration brings it back, and ``undo_disruption`` says at what price.
    """

    title: str
    paths: tuple[Path, ...]
    """Facts it changes (``ports/...``); or, where one native row holds several facts, the row (``CONFIG_DB/...``)."""
    phase: Phase
    kind: Kind
    forward: tuple[str, ...]
    undo: tuple[str, ...]
    disruption: Disruption
    evidence: str
    """Source of the disruption: document, release, file in vendor code."""
    ports: tuple[str, ...] = ()
    """Ports that it disturbs; () = none or, for RESTART and RELOAD, all."""
    undo_disruption: Disruption = Disruption.NONE


@dataclass(frozen=True, slots=True)
class Refusal:
    """A difference that no step may close, and what a human can do instead."""

    path: Path
    problem: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Plan:
    """Ordered steps from actual to expected on one device."""

    device: str
    platform: str
    route: str
    """gcu_patch | config_reload | config_session | host_script: one route per plan, "" for an empty one."""
    steps: tuple[Step, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    diff: str = ""
    """Native difference for people, deterministic."""
    deadline_s: int = 300
    """How long the dead-man timer waits, computed from the plan's length."""

    @property
    def disruption(self) -> Disruption:
        """The worst of its steps."""
        return max((step.disruption for step in self.steps), default=Disruption.NONE)

    @property
    def shape(self) -> str:
        """Hash of what the plan does, without the device's name: equal shapes are approved together."""
        text = json.dumps([[step.title, step.forward, step.undo] for step in self.steps])
        return hashlib.sha256((self.platform + self.route + text).encode()).hexdigest()[:16]


class Stage(str, Enum):
    """The stages of design law 6, in their order; UNDO and TIDY are the other ways out."""

    PREFLIGHT = "preflight"
    LOCK = "lock"
    SAVE = "save"
    REHEARSE = "rehearse"
    """Dry run of the change and of its undo, on the device where it can."""
    ARM = "arm"
    """Dead-man timer on the device: undoes unless disarmed, survives our death."""
    COMMIT = "commit"
    CONFIRM = "confirm"
    """Disarm, make persistent, unlock. Only after a post-check over a new connection."""
    UNDO = "undo"
    """Undo now, disarm, unlock. May run twice, after the timer has fired, or beside a commit that still runs."""
    TIDY = "tidy"
    """Nothing was changed: disarm, unlock, remove our files. Of this run only: a foreign lock stays. May run twice."""


@dataclass(frozen=True, slots=True)
class Action:
    """One command of a stage. Refused when the exit status isn't 0 or a pattern is found in its output."""

    command: str
    stdin: str = ""
    refused_by: tuple[str, ...] = ()
    """Regular expressions (search, multi-line) that mean "refused" whatever the exit status says."""
    must_show: str = ""
    """Regular expression that has to be found, or the action failed."""
    timeout_s: int = 60


@dataclass(frozen=True, slots=True)
class Procedure:
    """How one plan gets onto one device. ``channel``: exec (one command, one exit status) or shell (netmiko)."""

    run_id: str
    channel: str
    stages: Mapping[Stage, tuple[Action, ...]]
    deadline_s: int
    by_hand: str
    """The exact command(s) a human types on the device when nothing of ours works any more."""
    netmiko_type: str = ""
    """Driver name where ``channel`` is shell."""


@dataclass(frozen=True, slots=True)
class Health:
    """What must not get worse. Anything that could not be read is in ``unreadable``, and counts as worse."""

    ports_up: frozenset[str] = frozenset()
    neighbours: frozenset[str] = frozenset()
    """"port device port" of every LLDP neighbour."""
    bgp_established: frozenset[str] = frozenset()
    lossless_drops: Mapping[str, int] = field(default_factory=dict)
    """"port/priority" -> packets dropped on lossless classes since boot."""
    watchdog_storms: Mapping[str, int] = field(default_factory=dict)
    unreadable: tuple[str, ...] = ()


def worse(before: Health, after: Health) -> tuple[str, ...]:
    """Every way in which ``after`` is worse than ``before``, one sentence each; () when none."""
    lost = [
        *(f"port {port} went down" for port in sorted(before.ports_up - after.ports_up)),
        *(f"neighbour lost: {name}" for name in sorted(before.neighbours - after.neighbours)),
        *(f"BGP session lost: {name}" for name in sorted(before.bgp_established - after.bgp_established)),
    ]
    grown = [
        f"{what} on {key}: {old.get(key, 0)} -> {count}"
        for what, old, new in (
            ("lossless drops grew", before.lossless_drops, after.lossless_drops),
            ("watchdog storms grew", before.watchdog_storms, after.watchdog_storms),
        )
        for key, count in sorted(new.items())
        if count > old.get(key, 0)
    ]
    blind = [f"health can't be read: {reason}" for reason in after.unreadable]
    return (*lost, *grown, *blind)


class Changer(Protocol):
    """The write side of a platform. Pure, like all of it."""

    def plan(self, reading: Reading, expected: DeviceState, target: Target) -> Plan:
        """Minimal steps from the running layer to ``expected`` (localised); empty when nothing differs.

        Facts that are Unobserved give a Refusal, never a guess. Raises Unsupported like ``localise``.
        """
        ...

    def procedure(self, plan: Plan, run_id: str) -> Procedure:
        """The commands of every stage for a non-empty plan without refusals.

        The plan may hold only some of ``plan``'s steps, in their order: a fabric changes in parts. For a run that
        was cut, UNDO and TIDY come from a plan that was read from the run log: they need no more than its steps
        and ``run_id``.
        """
        ...

    def health_commands(self) -> tuple[Command, ...]:
        """Read-only commands whose answers ``health`` judges."""
        ...

    def health(self, outputs: Mapping[str, Output]) -> Health:
        """Never raises: what can't be read is said in ``unreadable``."""
        ...
