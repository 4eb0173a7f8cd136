"""NIC profiles against the classes: congestion control, CNPs, the marked class."""

from __future__ import annotations

from fabric_drift.intent.fabric import Device, Fabric
from fabric_drift.intent.faults import Faults
from fabric_drift.intent.nic import CC_MODES, NicProfile, marking_byte
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


def check_host(fabric: Fabric, device: Device, ports: list[PortView], faults: Faults) -> None:
    """The environment of jobs: one marking for all NICs of a host, and names for the HCA list."""
    job = fabric.document.job
    if job is None or not device.is_host or not faults.once(("job", device.entry)):
        return
    path = ("job", "class")
    bytes_found = set()
    for port in ports:
        dscps = next((item.dscps for item in port.policy.classes if item.name == job.class_), ())
        if port.policy.profile is None:
            return  # told by check_nic
        if not dscps:
            faults.add("FD-INT-049", path, f"{device.name} {port.name} carries no DSCP of {job.class_}")
            return
        bytes_found.add(marking_byte(dscps[0], port.policy.profile))
    if len(bytes_found) > 1:
        values = " and ".join(str(byte) for byte in sorted(bytes_found))
        faults.add("FD-INT-049", path, f"the NICs of {device.name} would mark jobs with {values}")
    nameless = [port.name for port in ports if port.intent.rail and not port.intent.rail.rdma_device]
    if "NCCL_IB_HCA" in job.derived and nameless:
        problem = f"NCCL_IB_HCA needs the rdma_device of {device.name} {nameless[0]}"
        faults.add("FD-INT-049", ("job", "derived"), problem, "Write rdma_device for every rail")


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
