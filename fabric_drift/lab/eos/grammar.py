"""The configuration commands that the emulated EOS accepts, per mode.

Sources: Arista Validated Designs schema and molecule configurations (lossless part), Arista EOS user
manual (ports, LLDP, sessions). What isn't here is refused, as a release without the command would.
"""

from __future__ import annotations

from fabric_drift.lab.eos.syntax import Rule

UNIT = "segments|bytes|kbytes|mbytes|milliseconds|microseconds"
BUFFER_UNIT = "segments|bytes|kbytes|mbytes"
ECN = (
    f"minimum-threshold <threshold> {UNIT} maximum-threshold <threshold> {UNIT} "
    "[max-mark-probability <percent>] [weight <weight>]"
)
DROP = (
    f"minimum-threshold <threshold> {UNIT} maximum-threshold <threshold> {UNIT} "
    "drop-probability <percent> [weight <weight>]"
)
WATCHDOG = "priority-flow-control pause watchdog"

QUEUES = (
    Rule("tx-queue <queue>", enters="queue"),
    Rule("uc-tx-queue <queue>", enters="queue"),
    Rule("mc-tx-queue <queue>", enters="queue"),
)

PORT_QOS = (
    Rule("qos trust", "dscp|cos", negative=True),
    Rule("qos cos", "<cos>"),
    Rule("qos dscp", "<dscp>"),
    Rule("service-policy type qos input", "<name>"),
    Rule("shape rate", "<number> [percent|kbps|pps]"),
    Rule("priority-flow-control", "on", clears="priority-flow-control priority"),
    Rule("priority-flow-control priority <priority>", "no-drop|drop"),
    Rule(WATCHDOG),
    Rule(f"{WATCHDOG} port action", "drop|notify-only"),
    Rule(
        f"{WATCHDOG} port timer",
        "timeout <seconds> polling-interval auto recovery-time <seconds> [forced]",
    ),
    Rule(
        f"{WATCHDOG} port timer",
        "timeout <seconds> polling-interval <polling> recovery-time <seconds> [forced]",
    ),
    *QUEUES,
)

INTERFACE = (
    Rule("description", "<rest>"),
    Rule("load-interval", "<number>"),
    Rule("mtu", "<mtu>"),
    Rule("l2 mtu", "<mtu>"),
    Rule("shutdown"),
    Rule("speed", "auto [<name>]"),
    Rule("speed", "forced <name>"),
    Rule("speed", "<name>"),
    Rule("error-correction encoding", "fire-code|reed-solomon", negative=True),
    Rule("flowcontrol receive", "on|off|desired"),
    Rule("flowcontrol send", "on|off|desired"),
    Rule("switchport", negative=True),
    Rule("switchport mode", "access|trunk"),
    Rule("switchport access vlan", "<number>"),
    Rule("switchport trunk allowed vlan", "<rest>"),
    Rule("switchport trunk group <name>"),
    Rule("vrf", "<name>"),
    Rule("ip address", "<rest>"),
    Rule("ipv6 enable"),
    Rule("ipv6 address <name>"),
    Rule("channel-group", "<number> mode active|passive|on"),
    Rule("lldp transmit", negative=True),
    Rule("lldp receive", negative=True),
    Rule("dcbx mode", "ieee|cee"),
    Rule("service-profile", "<name>"),
    *PORT_QOS,
)

QUEUE = (
    Rule("priority", "strict", negative=True),
    Rule("bandwidth", "percent <percent>"),
    Rule("bandwidth", "guaranteed percent <percent>"),
    Rule("bandwidth", "guaranteed <number> [kbps|pps]"),
    Rule("shape rate", "<number> [percent|kbps|pps]"),
    Rule("random-detect ecn", ECN),
    Rule("random-detect ecn count"),
    Rule("random-detect drop", DROP),
    Rule("random-detect drop drop-precedence <dp>", DROP),
)

MMU = (
    Rule("ingress threshold", "<alpha>"),
    Rule("ingress headroom", "[bytes|cells] <number>"),
    Rule("ingress resume", "[bytes|cells] <number>"),
    Rule("ingress reserved", "[bytes|cells] <number>"),
    Rule("ingress priority-group <priority> threshold", "<alpha>"),
    Rule("egress unicast|multicast queue <queue> reserved", "[bytes|cells] <number>"),
    Rule("egress unicast|multicast queue <queue> threshold", "<alpha>"),
)

GLOBAL = (
    Rule("hostname", "<name>"),
    Rule("lldp run", negative=True),
    Rule("hardware counter feature ecn out"),
    Rule("qos map cos <cos+>", "to traffic-class <tc>"),
    Rule("qos map dscp <dscp+>", "to traffic-class <tc> [drop-precedence <dp>]"),
    Rule("qos map exp <cos+>", "to traffic-class <tc>"),
    Rule("qos map traffic-class <tc+> to dscp", "<dscp>"),
    Rule("qos map traffic-class <tc+> to cos", "<cos>"),
    Rule("qos map traffic-class <tc+> to tx-queue", "<queue>"),
    Rule("qos map traffic-class <tc+> to uc-tx-queue", "<queue>"),
    Rule("qos map traffic-class <tc+> to mc-tx-queue", "<queue>"),
    Rule("qos rewrite dscp|cos"),
    Rule(
        "qos random-detect ecn global-buffer",
        f"minimum-threshold <threshold> {BUFFER_UNIT} maximum-threshold <threshold> {BUFFER_UNIT}",
    ),
    Rule("qos random-detect ecn allow non-ect", "[chip-based]"),
    Rule("qos profile <name>", enters="profile"),
    Rule("priority-flow-control all", "off"),
    Rule(f"{WATCHDOG} default timeout", "<seconds>"),
    Rule(f"{WATCHDOG} default recovery-time", "<seconds>"),
    Rule(f"{WATCHDOG} default polling-interval", "<polling>"),
    Rule(f"{WATCHDOG} action", "drop|errdisable|notify-only|no-drop"),
    Rule(f"{WATCHDOG} override action", "drop"),
    Rule("platform trident mmu queue profile <name>", enters="mmu"),
    Rule("platform trident mmu queue profile", "<name> apply"),
    Rule("platform trident mmu headroom-pool limit", "[bytes|cells] <number>"),
    Rule("interface <interface>", enters="interface"),
    # Not about the lossless path: kept and shown, without a look inside.
    Rule("switchport default mode", "access|routed"),
    Rule("ip routing", negative=True),
    Rule("service routing protocols model", "multi-agent|ribd"),
    Rule("spanning-tree mode", "<name>"),
    Rule("ip route <rest>"),
    Rule("logging <rest>"),
    Rule("ntp <rest>"),
    Rule("snmp-server <rest>"),
    Rule("username <rest>"),
    Rule("aaa <rest>"),
    Rule("vlan <rest>", enters="opaque"),
    Rule("vrf instance <name>", enters="opaque"),
    Rule("ip access-list <rest>", enters="opaque"),
    Rule("ipv6 access-list <rest>", enters="opaque"),
    Rule("ip prefix-list <rest>", enters="opaque"),
    Rule("route-map <rest>", enters="opaque"),
    Rule("class-map <rest>", enters="opaque"),
    Rule("policy-map <rest>", enters="opaque"),
    Rule("router bgp <number>", enters="opaque"),
    Rule("management <rest>", enters="opaque"),
)

OPAQUE = (
    Rule("class <name>", enters="leaf"),
    Rule("address-family <rest>", enters="leaf"),
    Rule("<rest>"),
)

LEAF = (
    Rule("set <rest>"),
    Rule("police <rest>"),
    Rule("neighbor <rest>"),
    Rule("network <rest>"),
)

MODES: dict[str, tuple[Rule, ...]] = {
    "global": GLOBAL,
    "interface": INTERFACE,
    "profile": PORT_QOS,
    "queue": QUEUE,
    "mmu": MMU,
    "opaque": OPAQUE,
    "leaf": LEAF,
}
