"""In which order a release shows the lines and sections of a configuration.

From 4.35 on the QoS maps and the PFC block stand at the end, in a profile PFC before the queues and the
watchdog's timer before its action (AVD issues 6318, 6402, 6460). Before, the reverse. Nobody may depend
on either: that is why the lab has both.
"""

from __future__ import annotations

import re

WATCHDOG = "priority-flow-control pause watchdog"
QOS_GLOBAL = ("qos rewrite", "qos map", "qos random-detect", "priority-flow-control", WATCHDOG)
QUEUES = ("tx-queue", "uc-tx-queue", "mc-tx-queue")

HEAD = (
    "hardware counter",
    "service routing",
    "hostname",
    "logging",
    "ntp",
    "snmp-server",
    "spanning-tree",
    "aaa",
    "username",
    "switchport default",
    "vlan",
    "vrf instance",
)
TAIL = ("ip routing", "ip route", "ip prefix-list", "route-map", "router bgp", "management")
ACL = ("ipv6 access-list", "ip access-list")
POLICY = ("class-map", "policy-map")
MMU = ("platform trident mmu queue profile", "platform trident mmu headroom-pool")

PORT = (
    "description",
    "shutdown",
    "load-interval",
    "mtu",
    "l2 mtu",
    "flowcontrol",
    "speed",
    "error-correction",
    "channel-group",
    "switchport",
    "vrf",
    "ip address",
    "ipv6",
    "lldp",
    "dcbx",
    "service-policy",
    "service-profile",
    "qos trust",
    "qos cos",
    "qos dscp",
    "shape rate",
)
PFC = ("priority-flow-control", "priority-flow-control priority", WATCHDOG)
TIMER, ACTION = f"{WATCHDOG} port timer", f"{WATCHDOG} port action"
QUEUE = ("priority", "bandwidth", "shape", "random-detect drop", "random-detect ecn", "random-detect ecn count")
QUEUE_OLD = ("bandwidth", "priority", "shape", "random-detect drop", "random-detect ecn", "random-detect ecn count")

NEW: dict[str, tuple[str, ...]] = {
    "global": (*HEAD, *MMU, "qos profile", "interface", *ACL, *TAIL, *POLICY, *QOS_GLOBAL),
    "interface": (*PORT, *PFC, TIMER, ACTION, *QUEUES),
    "profile": (*PORT, *PFC, TIMER, ACTION, *QUEUES),
    "queue": QUEUE,
}
OLD: dict[str, tuple[str, ...]] = {
    "global": (*HEAD, *QOS_GLOBAL, *POLICY, "qos profile", "interface", *ACL, *TAIL, *MMU),
    "interface": (*PORT, *QUEUES, *PFC, ACTION, TIMER),
    "profile": (*PORT, *QUEUES, *PFC, ACTION, TIMER),
    "queue": QUEUE_OLD,
}

_NUMBER = re.compile(r"(\d+)")


def release_number(release: str) -> tuple[int, int]:
    """``4.30.5M`` as (4, 30)."""
    major, minor = release.split(".")[:2]
    return int(major), int(minor)


def sort_key(release: str, mode: str, key: str) -> tuple[int, list[tuple[int, str]]]:
    """Where ``key`` (of a line or a section) stands among its neighbours."""
    table = (NEW if release_number(release) >= (4, 35) else OLD).get(mode, ())
    rank, longest = len(table), -1
    for index, prefix in enumerate(table):
        if (key == prefix or key.startswith(f"{prefix} ")) and len(prefix) > longest:
            rank, longest = index, len(prefix)
    natural = [(int(part), "") if part.isdigit() else (-1, part) for part in _NUMBER.split(key)]
    return rank, natural
