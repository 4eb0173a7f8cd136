"""The file /etc/roce-qos/PCI.conf: its keys, and their values written in one way only.

Maps are ``KEYS:VALUE`` with ranges (``0-2:0,3:1``), lists are ``3,4`` or ``none``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from roce_qos.host import Failed

REACTION = (
    "clamp_tgt_rate",
    "clamp_tgt_rate_after_time_inc",
    "dce_tcp_g",
    "dce_tcp_rtt",
    "initial_alpha_value",
    "rate_reduce_monitor_period",
    "rate_to_set_on_first_cnp",
    "rpg_ai_rate",
    "rpg_byte_reset",
    "rpg_gd",
    "rpg_hai_rate",
    "rpg_max_rate",
    "rpg_min_dec_fac",
    "rpg_min_rate",
    "rpg_threshold",
    "rpg_time_reset",
)
ECN = {
    "cnp_dscp": "roce_np/cnp_dscp",
    "cnp_priority": "roce_np/cnp_802p_prio",
    "notification_min_time_between_cnps": "roce_np/min_time_between_cnps",
    **{f"reaction_{name}": f"roce_rp/{name}" for name in REACTION},
}
"""Keys that are one file below ecn/."""
ENABLE = {"notification_priorities": "roce_np", "reaction_priorities": "roce_rp"}
"""Keys that are the eight files ecn/SIDE/enable/N."""


def spread(text: str, count: int) -> list[int]:
    """``0-2:0,3:1`` as the list of its values. Raises ValueError unless every key is there once."""
    found: dict[int, int] = {}
    for word in text.split(","):
        match = re.fullmatch(r"(\d{1,2})(?:-(\d{1,2}))?:(\d{1,10})", word)
        if match is None:
            raise ValueError(f"{word!r} is not KEYS:VALUE")
        for key in range(int(match[1]), int(match[2] or match[1]) + 1):
            if key in found or key >= count:
                raise ValueError(f"key {key} is there twice or too large")
            found[key] = int(match[3])
    if len(found) != count:
        raise ValueError(f"{len(found)} of {count} keys")
    return [found[key] for key in range(count)]


def closed(values: Iterable[int]) -> str:
    """The list as ``0-2:0,3:1``."""
    runs: list[list[int]] = []
    for key, value in enumerate(values):
        if runs and runs[-1][2] == value:
            runs[-1][1] = key
        else:
            runs.append([key, key, value])
    return ",".join(f"{first}:{value}" if first == last else f"{first}-{last}:{value}" for first, last, value in runs)


def shares(text: str) -> list[tuple[str, int]]:
    """``0:ets:30,...,6:strict,7:ets:0`` as eight (algorithm, percent). Raises ValueError."""
    found = []
    for number, word in enumerate(text.split(",")):
        match = re.fullmatch(rf"{number}:(?:ets:(\d{{1,3}})|(strict|vendor))", word)
        if match is None:
            raise ValueError(f"{word!r} is not {number}:ets:PERCENT or {number}:strict")
        found.append((match[2] or "ets", int(match[1] or 0)))
    percents = [share for kind, share in found if kind == "ets"]
    if len(found) != 8 or (percents and sum(percents) != 100):  # noqa: PLR2004 - traffic classes, percent
        raise ValueError("not eight traffic classes, or their percents don't sum to 100")
    return found


def shared(found: Iterable[tuple[str, int]]) -> str:
    """Eight (algorithm, percent) as text."""
    return ",".join(f"{tc}:ets:{share}" if kind == "ets" else f"{tc}:{kind}" for tc, (kind, share) in enumerate(found))


def flags(text: str) -> list[bool]:
    """``3,4`` or ``none`` as eight flags. Raises ValueError."""
    if not re.fullmatch(r"none|[0-7](,[0-7]){0,7}", text):
        raise ValueError("not a list of priorities, or none")
    return [str(priority) in text.split(",") for priority in range(8)]


def listed(values: Iterable[bool]) -> str:
    """Eight flags as ``3,4`` or ``none``."""
    return ",".join(str(priority) for priority, on in enumerate(values) if on) or "none"


def number(text: str) -> str:
    """The number, written plainly. Raises ValueError."""
    if not re.fullmatch(r"\d{1,10}", text):
        raise ValueError("not a number")
    return str(int(text))


def _one_of(*words: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in words:
            raise ValueError(f"not one of {', '.join(words)}")
        return text

    return read


def _map(count: int, highest: int = 7) -> Callable[[str], str]:
    def read(text: str) -> str:
        values = spread(text, count)
        if max(values) > highest:
            raise ValueError(f"a value above {highest}")
        return closed(values)

    return read


KEYS: dict[str, Callable[[str], str]] = {
    "admin_up": _one_of("yes", "no"),
    "mtu_bytes": number,
    "fec": _one_of("rs", "fc", "none", "auto"),
    "dcbx": _one_of("off", "firmware"),
    "global_pause": _one_of("off", "on"),
    "trust": _one_of("dscp", "pcp"),
    "dscp_to_priority": _map(64),
    "priority_to_tc": _map(8),
    "scheduling": lambda text: shared(shares(text)),
    "pfc_priorities": lambda text: listed(flags(text)),
    "priority_to_buffer": _map(8),
    "receive_buffers_bytes": _map(8, 2**32 - 1),
    "cable_length_m": number,
    "roce_mode": _one_of("v1", "v2"),
    "rdma_cm_tos": number,
    "rdma_cm_folder": _one_of("kept", "closed"),  # only in files that `show` writes
    "traffic_class": lambda text: text if text == "none" else number(text),
    "cnp_dscp": number,
    "cnp_priority": number,
    "notification_priorities": lambda text: listed(flags(text)),
    "notification_min_time_between_cnps": number,
    "reaction_priorities": lambda text: listed(flags(text)),
    **{f"reaction_{name}": number for name in REACTION},
}


def parse(text: str, name: str) -> dict[str, str]:
    """Key -> value. Raises Failed with every fault of the file."""
    values: dict[str, str] = {}
    faults = []
    for count, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        key, _, value = line.strip().partition("=")
        problem = "not a key" if key not in KEYS else "a second value" if key in values else ""
        try:
            values[key] = value if problem else KEYS[key](value)
        except ValueError as error:
            problem = str(error)
        if problem:
            faults.append(f"{name}:{count}: {line.strip()}: {problem}")
    if (values.get("trust") == "dscp") != ("dscp_to_priority" in values):
        faults.append(f"{name}: trust=dscp goes with dscp_to_priority: the first DSCP entry is what sets it")
    if faults:
        raise Failed("\n".join(faults), 2)
    return values


def written(values: dict[str, str], head: str) -> str:
    """A file with ``values``; its keys in the order of KEYS."""
    return "".join([f"# {head}\n", *(f"{key}={values[key]}\n" for key in KEYS if key in values)])
