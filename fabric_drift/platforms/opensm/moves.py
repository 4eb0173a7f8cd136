"""What a new partitions.conf does to P_Key tables: who gains, who loses, and that indexes move and leave holes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fabric_drift.state.infiniband import FabricPort, Infiniband, Subnet
from fabric_drift.state.values import is_said

SHOWN = 40


def members(before: Any, after: Any) -> set[tuple[str, str, str]]:
    """(P_Key, member, membership) of ``after`` that ``before`` doesn't have."""
    return set(_rows(after)) - set(_rows(before))


def _rows(partitions: Any) -> Iterator[tuple[str, str, str]]:
    if is_said(partitions):
        for pkey, partition in partitions.items():
            if is_said(partition.members):
                for member, membership in partition.members.items():
                    yield pkey, member, membership


def told(wanted: Infiniband, saved: Infiniband, live: Infiniband | None) -> tuple[str, ...]:
    """Lines for people, sorted: one per port whose table changes."""
    gains, losses = (
        _by_member(members(saved.partitions, wanted.partitions)),
        _by_member(members(wanted.partitions, saved.partitions)),
    )
    tables = dict(_tables(live))
    lines = []
    for member in sorted(gains.keys() | losses.keys()):
        gained, lost = gains.get(member, {}), losses.get(member, {})
        port = tables.get(member)
        words = [f"loses {pkey}{_at(port, pkey)}" for pkey in sorted(lost) if pkey not in gained]
        words += [f"becomes {gained[pkey]} in {pkey}{_at(port, pkey)}" for pkey in sorted(gained) if pkey in lost]
        words += [f"gains {pkey} at another index" for pkey in sorted(gained) if pkey not in lost]
        lines.append(f"{member}: {', '.join(words)}")
    for pkey, partition in _index_0(wanted, saved):
        lines.append(f"{pkey} ({partition}): moves to index 0 of its members; what is there goes to another index")
    more = [f"... and {len(lines) - SHOWN} more ports"] if len(lines) > SHOWN else []
    hint = (
        ["P_Key indexes change on reload: jobs that name an index (NCCL_IB_PKEY, NVSHMEM) start anew"] if lines else []
    )
    return (*lines[:SHOWN], *more, *hint)


def _by_member(rows: set[tuple[str, str, str]]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for pkey, member, membership in rows:
        found.setdefault(member, {})[pkey] = membership
    return found


def _tables(live: Infiniband | None) -> Iterator[tuple[str, FabricPort]]:
    if live is None or not isinstance(live.subnet, Subnet) or not is_said(live.subnet.ports):
        return
    ports: Mapping[str, Any] = live.subnet.ports  # type: ignore[assignment]
    for port in ports.values():
        if isinstance(port, FabricPort) and isinstance(port.guid, str):
            yield port.guid, port


def _at(port: FabricPort | None, pkey: str) -> str:
    indexes = port.pkey_indexes if port is not None else None
    if indexes is None or not is_said(indexes) or pkey not in indexes:  # type: ignore[operator]
        return ""
    return f" (now at index {indexes[pkey]}, which stays empty)"  # type: ignore[index]


def _index_0(wanted: Infiniband, saved: Infiniband) -> Iterator[tuple[str, str]]:
    if not is_said(wanted.partitions) or not is_said(saved.partitions):
        return
    before: Mapping[str, Any] = saved.partitions  # type: ignore[assignment]
    for pkey, partition in sorted(wanted.partitions.items()):  # type: ignore[union-attr]
        if partition.index0 is True and (pkey not in before or before[pkey].index0 is not True):
            yield pkey, str(partition.name)
