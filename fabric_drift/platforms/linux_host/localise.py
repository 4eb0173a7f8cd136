"""Expected state as an mlx5 NIC would show it; what a host can't express is Unsupported, never dropped."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fabric_drift.errors import Unsupported
from fabric_drift.platform import Target
from fabric_drift.platforms.linux_host.dcb import DSCPS, PRIORITIES, reduced
from fabric_drift.platforms.linux_host.firmware import plain_value
from fabric_drift.platforms.linux_host.render import JOB_FILES
from fabric_drift.platforms.linux_host.sysfs import NOTIFICATION, REACTION
from fabric_drift.state.device import Dcqcn, DeviceState, Nic, Pfc, Port, PortQos, QosMaps
from fabric_drift.state.tree import is_subtree
from fabric_drift.state.values import ABSENT, UNSAID, NotApplicable

LONGEST_CABLE_M = 999
"""mlx5 takes 1 to 999 m; 0 is ignored, from 1000 on refused (en_dcbnl.c, MLX5E_MAX_CABLE_LENGTH)."""

LIMITS = {"rdma_cm_tos": 255, "traffic_class": 255, "cnp_dscp": 63, "cnp_priority": 7}
DCQCN_RANGES = {
    "clamp_tgt_rate": (0, 1),
    "clamp_tgt_rate_after_time_inc": (0, 1),
    "dce_tcp_g": (0, 1023),
    "dce_tcp_rtt": (1, 131_071),
    "initial_alpha_value": (1, 1023),
    "rate_reduce_monitor_period": (1, 2**32 - 1),
    "rpg_min_dec_fac": (0, 100),
    "rpg_min_rate": (1, 2**32 - 1),
}
"""Lowest and highest value, in the units of the kernel's files. Source: NVIDIA DOCA 3.4, DCQCN parameters."""

SWITCH_MAPS = (
    "dscp_to_tc",
    "pcp_to_tc",
    "tc_to_queue",
    "tc_to_priority_group",
    "pfc_priority_to_queue",
    "pfc_priority_to_priority_group",
    "tc_to_dscp",
)
WORDS = {"True": "1", "False": "0", "IB": "1", "ETH": "2"}
"""Enum words of mlxconfig whose number is the same for every parameter; others are written as numbers."""


class _Place:
    """Where an Unsupported is raised: the device and the path so far."""

    def __init__(self, device: str, *path: str) -> None:
        self.device, self.path = device, path

    def __truediv__(self, name: str) -> _Place:
        return _Place(self.device, *self.path, name)

    def refuse(self, problem: str, remedy: str) -> Unsupported:
        """Error for this place."""
        return Unsupported(problem, where=self.device, what="/".join(self.path), remedy=remedy, code="FD-HST-001")


def localise(expected: DeviceState, target: Target) -> DeviceState:
    """Put ``expected`` as a Linux host shows it; shared policies stay shared. Raises Unsupported."""
    root = _Place(target.device)
    for name in ("pools", "watchdog"):
        if _has_content(getattr(expected, name)):
            raise (root / name).refuse("a host has no such thing", "Leave it to switch roles")
    if isinstance(expected.buffer_model, str):
        raise (root / "buffer_model").refuse("a NIC has no buffer model", "Leave it to switch roles")
    ports: Any = expected.ports
    if is_subtree(ports):
        known: dict[int, PortQos] = {}
        ports = {name: _port(port, root / "ports" / name, known) for name, port in sorted(ports.items())}
    return replace(expected, ports=ports, job=_job(expected.job, root / "job"))


def _has_content(value: Any) -> bool:
    return is_subtree(value) and any(True for _ in _said(value))


def _said(value: Any) -> list[Any]:
    items = value.values() if isinstance(value, Mapping) else [getattr(value, name) for name in value.__slots__]
    return [item for item in items if item is not UNSAID and item is not ABSENT]


def _job(job: Any, place: _Place) -> Any:
    if not is_subtree(job):
        return job
    for name, value in job.items():
        if not name.startswith(tuple(JOB_FILES)) or not re.fullmatch(r"[A-Z][A-Z0-9_]{0,63}", name):
            raise (place / name).refuse("no file is known for this variable", "Use names that start with NCCL_ or UCX_")
        if not isinstance(value, str) or not re.fullmatch(r"[\x21-\x7e]([\x20-\x7e]{0,398}[\x21-\x7e])?", value):
            raise (place / name).refuse("not a value that a line of a file can hold", "Use printable text on one line")
    return dict(sorted(job.items()))


def _port(port: Port, place: _Place, known: dict[int, PortQos]) -> Port:
    qos: Any = port.qos
    if isinstance(qos, PortQos):
        if id(qos) not in known:
            known[id(qos)] = _qos(qos, place / "qos")
        qos = known[id(qos)]
    return replace(port, qos=qos, nic=_nic(port.nic, place / "nic") if isinstance(port.nic, Nic) else port.nic)


def _qos(qos: PortQos, place: _Place) -> PortQos:
    for name in ("queues", "priority_groups"):
        if _has_content(getattr(qos, name)):
            raise (place / name).refuse("a NIC has no such thing", "Leave it to switch roles")
    if qos.trust not in ("dscp", "pcp", UNSAID):
        raise (place / "trust").refuse(f"a NIC can't trust {qos.trust}", "Use dscp or pcp")
    cable = qos.cable_length_m
    if isinstance(cable, int) and not 1 <= cable <= LONGEST_CABLE_M:
        raise (place / "cable_length_m").refuse(
            f"{cable} m is not 1 to {LONGEST_CABLE_M} m", "Use a length that mlx5 takes"
        )
    if qos.dcbx not in ("off", "firmware", UNSAID):
        raise (place / "dcbx").refuse(f"{qos.dcbx} needs lldpad, which isn't configured", "Use off or firmware")
    maps = _maps(qos.maps, qos.trust, place / "maps") if isinstance(qos.maps, QosMaps) else qos.maps
    return replace(
        qos,
        maps=maps,
        pfc=_pfc(qos.pfc, place / "pfc") if isinstance(qos.pfc, Pfc) else qos.pfc,
        scheduling=_scheduling(qos.scheduling, place / "scheduling"),
        receive_buffers_bytes=_filled(qos.receive_buffers_bytes, PRIORITIES, 0),
        queues=UNSAID,
        priority_groups=UNSAID,
    )


def _pfc(pfc: Pfc, place: _Place) -> Pfc:
    if is_subtree(pfc.watchdog):
        raise (place / "watchdog").refuse(
            "a NIC's stall prevention isn't managed", "Leave the watchdog to switch roles"
        )
    if pfc.asymmetric is True:
        raise (place / "asymmetric").refuse("mlx5 sends and takes pauses for the same priorities", "Use symmetric PFC")
    return replace(pfc, watchdog=UNSAID, asymmetric=UNSAID)


def _maps(maps: QosMaps, trust: Any, place: _Place) -> QosMaps:
    for name in SWITCH_MAPS:
        if is_subtree(getattr(maps, name)):
            raise (place / name).refuse(
                "a map of switches", "Use dscp_to_priority, priority_to_tc and priority_to_buffer"
            )
    dscp = _filled(maps.dscp_to_priority, DSCPS, 0)
    if trust == "pcp" and is_subtree(dscp):
        dscp = NotApplicable("the NIC trusts PCP")
    default_tc = maps.priority_to_tc.get(0, 0) if is_subtree(maps.priority_to_tc) else 0  # type: ignore[union-attr]
    return replace(
        maps,
        dscp_to_priority=dscp,
        priority_to_tc=_filled(maps.priority_to_tc, PRIORITIES, default_tc),
        priority_to_buffer=_filled(maps.priority_to_buffer, PRIORITIES, 0),
        **dict.fromkeys(SWITCH_MAPS, UNSAID),
    )


def _filled(mapping: Any, keys: range, default: int) -> Any:
    """Give ``mapping`` an entry for every key: an unlisted DSCP has priority 0, an unlisted buffer no bytes."""
    return {key: mapping.get(key, default) for key in keys} if is_subtree(mapping) else mapping


def _scheduling(shares: Any, place: _Place) -> Any:
    """Scheduling in whole percents.

    A class that the intent doesn't schedule gets ETS with 0 %, which is said by leaving it out. Without any
    share that isn't possible (the driver refuses ETS percents that sum to 0), so then all classes are strict.
    """
    if not isinstance(shares, tuple):
        return shares
    weights = {tc: share for tc, share in shares if isinstance(share, int) and share}
    if not weights:
        others = [tc for tc, share in shares if share != "strict"]
        if others:
            raise place.refuse("no traffic class has a share", "Give a bandwidth share to a class that isn't strict")
        return tuple((tc, "strict") for tc in PRIORITIES)
    return reduced(tuple(sorted({**dict(shares), **_percents(weights, place)}.items())))


def _percents(weights: Mapping[int, int], place: _Place) -> dict[int, int]:
    """Whole percents that sum to 100, by largest remainder: ETS knows no others."""
    total = sum(weights.values())
    percents = {tc: weight * 100 // total for tc, weight in weights.items()}
    by_remainder = sorted(weights, key=lambda tc: (-(weights[tc] * 100 % total), tc))
    for tc in by_remainder[: 100 - sum(percents.values())]:
        percents[tc] += 1
    for tc in weights:
        if not percents[tc]:
            raise place.refuse(f"the share of traffic class {tc} is below 1 %", "Use shares of at least 1 %")
    return percents


def _nic(nic: Nic, place: _Place) -> Nic:
    for name, highest in LIMITS.items():
        value = getattr(nic, name)
        if isinstance(value, int) and not 0 <= value <= highest:
            raise (place / name).refuse(f"{value} is not 0 to {highest}", "Use a value in range")
    if isinstance(nic.dcqcn, Dcqcn):
        for side, known in (("notification", NOTIFICATION), ("reaction", REACTION)):
            _check_parameters(getattr(nic.dcqcn, side), known, place / "dcqcn" / side)
    return replace(nic, firmware_parameters=_firmware(nic.firmware_parameters, place / "firmware_parameters"))


def _check_parameters(parameters: Any, known: tuple[str, ...], place: _Place) -> None:
    if not is_subtree(parameters):
        return
    for name, value in parameters.items():
        if name not in known:
            raise (place / name).refuse("not a DCQCN parameter of mlx5", f"Use one of {', '.join(known)}")
        lowest, highest = DCQCN_RANGES.get(name, (0, 2**32 - 1))
        if isinstance(value, int) and not lowest <= value <= highest:
            raise (place / name).refuse(f"{value} is not {lowest} to {highest}", "Use a value in range")


def _firmware(parameters: Any, place: _Place) -> Any:
    if not is_subtree(parameters):
        return parameters
    found: dict[str, str] = {}
    for name, value in sorted(parameters.items()):
        plain = plain_value(WORDS.get(str(value), str(value)))
        if not re.fullmatch(r"[A-Z][A-Za-z0-9_]{0,63}(\[\d{1,3}\])?", name):
            raise (place / name).refuse("not a name of mlxconfig", "Use the name that `mlxconfig q` shows")
        if not isinstance(plain, str) or not plain.isdecimal():
            raise (place / name).refuse(
                f"{str(value)!r} is not a number", "Write the number that `mlxconfig q` shows in brackets"
            )
        found[name] = plain
    return found
