"""Settings that equal a default: the running-config doesn't show them.

Default maps: DSCP/8, with 0-7 to traffic class 1 and 8-15 to 0; CoS alike (AVD's molecule configurations,
Arista's manual, QoS). Trust: DSCP on a routed port, CoS on a switched one.
"""

from __future__ import annotations

from fabric_drift.lab.eos.tree import Section

SWAPPED = {0: 1, 1: 0}
SWITCHED_BY_NATURE = ("interface Ethernet", "interface Port-Channel")

GLOBAL_DEFAULTS = {
    "lldp run": "lldp run",
    "priority-flow-control pause watchdog action": "priority-flow-control pause watchdog action errdisable",
    "switchport default mode": "switchport default mode access",
    **{
        f"qos map dscp {dscp}": f"qos map dscp {dscp} to traffic-class {SWAPPED.get(dscp // 8, dscp // 8)}"
        for dscp in range(64)
    },
    **{f"qos map cos {cos}": f"qos map cos {cos} to traffic-class {SWAPPED.get(cos, cos)}" for cos in range(8)},
    **{f"qos map exp {exp}": f"qos map exp {exp} to traffic-class {SWAPPED.get(exp, exp)}" for exp in range(8)},
    **{
        f"qos map traffic-class {tc} to {queue}": f"qos map traffic-class {tc} to {queue} {tc}"
        for tc in range(8)
        for queue in ("tx-queue", "uc-tx-queue")
    },
}

INTERFACE_DEFAULTS = {
    "mtu": "mtu 1500",
    "lldp transmit": "lldp transmit",
    "lldp receive": "lldp receive",
    "speed": "speed auto",
    "flowcontrol receive": "flowcontrol receive off",
    "flowcontrol send": "flowcontrol send off",
}


def is_routed(root: Section, header: str) -> bool:
    """Whether the interface forwards on layer 3: its own word, else the device's default mode."""
    own = root["sections"].get(header, {"lines": {}})["lines"].get("switchport")
    if own is not None:
        return bool(own == "no switchport")
    routed = root["lines"].get("switchport default mode") == "switchport default mode routed"
    return routed or not header.startswith(SWITCHED_BY_NATURE)


def default_trust(root: Section, header: str) -> str:
    """What an interface trusts where nothing says so: dscp or cos."""
    return "dscp" if is_routed(root, header) else "cos"


def is_hidden(root: Section, header: str, key: str, line: str) -> bool:
    """Whether the running-config leaves the line out because it is the default."""
    if not header:
        return GLOBAL_DEFAULTS.get(key) == line
    if not header.startswith("interface "):
        return False
    if key == "qos trust":  # over a profile, the interface's own word counts even where it is the default
        has_profile = "service-profile" in root["sections"][header]["lines"]
        return not has_profile and line == f"qos trust {default_trust(root, header)}"
    if key == "switchport":
        routed = root["lines"].get("switchport default mode") == "switchport default mode routed"
        return line == ("no switchport" if routed else "switchport")
    return INTERFACE_DEFAULTS.get(key) == line
