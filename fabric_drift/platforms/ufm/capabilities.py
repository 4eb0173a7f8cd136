"""What is read of a UFM, by what it was proven, and that nothing is written."""

from __future__ import annotations

from fabric_drift.finding import Layer
from fabric_drift.platform import Capability, Operation
from fabric_drift.state.values import Path

_GUIDE = "UFM Enterprise REST API guide 6.12 to 6.24"
_CLIENT = "answers that NVIDIA/infra-controller (crates, ib/ufmclient) is tested with"
_WHY = "UFM has no timer that takes a change back: requests are rendered for people"


def _read(fact: str, source: str) -> Capability:
    return Capability(fact, Operation.READ, layers=(Layer.NOS,), proof="documentation", source=source)


CAPABILITIES: tuple[Capability, ...] = (
    _read("identity", f"{_GUIDE}: ufm_version; the name is the one that the certificate was verified for"),
    _read("infiniband/partitions", f"{_GUIDE}: PKey GUIDs; {_CLIENT}"),
    _read("infiniband/manager/routing_engine", f"{_GUIDE}: SM Configuration, routing_engine_active"),
    _read("infiniband/options", f"{_GUIDE}: SM Configuration"),
    Capability("infiniband/manager/state", Operation.READ, supported=False, how="No documented resource says it"),
    Capability("infiniband/manager/complaints", Operation.READ, supported=False, how="The log isn't in the REST API"),
    Capability(
        "infiniband/subnet", Operation.READ, supported=False, how="REST says what UFM believes, not what ports hold"
    ),
    Capability("infiniband/partitions", Operation.WRITE, supported=False, how=_WHY, source=f"{_GUIDE}: PKey GUIDs"),
    Capability("infiniband/options", Operation.WRITE, supported=False, how="By hand, in UFM"),
)

FIELDS: tuple[Path, ...] = (
    ("identity", "hostname"),
    ("identity", "release"),
    ("infiniband", "manager", "routing_engine"),
    ("infiniband", "options", "*"),
    ("infiniband", "partitions", "*"),
)
