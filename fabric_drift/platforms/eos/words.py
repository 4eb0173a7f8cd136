"""Which lines are ours, as data: first words of lines under an interface, and keywords that betray a damaged line.

Policy: under ``interface`` a line about QoS, PFC, MTU, speed, FEC, LAG membership or DCBX is owned and must be
understood. A line whose first word is in ``FOREIGN`` says nothing about them and is left alone. Any other line is
told as not understood, because nobody can say that it is harmless.
"""

from __future__ import annotations

FOREIGN = frozenset(
    """
    arp bfd bgp cpu description dhcp dot1x encapsulation evpn flow ip ipv6 isis l2-protocol lacp link
    link-debounce lldp load-interval logging loop-protection mac mka mlag monitor mpls multicast ntp pim poe
    port-channel profile ptp sflow snmp spanning-tree storm-control tcp traffic-engineering transceiver tunnel
    unidirectional vlan vmtracer vrf vrrp
    """.split()  # noqa: SIM905  a list of words reads as one
)
"""First words of interface lines in AVD 6.4's templates (ethernet, port-channel) that no fact of ours depends on."""

NESTED = frozenset({"encapsulation", "evpn"})
"""Those of ``FOREIGN`` that open a sub-section."""

QOS_WORDS = frozenset(
    {"qos", "service-profile", "priority-flow-control", "tx-queue", "uc-tx-queue", "mc-tx-queue", "shape", "dcbx"}
)
"""First words (after ``no``) that have no business on interfaces that carry no QoS policy of ours."""

QOS_KEYWORDS = (
    "traffic-class",
    "tx-queue",
    "priority-flow",
    "no-drop",
    "watchdog",
    "random-detect",
    "service-profile",
    "qos ",
    "dscp",
)
"""An indented line that holds one of these, in a section that nobody knows, may be half of a line of ours."""

KEYWORDS = (
    *QOS_KEYWORDS,
    "mtu",
    "bandwidth",
    "error-correction",
    "channel-group",
    "switchport",
    "shutdown",
    "interface",
    "flowcontrol",
    "speed",
    "priority",
    "dcbx",
    "Ethernet",
)
"""A line at the left margin that no EOS section starts with, and that holds one of these, is a damaged line of ours."""

OWNED_TOP = ("interface", "qos", "priority-flow-control", "platform", "switchport", "dcbx", "end")

TOP = frozenset(
    """
    aaa address agent alias arp banner bfd boot class-map clock cvx daemon default dhcp dns dot1x dynamic email enable
    end environment errdisable event-handler event-monitor flow group hardware hostname igmp ip ipv6 key kernel l2
    lacp lane lldp link load-balance load-interval logging mac maintenance management match-list mcs metadata mlag
    monitor mpls no ntp patch peer-filter pim policy-map poe prompt ptp queue-monitor radius-server redundancy role
    route-map router schedule security service sflow snmp-server spanning-tree stun switch sync-e system tacacs-server
    tap tcp terminal traffic-policies transceiver trident tunnel username virtual-service vlan vmtracer vrf vxlan
    """.split()  # noqa: SIM905
)
"""First words of top-level sections that are known and not ours (AVD 6.4's templates, EOS User Manual)."""
