"""The read-only commands of the platform: one round, the same on every switch.

``show running-config`` rather than ``show running-config all``: what ``all`` prints for the QoS sections is
documented nowhere, it is several times longer, and the hidden defaults that matter here are few and documented
(``defaults.py``). JSON is read where its keys have an independent witness (NAPALM, ANTA), text elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping

from fabric_drift.finding import Layer
from fabric_drift.platform import Command, Output

HOSTNAME = "show hostname | json"
VERSION = "show version | json"
RUNNING_CONFIG = "show running-config"
STARTUP_CONFIG = "show startup-config"
INTERFACES_STATUS = "show interfaces status | json"
LLDP_NEIGHBORS = "show lldp neighbors | json"

COMMANDS = (
    Command(HOSTNAME),
    Command(VERSION),
    Command(RUNNING_CONFIG, layer=Layer.RUNNING),
    Command(STARTUP_CONFIG, layer=Layer.SAVED, optional=True),
    Command(INTERFACES_STATUS, layer=Layer.NOS),
    Command(LLDP_NEIGHBORS, layer=Layer.NOS, optional=True),
)

BGP = "show ip bgp summary vrf all | json"
DROPS = "show interfaces counters queue detail | json"
VOQ_DROPS = "show interfaces counters queue drops | json"

ONLY_HEALTH = (Command(BGP, optional=True), Command(DROPS, optional=True), Command(VOQ_DROPS, optional=True))
"""Asked before and after a change only. Platforms have one of the two kinds of drop counters."""


def commands(outputs: Mapping[str, Output]) -> tuple[Command, ...]:
    """Every command in the first round, nothing after it."""
    return () if outputs else COMMANDS
