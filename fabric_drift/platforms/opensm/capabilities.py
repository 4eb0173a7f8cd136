"""What the platform reads and writes, and by what that was proven."""

from __future__ import annotations

from fabric_drift.finding import Layer
from fabric_drift.platform import Capability, Disruption, Operation
from fabric_drift.state.values import Path

_SIMULATED = "OpenSM 3.3.23 on ibsim 0.10 (tests/lab/infiniband)"
_SPECIFIED = "InfiniBand Architecture Specification, volume 1, 14.2.5 (tests/platforms/opensm/data/recorded)"
"""Facts that ibsim doesn't carry: tried on bytes laid out by hand."""
_READ = Operation.READ
_WRITE = Operation.WRITE


def _read(fact: str, *layers: Layer, proof: str = "emulator", source: str = _SIMULATED) -> Capability:
    return Capability(fact, _READ, layers=layers, proof=proof, source=source)


CAPABILITIES: tuple[Capability, ...] = (
    _read("identity", Layer.NOS),
    _read("infiniband/manager", Layer.NOS),
    _read("infiniband/options", Layer.SAVED, Layer.RUNNING),
    _read("infiniband/partitions", Layer.SAVED),
    _read("infiniband/qos_policy", Layer.SAVED),
    _read("infiniband/guid_files", Layer.SAVED),
    _read("infiniband/subnet", Layer.HARDWARE),
    *(
        _read(f"infiniband/subnet/ports/*/{fact}", Layer.HARDWARE, proof="documentation", source=_SPECIFIED)
        for fact in ("link/mtu_bytes", "m_key", "m_key_protection", "partition_enforcement", "arbitration/high_limit")
    ),
    _read("infiniband/believed_paths", Layer.NOS),
    Capability("infiniband/subnet", _WRITE, supported=False, how="The subnet manager writes it", proof="documentation"),
    Capability(
        "infiniband/options", _WRITE, disruption=Disruption.RESTART, how="opensm.conf, then HUP or a restart",
        proof="emulator", source=_SIMULATED,
    ),
    Capability(
        "infiniband/partitions", _WRITE, disruption=Disruption.TRAFFIC_LOSS, how="partitions.conf, then HUP",
        proof="emulator", source=_SIMULATED + ": P_Key indexes move on reload",
    ),
    Capability(
        "infiniband/qos_policy", _WRITE, disruption=Disruption.REORDER, how="qos-policy.conf, then HUP",
        proof="documentation", source="opensm doc/QoS_management_in_OpenSM.txt",
    ),
    Capability(
        "infiniband/guid_files", _WRITE, disruption=Disruption.RESTART, how="root and cn GUID files, then a restart",
        proof="emulator", source=_SIMULATED,
    ),
)  # fmt: skip

FIELDS: tuple[Path, ...] = (
    ("identity", "hostname"),
    ("identity", "release"),
    ("infiniband", "manager"),
    ("infiniband", "options", "*"),
    ("infiniband", "partitions", "*"),
    ("infiniband", "qos_policy"),
    ("infiniband", "guid_files", "*"),
    ("infiniband", "subnet", "ports", "*"),
    ("infiniband", "subnet", "managers", "*"),
    ("infiniband", "subnet", "routing"),
)
