"""``dcb`` writes: set, add, replace, del, flush. ValueError: the command refuses; OSError: the kernel does."""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.linux_host import nic as mlx5
from fabric_drift.lab.linux_host.dcb_show import DSCP_NAMES
from fabric_drift.lab.linux_host.nic import Nic

TSA = ("strict", "ets", "credit-based", "vendor")
DSCP_NUMBERS = {name: number for number, name in DSCP_NAMES.items()}
RATE = re.compile(r"(\d+)(bit|kbit|mbit|gbit)", re.ASCII)
BITS = {"bit": 1, "kbit": 10**3, "mbit": 10**6, "gbit": 10**9}


def groups(words: Sequence[str], names: Sequence[str]) -> dict[str, list[str]]:
    """``prio-pfc all:off 3:on delay 7`` as {"prio-pfc": ["all:off", "3:on"], "delay": ["7"]}."""
    found: dict[str, list[str]] = {}
    current: list[str] | None = None
    for word in words:
        if word in names:
            current = found.setdefault(word, [])
        elif current is None:
            raise ValueError(f'What is "{word}"?')
        else:
            current.append(word)
    return found


def mapped(old: Sequence[Any], entries: Sequence[str], value: Callable[[str], Any]) -> list[Any]:
    """``old`` with ``all:V`` and ``N:V`` entries applied in turn."""
    new = list(old)
    for entry in entries:
        key, _, word = entry.partition(":")
        if key == "all":
            new = [value(word)] * len(new)
        elif key.isdigit() and int(key) < len(new):
            new[int(key)] = value(word)
        else:
            raise ValueError(f'Invalid index "{key}"')
    return new


def number(word: str) -> int:
    """A number, decimal or with 0x. Raises ValueError."""
    try:
        return int(word, 0)
    except ValueError:
        raise ValueError(f'Invalid value "{word}"') from None


def _on_off(word: str) -> bool:
    if word not in {"on", "off"}:
        raise ValueError(f'Invalid value "{word}"')
    return word == "on"


def _tsa(word: str) -> str:
    if word not in TSA:
        raise ValueError(f'Invalid value "{word}"')
    return word


def _bytes_per_second(word: str) -> int:
    match = RATE.fullmatch(word)
    if match is None:
        raise ValueError(f'Invalid rate "{word}"')
    return int(match[1]) * BITS[match[2]] // 8


def pfc(store: Store, nic: Nic, words: Sequence[str]) -> None:
    """``prio-pfc``, ``delay``, ``macsec-bypass`` (taken, without effect)."""
    found = groups(words, ("prio-pfc", "delay", "macsec-bypass"))
    if "delay" in found:
        mlx5.set_delay(nic, number("".join(found["delay"])))
    if "prio-pfc" in found:
        mlx5.set_pfc(store, nic, mapped(nic["dcb"]["pfc"], found["prio-pfc"], _on_off))


def ets(_store: Store, nic: Nic, words: Sequence[str]) -> None:
    """``tc-tsa``, ``tc-bw``, ``prio-tc``; the command itself checks that ets shares make 100."""
    found = groups(words, ("tc-tsa", "tc-bw", "prio-tc"))
    tsa = mapped(nic["dcb"]["tc_tsa"], found.get("tc-tsa", ()), _tsa)
    bandwidth = mapped(nic["dcb"]["tc_bw"], found.get("tc-bw", ()), number)
    shares = [share for algorithm, share in zip(tsa, bandwidth, strict=True) if algorithm == "ets"]
    if shares and sum(shares) != 100:  # noqa: PLR2004
        raise ValueError(f"Bandwidth percentages in tc-bw sum to {sum(shares)}%, expected 100%")
    mlx5.set_ets(nic, tsa, bandwidth, mapped(nic["dcb"]["priority_to_tc"], found.get("prio-tc", ()), number))


def buffer(_store: Store, nic: Nic, words: Sequence[str]) -> None:
    """``prio-buffer``, ``buffer-size``."""
    found = groups(words, ("prio-buffer", "buffer-size"))
    mlx5.set_priority_to_buffer(nic, mapped(nic["dcb"]["priority_to_buffer"], found.get("prio-buffer", ()), number))
    mlx5.set_buffers(nic, mapped(nic["dcb"]["buffer_bytes"], found.get("buffer-size", ()), number))


def maxrate(_store: Store, nic: Nic, words: Sequence[str]) -> None:
    """``tc-maxrate``: bytes per second land where the kernel expects kbit/s (iproute2 before e7d4c060)."""
    found = groups(words, ("tc-maxrate",))
    nic["dcb"]["maxrate_kbps"] = mapped(nic["dcb"]["maxrate_kbps"], found.get("tc-maxrate", ()), _bytes_per_second)


def dcbx(_store: Store, nic: Nic, words: Sequence[str]) -> None:
    """``host ieee``: the OS negotiates; without ``host`` the firmware does. CEE isn't there."""
    if set(words) - {"host", "ieee"}:
        raise mlx5.refuse(errno.EINVAL)
    nic["dcb"]["dcbx"] = "os" if "host" in words else "fw"


def _dscp_entries(words: Sequence[str]) -> Mapping[int, int]:
    """DSCP -> priority of ``dscp-prio 26:3 CS6:6``. mlx5 knows no other selector: OSError EINVAL."""
    selectors = ("dscp-prio", "default-prio", "ethtype-prio", "stream-port-prio", "dgram-port-prio", "port-prio")
    found = groups(words, selectors)
    if set(found) - {"dscp-prio"}:
        raise mlx5.refuse(errno.EINVAL)
    entries: dict[int, int] = {}
    for entry in found.get("dscp-prio", ()):
        key, _, priority = entry.partition(":")
        dscps = range(64) if key == "all" else [DSCP_NUMBERS.get(key, -1) if not key.isdigit() else int(key)]
        entries |= dict.fromkeys(dscps, number(priority))
    return entries


def app_add(_store: Store, nic: Nic, words: Sequence[str]) -> None:
    """``add`` and ``replace``: mlx5 deletes the older entry of a DSCP itself."""
    for dscp, priority in _dscp_entries(words).items():
        mlx5.add_dscp(nic, dscp, priority)


def app_del(_store: Store, nic: Nic, words: Sequence[str]) -> None:
    """``del``."""
    for dscp, priority in _dscp_entries(words).items():
        mlx5.delete_dscp(nic, dscp, priority)


def app_flush(_store: Store, nic: Nic, words: Sequence[str]) -> None:
    """``flush``, of everything or of ``dscp-prio``."""
    if not set(words) - {"dscp-prio"}:
        mlx5.set_trust(nic, "pcp")
