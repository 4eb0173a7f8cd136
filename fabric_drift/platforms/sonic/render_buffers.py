"""Buffers of the ports -> BUFFER_PG, BUFFER_QUEUE and BUFFER_PROFILE rows.

Static model: buffermgrd writes the lossless groups by itself and keeps a ``pg_lossless_*`` profile that is
there already. They are rendered under its own names, profile and group together (sonic-buildimage issue 13267),
as soon as all the bytes are known: a table that is left out would keep its old rows.
Dynamic model: ``NULL`` lets SONiC compute; explicit bytes become a profile of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from fabric_drift.platform import Target
from fabric_drift.platforms.sonic import tables as t
from fabric_drift.platforms.sonic.adopt import BUFFER_MODEL
from fabric_drift.platforms.sonic.allocation import Allocation
from fabric_drift.platforms.sonic.documents import Row
from fabric_drift.platforms.sonic.refuse import refusal
from fabric_drift.state.device import DeviceState, Port, PortQos, PriorityGroup, Queue, QueueBuffer
from fabric_drift.state.values import Path, is_said

COMPUTE = "NULL"
GROUP_FIELDS = (
    ("pool", "pool"),
    ("size_bytes", "size"),
    ("xon_bytes", "xon"),
    ("xoff_bytes", "xoff"),
    ("xon_offset_bytes", "xon_offset"),
    ("static_bytes", "static_th"),
    ("alpha_exponent", "dynamic_th"),
)
BUFFER_FIELDS = (
    ("pool", "pool"),
    ("reserved_bytes", "size"),
    ("static_bytes", "static_th"),
    ("alpha_exponent", "dynamic_th"),
)


def runs(values: Mapping[int, str]) -> Iterator[tuple[str, str]]:
    """("3-4", value) for neighbours of one value, as SONiC itself writes them."""
    numbers = sorted(values)
    start = 0
    for position, number in enumerate(numbers):
        following = numbers[position + 1] if position + 1 < len(numbers) else None
        if following != number + 1 or values[following] != values[number]:
            first = numbers[start]
            yield (str(first) if first == number else f"{first}-{number}"), values[number]
            start = position + 1


def is_dynamic(expected: DeviceState, target: Target) -> bool:
    """Whether SONiC computes headroom: as the intent says, else as the switch does."""
    model = expected.buffer_model if isinstance(expected.buffer_model, str) else target.names.get(BUFFER_MODEL)
    return model == "dynamic"


class Buffers:
    """Translates the buffers of one device; profiles go to ``names``."""

    def __init__(self, expected: DeviceState, target: Target, names: Allocation) -> None:
        self._dynamic = is_dynamic(expected, target)
        self._target = target
        self._names = names
        self._derived: dict[str, Row] = {}
        self.default_alpha = self._commonest_alpha(expected) if self._dynamic else None

    def rows(self, name: str, port: Port, qos: PortQos) -> Iterator[tuple[str, str, str]]:
        """(table, index text, profile) of a port."""
        if isinstance(qos.queues, Mapping):
            chosen = {}
            for number, queue in qos.queues.items():
                if isinstance(queue, Queue) and isinstance(queue.buffer, QueueBuffer):
                    path = ("ports", name, "qos", "queues", str(number), "buffer")
                    row = self._row(queue.buffer, BUFFER_FIELDS, path)
                    chosen[number] = self._names.name("BUFFER_PROFILE", f"queue/{number}", row, "egress_roce_profile")
            yield from (("BUFFER_QUEUE", key, profile) for key, profile in runs(chosen))
        if isinstance(qos.priority_groups, Mapping):
            groups = {}
            for number, group in qos.priority_groups.items():
                profile = self._group(name, port, qos, number, group)
                if profile:
                    groups[number] = profile
            yield from (("BUFFER_PG", key, profile) for key, profile in runs(groups))

    def _group(self, name: str, port: Port, qos: PortQos, number: int, group: Any) -> str:
        """The profile of a priority group; empty where there is nothing to write."""
        if not isinstance(group, PriorityGroup):
            return ""
        path: Path = ("ports", name, "qos", "priority_groups", str(number))
        explicit = all(is_said(value) for value in (group.size_bytes, group.xon_bytes, group.xoff_bytes))
        if group.lossless is not True:
            if not is_said(group.pool):
                return ""
            row = self._row(group, GROUP_FIELDS, path)
            return self._names.name("BUFFER_PROFILE", f"group/{number}", row, "ingress_lossy_profile")
        if self._dynamic and not explicit:
            return self._computed(group, number)
        if not explicit:
            return ""
        row = {"pool": t.LOSSLESS_POOL, **self._row(group, GROUP_FIELDS, path, pool_needed=False)}
        if self._dynamic:
            return self._names.name("BUFFER_PROFILE", f"group/{number}", row, "ingress_lossless_roce_profile")
        return self._derived_name(port, qos, row, path)

    def _computed(self, group: PriorityGroup, number: int) -> str:
        if not is_said(group.alpha_exponent) or group.alpha_exponent == self.default_alpha:
            return COMPUTE
        row = {
            "pool": str(group.pool) if is_said(group.pool) else t.LOSSLESS_POOL,
            "size": "0",
            "headroom_type": "dynamic",
            "dynamic_th": str(group.alpha_exponent),
        }
        return self._names.name("BUFFER_PROFILE", f"group/{number}", row, "ingress_lossless_roce_profile")

    def _derived_name(self, port: Port, qos: PortQos, row: Row, path: Path) -> str:
        """The name that buffermgrd would give, so that it finds what it would make."""
        if not (is_said(port.speed_mbps) and is_said(qos.cable_length_m)):
            problem = "the static buffer model names a lossless profile by speed and cable"
            raise refusal(self._target, path, problem, "Give the port's speed and cable length")
        name = f"pg_lossless_{port.speed_mbps}_{qos.cable_length_m}m_profile"
        if self._derived.setdefault(name, row) != row:
            problem = f"two policies want different headroom at {port.speed_mbps} Mb/s and {qos.cable_length_m} m"
            raise refusal(self._target, path, problem, "Make them equal, or use the dynamic buffer model")
        self._names.rows.setdefault("BUFFER_PROFILE", {})[name] = row
        return name

    def _row(self, value: Any, fields: tuple[tuple[str, str], ...], path: Path, *, pool_needed: bool = True) -> Row:
        row = {field: str(getattr(value, fact)) for fact, field in fields if is_said(getattr(value, fact))}
        row.setdefault("size", "0")
        if pool_needed and "pool" not in row:
            raise refusal(self._target, path, "SONiC needs the pool of a buffer profile", "Name the pool")
        return row

    def _commonest_alpha(self, expected: DeviceState) -> int | None:
        """The alpha of most groups that SONiC computes: one default serves them without a profile."""
        votes: Counter[int] = Counter()
        for port in expected.ports.values() if isinstance(expected.ports, Mapping) else ():
            groups = port.qos.priority_groups if isinstance(port, Port) and isinstance(port.qos, PortQos) else None
            for group in groups.values() if isinstance(groups, Mapping) else ():
                computed = isinstance(group, PriorityGroup) and group.lossless is True and not is_said(group.xoff_bytes)
                if computed and isinstance(group.alpha_exponent, int):
                    votes[group.alpha_exponent] += 1
        return min(votes, key=lambda alpha: (-votes[alpha], alpha)) if votes else None
