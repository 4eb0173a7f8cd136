"""What EOS does where the configuration says nothing: hidden defaults, as data.

``QUEUE_PRIORITY`` is the manual's default for Trident and Tomahawk; whether every ASIC shares it is not
documented, so a queue that has a share but no priority line is never guessed (see ``qos.py``).
"""

from __future__ import annotations

TRAFFIC_CLASSES = range(8)

DSCP_TO_TC: dict[int, int] = {dscp: {0: 1, 1: 0}.get(dscp // 8, dscp // 8) for dscp in range(64)}
"""DSCP / 8, with 0-7 -> 1 and 8-15 -> 0 (EOS User Manual, QoS, default DSCP to traffic class map)."""

COS_TO_TC: dict[int, int] = {cos: {0: 1, 1: 0}.get(cos, cos) for cos in range(8)}
"""Identity with 0 and 1 swapped (EOS User Manual, QoS, default CoS to traffic class map)."""

TC_TO_QUEUE: dict[int, int] = {tc: tc for tc in TRAFFIC_CLASSES}

FIXED_TC = 7
"""Traffic class 7 always leaves through queue 7 (EOS User Manual, QoS)."""

QUEUE_PRIORITY = "strict"

MTU_BYTES = 1500
"""IP MTU of an interface without an ``mtu`` line (EOS User Manual, Ethernet ports)."""

WATCHDOG_ACTION = "errdisable"
"""Action of the PFC watchdog without an ``action`` line (AVD 6.4 documentation, priority_flow_control.watchdog)."""
