"""``dcb -j OBJECT show dev X`` of iproute2 -> facts of one port. Keys as seen with iproute2 6.1.

Pure functions of the text, cached: NICs that are set alike share one object.

Sources: iproute2 dcb/*.c; Linux drivers/net/ethernet/mellanox/mlx5/core/en_dcbnl.c for what mlx5 means by them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import gcd
from typing import Any

from fabric_drift.platforms.linux_host.answers import Problem, read_object
from fabric_drift.state.device import Fact, IntMap
from fabric_drift.state.values import Unobserved

PRIORITIES = range(8)
DSCPS = range(64)
TSA = ("strict", "credit-based", "ets", "vendor")
Scheduling = tuple[tuple[int, int | str], ...]
Readers = Mapping[str, Callable[[Any], Any]]


@dataclass(frozen=True, slots=True)
class Read:
    """Facts of one object by name, and what wasn't understood."""

    facts: Mapping[str, Any]
    problems: tuple[Problem, ...] = ()

    def get(self, name: str) -> Any:
        """Fact ``name``; Unobserved where the answer didn't hold it."""
        return self.facts.get(name, Unobserved(f"the answer holds no readable {name}"))


def _integer(raw: Any) -> int:
    if type(raw) is not int or not 0 <= raw < 2**32:
        raise ValueError("not a number")
    return raw


def _flag(raw: Any) -> bool:
    if not isinstance(raw, bool):
        raise ValueError("not true or false")  # noqa: TRY004 - one kind of refusal for all readers
    return raw


def _eight_flags(raw: Any) -> tuple[bool, ...]:
    return tuple(_flag(item) for item in _eight(raw))


def _eight_numbers(raw: Any) -> tuple[int, ...]:
    return tuple(_integer(item) for item in _eight(raw))


def _eight_indexes(raw: Any) -> tuple[int, ...]:
    numbers = _eight_numbers(raw)
    if max(numbers) > max(PRIORITIES):
        raise ValueError("a number above 7")
    return numbers


def _eight_algorithms(raw: Any) -> tuple[str, ...]:
    names = tuple(_eight(raw))
    if any(name not in TSA for name in names):
        raise ValueError("a transmission selection that isn't known")
    return names


def _eight(raw: Any) -> list[Any]:
    if not isinstance(raw, list) or len(raw) != len(PRIORITIES):
        raise ValueError("not a list of eight")
    return raw


_PFC: Readers = {
    "pfc_cap": _integer,
    "macsec_bypass": _flag,
    "delay": _integer,
    "prio_pfc": _eight_flags,
    "requests": list,
    "indications": list,
}
_ETS: Readers = {
    "willing": _flag,
    "ets_cap": _integer,
    "cbs": _flag,
    "tc_bw": _eight_numbers,
    "pg_bw": _eight_numbers,
    "tc_tsa": _eight_algorithms,
    "prio_tc": _eight_indexes,
    "reco_tc_bw": list,
    "reco_tc_tsa": list,
    "reco_prio_tc": list,
}
_BUFFER: Readers = {"prio_buffer": _eight_indexes, "buffer_size": _eight_numbers, "total_size": _integer}
_DCBX = dict.fromkeys(("host", "lld-managed", "lld_managed", "cee", "ieee", "static"), _flag)


@lru_cache(maxsize=512)
def read_pfc(text: str) -> Read:
    """``priorities`` (sorted, PFC on) and ``cable_length_m``: mlx5 keeps the cable length in ``delay``.

    A delay of 0 means that the driver has no port buffers to compute from (en_dcbnl.c, ieee_getpfc).
    """
    values, problems = read_object(text, _PFC)
    facts: dict[str, Any] = {}
    if "prio_pfc" in values:
        facts["priorities"] = tuple(number for number, on in enumerate(values["prio_pfc"]) if on)
    if "delay" in values:
        facts["cable_length_m"] = values["delay"] or Unobserved("the driver keeps no cable length for this NIC")
    return Read(facts, problems)


@lru_cache(maxsize=512)
def read_ets(text: str) -> Read:
    """``priority_to_tc`` and ``scheduling``."""
    values, problems = read_object(text, _ETS)
    facts: dict[str, Any] = {}
    if "prio_tc" in values:
        facts["priority_to_tc"] = dict(enumerate(values["prio_tc"]))
    if "tc_tsa" in values and "tc_bw" in values:
        facts["scheduling"] = scheduling_of(values["tc_tsa"], values["tc_bw"])
    return Read(facts, problems)


@lru_cache(maxsize=512)
def read_buffer(text: str) -> Read:
    """``priority_to_buffer`` and ``receive_buffers_bytes``."""
    values, problems = read_object(text, _BUFFER)
    facts: dict[str, Any] = {}
    if "prio_buffer" in values:
        facts["priority_to_buffer"] = dict(enumerate(values["prio_buffer"]))
    if "buffer_size" in values:
        facts["receive_buffers_bytes"] = dict(enumerate(values["buffer_size"]))
    return Read(facts, problems)


@lru_cache(maxsize=64)
def read_dcbx(text: str) -> Read:
    """Read ``flags``: the DCBX capabilities that are set."""
    values, problems = read_object(text, _DCBX)
    if problems:
        return Read({}, problems)
    return Read({"flags": frozenset(name for name, on in values.items() if on)})


@lru_cache(maxsize=512)
def read_app(text: str) -> Read:
    """``dscp``: the DSCP entries of the APP table. Other selectors are told: mlx5 refuses them (en_dcbnl.c)."""
    values, problems = read_object(text, {"dscp_prio": _dscp_entries})
    if any(not item.line.startswith(_OTHER_SELECTORS) for item in problems):
        return Read({}, problems)
    entries, doubled = values.get("dscp_prio", ({}, ()))
    more = tuple(Problem(f"dscp_prio: {dscp}", "a second priority for one DSCP") for dscp in doubled)
    unsure = {dscp: Unobserved("the APP table has two priorities for it") for dscp in doubled}
    return Read({"dscp": {**entries, **unsure}}, (*problems, *more))


_OTHER_SELECTORS = ("ethtype_prio:", "default_prio:", "stream_port_prio:", "dgram_port_prio:")


def _dscp_entries(raw: Any) -> tuple[dict[int, int], tuple[int, ...]]:
    entries: dict[int, int] = {}
    doubled: list[int] = []
    for item in raw:
        dscp, priority = (_integer(number) for number in item[:2])
        # Newer iproute2 with -N appends a blank string to each entry.
        if dscp not in DSCPS or priority not in PRIORITIES or any(str(more).strip() for more in item[2:]):
            raise ValueError("not a DSCP and a priority")
        if entries.setdefault(dscp, priority) != priority:
            doubled.append(dscp)
    return entries, tuple(sorted(set(doubled)))


def effective_dscp_map(entries: Mapping[int, Any]) -> IntMap:
    """All 64 DSCPs of a port that trusts DSCP. One without an entry has priority 0.

    Source: en_dcbnl.c: at start the driver makes an entry of every DSCP's priority in the firmware, and
    removing an entry sets the DSCP to priority 0.
    """
    return {dscp: entries.get(dscp, 0) for dscp in DSCPS}


def scheduling_of(tsa: tuple[str, ...], percent: tuple[int, ...]) -> Scheduling:
    """Scheduling of the traffic classes. One with ETS and 0 % is left out: it is served when all others idle.

    Source: en_dcbnl.c, which puts such classes into the group of lowest priority.
    """
    shares = tuple((tc, percent[tc] if tsa[tc] == "ets" else tsa[tc]) for tc in PRIORITIES)
    return reduced(tuple((tc, share) for tc, share in shares if share != 0))


def reduced(shares: Scheduling) -> Scheduling:
    """Weights divided by their greatest common divisor; words stay."""
    divisor = gcd(*(share for _, share in shares if isinstance(share, int))) or 1
    return tuple((tc, share // divisor if isinstance(share, int) else share) for tc, share in shares)


def trust_of(entries: Fact[Mapping[int, Any]]) -> Fact[str]:
    """``dscp`` when the APP table has a DSCP entry, else ``pcp`` (en_dcbnl.c: the last removed flips it)."""
    if isinstance(entries, Unobserved):
        return entries
    return "dscp" if entries else "pcp"
