"""Expected state of NIC ports, and the environment of jobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabric_drift.expect import link
from fabric_drift.expect.maps import nic_maps
from fabric_drift.expect.policy import or_unsaid, scheduling
from fabric_drift.intent.base import Model
from fabric_drift.intent.fabric import Fabric
from fabric_drift.intent.nic import DcqcnParameters, NicProfile, job_environment, marking_byte
from fabric_drift.intent.policy import Policy, marked_class
from fabric_drift.intent.ports import PortView
from fabric_drift.state.device import Dcqcn, Nic, Pfc, Port, PortQos
from fabric_drift.state.values import UNSAID, NotApplicable

RUNS_DCQCN = ("dcqcn", "ecn_only")
PCC_REASON = "programmable congestion control is active, so DCQCN parameters have no effect"
"""Source: NVIDIA DOCA 3.4, "DCQCN CC Parameters": ZTR-RTT, Spectrum-X and DOCA PCC replace DCQCN."""


def nic_port(fabric: Fabric, view: PortView) -> Port:
    """A managed port of a host."""
    resolved = view.policy.resolved
    return Port(
        admin_up=resolved.get("admin", default="up") == "up",
        oper_up=link.oper_up(fabric, view),
        speed_mbps=or_unsaid(view.speed_mbps),
        mtu_bytes=or_unsaid(resolved.get("mtu")),
        fec=or_unsaid(view.fec),
        qos=_shared_qos(fabric, view),
        nic=_nic(fabric, view),
    )


def _shared_qos(fabric: Fabric, view: PortView) -> PortQos:
    key = ("nic qos", id(view.policy), view.cable_m)
    known = fabric.memo.get(key)
    if known is None:
        known = fabric.memo[key] = _qos(view)
    return known


def _qos(view: PortView) -> PortQos:
    policy, resolved, profile = view.policy, view.policy.resolved, _profile(view.policy)
    sizes = profile.receive_buffers
    return PortQos(
        trust=resolved.get("trust", default="dscp"),
        maps=nic_maps(policy),
        pfc=Pfc(priorities=policy.pfc_priorities),
        global_pause=resolved.get("global_pause", default=False),
        scheduling=scheduling(policy, is_host=True),
        receive_buffers_bytes=UNSAID if sizes is None else dict(sorted(sizes.items())),
        cable_length_m=or_unsaid(view.cable_m),
        dcbx=or_unsaid(resolved.get("dcbx")),
        dcbx_willing=or_unsaid(resolved.get("dcbx_willing")),
    )


def _profile(policy: Policy) -> NicProfile:
    assert policy.profile is not None
    return policy.profile


def _nic(fabric: Fabric, view: PortView) -> Nic:
    policy, profile, rail = view.policy, _profile(view.policy), view.intent.rail
    byte = marking(policy)
    return Nic(
        netdev=or_unsaid(rail and rail.netdev),
        rdma_device=or_unsaid(rail and rail.rdma_device),
        guid=or_unsaid(rail and rail.guid),
        family=profile.family,
        firmware=profile.firmware[0] if len(profile.firmware) == 1 else UNSAID,
        dcb_owner=or_unsaid(profile.dcb_owner),
        congestion_control=_congestion_control(profile),
        rdma_without_pfc=_rdma_without_pfc(policy),
        roce_mode=or_unsaid(profile.roce_mode),
        rdma_cm_tos=byte if "rdma_cm" in profile.default_marking else UNSAID,
        traffic_class=byte if "verbs" in profile.default_marking else UNSAID,
        cnp_dscp=_cnp(policy, "dscp"),
        cnp_priority=_cnp(policy, "priority"),
        dcqcn=_shared_dcqcn(fabric, policy),
        firmware_parameters=firmware_parameters(policy) or UNSAID,
    )


def marking(policy: Policy) -> int:
    """Traffic class byte of unmarked RDMA traffic: the first DSCP of the marked class, shifted, plus ECN bits."""
    name = marked_class(policy)
    dscps = next(item.dscps for item in policy.classes if item.name == name)
    return marking_byte(dscps[0], _profile(policy))


def _congestion_control(profile: NicProfile) -> Any:
    if profile.cc_mode in RUNS_DCQCN:
        return "dcqcn"
    return "pcc" if profile.cc_mode == "pcc" else UNSAID


def _rdma_without_pfc(policy: Policy) -> Any:
    """RDMA isn't to be seen elsewhere where all of its classes are lossless."""
    rdma = [item for item in policy.classes if item.kind == "rdma"]
    return False if rdma and all(item.lossless for item in rdma) else UNSAID


def _cnp(policy: Policy, fact: str) -> Any:
    mode = _profile(policy).cc_mode
    if mode not in (*RUNS_DCQCN, "pcc"):
        return NotApplicable(f"cc_mode {mode} sends no CNPs")
    cnp = next((item for item in policy.classes if item.kind == "cnp"), None)
    if cnp is None:
        return UNSAID
    return cnp.dscps[0] if fact == "dscp" else cnp.priority


def _shared_dcqcn(fabric: Fabric, policy: Policy) -> Any:
    key = ("dcqcn", id(policy))
    if key not in fabric.memo:
        fabric.memo[key] = _dcqcn(policy)
    return fabric.memo[key]


def _dcqcn(policy: Policy) -> Any:
    profile = _profile(policy)
    if profile.cc_mode == "pcc":
        return NotApplicable(PCC_REASON)
    if profile.cc_mode in RUNS_DCQCN:
        priorities = policy.rdma_priorities
        notification, reaction = parameters(profile.dcqcn)
        return Dcqcn(priorities, priorities, notification or UNSAID, reaction or UNSAID)
    inert = NotApplicable(f"cc_mode {profile.cc_mode} runs no congestion control")
    return Dcqcn((), (), inert, inert)


def parameters(given: DcqcnParameters) -> tuple[dict[str, int], dict[str, int]]:
    """(notification, reaction) parameters that the intent says, by the kernel's names."""
    return _numbers(given.notification), _numbers(given.reaction)


def _numbers(model: Model) -> dict[str, int]:
    said = {name: getattr(model, name) for name in sorted(model.model_fields_set)}
    return {name: int(value) for name, value in said.items() if value is not None}


def firmware_parameters(policy: Policy) -> Mapping[str, str]:
    """Persistent parameters: with ``persist`` the runtime values, and what the profile says on top."""
    profile = _profile(policy)
    wanted: dict[str, str] = {}
    if profile.persist and profile.cc_mode in RUNS_DCQCN:
        cnp = next(item for item in policy.classes if item.kind == "cnp")
        mask = sum(1 << priority for priority in policy.rdma_priorities)
        notification, reaction = parameters(profile.dcqcn)
        runtime = {"roce_cc_prio_mask": mask, "cnp_dscp": cnp.dscps[0], "cnp_802p_prio": cnp.priority}
        wanted = {f"{name.upper()}_P1": str(value) for name, value in (runtime | notification | reaction).items()}
    return dict(sorted((wanted | profile.firmware_parameters).items()))


def job(fabric: Fabric, views: list[PortView]) -> Any:
    """Environment of jobs on a host, or UNSAID where it isn't managed."""
    wanted = fabric.document.job
    if wanted is None or not views:
        return UNSAID
    policy = views[0].policy
    dscps = next((item.dscps for item in policy.classes if item.name == wanted.class_), ())
    devices = [view.intent.rail.rdma_device or "" for view in views if view.intent.rail]
    return job_environment(wanted, marking_byte(dscps[0], _profile(policy)), devices)
