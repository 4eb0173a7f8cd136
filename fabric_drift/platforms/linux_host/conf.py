"""One table for the keys of ``roce-qos/PCI.conf``: what is rendered is what is read back.

Maps are written ``0-25:0,26:3``: sorted, neighbouring keys of one value as a range.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fabric_drift.platforms.linux_host.dcb import DSCPS, PRIORITIES, reduced
from fabric_drift.platforms.linux_host.sysfs import NOTIFICATION, REACTION
from fabric_drift.state.values import ABSENT

_RANGE = re.compile(r"(\d{1,2})(?:-(\d{1,2}))?:(\d{1,10})")
_SHARE = re.compile(r"([0-7]):(strict|vendor|credit-based|ets:(\d{1,3}))")


@dataclass(frozen=True, slots=True)
class Key:
    """One key. ``part`` is where in a port the fact ``field`` lives: a name of ``saved.PARTS``."""

    name: str
    part: str
    field: str
    write: Callable[[Any], str]
    read: Callable[[str], Any]


def write_map(mapping: Mapping[int, int]) -> str:
    """Map as text; ranges are closed."""
    runs: list[list[int]] = []
    for key in sorted(mapping):
        if runs and runs[-1][1] == key - 1 and runs[-1][2] == mapping[key]:
            runs[-1][1] = key
        else:
            runs.append([key, key, mapping[key]])
    return ",".join(f"{first}:{value}" if first == last else f"{first}-{last}:{value}" for first, last, value in runs)


def read_map(keys: range, highest: int) -> Callable[[str], dict[int, int]]:
    """Reader of a map whose keys are all of ``keys``."""

    def read(text: str) -> dict[int, int]:
        found: dict[int, int] = {}
        for word in text.split(","):
            match = _RANGE.fullmatch(word)
            if not match or int(match[3]) > highest:
                raise ValueError(f"{word!r} is not KEYS:VALUE")
            for key in range(int(match[1]), int(match[2] or match[1]) + 1):
                if key in found or key not in keys:
                    raise ValueError(f"{key} is there twice or out of range")
                found[key] = int(match[3])
        if len(found) != len(keys):
            raise ValueError("not every key has a value")
        return found

    return read


def write_shares(shares: tuple[tuple[int, int | str], ...]) -> str:
    """``0:ets:30,1:ets:0,...,6:strict,7:ets:0``: all eight; localised weights always give whole percents."""
    total = sum(share for _, share in shares if isinstance(share, int)) or 1
    shares = tuple(sorted({**dict.fromkeys(PRIORITIES, 0), **dict(shares)}.items()))
    return ",".join(
        f"{tc}:{share}" if isinstance(share, str) else f"{tc}:ets:{share * 100 // total}" for tc, share in shares
    )


def read_shares(text: str) -> tuple[tuple[int, int | str], ...]:
    """Shares as written by ``write_shares``."""
    found: dict[int, int | str] = {}
    for word in text.split(","):
        match = _SHARE.fullmatch(word)
        if not match or int(match[1]) in found:
            raise ValueError(f"{word!r} is not TC:strict or TC:ets:PERCENT, or a second one")
        found[int(match[1])] = int(match[3]) if match[3] else match[2]
    weights = [share for share in found.values() if isinstance(share, int)]
    if weights and sum(weights) != 100:  # noqa: PLR2004 - percent
        raise ValueError("the percentages don't sum to 100")
    if set(found) != set(PRIORITIES):
        raise ValueError("not every traffic class has a share")
    return reduced(tuple((tc, share) for tc, share in sorted(found.items()) if share != 0))


def write_list(numbers: tuple[int, ...]) -> str:
    """``3,4`` or ``none``."""
    return ",".join(str(number) for number in numbers) or "none"


def read_list(text: str) -> tuple[int, ...]:
    """Sorted priorities."""
    if text == "none":
        return ()
    if not re.fullmatch(r"[0-7](,[0-7]){0,7}", text):
        raise ValueError("not a list of priorities, or none")
    numbers = tuple(int(word) for word in text.split(","))
    if list(numbers) != sorted(set(numbers)):
        raise ValueError("not sorted, or a priority twice")
    return numbers


def read_number(text: str) -> int:
    """Plain decimal number."""
    if not re.fullmatch(r"\d{1,10}", text):
        raise ValueError("not a number")
    return int(text)


def _words(**meaning: Any) -> tuple[Callable[[Any], str], Callable[[str], Any]]:
    """Writer and reader of a key that takes some words."""

    def read(text: str) -> Any:
        if text not in meaning:
            raise ValueError(f"not one of {', '.join(meaning)}")
        return meaning[text]

    def write(value: Any) -> str:
        return next(word for word, meant in meaning.items() if meant == value)

    return write, read


def _read_traffic_class(text: str) -> Any:
    return ABSENT if text == "none" else read_number(text)


_HIGHEST = 2**32 - 1

KEYS: tuple[Key, ...] = (
    Key("admin_up", "port", "admin_up", *_words(yes=True, no=False)),
    Key("mtu_bytes", "port", "mtu_bytes", str, read_number),
    Key("fec", "port", "fec", *_words(rs="rs", fc="fc", none="none", auto="auto")),
    Key("dcbx", "qos", "dcbx", *_words(off="off", firmware="firmware")),
    Key("global_pause", "qos", "global_pause", *_words(off=False, on=True)),
    Key("trust", "qos", "trust", *_words(dscp="dscp", pcp="pcp")),
    Key("dscp_to_priority", "maps", "dscp_to_priority", write_map, read_map(DSCPS, 7)),
    Key("priority_to_tc", "maps", "priority_to_tc", write_map, read_map(PRIORITIES, 7)),
    Key("scheduling", "qos", "scheduling", write_shares, read_shares),
    Key("pfc_priorities", "pfc", "priorities", write_list, read_list),
    Key("priority_to_buffer", "maps", "priority_to_buffer", write_map, read_map(PRIORITIES, 7)),
    Key("receive_buffers_bytes", "qos", "receive_buffers_bytes", write_map, read_map(PRIORITIES, _HIGHEST)),
    Key("cable_length_m", "qos", "cable_length_m", str, read_number),
    Key("roce_mode", "nic", "roce_mode", *_words(v1="v1", v2="v2")),
    Key("rdma_cm_tos", "nic", "rdma_cm_tos", str, read_number),
    Key("traffic_class", "nic", "traffic_class", str, _read_traffic_class),
    Key("cnp_dscp", "nic", "cnp_dscp", str, read_number),
    Key("cnp_priority", "nic", "cnp_priority", str, read_number),
    Key("notification_priorities", "dcqcn", "notification_priorities", write_list, read_list),
    *(Key(f"notification_{name}", "notification", name, str, read_number) for name in NOTIFICATION),
    Key("reaction_priorities", "dcqcn", "reaction_priorities", write_list, read_list),
    *(Key(f"reaction_{name}", "reaction", name, str, read_number) for name in REACTION),
)
BY_NAME: Mapping[str, Key] = {key.name: key for key in KEYS}
