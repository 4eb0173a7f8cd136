"""What differs between a NIC and its file, and putting right exactly that."""

from __future__ import annotations

import re

from roce_qos.conf import ECN, ENABLE
from roce_qos.host import Failed, Host
from roce_qos.nic import NAME, PCI, Nic

GROUPS = (
    ("dcbx", ("dcbx",)),
    ("link", ("admin_up", "mtu_bytes")),
    ("pause", ("global_pause",)),
    ("fec", ("fec",)),
    ("pfc", ("pfc_priorities", "cable_length_m")),
    ("buffer", ("priority_to_buffer", "receive_buffers_bytes")),
    ("ets", ("priority_to_tc", "scheduling")),
    ("app", ("trust", "dscp_to_priority")),
    ("ecn", (*ENABLE, *ECN)),
    ("rdma_cm", ("roce_mode", "rdma_cm_tos", "rdma_cm_folder")),
    ("traffic_class", ("traffic_class",)),
)
"""In the order of writing: DCBX first, since it decides who writes; PFC and cable length before the buffers, since
mlx5 computes buffers from them until they are set."""
FLAPS = frozenset(("admin_up", "mtu_bytes", "fec", "dcbx", "global_pause", "trust", "pfc_priorities"))
"""Keys whose write takes the link down, or may. pfc_priorities: en_dcbnl.c, mlx5_toggle_port_link."""
PASSES = 2
SETTLE_SECONDS = 30
"""A link that was taken down shows its FEC and speed only when it is up again."""


def find(host: Host, name: str) -> Nic:
    """The NIC of a PCI address or an interface. Raises Failed where there is none."""
    if PCI.fullmatch(name):
        netdevs = host.names(f"/sys/bus/pci/devices/{name}/net")
        if len(netdevs) != 1 or not NAME.fullmatch(netdevs[0]):
            raise Failed(f"{name}: {len(netdevs)} interfaces, not one")
        return Nic(host, name, netdevs[0], _rdma(host, name))
    if not NAME.fullmatch(name) or not host.names(f"/sys/class/net/{name}"):
        raise Failed(f"{name}: neither a PCI address nor an interface", 2)
    pci = host.target(f"/sys/class/net/{name}/device").rpartition("/")[2]
    if not PCI.fullmatch(pci):
        return Nic(host, "", name, "")
    return Nic(host, pci, name, _rdma(host, pci))


def _rdma(host: Host, pci: str) -> str:
    devices = host.names(f"/sys/bus/pci/devices/{pci}/infiniband")
    return devices[0] if len(devices) == 1 and NAME.fullmatch(devices[0]) else ""


def read(nic: Nic, keys: frozenset[str]) -> tuple[dict[str, str], dict[str, str]]:
    """(values, why others of ``keys`` aren't there). Only groups that hold one of ``keys`` are asked for."""
    values: dict[str, str] = {}
    problems: dict[str, str] = {}
    for group, members in GROUPS:
        if not keys & set(members):
            continue
        try:
            values.update(getattr(nic, f"read_{group}")())
        except (Failed, OSError, ValueError, LookupError, TypeError) as error:
            problems.update(dict.fromkeys(members, re.sub(r"\s+", " ", f"{error}")[:300] or type(error).__name__))
    return values, {key: reason for key, reason in problems.items() if key in keys}


def complete(wanted: dict[str, str]) -> dict[str, str]:
    """With what a file doesn't say but means: rdma_cm's folder stays, so that a check can read it."""
    return {"rdma_cm_folder": "kept", **wanted} if {"roce_mode", "rdma_cm_tos"} & set(wanted) else wanted


def differences(nic: Nic, wanted: dict[str, str]) -> tuple[dict[str, tuple[str, str]], list[str]]:
    """Key -> (now, wanted), and sentences about what could not be compared."""
    now, problems = read(nic, frozenset(wanted))
    found = {}
    for key, value in wanted.items():
        if key in problems or (key == "fec" and value == "auto"):
            continue  # the encoding in use doesn't say whether it was chosen automatically
        if key not in now:
            if now.get("rdma_cm_folder") != "closed" and not (key == "dscp_to_priority" and now["trust"] == "pcp"):
                problems[key] = f"{key}: this driver doesn't have it"
            elif key == "dscp_to_priority":
                found[key] = ("none", value)
        elif now[key] != value:
            found[key] = (now[key], value)
    return found, sorted({f"{nic.name} {reason}" for reason in problems.values()})


def write(nic: Nic, wanted: dict[str, str], *, may_flap: bool) -> dict[str, tuple[str, str]]:
    """Writes what differs, and once more what the first writes moved. Returns what was written.

    What fails stops nothing else; ``verify`` tells it. ``may_flap``: whether FLAPS may be written, which somebody must
    have asked the gate for: a key that couldn't be read then may differ now.
    """
    changed: dict[str, tuple[str, str]] = {}
    for _ in range(PASSES):
        found, _ = differences(nic, wanted)
        barred = set() if may_flap else FLAPS | ({"dscp_to_priority"} if "trust" in found else set())
        differ = {key: pair for key, pair in found.items() if key not in barred}
        if not differ:
            break
        for group, members in GROUPS:
            keys = set(members) & set(differ)
            if keys:
                nic.failures[group] = _write_group(nic, group, frozenset(members), wanted, keys)
                changed.update({key: differ[key] for key in keys if not nic.failures[group]})
    return changed


def verify(nic: Nic, wanted: dict[str, str], changed: dict[str, tuple[str, str]]) -> None:
    """Raises Failed where something can't be read or isn't as wanted, with what failed on the way."""
    differ, problems = _settled(nic, wanted, SETTLE_SECONDS if FLAPS & set(changed) else 0)
    left = [f"{nic.name} {key}: is {now}, not {want}" for key, (now, want) in sorted(differ.items())]
    if left or problems:
        raise Failed("\n".join([*(f"{nic.name}: {text}" for text in nic.failures.values() if text), *left, *problems]))


def _write_group(nic: Nic, group: str, members: frozenset[str], wanted: dict[str, str], keys: set[str]) -> str:
    """Why it failed, or ""."""
    now, _ = read(nic, members)
    try:
        getattr(nic, f"write_{group}")({**now, **wanted}, keys)
    except (Failed, OSError, LookupError) as error:
        nic.host.log(f"{nic.name} {', '.join(sorted(keys))}: failed: {error}")
        return str(error)
    for key in sorted(keys):
        nic.host.log(f"{nic.name} {key}: {now.get(key, 'none')} -> {wanted[key]}")
    return ""


def _settled(nic: Nic, wanted: dict[str, str], seconds: int) -> tuple[dict[str, tuple[str, str]], list[str]]:
    """The differences, after at most ``seconds`` in which something can't be read yet."""
    differ, problems = differences(nic, wanted)
    for _ in range(seconds):
        if not problems:
            break
        nic.host.sleep(1)
        differ, problems = differences(nic, wanted)
    return differ, problems
