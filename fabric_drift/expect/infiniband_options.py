"""Options by OpenSM's own names: unknown ones it ignores, wrong values it replaces by its default. Neither is told.

NVIDIA's OpenSM 5 has options that the upstream one hasn't. Its documents name a few, and the default of none of them:
a file that doesn't say such an option can't be judged, so they are refused until somebody shows a dump of one.
"""

from __future__ import annotations

from difflib import get_close_matches

from fabric_drift.intent.faults import Faults
from fabric_drift.intent.infiniband.fabric import IbFabric
from fabric_drift.state.opensm_options import OPTIONS, SECRETS
from fabric_drift.state.values import Leaf, Missing

CODE = "FD-INT-066"
DERIVED = (
    "guid", "subnet_prefix", "sm_priority", "routing_engine", "root_guid_file", "cn_guid_file", "io_guid_file",
    "partition_config_file", "qos_policy_file", "qos",
)  # fmt: skip
NAMED_BY_NVIDIA = ("key_mgr_seed", "m_key_per_port", "master_sm_lid", "virt_enabled")
"""UFM user manual, "Subnet Manager Default Properties"; virt_enabled: sriov-network-operator, pull request 635."""
UPSTREAM = "upstream-3.3"


def check(fabric: IbFabric) -> None:
    """Options of the subnet, and of every manager. Raises IntentErrors, one IntentError per fault."""
    document, faults = fabric.document, Faults(fabric.root)
    places = [(("options",), document.options)]
    places += [(("managers", name, "options"), manager.options) for name, manager in document.managers.items()]  # type: ignore[misc]
    for place, found in places:
        for name, value in found.items():
            problem, remedy = _fault(name, value, document.flavour)
            if problem:
                faults.add(CODE, (*place, name), problem, remedy)
    faults.stop()


def _fault(name: str, value: str | int | bool, flavour: str) -> tuple[str, str]:
    """What is wrong with an option, and what to do; nothing where it is fine."""
    if name in DERIVED or name.startswith("qos_"):
        return f"{name} follows from another part of the intent", "Say it there"
    if name in SECRETS:
        return f"{name} is a secret", "Name a variable of the vault under keys"
    if name in NAMED_BY_NVIDIA and flavour != UPSTREAM:
        problem = f"NVIDIA's documents name {name}, not its default: a file without it can't be judged"
        return problem, "Leave it out, and send `dump_conf` of a real one"
    if name in NAMED_BY_NVIDIA:
        return f"{name} is an option of NVIDIA's OpenSM, and {flavour} ignores it", "Leave it out"
    if name not in OPTIONS:
        close = get_close_matches(name, OPTIONS, n=1)
        whose = (
            "OpenSM 3.3" if flavour == UPSTREAM else "OpenSM 3.3, nor any that NVIDIA's documents give with a default"
        )
        return f"{name} is no option of {whose}: it would be ignored", f"Write {close[0]}" if close else "Leave it out"
    try:
        taken(name, value)
    except ValueError as error:
        return f"{name}: {error}; OpenSM would take its default", "Correct the value"
    return "", ""


def taken(name: str, value: str | int | bool) -> Leaf | Missing:
    """The value as OpenSM takes it: 0x12 is 18. Raises ValueError for what it would not take."""
    return OPTIONS[name].value(str(value).upper() if isinstance(value, bool) else str(value))
