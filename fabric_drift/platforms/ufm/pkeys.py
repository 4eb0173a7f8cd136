"""UFM's partitions -> ``Partition``. One answer that isn't whole makes the whole view unknown: no guess is made.

Shapes: REST API guide 6.12 to 6.24 ("PKey GUIDs"), and answers that NVIDIA's own clients are tested with.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from fabric_drift.platforms.ufm.answers import fields
from fabric_drift.state.infiniband import MIXED, Partition
from fabric_drift.state.values import Unobserved

DEFAULT_PKEY = "0x7fff"
"""The management partition: always there, and not to be changed over REST."""
MTU_BYTES = {2: 2048, 4: 4096}
"""``mtu_limit``, in KiB."""
RATE_CODES = {
    2.5: 2, 10: 3, 30: 4, 5: 5, 20: 6, 40: 7, 60: 8, 80: 9, 120: 10, 14: 11, 56: 12, 112: 13, 168: 14, 25: 15,
    100: 16, 200: 17, 300: 18,
}  # fmt: skip
"""``rate_limit`` in Gb/s -> code of the InfiniBand Architecture Specification (volume 1, 15.2.5)."""
MEMBERSHIPS = ("full", "limited")
LARGEST_SERVICE_LEVEL = 15
_GUID = re.compile(r"(?:0x)?[0-9a-fA-F]{1,16}")
_PKEY = re.compile(r"0x[0-9a-fA-F]{1,4}")
NO_DEFAULT = "UFM says the default membership from 6.19 on"


@dataclass(frozen=True, slots=True)
class Listed:
    """One partition as a list with its members says it."""

    name: str
    ipoib: bool | Unobserved
    members: Mapping[str, str]
    index0: Mapping[str, bool]
    default: str | Unobserved
    """Membership of ports that aren't named; only of the management partition."""
    index0_of_all: bool | Unobserved


def written(value: Any) -> dict[str, str]:
    """P_Key as we write it -> as UFM does. A list of them, or an object by them. Raises ValueError."""
    if not isinstance(value, list | dict):
        raise ValueError("the partitions are no list")  # noqa: TRY004  hostile text
    found: dict[str, str] = {}
    for text in value:
        key = key_text(text)
        if key is None:
            raise ValueError(f"{str(text)[:40]!r} among the partitions is no P_Key: one page of several?")
        if key in found:
            raise ValueError(f"{key} is listed twice")
        found[key] = text
    if DEFAULT_PKEY not in found:
        raise ValueError(f"the management partition {DEFAULT_PKEY} is missing: the list isn't whole")
    return found


def key_text(text: object) -> str | None:
    """A P_Key as we write it, or None for what isn't one."""
    if not isinstance(text, str) or not _PKEY.fullmatch(text) or int(text, 16) > 0x7FFF:  # noqa: PLR2004 - 15 bits
        return None
    return f"0x{int(text, 16):04x}"


def guid_text(text: object) -> str:
    """A GUID as we write it. UFM leaves ``0x`` out. Raises ValueError."""
    if not isinstance(text, str) or not _GUID.fullmatch(text):
        raise ValueError(f"{str(text)[:40]!r} is no GUID")
    return f"0x{int(text, 16):016x}"


def listed(value: Any) -> dict[str, Listed]:
    """The list with ``guids_data``. Raises ValueError where a partition came without its members."""
    keys = written(value)
    return {key: one(key, value[text]) for key, text in sorted(keys.items())} if isinstance(value, dict) else _lost()


def _lost() -> dict[str, Listed]:
    raise ValueError("the list came without members: guids_data was lost")


def one(key: str, value: Any) -> Listed:
    """One partition with its members. Raises ValueError. An empty object is how UFM says that there is none."""
    record = fields(value, key)
    if not record:
        raise ValueError(f"{key} is gone: it changed meanwhile")
    rows = record.get("guids")
    if not isinstance(rows, list):
        raise ValueError(f"{key} came without its members: guids_data was lost")  # noqa: TRY004  hostile text
    members: dict[str, str] = {}
    first: dict[str, bool] = {}
    for row in rows:
        entry = fields(row, f"a member of {key}")
        guid = guid_text(entry.get("guid"))
        if guid in members:
            raise ValueError(f"{guid} is a member of {key} twice")
        members[guid] = _word(entry.get("membership"), f"membership of {guid} in {key}")
        first[guid] = _truth(entry.get("index0"), f"index0 of {guid} in {key}")
    return Listed(
        name=str(record.get("partition", ""))[:80],
        ipoib=record["ip_over_ib"] if isinstance(record.get("ip_over_ib"), bool) else Unobserved("UFM does not say it"),
        members=members,
        index0=first,
        default=_word(record["membership"], f"membership of {key}")
        if "membership" in record
        else Unobserved(NO_DEFAULT),
        index0_of_all=record["index0"] if isinstance(record.get("index0"), bool) else Unobserved("UFM does not say it"),
    )


def _word(value: object, what: str) -> str:
    if value not in MEMBERSHIPS:
        raise ValueError(f"{what} is {str(value)[:40]!r}, neither full nor limited")
    return str(value)


def _truth(value: object, what: str) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{what} is {str(value)[:40]!r}, neither true nor false")  # noqa: TRY004  hostile text
    return value


def agree(lists: Mapping[str, Iterable[str]]) -> None:
    """Raises ValueError where a P_Key isn't in all of the lists: one was cut, or they changed in between."""
    sets = {name: set(keys) for name, keys in lists.items()}
    for key in sorted(set.union(*sets.values())):
        lacking = sorted(name for name, keys in sets.items() if key not in keys)
        if lacking:
            raise ValueError(f"{key} is missing in {lacking[0]}: an answer isn't whole, or it changed meanwhile")


def agrees(key: str, all_of_them: Listed, alone: Listed) -> None:
    """Raises ValueError where the list and the partition by itself have other members."""
    if (all_of_them.members, all_of_them.index0) != (alone.members, alone.index0):
        raise ValueError(
            f"{key} has {len(all_of_them.members)} members in the list and {len(alone.members)} by itself, or others: "
            "an answer isn't whole, or it changed meanwhile"
        )


def partition(key: str, found: Listed, qos: Any) -> Partition:
    """The facts; ``qos``: its row of the list with ``qos_conf``, or an Unobserved."""
    mtu, rate, level = _qos(qos)
    members: dict[str, Any] = dict(sorted(found.members.items()))
    if key == DEFAULT_PKEY:
        members = {"ALL": found.default} | members
    return Partition(
        name=found.name or Unobserved("UFM does not name it"),
        members=members,
        index0=_index0(found),
        ipoib=found.ipoib,
        mtu_bytes=mtu,
        rate_code=rate,
        service_level=level,
    )


def _index0(found: Listed) -> Any:
    if not found.index0:
        return found.index0_of_all
    kinds = set(found.index0.values())
    return kinds.pop() if len(kinds) == 1 else MIXED


def _qos(row: Any) -> tuple[Any, Any, Any]:
    if isinstance(row, Unobserved):
        return row, row, row
    conf = row.get("qos_conf") if isinstance(row, dict) else None
    if not isinstance(conf, dict):
        missing = Unobserved("UFM does not say it")
        return missing, missing, missing
    return (
        _known(MTU_BYTES, conf.get("mtu_limit"), "mtu_limit"),
        _known(RATE_CODES, conf.get("rate_limit"), "rate_limit"),
        _level(conf.get("service_level")),
    )


def _known(table: Mapping[Any, int], value: Any, name: str) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float) or value not in table:
        return Unobserved(f"{name} {str(value)[:20]!r} is no value that is known")
    return table[value]


def _level(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST_SERVICE_LEVEL:
        return Unobserved(f"service_level {str(value)[:20]!r} is no service level")
    return value
