"""NIC profiles against the classes: congestion control, CNPs, the marked class."""

from __future__ import annotations

from fabric_drift.intent.faults import Faults
from fabric_drift.intent.nic import CC_MODES, NicProfile
from fabric_drift.intent.policy import Policy, marked_class
from fabric_drift.intent.ports import PortView

SENDS_CNPS = ("dcqcn", "ecn_only")
WITHOUT_PFC = ("ecn_only", "off")


def check_nic(view: PortView, faults: Faults) -> None:
    """One distinct policy of a host's port."""
    if not view.device.is_host:
        return
    policy = view.policy
    if policy.profile is None:
        faults.add("FD-INT-004", view.intent.path, f"{view.name} has no NIC profile", "Say nic in one of its layers")
        return
    if not faults.once(("profile", policy.profile_name, policy.pfc_priorities)):
        return
    path = ("nic_profiles", policy.profile_name)
    lossless = sorted(item.name for item in policy.classes if item.lossless)
    mode = policy.profile.cc_mode
    if lossless and mode in WITHOUT_PFC:
        problem = f"{mode} means {CC_MODES[mode]}, and the class {lossless[0]} is lossless"
        faults.add("FD-INT-041", (*path, "cc_mode"), problem)
    _check_cnp(policy, policy.profile, faults)
    if marked_class(policy) is None:
        problem = "the class that unmarked RDMA traffic gets is not clear"
        faults.add("FD-INT-004", path, problem, "Say marks_class")


def _check_cnp(policy: Policy, profile: NicProfile, faults: Faults) -> None:
    if profile.cc_mode not in SENDS_CNPS:
        return
    cnp = next((item for item in policy.classes if item.kind == "cnp"), None)
    if cnp is None:
        path: tuple[str, ...] = ("nic_profiles", policy.profile_name, "cc_mode")
        faults.add("FD-INT-040", path, f"{profile.cc_mode} sends CNPs, and the port carries no class of kind cnp")
    elif len(cnp.dscps) != 1:
        path = ("classes", cnp.name, "dscp")
        faults.add("FD-INT-040", path, f"a NIC marks CNPs with one DSCP, and {cnp.name} has {len(cnp.dscps)}")
