"""Requests of UFM's REST API as text, for people to send: nothing of ours does.

PUT sets a whole partition in one call, with a membership per port. POST only adds, and makes new members full
whatever ``memberships`` says (seen by NVIDIA's own client on 6.19); UFM deletes a partition with its last member.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fabric_drift.platforms.ufm.pkeys import DEFAULT_PKEY, MTU_BYTES, RATE_CODES
from fabric_drift.state.infiniband import Partition
from fabric_drift.state.values import is_said

PKEYS = "/ufmRest/resources/pkeys"
HEAD = """# Requests for UFM, in their order. fabric_drift renders them and doesn't send them.
# Each partition is set whole: a port that isn't listed loses its membership.
"""


@dataclass(frozen=True, slots=True)
class Request:
    """One request; ``body``: its JSON, if it has one."""

    verb: str
    path: str
    body: Mapping[str, Any] | None = None

    def text(self) -> str:
        """As in a .http file: a title, the request line, the body."""
        title = f"### {self.verb} {self.path}"
        if self.body is None:
            return f"\n{title}\n{self.verb} {self.path}\n"
        body = json.dumps(self.body, indent=1)
        return f"\n{title} {self.body['pkey']}\n{self.verb} {self.path}\nContent-Type: application/json\n\n{body}\n"


def all_of(pkey: str, partition: Partition) -> Iterator[Request]:
    """Everything about one partition; nothing about the management partition, which REST doesn't change."""
    if pkey != DEFAULT_PKEY:
        yield members(pkey, partition)
        yield from qos(pkey, partition)


def members(pkey: str, partition: Partition) -> Request:
    """The partition with exactly these members."""
    found: Mapping[str, str] = partition.members if is_said(partition.members) else {}  # type: ignore[assignment]
    body = {
        "pkey": _short(pkey),
        "ip_over_ib": partition.ipoib is True,
        "index0": partition.index0 is True,
        "guids": [guid.removeprefix("0x") for guid in sorted(found)],
        "memberships": [found[guid] for guid in sorted(found)],
    }
    return Request("PUT", f"{PKEYS}/", body)


def qos(pkey: str, partition: Partition) -> Iterator[Request]:
    """MTU, rate and service level, where all three are said."""
    mtus = {size: limit for limit, size in MTU_BYTES.items()}
    rates = {code: rate for rate, code in RATE_CODES.items()}
    if partition.mtu_bytes in mtus and partition.rate_code in rates and isinstance(partition.service_level, int):
        body = {
            "pkey": _short(pkey),
            "mtu_limit": mtus[partition.mtu_bytes],
            "rate_limit": rates[partition.rate_code],
            "service_level": partition.service_level,
        }
        yield Request("PUT", f"{PKEYS}/qos_conf", body)


def delete(pkey: str) -> Request:
    """The partition and all its memberships."""
    return Request("DELETE", f"{PKEYS}/{_short(pkey)}")


def _short(pkey: str) -> str:
    """A P_Key as UFM writes it: without zeros in front."""
    return f"0x{int(pkey, 16):x}"
