"""Changing a NIC the way mlx5 does, with its side effects. Refusals are OSError with the kernel's errno.

Source: the kernel's drivers/net/ethernet/mellanox/mlx5/core/en_dcbnl.c: a new PFC mask toggles the link, the first
DSCP entry makes the port trust DSCP, the last one's removal makes it trust PCP, a TC that isn't ets reads back
100 % of bandwidth, the delay of PFC is the cable's length.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from typing import Any

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.linux_host.defaults import DSCPS, PRIORITIES, RANGES

Nic = dict[str, Any]

MAX_CABLE_M = 1000
UINT32_MAX = 4_294_967_295
ECN_FILES = ("", *(str(priority) for priority in range(PRIORITIES)))
"""Names behind ``enable/``, and none for the other parameters."""


def refuse(number: int) -> OSError:
    """The kernel's refusal with its text."""
    return OSError(number, os.strerror(number))


def by_netdev(store: Store, netdev: str) -> Nic:
    """The NIC of a network interface. Raises OSError ENODEV, or EOPNOTSUPP where its driver has no DCB."""
    for nic in store["nics"].values():
        if nic["netdev"] == netdev:
            found: Nic = nic
            return found
    raise refuse(errno.EOPNOTSUPP if netdev == "lo" else errno.ENODEV)


def with_dcb(store: Store, netdev: str) -> Nic:
    """The NIC of a network interface whose driver has DCB. Raises OSError ENODEV or EOPNOTSUPP."""
    nic = by_netdev(store, netdev)
    if "dcb" not in nic:
        raise refuse(errno.EOPNOTSUPP)
    return nic


def mlx5(store: Store) -> list[Nic]:
    """NICs bound to mlx5_core, by PCI address."""
    return [nic for _, nic in sorted(store["nics"].items()) if nic["driver"] == "mlx5_core"]


def is_up(nic: Nic) -> bool:
    """Whether the link is up: switched on and cabled, which ports outside the fabric always are, and lit from there."""
    is_cabled = nic["peer_device"] or nic["role"] in {"storage", "management"}
    return bool(nic["admin_up"] and is_cabled and not nic.get("is_dark"))


def trust(nic: Nic) -> str:
    """Trust is dscp as soon as one DSCP entry is there, else pcp."""
    return "dscp" if nic["dcb"]["dscp_entries"] else "pcp"


def set_pfc(store: Store, nic: Nic, mask: Sequence[bool]) -> None:
    """PFC of all priorities. Another mask than before toggles the link."""
    if list(mask) != nic["dcb"]["pfc"]:
        nic["dcb"]["pfc"] = list(mask)
        flap(store, nic)


def flap(store: Store, nic: Nic) -> None:
    """The link goes down: counted by PCI address."""
    store["flaps"][nic["pci"]] = store["flaps"].get(nic["pci"], 0) + 1


def set_delay(nic: Nic, metres: int) -> None:
    """The cable's length; 0 and what is too long are ignored."""
    if 0 < metres < MAX_CABLE_M:
        nic["dcb"]["delay"] = metres


def set_ets(nic: Nic, tsa: Sequence[str], bandwidth: Sequence[int], priority_to_tc: Sequence[int]) -> None:
    """Raises OSError EINVAL where ets shares don't sum up to 100 or a TC doesn't exist."""
    shares = [share for algorithm, share in zip(tsa, bandwidth, strict=True) if algorithm == "ets"]
    if any(tc not in range(PRIORITIES) for tc in priority_to_tc) or (shares and sum(shares) != 100):  # noqa: PLR2004
        raise refuse(errno.EINVAL)
    nic["dcb"] |= {
        "tc_tsa": list(tsa),
        "tc_bw": [share if algorithm == "ets" else 100 for algorithm, share in zip(tsa, bandwidth, strict=True)],
        "priority_to_tc": list(priority_to_tc),
    }


def add_dscp(nic: Nic, dscp: int, priority: int) -> None:
    """An APP entry for a DSCP; an older one of that DSCP goes. Raises OSError EINVAL."""
    if dscp not in range(DSCPS) or priority not in range(PRIORITIES):
        raise refuse(errno.EINVAL)
    nic["dcb"]["dscp_to_priority"][dscp] = priority
    nic["dcb"]["dscp_entries"] = sorted({*nic["dcb"]["dscp_entries"], dscp})


def delete_dscp(nic: Nic, dscp: int, priority: int) -> None:
    """Takes an APP entry away; its DSCP then means priority 0. Raises OSError ENOENT where there is none."""
    if dscp not in nic["dcb"]["dscp_entries"] or nic["dcb"]["dscp_to_priority"][dscp] != priority:
        raise refuse(errno.ENOENT)
    nic["dcb"]["dscp_entries"].remove(dscp)
    nic["dcb"]["dscp_to_priority"][dscp] = 0


def set_trust(nic: Nic, word: str) -> None:
    """Trust pcp drops all DSCP entries; dscp makes the 64 of DSCP/8, unless there are some. Raises OSError EINVAL."""
    if word not in {"dscp", "pcp"}:
        raise refuse(errno.EINVAL)
    if word == trust(nic):
        return
    nic["dcb"]["dscp_to_priority"] = [dscp >> 3 if word == "dscp" else 0 for dscp in range(DSCPS)]
    nic["dcb"]["dscp_entries"] = list(range(DSCPS)) if word == "dscp" else []


def set_buffers(nic: Nic, sizes: Sequence[int]) -> None:
    """Sizes of the receive buffers, in bytes. Raises OSError EINVAL where they don't fit."""
    if len(sizes) != PRIORITIES or min(sizes) < 0 or sum(sizes) > nic["dcb"]["total_bytes"]:
        raise refuse(errno.EINVAL)
    nic["dcb"]["buffer_bytes"] = list(sizes)


def set_priority_to_buffer(nic: Nic, buffers: Sequence[int]) -> None:
    """Receive buffer of each priority. Raises OSError EINVAL."""
    if len(buffers) != PRIORITIES or any(buffer not in range(PRIORITIES) for buffer in buffers):
        raise refuse(errno.EINVAL)
    nic["dcb"]["priority_to_buffer"] = list(buffers)


def set_ecn(nic: Nic, side: str, name: str, value: int) -> None:
    """One DCQCN parameter: ``enable/3`` or a name. Raises OSError ENOENT or EINVAL."""
    parameters = nic["ecn"][side]
    base, _, priority = name.partition("/")
    if base not in parameters or (base == "enable") != bool(priority) or priority not in ECN_FILES:
        raise refuse(errno.ENOENT)
    low, high = (0, 1) if base == "enable" else RANGES.get(base, (0, UINT32_MAX))
    if not low <= value <= high:
        raise refuse(errno.EINVAL)
    if priority:
        parameters["enable"][int(priority)] = value
    else:
        parameters[base] = value


def set_traffic_class(nic: Nic, value: int) -> None:
    """The default of verbs, 8 bits; -1 takes it away. Raises OSError EINVAL."""
    if value not in range(-1, 256):
        raise refuse(errno.EINVAL)
    nic["traffic_class"] = None if value < 0 else value
