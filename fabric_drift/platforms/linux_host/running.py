"""The running layer of one mlx5 NIC, put together from ``dcb`` (or ``mlnx_qos``), ``ethtool`` and sysfs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from fabric_drift.finding import Layer
from fabric_drift.platform import Output
from fabric_drift.platforms.linux_host import commands, dcb, sysfs
from fabric_drift.platforms.linux_host.answers import (
    LONGEST_ANSWER,
    NO_SUCH_FILE,
    Problem,
    Problems,
    lacks_command,
    unseen,
)
from fabric_drift.platforms.linux_host.dcb import Read
from fabric_drift.platforms.linux_host.discovery import LIST_RDMA, MlxNic
from fabric_drift.platforms.linux_host.files import Files
from fabric_drift.platforms.linux_host.links import Link, read_fec, read_pause
from fabric_drift.platforms.linux_host.mlnx_qos import read_mlnx_qos
from fabric_drift.platforms.linux_host.owner import dcb_owner, dcbx_of, lldpad_runs
from fabric_drift.state.device import Dcqcn, Nic, Pfc, Port, PortQos, QosMaps
from fabric_drift.state.values import ABSENT, Missing, Unobserved

Parameters = Mapping[str, "str | Missing"]

INFINIBAND = Unobserved("an InfiniBand port, which has no Ethernet QoS")

_READERS: Mapping[str, tuple[Callable[[str], Read], tuple[str, ...], tuple[str, ...]]] = {
    "pfc": (dcb.read_pfc, ("priorities", "cable_length_m"), ("qos", "pfc")),
    "ets": (dcb.read_ets, ("priority_to_tc", "scheduling"), ("qos",)),
    "app": (dcb.read_app, ("dscp",), ("qos", "maps", "dscp_to_priority")),
    "buffer": (dcb.read_buffer, ("priority_to_buffer", "receive_buffers_bytes"), ("qos",)),
    "dcbx": (dcb.read_dcbx, ("flags",), ("qos", "dcbx")),
}
"""Object of dcb -> reader, names of its facts, and where its problems belong."""


def running_port(
    outputs: Mapping[str, Output], nic: MlxNic, link: Link, current: Parameters | None, problems: Problems
) -> Port:
    """Everything about a NIC that has a netdev, except its neighbour."""
    port = ("ports", nic.pci)
    seen = _dcb_facts(outputs, nic, problems)
    command = commands.sysfs_text(nic.netdev, nic.rdma_device)
    files = sysfs.nic_files(nic, outputs.get(command))
    strays = tuple(Problem(line, "not a line of grep -H", (), number) for number, line in files.strays)
    identity, rdma_cm = sysfs.read_identity(nic, files), sysfs.read_rdma_cm(nic, files)
    problems.add(Layer.RUNNING, command, port, (*strays, *identity.problems, *rdma_cm.problems))
    seen = _checked_by_sysfs(nic, files, seen, problems)
    pause = _ethtool(outputs, commands.pause_text(nic.netdev), read_pause, problems, port)
    lldpad = lldpad_runs(outputs)
    down = Unobserved("the link is down") if link.oper_up is False else None
    return Port(
        admin_up=link.admin_up,
        oper_up=link.oper_up,
        speed_mbps=identity.facts["speed_mbps"],
        mtu_bytes=link.mtu_bytes,
        fec=down or _ethtool(outputs, commands.fec_text(nic.netdev), read_fec, problems, port),
        qos=INFINIBAND if identity.facts.get("link_layer") == "InfiniBand" else _shared_qos(seen, pause, lldpad),
        nic=Nic(
            netdev=nic.netdev,
            rdma_device=nic.rdma_device or rdma_missing(outputs, nic),
            driver="mlx5_core",
            dcb_owner=dcb_owner(outputs, nic.netdev, seen["flags"]),
            **{name: identity.get(name) for name in ("family", "firmware", "guid")},
            **{name: rdma_cm.get(name) for name in ("roce_mode", "rdma_cm_tos", "traffic_class")},
            **_congestion(outputs, nic, files, current, problems),
        ),
    )


def rdma_missing(outputs: Mapping[str, Output], nic: MlxNic) -> Missing:
    """Why a NIC has no RDMA device here: ABSENT only where the list was seen and doesn't name one."""
    if nic.several_rdma:
        return Unobserved("the NIC has several RDMA devices")
    reason = unseen(LIST_RDMA, outputs.get(LIST_RDMA))
    gone = reason is not None and NO_SUCH_FILE in reason.reason
    return reason if reason and not gone else ABSENT


def _dcb_facts(outputs: Mapping[str, Output], nic: MlxNic, problems: Problems) -> dict[str, Any]:
    """Facts of ``dcb``, by name; of ``mlnx_qos`` where there is no ``dcb``."""
    fallback = commands.mlnx_qos_text(nic.netdev)
    if lacks_command(outputs.get(commands.dcb_text("pfc", nic.netdev))) and fallback in outputs:
        return _mlnx_qos_facts(outputs, nic, problems)
    seen: dict[str, Any] = {}
    for kind, (reader, names, below) in _READERS.items():
        command = commands.dcb_text(kind, nic.netdev)
        reason = unseen(command, outputs.get(command), LONGEST_ANSWER)
        if reason:
            seen.update(dict.fromkeys(names, reason))
            continue
        read = reader(outputs[command].stdout)
        placed = tuple(Problem(item.line, item.reason, below, item.line_number) for item in read.problems)
        problems.add(Layer.RUNNING, command, ("ports", nic.pci), placed)
        seen.update({name: read.get(name) for name in names})
    seen["trust"] = dcb.trust_of(seen["dscp"])
    return seen


def _mlnx_qos_facts(outputs: Mapping[str, Output], nic: MlxNic, problems: Problems) -> dict[str, Any]:
    command = commands.mlnx_qos_text(nic.netdev)
    names = (*(name for _, names, _ in _READERS.values() for name in names), "trust")
    reason = unseen(command, outputs.get(command), LONGEST_ANSWER)
    if reason:
        return dict.fromkeys(names, reason)
    read = read_mlnx_qos(outputs[command].stdout)
    placed = tuple(Problem(item.line, item.reason, ("qos",), item.line_number) for item in read.problems)
    problems.add(Layer.RUNNING, command, ("ports", nic.pci), placed)
    return {name: read.facts.get(name, Unobserved("mlnx_qos isn't readable")) for name in names}


def _checked_by_sysfs(nic: MlxNic, files: Files, seen: dict[str, Any], problems: Problems) -> dict[str, Any]:
    """``qos/trust`` of older OFED drivers is a second voice: where it says otherwise, nobody is believed."""
    path = f"/sys/class/net/{nic.netdev}/qos/trust"
    second = files.value(path)
    if not isinstance(second, str) or second.strip() == seen["trust"]:
        return seen
    if isinstance(seen["trust"], Unobserved) and second.strip() in {"dscp", "pcp"}:
        return {**seen, "trust": second.strip()}
    trouble = Problem(f"{path}:{second}", f"the APP table says {seen['trust']}", ("qos", "trust"))
    problems.add(Layer.RUNNING, files.command, ("ports", nic.pci), (trouble,))
    return {**seen, "trust": Unobserved("qos/trust and the APP table contradict each other")}


def _ethtool(
    outputs: Mapping[str, Output],
    command: str,
    reader: Callable[[str], tuple[Any, tuple[Problem, ...]]],
    problems: Problems,
    port: tuple[str, ...],
) -> Any:
    reason = unseen(command, outputs.get(command), LONGEST_ANSWER)
    if reason:
        return reason
    value, trouble = reader(outputs[command].stdout)
    problems.add(Layer.RUNNING, command, port, trouble)
    return value


def _shared_qos(seen: Mapping[str, Any], pause: Any, lldpad: bool | Unobserved) -> PortQos:
    """One object for all NICs that are set alike: the readers return the same objects for the same text."""
    return _qos(_Held(tuple(seen[name] for name in _ORDER)), pause, lldpad)


_ORDER = (
    "trust",
    "dscp",
    "priority_to_tc",
    "priority_to_buffer",
    "priorities",
    "scheduling",
    "receive_buffers_bytes",
    "cable_length_m",
    "flags",
)


class _Held:
    """Values compared by identity (maps) or equality (the rest): a key for a cache, which keeps them alive."""

    __slots__ = ("_key", "values")

    def __init__(self, values: tuple[Any, ...]) -> None:
        self.values = values
        self._key = tuple(id(value) if isinstance(value, dict) else value for value in values)

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held) and self._key == other._key


@lru_cache(maxsize=512)
def _qos(held: _Held, pause: Any, lldpad: bool | Unobserved) -> PortQos:
    seen = dict(zip(_ORDER, held.values, strict=True))
    dcbx, willing = dcbx_of(seen["flags"], lldpad)
    return PortQos(
        trust=seen["trust"],
        maps=QosMaps(
            dscp_to_priority=_dscp_to_priority(seen["trust"], seen["dscp"]),
            priority_to_tc=seen["priority_to_tc"],
            priority_to_buffer=seen["priority_to_buffer"],
        ),
        pfc=Pfc(priorities=seen["priorities"]),
        global_pause=pause,
        scheduling=seen["scheduling"],
        receive_buffers_bytes=seen["receive_buffers_bytes"],
        cable_length_m=seen["cable_length_m"],
        dcbx=dcbx,
        dcbx_willing=willing,
    )


def _dscp_to_priority(trust: Any, entries: Any) -> Any:
    """ABSENT where DSCP isn't trusted: no DSCP leads to a priority then."""
    if isinstance(entries, Unobserved):
        return entries
    if isinstance(trust, Unobserved):
        return trust
    return dcb.effective_dscp_map(entries) if trust == "dscp" else ABSENT


def _congestion(
    outputs: Mapping[str, Output], nic: MlxNic, files: Files, current: Parameters | None, problems: Problems
) -> dict[str, Any]:
    """CNP marking and DCQCN, from ``ecn/`` or else from debugfs."""
    if files.below(f"/sys/class/net/{nic.netdev}/ecn"):
        read, command = sysfs.read_ecn(nic, files), files.command
    elif files.trouble:
        reason = Unobserved(files.trouble)
        return {"cnp_dscp": reason, "cnp_priority": reason, "dcqcn": reason}
    else:
        debug = sysfs.debug_files(nic, outputs.get(commands.cc_params_text(nic.pci)))
        read, command = sysfs.read_cc_params(debug), debug.command
    problems.add(Layer.RUNNING, command, ("ports", nic.pci), read.problems)
    return {**read.facts, "dcqcn": _with_firmware_mask(read.facts["dcqcn"], current)}


def _with_firmware_mask(dcqcn: Any, current: Parameters | None) -> Any:
    """Fill in what the inbox driver doesn't show: the firmware parameter ROCE_CC_PRIO_MASK is for both sides."""
    mask = (current or {}).get("ROCE_CC_PRIO_MASK_P1")
    hidden = isinstance(dcqcn, Dcqcn) and isinstance(dcqcn.notification_priorities, Unobserved)
    if not hidden or not isinstance(mask, str) or not mask.isdecimal() or int(mask) > 255:  # noqa: PLR2004 - 8 bits
        return dcqcn
    priorities = tuple(priority for priority in range(8) if int(mask) >> priority & 1)
    return Dcqcn(priorities, priorities, dcqcn.notification, dcqcn.reaction)
