"""partitions.conf: a grammar stricter than OpenSM's own, because OpenSM guesses.

Measured with 3.3.23: a missing ``:`` makes it drop the whole file and give every port full membership of the default
partition; a line over 4094 bytes silently loses a member; ``ful`` is full, a misspelt flag is ignored; the last of two
memberships wins. Whatever it would guess is a fault here, beside what it would make of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from fabric_drift.state.infiniband import Partition
from fabric_drift.state.values import ABSENT, is_said

DEFAULT_PKEY = "0x7fff"
LONGEST_LINE_BYTES = 4000
"""OpenSM reads into 4096 bytes."""
MEMBERSHIPS = ("full", "limited", "both")
GROUPS = ("ALL", "ALL_CAS", "ALL_SWITCHES", "ALL_ROUTERS", "SELF")
MTU_CODES = {1: 256, 2: 512, 3: 1024, 4: 2048, 5: 4096}
DEFAULT_MTU_BYTES = 2048
DEFAULT_RATE_CODE = 3
FAILS_OPEN = "OpenSM drops the whole file and makes every port a full member of the default partition"

_GUID = re.compile(r"0x[0-9a-fA-F]{1,16}|[0-9]{1,20}")
_PKEY = re.compile(r"0x[0-9a-fA-F]{1,4}")
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")


@dataclass(frozen=True, slots=True)
class Fault:
    """A line that isn't as strict as it must be, and what OpenSM makes of it."""

    line_number: int
    line: str
    reason: str


@dataclass(slots=True)
class PartitionFile:
    """Effective partitions by P_Key, and every fault. ``fails_open``: OpenSM would drop the file."""

    partitions: dict[str, Partition] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    fails_open: bool = False


@dataclass(frozen=True, slots=True)
class _Statement:
    line_number: int
    line: str
    text: str


def parse(text: str | None) -> PartitionFile:
    """The file; None: there is none, and OpenSM makes every port a full member. Never raises."""
    result = PartitionFile()
    if text is None:
        result.partitions = _open_fabric()
        return result
    for statement in _statements(text, result):
        _statement(statement, result)
    if result.fails_open:
        result.partitions = _open_fabric()
    elif DEFAULT_PKEY not in result.partitions:
        members = {"ALL": "limited", "SELF": "full"}
        result.partitions[DEFAULT_PKEY] = _partition("Default", members)
    return result


def _open_fabric() -> dict[str, Partition]:
    return {DEFAULT_PKEY: _partition("Default", {"ALL": "full", "SELF": "full"})}


def _partition(name: str, members: Mapping[str, str]) -> Partition:
    return Partition(name, dict(members), index0=False, ipoib=False, mtu_bytes=DEFAULT_MTU_BYTES,
                     rate_code=DEFAULT_RATE_CODE, service_level=0)  # fmt: skip


def _statements(text: str, result: PartitionFile) -> Iterator[_Statement]:
    """What stands between semicolons, with the line where it starts."""
    parts: list[str] = []
    start, first = 0, ""
    for number, line in enumerate(text.splitlines(), start=1):
        if len(line.encode()) > LONGEST_LINE_BYTES:
            result.faults.append(Fault(number, line[:80], "over 4000 bytes: OpenSM cuts it and loses a member"))
        pieces = line.split("#", 1)[0].split(";")
        for index, piece in enumerate(pieces):
            if piece.strip() and not parts:
                start, first = number, line
            if piece.strip():
                parts.append(piece.strip())
            if index < len(pieces) - 1 and parts:
                yield _Statement(start, first, " ".join(parts))
                parts = []
    if parts:
        result.faults.append(Fault(start, first[:80], "the statement has no `;` at its end"))
        yield _Statement(start, first, " ".join(parts))


def _statement(statement: _Statement, result: PartitionFile) -> None:
    def fault(reason: str) -> None:
        result.faults.append(Fault(statement.line_number, statement.line[:200], reason))

    head, colon, tail = statement.text.partition(":")
    if not colon:
        result.fails_open = True
        fault(f"no `:` between a partition and its members: {FAILS_OPEN}")
        return
    named, *flags = (part.strip() for part in head.split(","))
    name, equals, pkey_text = (part.strip() for part in named.partition("="))
    if not _NAME.fullmatch(name) or not equals or not _PKEY.fullmatch(pkey_text):
        fault("no partition of the form name=0xPKEY: OpenSM would make up a P_Key")
        return
    if int(pkey_text, 16) > 0x7FFF:  # noqa: PLR2004 - fifteen bits
        fault("a P_Key has 15 bits: OpenSM drops the sixteenth")
    pkey = f"0x{int(pkey_text, 16) & 0x7FFF:04x}"
    before = result.partitions.get(pkey, _partition(name, {}))
    if pkey in result.partitions and before.name != name:
        fault(f"{pkey} is defined twice, as {before.name} too: OpenSM merges them")
    partition, default = _flags(flags, replace(before, name=name), fault)
    result.partitions[pkey] = replace(partition, members=_members(tail, partition, default, fault))


def _flags(flags: list[str], partition: Partition, fault: object) -> tuple[Partition, str]:
    default = "limited"
    for flag in flags:
        key, _, value = (part.strip() for part in flag.partition("="))
        if key == "indx0" and not value:
            partition = replace(partition, index0=True)
        elif key == "ipoib" and not value:
            partition = replace(partition, ipoib=True)
        elif key == "defmember" and value in MEMBERSHIPS:
            default = value
        elif key == "mtu" and value.isascii() and value.isdigit() and int(value[:3]) in MTU_CODES:
            partition = replace(partition, mtu_bytes=MTU_CODES[int(value[:3])])
        elif key == "rate" and re.fullmatch(r"[0-9]{1,2}", value):
            partition = replace(partition, rate_code=int(value))
        elif key == "sl" and re.fullmatch(r"[0-9]|1[0-5]", value):
            partition = replace(partition, service_level=int(value))
        else:
            fault(f"{flag[:60]!r} is no flag that is understood: OpenSM ignores a misspelt one")  # type: ignore[operator]
    return partition, default


def _members(tail: str, partition: Partition, default: str, fault: object) -> dict[str, str]:
    members: dict[str, str] = dict(partition.members) if is_said(partition.members) else {}  # type: ignore[arg-type]
    for item in (part.strip() for part in tail.split(",")):
        if not item:
            continue
        port, equals, membership = (part.strip() for part in item.partition("="))
        key = port if port in GROUPS else guid_text(port)
        if key is None or (equals and membership not in MEMBERSHIPS):
            fault(f"{item[:60]!r} is not a port GUID or group with full, limited or both")  # type: ignore[operator]
            continue
        value = membership or default
        if members.get(key, value) != value:
            fault(f"{key} is {members[key]} and {value} in one partition: the last one wins")  # type: ignore[operator]
        members[key] = value
    return members


def guid_text(text: str) -> str | None:
    """A GUID as we write it, or None for what isn't one."""
    if not _GUID.fullmatch(text):
        return None
    number = int(text, 16) if text.startswith("0x") else int(text)
    return f"0x{number:016x}" if number < 1 << 64 else None


def render(partitions: Mapping[str, Partition]) -> str:
    """The file: the default partition first, one member a line, every word in full."""
    lines = ["# Partitions. Written by fabric_drift: changes by hand are drift."]
    for pkey in sorted(partitions, key=lambda key: (key != DEFAULT_PKEY, key)):
        lines += ["", *_rendered(pkey, partitions[pkey])]
    return "\n".join(lines) + "\n"


def _rendered(pkey: str, partition: Partition) -> list[str]:
    flags = [f"{partition.name}={pkey}"]
    flags += ["indx0"] if partition.index0 is True else []
    if partition.ipoib is True:
        codes = {size: code for code, size in MTU_CODES.items()}
        flags += ["ipoib"]
        flags += [f"mtu={codes[partition.mtu_bytes]}"] if isinstance(partition.mtu_bytes, int) else []
        flags += [f"rate={partition.rate_code}"] if isinstance(partition.rate_code, int) else []
        flags += [f"sl={partition.service_level}"] if isinstance(partition.service_level, int) else []
    members: Mapping[str, str] = partition.members if is_said(partition.members) else {}  # type: ignore[assignment]
    # Groups first: of two memberships of one port, OpenSM takes the last.
    ordered = sorted(members, key=lambda key: (key not in GROUPS, key == "SELF", key))
    body = [f"    {key}={members[key]}" for key in ordered]
    return [
        ", ".join(flags) + " :",
        *(line + "," for line in body[:-1]),
        *(line + ";" for line in body[-1:] or ["    "]),
    ]


def is_absent(partition: Partition) -> bool:
    """Whether a partition has no member that was said."""
    return partition.members is ABSENT or partition.members == {}
