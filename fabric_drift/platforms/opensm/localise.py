"""What OpenSM 3.3 can't do is refused before anything is pushed: it would do something else without a word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fabric_drift.errors import Unsupported
from fabric_drift.platform import Rendered, Target
from fabric_drift.platforms.opensm import options, partitions, qos_policy
from fabric_drift.state.device import DeviceState
from fabric_drift.state.infiniband import Infiniband, Partition
from fabric_drift.state.opensm_options import OPTIONS
from fabric_drift.state.values import is_said

ENGINES = (
    "minhop",
    "updn",
    "dnup",
    "file",
    "ftree",
    "lash",
    "dor",
    "torus-2QoS",
    "nue",
    "dfsssp",
    "sssp",
    "no_fallback",
)
NVIDIA_ENGINES = ("ar_updn",)
"""Default of NVIDIA's OpenSM 5 (NVIDIA, "InfiniBand Cluster Bring-up", Adaptive Routing); never seen at work."""
NVIDIA = "nvidia-5"
RELEASES = ("3.3.23",)
GUID_FILES = {"root": "root_guids.conf", "compute": "cn_guids.conf", "io": "io_guids.conf"}
"""Kind of GUIDs -> file in /etc/opensm."""


def localise(expected: DeviceState, target: Target) -> DeviceState:
    """``expected``, after everything that OpenSM would silently turn into something else was refused.

    Raises Unsupported.
    """
    state = expected.infiniband
    if not isinstance(state, Infiniband):
        return expected
    if is_said(state.options):
        _check_options(state.options, target)  # type: ignore[arg-type]
    if is_said(state.partitions):
        for pkey, partition in state.partitions.items():  # type: ignore[union-attr]
            _check_partition(pkey, partition, target)
    if is_said(state.qos_policy):
        _check_policy(state, target)
    return replace(expected, infiniband=state)


def _refuse(target: Target, what: str, problem: str, remedy: str) -> Unsupported:
    return Unsupported(problem, where=target.device, what=what, remedy=remedy, code="FD-OSM-001")


def _check_options(wanted: Mapping[str, Any], target: Target) -> None:
    for name, value in wanted.items():
        if name not in OPTIONS:
            remedy = "Leave it out, or use a subnet manager that has it"
            raise _refuse(target, f"options/{name}", f"OpenSM 3.3 has no option {name}", remedy)
        try:
            if name not in ("m_key", "sm_key", "sa_key", "cc_key"):
                OPTIONS[name].value(options.written(name, value))
        except ValueError as error:
            raise _refuse(target, f"options/{name}", str(error), "Correct the value") from None
    engines = str(wanted.get("routing_engine") or "").split(",") if is_said(wanted.get("routing_engine", "")) else []
    known = ENGINES + (NVIDIA_ENGINES if target.hardware == NVIDIA else ())
    for engine in engines:
        if engine and engine not in known:
            raise _refuse(
                target, "options/routing_engine", f"OpenSM 3.3 has no routing engine {engine}: it would take minhop",
                f"Use one of {', '.join(known)}",
            )  # fmt: skip
    if "ftree" in engines and wanted.get("lmc", 0) != 0:
        problem = "ftree routes with lmc 0 only: OpenSM would take minhop"
        raise _refuse(target, "options/lmc", problem, "Set lmc to 0 or use another engine")


def _check_policy(state: Infiniband, target: Target) -> None:
    """The policy is read back as it was meant, and names no P_Key that OpenSM wouldn't know."""
    lines: tuple[str, ...] = state.qos_policy  # type: ignore[assignment]
    found = qos_policy.parse(qos_policy.render(lines))
    if found.faults:
        raise _refuse(target, "qos_policy", f"{found.faults[0].line}: {found.faults[0].reason}", "Correct the rule")
    known: Mapping[str, Any] = state.partitions if is_said(state.partitions) else {}  # type: ignore[assignment]
    for _, key in found.pkeys:
        if is_said(state.partitions) and key not in known:
            remedy = "Define the partition, or take the rule away"
            raise _refuse(target, "qos_policy", f"no partition has {key}: OpenSM drops the rule (ERR AC14)", remedy)


def _check_partition(pkey: str, partition: Partition, target: Target) -> None:
    text = partitions.render({pkey: partition})
    found = partitions.parse(text)
    if found.faults:
        raise _refuse(target, f"partitions/{pkey}", found.faults[0].reason, "Correct the partition")


def render(expected: DeviceState, _target: Target) -> tuple[Rendered, ...]:
    """The files of an SM node, those that the intent says."""
    state = expected.infiniband
    if not isinstance(state, Infiniband):
        return ()
    files: list[Rendered] = []
    if is_said(state.options):
        files.append(Rendered("opensm.conf", options.render(state.options)))  # type: ignore[arg-type]
    if is_said(state.partitions):
        files.append(Rendered("partitions.conf", partitions.render(state.partitions)))  # type: ignore[arg-type]
    if is_said(state.qos_policy) and state.qos_policy:
        files.append(Rendered("qos-policy.conf", qos_policy.render(state.qos_policy)))  # type: ignore[arg-type]
    if is_said(state.guid_files):
        for kind, guids in sorted(state.guid_files.items()):  # type: ignore[union-attr]
            files.append(Rendered(GUID_FILES[kind], "".join(f"{guid}\n" for guid in guids)))
    return tuple(files)
