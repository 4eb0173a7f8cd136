"""What is read and written on EOS, by what that was proven, and what a write disturbs (unknown without a source)."""

from __future__ import annotations

from fabric_drift.finding import Layer
from fabric_drift.platform import Capability, Disruption, Operation
from fabric_drift.state.values import Path

RELEASES = ("4.30", "4.31", "4.32", "4.33", "4.34", "4.35")

AVD = "AVD 6.4 schema and templates (eos_cli_config_gen)"
MANUAL = "EOS User Manual, Quality of Service"
CONFIGURED = (Layer.SAVED, Layer.RUNNING)

READ_AND_WRITTEN: tuple[tuple[str, str, str, str], ...] = (
    # fact, how, proof, source
    ("ports/*/admin_up", "shutdown", "documentation", "EOS User Manual, Ethernet Ports; " + AVD),
    ("ports/*/mtu_bytes", "mtu", "schema", AVD),
    ("ports/*/fec", "error-correction encoding", "schema", AVD),
    ("ports/*/qos/trust", "qos trust in a qos profile", "schema", AVD),
    ("ports/*/qos/maps/dscp_to_tc", "qos map dscp", "schema", AVD),
    ("ports/*/qos/maps/pcp_to_tc", "qos map cos", "schema", AVD),
    ("ports/*/qos/maps/tc_to_queue", "qos map traffic-class to tx-queue", "schema", AVD),
    ("ports/*/qos/maps/tc_to_dscp", "qos rewrite dscp, qos map traffic-class to dscp", "schema", AVD),
    ("ports/*/qos/pfc/priorities", "priority-flow-control priority no-drop in a qos profile", "schema", AVD),
    ("ports/*/qos/pfc/watchdog", "priority-flow-control pause watchdog port in a qos profile", "schema", AVD),
    ("ports/*/qos/global_pause", "flowcontrol send, flowcontrol receive", "schema", AVD),
    ("ports/*/qos/scheduling", "tx-queue priority, bandwidth percent in a qos profile", "schema", AVD),
    ("ports/*/qos/queues/*/ecn", "tx-queue random-detect ecn in a qos profile", "schema", AVD),
    ("ports/*/qos/dcbx", "dcbx mode", "documentation", "EOS User Manual, DCBX"),
    ("watchdog", "priority-flow-control pause watchdog default, action", "schema", AVD),
)

WRITE_DISRUPTION = {"ports/*/admin_up": Disruption.PORT_FLAP}
"""Where Arista says what a write does to traffic: ``shutdown`` disables the port. Elsewhere: unknown."""

ONLY_READ: tuple[tuple[str, tuple[Layer, ...], str, str, str], ...] = (
    ("identity/hostname", (), "show hostname | json", "source", "NAPALM 5.2 eos.py"),
    ("identity/release", (), "show version | json", "source", "NAPALM 5.2 eos.py"),
    ("identity/hardware", (), "show version | json", "source", "NAPALM 5.2 eos.py"),
    ("ports/*/admin_up", (Layer.NOS,), "show interfaces status | json", "source", "ANTA 1.10 tests/interfaces.py"),
    ("ports/*/oper_up", (Layer.NOS,), "show interfaces status | json", "source", "ANTA 1.10 tests/interfaces.py"),
    ("ports/*/speed_mbps", (Layer.NOS,), "show interfaces status | json", "source", "ANTA 1.10 tests/interfaces.py"),
    ("ports/*/speed_mbps", CONFIGURED, "speed, where it is forced", "schema", AVD),
    ("ports/*/neighbour", (Layer.NOS,), "show lldp neighbors | json", "source", "NAPALM 5.2 eos.py"),
    ("unreferenced", CONFIGURED, "qos profile, platform trident mmu queue profile", "schema", AVD),
)

NOT_SUPPORTED: tuple[tuple[str, str, str], ...] = (
    (
        "ports/*/speed_mbps",
        "the transceiver decides; `speed` needs the number of lanes, which a state doesn't have",
        AVD,
    ),
    ("ports/*/qos/priority_groups", "platform trident mmu is recognised, not translated", AVD),
    ("ports/*/qos/queues/*/buffer", "platform trident mmu is recognised, not translated", AVD),
    ("ports/*/qos/queues/*/ecn/kmin_fill_percent", "no such unit", AVD),
    ("ports/*/qos/queues/*/ecn/kmax_fill_percent", "no such unit", AVD),
    ("ports/*/qos/pfc/asymmetric", "no such setting", MANUAL),
    ("ports/*/qos/cable_length_m", "no such setting", MANUAL),
    ("pools", "no such setting", MANUAL),
)

CAPABILITIES: tuple[Capability, ...] = (
    *(
        Capability(
            fact,
            operation,
            layers=CONFIGURED,
            disruption=Disruption.NONE
            if operation is Operation.READ
            else WRITE_DISRUPTION.get(fact, Disruption.UNKNOWN),
            how=how,
            proof=proof,
            source=source,
        )
        for fact, how, proof, source in READ_AND_WRITTEN
        for operation in Operation
    ),
    *(
        Capability(fact, Operation.READ, layers=layers, disruption=Disruption.NONE, how=how, proof=proof, source=source)
        for fact, layers, how, proof, source in ONLY_READ
    ),
    *(
        Capability(fact, Operation.WRITE, supported=False, how=how, source=source)
        for fact, how, source in NOT_SUPPORTED
    ),
)

OBJECT_FIELDS: tuple[Path, ...] = tuple(
    dict.fromkeys(
        tuple(fact.split("/")) for fact in (*(row[0] for row in READ_AND_WRITTEN), *(row[0] for row in ONLY_READ))
    )
)
