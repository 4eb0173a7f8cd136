"""``ip -j -d link show``, ``ethtool -a`` and ``ethtool --show-fec`` -> link facts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from fabric_drift.platforms.linux_host.answers import Problem, load_json
from fabric_drift.state.values import ABSENT, Missing, Unobserved

_MAC = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}")
_PAUSE = re.compile(r"(RX|TX):\s+(on|off)")
_PAUSE_KNOWN = re.compile(r"(Pause parameters for \S+:|Autonegotiate:\s+(on|off)|(RX|TX) negotiated:\s+(on|off))")
_FEC = re.compile(r"Active FEC encodings?: (.{1,60})")
_FEC_KNOWN = re.compile(r"(FEC parameters for \S+:|(Supported/)?Configured FEC encodings: .{0,80})")
_FEC_NAMES = {"RS": "rs", "BaseR": "fc", "Off": "none", "None": "none", "Auto": "auto"}


@dataclass(frozen=True, slots=True)
class Link:
    """Link facts of one netdev."""

    admin_up: bool | Missing
    oper_up: bool | Missing
    mtu_bytes: int | Missing
    mac: str = ""


def read_links(text: str) -> tuple[dict[str, Link], tuple[Problem, ...]]:
    """Links by netdev. A netdev that is listed twice is left out and told."""
    try:
        rows = load_json(text)
    except ValueError as error:
        return {}, (Problem(text[:200], f"not JSON: {error}"),)
    if not isinstance(rows, list):
        return {}, (Problem(text[:200], "not a list of links"),)
    found: dict[str, Link] = {}
    doubled: set[str] = set()
    problems: list[Problem] = []
    # Some versions of iproute2 leave empty objects in the list for links that a filter hides.
    for row in (row for row in rows if row != {}):
        name = row.get("ifname") if isinstance(row, dict) else None
        if not isinstance(name, str) or name in found:
            problems.append(Problem(str(row)[:200], "not a link, or a second one of that name"))
            doubled.add(str(name))
            continue
        found[name] = _link(row)
    return {name: link for name, link in found.items() if name not in doubled}, tuple(problems)


def _link(row: Mapping[str, Any]) -> Link:
    flags, mtu, mac = row.get("flags"), row.get("mtu"), row.get("address")
    missing = Unobserved("`ip link` doesn't show it")
    has_flags = isinstance(flags, list)
    return Link(
        admin_up="UP" in flags if has_flags else missing,  # type: ignore[operator]
        oper_up="LOWER_UP" in flags if has_flags else missing,  # type: ignore[operator]
        mtu_bytes=mtu if type(mtu) is int else missing,
        mac=mac if isinstance(mac, str) and _MAC.fullmatch(mac) else "",
    )


@lru_cache(maxsize=512)
def read_pause(text: str) -> tuple[bool | Missing, tuple[Problem, ...]]:
    """Whether 802.3x pause is on in either direction."""
    seen: dict[str, bool] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        found = _PAUSE.fullmatch(line.strip())
        if found and found[1] not in seen:
            seen[found[1]] = found[2] == "on"
        elif line.strip() and (found or not _PAUSE_KNOWN.fullmatch(line.strip())):
            problem = Problem(line, "not a line of `ethtool -a`, or a second one", ("qos", "global_pause"), number)
            return Unobserved("`ethtool -a` isn't readable"), (problem,)
    if set(seen) != {"RX", "TX"}:
        return Unobserved("`ethtool -a` doesn't show both directions"), ()
    return any(seen.values()), ()


@lru_cache(maxsize=512)
def read_fec(text: str) -> tuple[str | Missing, tuple[Problem, ...]]:
    """FEC in use: rs, fc, none or auto."""
    active: str | Missing = Unobserved("`ethtool --show-fec` doesn't show the active encoding")
    for number, line in enumerate(text.splitlines(), start=1):
        found = _FEC.fullmatch(line.strip())
        if found and not isinstance(active, str) and found[1].strip() in _FEC_NAMES:
            active = _FEC_NAMES[found[1].strip()]
        elif line.strip() and (found or not _FEC_KNOWN.fullmatch(line.strip())):
            problem = Problem(line, "not a line of `ethtool --show-fec` as known, or a second one", ("fec",), number)
            return Unobserved("`ethtool --show-fec` isn't readable"), (problem,)
    return active, ()


def read_rdma_netdevs(text: str) -> dict[str, str]:
    """RDMA device -> netdev that its traffic takes, as ``rdma -j link show`` says; {} where that isn't readable."""
    try:
        rows = load_json(text)
    except ValueError:
        return {}
    known = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return {str(row["ifname"]): str(row["netdev"]) for row in known if "ifname" in row and "netdev" in row}


def missing_link() -> Link:
    """Facts of a netdev that ``ip link`` doesn't list."""
    return Link(ABSENT, ABSENT, ABSENT)
