"""What would have to be sent to a UFM, told exactly and always refused: nothing on a UFM takes a change back.

Design law 6 asks for a timer on the device that undoes without us. UFM has none, and no lock either, so a change of
ours that is cut in the middle would leave tenants half moved. A person sends what the preview shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fabric_drift.change import Health, Kind, Phase, Plan, Procedure, Refusal, Step
from fabric_drift.diff import DiffMemo
from fabric_drift.errors import Unsupported
from fabric_drift.finding import Layer, Verdict
from fabric_drift.platform import Command, Disruption, Output, Reading, Target
from fabric_drift.platforms.ufm import requests
from fabric_drift.platforms.ufm.commands import VERSION
from fabric_drift.platforms.ufm.pkeys import DEFAULT_PKEY
from fabric_drift.platforms.ufm.requests import Request
from fabric_drift.state.device import DeviceState
from fabric_drift.state.infiniband import MIXED, Infiniband, Partition
from fabric_drift.state.values import UNSAID, Path, is_said

PLATFORM = "ufm"
ROUTE = "rest"
UNTRIED = "no evidence: never tried on a real UFM"
NOT_SENT = "UFM has no timer that takes a change back and no lock, so fabric_drift doesn't write to it"
NOT_SENT_REMEDY = "Send the requests of the preview yourself, in their order, and check again"
ELSEWHERE = "Change it in UFM's own configuration, and restart or fail over as its manual says"
FACTS = ("members", "index0", "ipoib")
QOS = ("mtu_bytes", "rate_code", "service_level")


def plan(reading: Reading, expected: DeviceState, target: Target) -> Plan:
    """Steps as requests for people, and a refusal beside them; refusals alone for what REST doesn't change."""
    wanted, found = expected.infiniband, _believed(reading)
    if not isinstance(wanted, Infiniband):
        return Plan(target.device, PLATFORM, "")
    blind = _blind(wanted, found)
    if blind or found is None:
        return Plan(target.device, PLATFORM, "", refusals=blind)
    steps = (*_steps(wanted, found),)
    refusals = (*_others(wanted, found), *((_not_sent(),) if steps else ()))
    diff = "".join(f"# {step.title}\n{''.join(step.forward)}" for step in steps)
    return Plan(target.device, PLATFORM, ROUTE if steps else "", steps, refusals, diff)


def procedure(plan: Plan) -> Procedure:
    """Never: raises Unsupported."""
    raise Unsupported(NOT_SENT, where=plan.device, remedy=NOT_SENT_REMEDY, code="FD-UFM-002")


def health_commands() -> tuple[Command, ...]:
    """Whether it answers at all; UFM's REST says nothing of ports that we read."""
    return (VERSION,)


def health(outputs: Mapping[str, Output]) -> Health:
    """Always something unreadable: the ports behind a UFM aren't read."""
    output = outputs.get(VERSION.text)
    silent = () if output is not None and output.whole else ("UFM did not answer",)
    return Health(unreadable=(*silent, "the ports behind UFM are not read"))


def _believed(reading: Reading) -> Infiniband | None:
    state = reading.states.get(Layer.NOS)
    return state.infiniband if state and isinstance(state.infiniband, Infiniband) else None


def _blind(wanted: Infiniband, found: Infiniband | None) -> tuple[Refusal, ...]:
    if not is_said(wanted.partitions) or (found is not None and is_said(found.partitions)):
        return ()
    why = getattr(found.partitions if found else UNSAID, "reason", "UFM was not read")
    path: Path = ("infiniband", "partitions")
    return (Refusal(path, f"the partitions are not known: {why}", "Make UFM readable first"),)


def _not_sent() -> Refusal:
    return Refusal(("infiniband", "partitions"), NOT_SENT, NOT_SENT_REMEDY)


def _steps(wanted: Infiniband, found: Infiniband) -> Iterator[Step]:
    """New partitions, then changed ones, then those that must go."""
    if not is_said(wanted.partitions):
        return
    ours: Mapping[str, Partition] = wanted.partitions  # type: ignore[assignment]
    theirs: Mapping[str, Partition] = found.partitions  # type: ignore[assignment]
    for pkey in sorted(ours.keys() - theirs.keys() - {DEFAULT_PKEY}):
        new = requests.all_of(pkey, ours[pkey])
        yield _step(pkey, Kind.ADD, f"{pkey}: a partition of {_count(ours[pkey])}", new, (requests.delete(pkey),))
    for pkey in sorted(ours.keys() & theirs.keys() - {DEFAULT_PKEY}):
        yield from _changed(pkey, ours[pkey], theirs[pkey])
    tolerated = getattr(ours, "tolerates", lambda _key: False)
    for pkey in sorted(key for key in theirs.keys() - ours.keys() - {DEFAULT_PKEY} if not tolerated(key)):
        old = theirs[pkey]
        undo = () if old.index0 == MIXED else requests.all_of(pkey, old)
        yield _step(pkey, Kind.REMOVE, f"{pkey}: no partition, {_count(old)} lose it", (requests.delete(pkey),), undo)


def _changed(pkey: str, ours: Partition, theirs: Partition) -> Iterator[Step]:
    drifted = [item.path for item in DiffMemo().compare(ours, theirs).differences if item.verdict is Verdict.DRIFT]
    names = {path[0] for path in drifted}
    if names & set(FACTS):
        undo = () if theirs.index0 == MIXED else (requests.members(pkey, theirs),)
        yield _step(pkey, Kind.CHANGE, f"{pkey}: {_moves(ours, theirs)}", (requests.members(pkey, ours),), undo)
    if names & set(QOS):
        title = f"{pkey}: {', '.join(sorted(names & set(QOS)))}"
        yield _step(pkey, Kind.CHANGE, title, requests.qos(pkey, ours), requests.qos(pkey, theirs))


def _moves(ours: Partition, theirs: Partition) -> str:
    new: Any = ours.members if is_said(ours.members) else {}
    old: Any = theirs.members if is_said(theirs.members) else {}
    gained, lost = new.keys() - old.keys(), old.keys() - new.keys()
    other = {guid for guid in new.keys() & old.keys() if new[guid] != old[guid]}
    words = [
        f"{len(guids)} members {verb} ({', '.join(sorted(guids)[:4])}{', ...' if len(guids) > 4 else ''})"  # noqa: PLR2004
        for verb, guids in (("gained", gained), ("lost", lost), ("with another membership", other))
        if guids
    ]
    flags = [
        f"{name} {getattr(ours, name)}" for name in ("index0", "ipoib") if getattr(ours, name) != getattr(theirs, name)
    ]
    return ", ".join((*words, *flags))


def _count(partition: Partition) -> str:
    found: Any = partition.members if is_said(partition.members) else {}
    return f"{len(found)} members"


def _step(pkey: str, kind: Kind, title: str, forward: Iterable[Request], undo: Iterable[Request]) -> Step:
    return Step(
        title=title,
        paths=(("infiniband", "partitions", pkey),),
        phase=Phase.MAPS,
        kind=kind,
        forward=tuple(item.text() for item in forward),
        undo=tuple(item.text() for item in undo),
        disruption=Disruption.UNKNOWN,
        evidence=UNTRIED,
        undo_disruption=Disruption.UNKNOWN,
    )


def _others(wanted: Infiniband, found: Infiniband) -> Iterator[Refusal]:
    """Differences that no request of the partitions closes, and facts that weren't seen: never a guess."""
    for item in DiffMemo().compare(wanted, found).differences:
        if item.verdict is Verdict.UNOBSERVED and item.path[0] in ("partitions", "options"):
            why = getattr(item.actual, "reason", "")
            yield Refusal(("infiniband", *item.path), f"not seen: {why}", "Make UFM readable first")
        is_partition = item.path[0] == "partitions" and item.path[1:2] != (DEFAULT_PKEY,)
        if item.verdict is Verdict.DRIFT and not is_partition:
            what = (
                "the management partition can't be changed over REST" if item.path[0] == "partitions" else "it differs"
            )
            yield Refusal(("infiniband", *item.path), f"{what}: UFM has {item.actual}", ELSEWHERE)
