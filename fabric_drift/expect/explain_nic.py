"""Explanations of facts that only NIC ports and hosts have."""

from __future__ import annotations

from collections.abc import Iterator

from fabric_drift.expect.nic import firmware_parameters, marking
from fabric_drift.expect.steps import Question, Step, inherited
from fabric_drift.intent.fabric import TreePath
from fabric_drift.intent.policy import PortClass, marked_class


def profile(question: Question) -> TreePath:
    """Where the NIC profile of the port is written."""
    return ("nic_profiles", question.port.policy.profile_name)


def profile_key(key: str) -> object:
    """An explainer of a fact that the profile says as it is."""

    def explain(question: Question) -> Iterator[Step]:
        yield from inherited(question, "nic", name="NIC profile")
        value = getattr(question.port.policy.profile, key)
        yield question.said(f"{key} of {question.port.policy.profile_name}", value, (*profile(question), key))

    return explain


def rail(question: Question) -> Iterator[Step]:
    """The NIC as the hardware lists it."""
    nic = question.port.intent.rail
    if nic is None:
        return
    entry = question.fabric.document.devices[question.device.entry]
    own = entry.rails is not None
    path: TreePath = ("devices", question.device.entry) if own else ("hardware", question.device.hardware)
    rails = entry.rails if own else question.fabric.document.hardware[question.device.hardware].rails  # type: ignore[union-attr]
    assert rails is not None
    yield question.said(f"rail {nic.rail}", nic.key, (*path, "rails", rails.index(nic)))


def traffic_class(question: Question) -> Iterator[Step]:
    """DSCP of the marked class, shifted, plus the ECN bits."""
    policy = question.port.policy
    name = marked_class(policy)
    item = next(item for item in policy.classes if item.name == name)
    yield _dscp(question, item)
    assert policy.profile is not None
    byte = marking(policy)
    bits = policy.profile.ecn_bits
    formula = f"{item.dscps[0]} << 2 | {byte & 3} ({bits}) = {byte}"
    is_written = "ecn_bits" in policy.profile.model_fields_set
    path = (*profile(question), "ecn_bits") if is_written else profile(question)
    yield Step(formula, byte, question.source(path), decides=is_written)


def _dscp(question: Question, item: PortClass) -> Step:
    entry = question.fabric.document.classes[item.name]
    policy = question.port.policy
    path: TreePath = ("classes", item.name, "dscp")
    if policy.profile and policy.profile.family in getattr(entry, "dscp_by_nic", {}):
        path = ("classes", item.name, "dscp_by_nic", policy.profile.family)
    return question.said(f"DSCP of {item.name}", item.dscps, path)


def cnp(question: Question) -> Iterator[Step]:
    """The CNP class, where the mode sends CNPs."""
    yield from profile_key("cc_mode")(question)  # type: ignore[operator]
    for item in question.port.policy.classes:
        if item.kind == "cnp":
            yield _dscp(question, item)
            if question.path[-1] == "cnp_priority":
                yield question.said(f"priority of {item.name}", item.priority, ("classes", item.name, "priority"))


def dcqcn(question: Question) -> Iterator[Step]:
    """The mode, then the parameter or the RDMA classes."""
    yield from profile_key("cc_mode")(question)  # type: ignore[operator]
    last = question.path[-1]
    if last.endswith("_priorities"):
        for item in question.port.policy.classes:
            if item.kind == "rdma":
                yield question.said(f"priority of {item.name}", item.priority, ("classes", item.name, "priority"))
    elif len(question.path) > 5:  # noqa: PLR2004 - ports/X/nic/dcqcn/reaction/NAME
        group = getattr(question.port.policy.profile.dcqcn, question.path[4])  # type: ignore[union-attr]
        path = (*profile(question), "dcqcn", question.path[4], last)
        yield question.said(last, getattr(group, last, None), path)


def rdma_without_pfc(question: Question) -> Iterator[Step]:
    """RDMA is to have PFC because its classes are lossless."""
    rdma = [item for item in question.port.policy.classes if item.kind == "rdma"]
    for item in rdma:
        yield question.said(f"{item.name} is lossless", item.lossless, ("classes", item.name, "lossless"))
    last = question.source(("classes", rdma[-1].name, "lossless"))
    yield Step("RDMA leaves in priorities without PFC", False, last, decides=False)


def firmware(question: Question) -> Iterator[Step]:
    """A parameter of the profile, or a runtime value that persists."""
    last = question.path[-1]
    given = question.port.policy.profile.firmware_parameters  # type: ignore[union-attr]
    key = ("firmware_parameters", last) if last in given else ("persist",)
    value = firmware_parameters(question.port.policy).get(last)
    yield question.said(f"{last} of {question.port.policy.profile_name}", value, (*profile(question), *key))


def job(question: Question) -> Iterator[Step]:
    """The class of the job and how the variable comes from it, or the variable as it is."""
    wanted = question.fabric.document.job
    assert wanted is not None
    last = question.path[-1]
    if last in wanted.environment:
        yield question.said(last, wanted.environment[last], ("job", "environment", last))
    elif last == "NCCL_IB_HCA":
        yield question.said(
            "RDMA devices of the rails", question.value, ("hardware", question.device.hardware, "rails")
        )
    else:
        name = wanted.class_
        yield question.said("class of jobs", name, ("job", "class"))
        yield question.said(f"DSCP of {name} << 2 | ECN bits", question.value, ("classes", name, "dscp"))
