"""Which rule a drifted fact breaks, and how bad that is. A table; the longest pattern that matches wins.

Severity answers one question: what happens to training traffic while it stays so?
critical: lossless traffic is dropped or a pause never ends. high: congestion is handled wrongly, or one
end disagrees. medium: a safety net or a diagnosis is missing. low: hygiene.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

from fabric_drift.finding import Severity
from fabric_drift.rules.infiniband_facts import ROWS as INFINIBAND
from fabric_drift.state.values import Path

CRITICAL, HIGH, MEDIUM, LOW, INFO = Severity.CRITICAL, Severity.HIGH, Severity.MEDIUM, Severity.LOW, Severity.INFO


@dataclass(frozen=True, slots=True)
class FactRule:
    """``pattern``: path with ``*`` for one part; it also covers what lies below it."""

    id: str
    pattern: str
    severity: Severity
    title: str
    why: str


RULES: tuple[FactRule, ...] = (
    FactRule("FD-FACT-001", "", HIGH, "A managed fact differs from the intent", "Everything managed is compared."),
    FactRule(
        "FD-ID-001",
        "identity",
        CRITICAL,
        "The device isn't the one asked for",
        "Any other verdict would be about another device.",
    ),
    FactRule("FD-PORT-001", "ports/*", CRITICAL, "A managed port is missing", "Its traffic has no policy."),
    FactRule(
        "FD-PORT-002", "ports/*/admin_up", HIGH, "A port's admin state differs", "A path is missing or unplanned."
    ),
    FactRule("FD-PORT-003", "ports/*/oper_up", MEDIUM, "A port's link is down", "A path is missing."),
    FactRule(
        "FD-PORT-004",
        "ports/*/speed_mbps",
        HIGH,
        "A port runs at another speed",
        "Headroom and ECN thresholds belong to a speed.",
    ),
    FactRule(
        "FD-PORT-005",
        "ports/*/fec",
        MEDIUM,
        "A port's FEC differs",
        "Ends that disagree lose frames that look like congestion loss.",
    ),
    FactRule(
        "FD-MTU-001",
        "ports/*/mtu_bytes",
        HIGH,
        "A port's MTU differs",
        "RDMA messages larger than the smallest MTU on the path are dropped.",
    ),
    FactRule(
        "FD-CAB-001",
        "ports/*/neighbour",
        HIGH,
        "Another neighbour than the topology says",
        "A swapped cable puts a rail on the wrong plane.",
    ),
    FactRule("FD-QOS-001", "ports/*/qos", CRITICAL, "A port has no QoS policy", "All of its traffic is lossy."),
    FactRule(
        "FD-MAP-001",
        "ports/*/qos/trust",
        CRITICAL,
        "A port trusts another marking",
        "Untrusted marking sends RDMA to the default class.",
    ),
    FactRule(
        "FD-MAP-002",
        "ports/*/qos/maps",
        CRITICAL,
        "A map differs",
        "Traffic lands in another class, queue or priority group.",
    ),
    FactRule(
        "FD-MAP-003",
        "ports/*/qos/maps/tc_to_dscp",
        HIGH,
        "DSCP is rewritten on the path",
        "The next hop classifies by the new DSCP.",
    ),
    FactRule(
        "FD-MAP-004", "ports/*/qos/maps/pcp_to_tc", MEDIUM, "A PCP map differs", "It decides where DSCP isn't trusted."
    ),
    FactRule(
        "FD-PFC-001",
        "ports/*/qos/pfc",
        CRITICAL,
        "PFC priorities differ",
        "A priority without PFC drops under congestion; one too many pauses innocent traffic.",
    ),
    FactRule(
        "FD-PFC-002", "ports/*/qos/pfc/asymmetric", HIGH, "Asymmetric PFC differs", "One direction ignores pauses."
    ),
    FactRule(
        "FD-PFC-003",
        "ports/*/qos/global_pause",
        HIGH,
        "Global pause differs",
        "802.3x pause stops every class and excludes PFC.",
    ),
    FactRule(
        "FD-WD-001",
        "ports/*/qos/pfc/watchdog",
        HIGH,
        "The PFC watchdog differs",
        "One stuck NIC can pause the whole fabric.",
    ),
    FactRule(
        "FD-WD-002",
        "watchdog",
        HIGH,
        "The device's PFC watchdog settings differ",
        "Storms are found late, never, or where there are none.",
    ),
    FactRule(
        "FD-SCH-001",
        "ports/*/qos/scheduling",
        HIGH,
        "Scheduling differs",
        "Shares decide who waits; CNPs that wait arrive too late.",
    ),
    FactRule(
        "FD-ECN-001",
        "ports/*/qos/queues/*/ecn",
        HIGH,
        "ECN marking differs",
        "Senders slow down too late (pauses) or too early (throughput).",
    ),
    FactRule(
        "FD-QUE-001",
        "ports/*/qos/queues",
        HIGH,
        "An egress queue differs",
        "The queue's policy isn't the intended one.",
    ),
    FactRule(
        "FD-BUF-001",
        "ports/*/qos/queues/*/buffer",
        HIGH,
        "An egress queue's buffer differs",
        "Lossless traffic must not be dropped at egress.",
    ),
    FactRule(
        "FD-BUF-002",
        "ports/*/qos/priority_groups",
        CRITICAL,
        "A priority group's buffer differs",
        "Too little headroom drops what PFC was to save.",
    ),
    FactRule(
        "FD-BUF-003",
        "ports/*/qos/priority_groups/*/alpha_exponent",
        HIGH,
        "A priority group's alpha differs",
        "It sets the pause point.",
    ),
    FactRule("FD-BUF-004", "pools", CRITICAL, "A buffer pool differs", "Pools bound headroom for every port."),
    FactRule("FD-BUF-005", "buffer_model", HIGH, "The buffer model differs", "It decides who computes headroom."),
    FactRule(
        "FD-BUF-006",
        "ports/*/qos/cable_length_m",
        HIGH,
        "The configured cable length differs",
        "Headroom is computed from it.",
    ),
    FactRule(
        "FD-BUF-007",
        "ports/*/qos/receive_buffers_bytes",
        HIGH,
        "A NIC's receive buffers differ",
        "The NIC drops or pauses too early.",
    ),
    FactRule("FD-DCBX-001", "ports/*/qos/dcbx", HIGH, "DCBX differs", "A peer may overwrite what was configured."),
    FactRule(
        "FD-DCBX-002",
        "ports/*/qos/dcbx_willing",
        HIGH,
        "DCBX willingness differs",
        "A willing port takes its peer's settings.",
    ),
    FactRule("FD-NIC-001", "ports/*/nic", MEDIUM, "A NIC setting differs", "Ranks of one job must behave alike."),
    FactRule(
        "FD-NIC-002",
        "ports/*/nic/dcb_owner",
        HIGH,
        "Somebody else writes the NIC's DCB registers",
        "What is right now is overwritten later.",
    ),
    FactRule(
        "FD-NIC-003",
        "ports/*/nic/traffic_class",
        CRITICAL,
        "The verbs traffic class differs",
        "RDMA leaves the host in another class.",
    ),
    FactRule(
        "FD-NIC-004",
        "ports/*/nic/rdma_cm_tos",
        CRITICAL,
        "The rdma_cm ToS differs",
        "RDMA-CM connections leave in another class.",
    ),
    FactRule("FD-NIC-005", "ports/*/nic/roce_mode", HIGH, "The RoCE mode differs", "RoCE v1 isn't routed."),
    FactRule(
        "FD-NIC-006",
        "ports/*/nic/firmware",
        MEDIUM,
        "Another firmware",
        "Congestion control behaves differently between firmwares.",
    ),
    FactRule(
        "FD-NIC-007",
        "ports/*/nic/firmware_parameters",
        MEDIUM,
        "A firmware parameter differs",
        "It takes effect at the next boot or took effect at the last.",
    ),
    FactRule(
        "FD-CC-001",
        "ports/*/nic/congestion_control",
        HIGH,
        "Another congestion control is active",
        "DCQCN parameters are inert under programmable congestion control.",
    ),
    FactRule(
        "FD-CC-002", "ports/*/nic/dcqcn", HIGH, "DCQCN parameters differ", "NICs of one job must slow down alike."
    ),
    FactRule(
        "FD-CC-003",
        "ports/*/nic/cnp_dscp",
        HIGH,
        "CNPs are marked differently",
        "CNPs in a lossy or slow queue come too late.",
    ),
    FactRule(
        "FD-CC-004",
        "ports/*/nic/cnp_priority",
        HIGH,
        "CNPs use another priority",
        "CNPs in a lossy or slow queue come too late.",
    ),
    FactRule(
        "FD-JOB-001",
        "job",
        CRITICAL,
        "The job environment differs",
        "The job marks its traffic for a class that isn't lossless.",
    ),
    FactRule(
        "FD-JOB-002", "ports/*/nic/rdma_without_pfc", CRITICAL, "RDMA leaves without PFC", "It is dropped under load."
    ),
    FactRule(
        "FD-OBJ-001",
        "unreferenced",
        LOW,
        "An object that nobody uses",
        "Left-overs hide mistakes: the next edit may change the wrong one.",
    ),
)
"""Every rule for a single fact."""

UNPARSED_RULE = "FD-SEE-001"
"""A line of an owned section that was not understood."""
UNREAD_RULE = "FD-SEE-002"
"""A fact that no layer of the platform carries."""
UNMANAGED_RULE = "FD-SEE-003"
"""Something outside the managed scope."""


RULES += tuple(FactRule(*row) for row in INFINIBAND)


@cache
def _patterns() -> tuple[tuple[tuple[str, ...], FactRule], ...]:
    split = [(tuple(part for part in rule.pattern.split("/") if part), rule) for rule in RULES]
    return tuple(sorted(split, key=lambda item: len(item[0]), reverse=True))


@lru_cache(maxsize=8192)  # asked for the same fact of every layer
def rule_for(path: Path) -> FactRule:
    """The rule of the longest pattern that covers ``path``."""
    for pattern, rule in _patterns():
        if len(pattern) <= len(path) and all(want in ("*", got) for want, got in zip(pattern, path, strict=False)):
            return rule
    return RULES[0]
