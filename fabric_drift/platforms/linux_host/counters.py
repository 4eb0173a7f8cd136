"""Whether RDMA leaves a NIC in priorities without PFC: two readings of its counters, one round of commands apart.

What counters have summed up since the driver was loaded may be of a fault that is long mended, so only what they
gain between the readings counts. ``tx_vport_rdma_unicast_bytes`` says how much RDMA was sent, ``tx_prioN_bytes`` how
much left in priority N, other traffic included. So RDMA is proven to be outside only where the priorities with PFC
sent less than that, and others sent the rest. Counters of a NIC that sends nothing prove nothing.

Source: Linux Documentation/networking/device_drivers/ethernet/mellanox/mlx5/counters.rst.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabric_drift.finding import Evidence
from fabric_drift.platform import Output
from fabric_drift.platforms.linux_host.answers import clip, unseen
from fabric_drift.state.values import Unobserved

RDMA = "tx_vport_rdma_unicast_bytes"
OF_PRIORITY = tuple(f"tx_prio{priority}_bytes" for priority in range(8))
LONGEST = 20
"""Digits of 2^64."""
LEAST_BYTES = 1_000_000
"""Less RDMA than this is the management of connections."""
TOLERATED = 0.1
"""The part of RDMA that may seem to be elsewhere: counters of one reading aren't of one moment."""

Counters = Mapping[str, int]


def first_text(netdev: str) -> str:
    """The first reading."""
    return f"ethtool -S {netdev}"


def second_text(netdev: str) -> str:
    """The same question in other words, because one answer is kept per command."""
    return f"ethtool --statistics {netdev}"


def gained(outputs: Mapping[str, Output], netdev: str) -> Counters | Unobserved:
    """What the counters gained between the two readings, or why that isn't known."""
    before, after = (_reading(outputs, text) for text in (first_text(netdev), second_text(netdev)))
    if isinstance(before, Unobserved):
        return before
    if isinstance(after, Unobserved):
        return after
    found = {name: after[name] - before[name] for name in after}
    return found if min(found.values()) >= 0 else Unobserved("its counters went back between two readings")


def shows_rdma(sent: Counters | Unobserved) -> bool:
    """Whether there is RDMA to judge by."""
    return not isinstance(sent, Unobserved) and sent[RDMA] >= LEAST_BYTES


def rdma_without_pfc(sent: Counters | Unobserved, pfc_priorities: Any) -> bool | Unobserved:
    """Whether RDMA was seen in priorities other than ``pfc_priorities`` (those of the running layer)."""
    if isinstance(sent, Unobserved):
        return sent
    if not isinstance(pfc_priorities, tuple):
        unread = Unobserved("the PFC priorities of the NIC aren't read")
        return pfc_priorities if isinstance(pfc_priorities, Unobserved) else unread
    inside = sum(sent[OF_PRIORITY[priority]] for priority in pfc_priorities)
    outside = sum(sent[name] for name in OF_PRIORITY) - inside
    missing = sent[RDMA] - inside
    return shows_rdma(sent) and missing > TOLERATED * sent[RDMA] and outside >= (1 - TOLERATED) * missing


def evidence(outputs: Mapping[str, Output], netdev: str) -> tuple[Evidence, ...]:
    """The counters that moved, of both readings; where there are no counters, what was said instead."""
    texts = [text for text in (first_text(netdev), second_text(netdev)) if text in outputs]
    sent = gained(outputs, netdev)
    if isinstance(sent, Unobserved):
        return tuple(Evidence(text, tuple(map(clip, outputs[text].stderr.splitlines()[:1]))) for text in texts)
    moved = {name for name, count in sent.items() if count} or {RDMA}
    return tuple(_shown(text, outputs[text].stdout, moved) for text in texts)


def _shown(text: str, answer: str, names: set[str]) -> Evidence:
    rows = [(number, line.strip()) for number, line in enumerate(answer.splitlines(), 1) if ":" in line]
    found = [(number, line) for number, line in rows if line.partition(":")[0] in names]
    return Evidence(text, tuple(line for _, line in found), found[0][0])


def _reading(outputs: Mapping[str, Output], text: str) -> Counters | Unobserved:
    reason = unseen(text, outputs.get(text))
    if reason:
        return reason
    answer = outputs[text].stdout
    found: dict[str, int] = {}
    for name in (RDMA, *OF_PRIORITY):
        value = _value(answer, name)
        if value is None:
            return Unobserved(f"`{text}` shows no {name}, or not once")
        found[name] = value
    return found


def _value(answer: str, name: str) -> int | None:
    """The number on the one line of ``name``. Of 1,500 lines nine matter, so they are looked for, not parsed."""
    mark = f" {name}: "
    at = answer.find(mark)
    end = answer.find("\n", at)
    if at < 0 or end < 0 or answer.find(mark, end) >= 0:  # without its end, a number may be cut
        return None
    indent, number = answer[answer.rfind("\n", 0, at) + 1 : at], answer[at + len(mark) : end]
    is_number = number.isascii() and number.isdecimal() and len(number) <= LONGEST
    return int(number) if is_number and not indent.strip() else None
