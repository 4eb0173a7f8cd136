"""Rows -> the steps of a rollout in their order, each with its disruption and where that is known from.

The order is the design's: what is added goes switch ports, buffers, maps, PFC, hosts, job environment; what
is taken away goes the other way round, after it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from fabric_drift.platform import Capability, Disruption
from fabric_drift.review.changes import Change, expanded, is_gone
from fabric_drift.review.disruption import write_capability
from fabric_drift.review.side import Planned
from fabric_drift.state.values import Path, path_text

PHASES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("ports", ("admin_up", "speed_mbps", "mtu_bytes", "fec")),
    (
        "buffers",
        ("pools", "buffer_model", "priority_groups", "buffer", "receive_buffers_bytes", "cable_length_m"),
    ),
    ("maps", ("trust", "maps", "scheduling", "ecn", "queues")),
    ("pfc", ("pfc", "global_pause", "watchdog", "dcbx", "dcbx_willing")),
    ("nic", ("nic",)),
    ("job", ("job",)),
)
ORDER = tuple(name for name, _ in PHASES)
TITLES = {
    "ports": "port basics",
    "buffers": "buffers",
    "maps": "maps, scheduling and ECN",
    "pfc": "PFC and its watchdog",
    "nic": "NIC and congestion control",
    "job": "job environment",
}
NOT_WRITTEN = frozenset(
    {"identity", "neighbour", "oper_up", "unreferenced"}
    | {"netdev", "rdma_device", "family", "firmware", "guid", "driver", "dcb_owner", "rdma_without_pfc"}
)
"""What the intent expects to see and no configuration can bring about."""


@dataclass(frozen=True, slots=True)
class Proof:
    """Why a disruption is what the step says, for some of its facts. ``capability`` None: no evidence."""

    facts: tuple[str, ...]
    capability: Capability | None

    @property
    def is_written(self) -> bool:
        """False where the platform says that it doesn't write these facts: they are only compared."""
        return self.capability is None or self.capability.supported

    @property
    def disruption(self) -> Disruption:
        """NONE where nothing is written."""
        if not self.is_written:
            return Disruption.NONE
        return self.capability.disruption if self.capability else Disruption.UNKNOWN


@dataclass(frozen=True, slots=True)
class Step:
    """Facts that are written together. ``removes``: the step takes something away."""

    phase: str
    removes: bool
    on_hosts: bool
    proofs: tuple[Proof, ...]

    @property
    def disruption(self) -> Disruption:
        """The worst of its facts."""
        return max(proof.disruption for proof in self.proofs)

    @property
    def is_written(self) -> bool:
        """Whether there is anything to do."""
        return any(proof.is_written for proof in self.proofs)

    @property
    def title(self) -> str:
        """What is done, without where."""
        verb = "Remove or lower" if self.removes else "Add or change"
        return f"{verb} {TITLES[self.phase]}"

    @property
    def order(self) -> tuple[bool, int]:
        """Where the step comes in the rollout: hosts after switches, and removals the other way round."""
        place = ORDER.index(self.phase) + len(ORDER) * self.on_hosts
        return self.removes, -place if self.removes else place


def steps(
    changes: Iterable[Change], table: Sequence[Capability], device: Planned, *, on_hosts: bool
) -> tuple[Step, ...]:
    """The steps that bring one device from one expected state to the other."""
    wanted: dict[tuple[str, bool], set[Path]] = defaultdict(set)
    for change in changes:
        for single in expanded(change):
            phase = phase_of(single.path)
            if phase:
                wanted[phase, is_removal(single)].add(single.path)
    found = (
        Step(phase, removes, on_hosts, _proofs(paths, table, device)) for (phase, removes), paths in wanted.items()
    )
    return tuple(sorted(found, key=lambda step: step.order))


def phase_of(path: Path) -> str:
    """The phase in which ``path`` is written; empty where nothing is to write."""
    if not NOT_WRITTEN.isdisjoint(path):
        return ""
    for name, words in PHASES:
        if not set(words).isdisjoint(path):
            return name
    return "ports"


def is_removal(change: Change) -> bool:
    """Whether the change takes away: a fact, a member of a set, or bytes of an MTU."""
    if is_gone(change.before):
        return False
    if is_gone(change.after):
        return True
    if isinstance(change.before, tuple) and isinstance(change.after, tuple):
        return set(change.after) < set(change.before)
    return change.path[-1] == "mtu_bytes" and _less(change.after, change.before)


def _less(left: Any, right: Any) -> bool:
    return isinstance(left, int) and isinstance(right, int) and left < right


def _proofs(paths: set[Path], table: Sequence[Capability], device: Planned) -> tuple[Proof, ...]:
    facts: dict[tuple[object, ...], set[str]] = defaultdict(set)
    rows: dict[tuple[object, ...], Capability | None] = {}
    for path in paths:
        row = write_capability(table, device, path)
        says = (row.disruption, row.supported, row.how, row.proof, row.source) if row else ()
        facts[says].add(short_fact(path))
        rows.setdefault(says, row)
    found = (Proof(tuple(sorted(facts[says])), rows[says]) for says in facts)
    return tuple(sorted(found, key=lambda proof: (-proof.disruption, proof.facts)))


def short_fact(path: Path) -> str:
    """A fact as a kind of fact: without port, and without keys of maps."""
    below = path[2:] if path[0] == "ports" else path
    return path_text(tuple(part for part in below if not part.isdigit()))
