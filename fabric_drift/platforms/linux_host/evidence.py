"""Which command and which lines answered for a fact. Computed only when somebody asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from fabric_drift.finding import Evidence, Layer
from fabric_drift.platform import Output
from fabric_drift.platforms.linux_host import commands, counters
from fabric_drift.platforms.linux_host.answers import clip
from fabric_drift.platforms.linux_host.conf import KEYS
from fabric_drift.platforms.linux_host.discovery import IDENTITY, IP_LINK, LIST_NETDEVS, LIST_RDMA, Hardware, MlxNic
from fabric_drift.platforms.linux_host.saved import FOLDER, PARTS
from fabric_drift.platforms.linux_host.sysfs import DEBUGFS
from fabric_drift.state.values import Path

Place = tuple[str, ...]
"""A command, and texts that the deciding lines hold (none, or "": all of a short answer)."""

_MOST_LINES = 12
_EXCERPT = 240
_LISTS = (IP_LINK, commands.NEIGHBOURS)
"""JSON about all ports at once: quoted from the port's name on."""

_DCB = {
    ("qos", "trust"): "app",
    ("qos", "maps", "dscp_to_priority"): "app",
    ("qos", "maps", "priority_to_tc"): "ets",
    ("qos", "maps", "priority_to_buffer"): "buffer",
    ("qos", "pfc"): "pfc",
    ("qos", "cable_length_m"): "pfc",
    ("qos", "scheduling"): "ets",
    ("qos", "receive_buffers_bytes"): "buffer",
    ("qos", "dcbx"): "dcbx",
    ("qos", "dcbx_willing"): "dcbx",
}
_OF_LINK = (("admin_up",), ("oper_up",), ("mtu_bytes",))
_FILES = {
    ("nic", "cnp_dscp"): "ecn/roce_np/cnp_dscp:",
    ("nic", "cnp_priority"): "ecn/roce_np/cnp_802p_prio:",
    ("nic", "dcqcn", "notification_priorities"): "ecn/roce_np/enable/",
    ("nic", "dcqcn", "reaction_priorities"): "ecn/roce_rp/enable/",
    ("nic", "rdma_cm_tos"): "default_roce_tos:",
    ("nic", "roce_mode"): "default_roce_mode:",
    ("nic", "traffic_class"): "tc/1/traffic_class:",
    ("nic", "guid"): "node_guid:",
    ("nic", "firmware"): "fw_ver:",
    ("nic", "family"): "hca_type:",
    ("speed_mbps",): "/speed:",
}


def evidence_of(outputs: Mapping[str, Output], hardware: Hardware) -> Callable[[Layer, Path], tuple[Evidence, ...]]:
    """Make a function that finds evidence in ``outputs``."""
    nics = {nic.pci: nic for nic in hardware.mlx5}
    nics.update({pci: MlxNic(pci, netdev) for pci, netdev in hardware.others.items() if pci not in nics})

    def evidence(layer: Layer, path: Path) -> tuple[Evidence, ...]:
        if path[2:] == ("nic", "rdma_without_pfc") and path[1] in nics:
            return counters.evidence(outputs, nics[path[1]].netdev)
        found = (_quote(outputs, *place) for place in _places(layer, path, nics))
        return tuple(item for item in found if item)

    return evidence


def _quote(outputs: Mapping[str, Output], command: str, *needles: str) -> Evidence | None:
    output = outputs.get(command)
    if output is None:
        return None
    wire = _wire(command)
    if command in _LISTS:
        start = output.stdout.find("".join(needles))
        return Evidence(wire, (clip(output.stdout[start : start + _EXCERPT]),)) if start >= 0 else Evidence(wire)
    rows = [(number, line) for number, line in enumerate(output.stdout.splitlines(), start=1) if _has(line, needles)]
    lines = tuple(clip(line.rstrip()) for _, line in rows[:_MOST_LINES])
    if not lines:
        complaint = [line for line in output.stderr.splitlines() if line.strip()]
        return Evidence(wire, tuple(clip(line) for line in complaint[:_MOST_LINES]))
    return Evidence(wire, lines, rows[0][0])


def _has(line: str, needles: tuple[str, ...]) -> bool:
    return all(needle in line for needle in needles)


def _wire(command: str) -> str:
    """The command as it went over the wire: those that need root start with a tool of the firmware, or read debugfs."""
    known = next((item.wire for item in commands.FIRST_ROUND if item.text == command), "")
    privileged = command.startswith(("mlxconfig ", "mlxreg ")) or "/sys/kernel/debug/" in command
    return known or (f"sudo -n {command}" if privileged else command)


def _places(layer: Layer, path: Path, nics: Mapping[str, MlxNic]) -> Iterator[Place]:
    if path[:1] == ("identity",):
        yield IDENTITY, "/proc/sys/kernel/"
    elif path[:1] == ("job",):
        yield commands.JOB_FILES, f"{path[1]}=" if len(path) > 1 else ""
    elif path[:1] == ("unreferenced",):
        yield commands.ROCE_QOS, path[1] if len(path) > 1 else ""
    elif len(path) > 1 and path[1] in nics:
        yield from _of_port(layer, path[2:], nics[path[1]])
    else:
        yield LIST_NETDEVS, path[1] if len(path) > 1 else ""


def _of_port(layer: Layer, path: Path, nic: MlxNic) -> Iterator[Place]:
    if path[:2] == ("nic", "firmware_parameters"):
        yield commands.mlxconfig_text(nic.pci), f" {path[2]} " if len(path) > 2 else ""  # noqa: PLR2004 - a name follows
    elif path[:2] == ("nic", "congestion_control"):
        yield commands.ppcc_text(nic.pci), "value"
    elif layer is Layer.SAVED:
        yield commands.ROCE_QOS, f"{FOLDER}/{nic.pci}.conf:", _conf_needle(path)
    elif layer is Layer.RUNNING:
        yield from _of_running(path, nic)


def _conf_needle(path: Path) -> str:
    for key in KEYS:
        if path[: len(PARTS[key.part]) + 1] == (*PARTS[key.part], key.field):
            return f":{key.name}="
    return ""


def _of_running(path: Path, nic: MlxNic) -> Iterator[Place]:
    for start, kind in _DCB.items():
        if path[: len(start)] == start:
            yield commands.dcb_text(kind, nic.netdev), ""
            yield commands.mlnx_qos_text(nic.netdev), ""
            return
    if path in _OF_LINK:
        yield IP_LINK, f'"ifname":"{nic.netdev}"'
    elif path == ("fec",):
        yield commands.fec_text(nic.netdev), "Active"
    elif path == ("qos", "global_pause"):
        yield commands.pause_text(nic.netdev), "X:"
    elif path[:1] == ("neighbour",):
        yield commands.NEIGHBOURS, f'"{nic.netdev}"'
    elif path[:1] == ("nic",):
        yield from _of_nic(path, nic)
    else:
        yield commands.sysfs_text(nic.netdev, nic.rdma_device), _FILES.get(path, "")


def _of_nic(path: Path, nic: MlxNic) -> Iterator[Place]:
    if path[1:] in {("netdev",), ("rdma_device",), ("driver",)}:
        yield (LIST_RDMA if path[1] == "rdma_device" else LIST_NETDEVS), f"/{nic.pci}/"
    elif path[1:] == ("dcb_owner",):
        yield commands.LLDPAD, ""
        yield commands.NETWORK_MANAGER, ""
        yield commands.dcb_text("dcbx", nic.netdev), ""
    else:
        yield from _of_files(path, nic)


def _of_files(path: Path, nic: MlxNic) -> Iterator[Place]:
    needle = _FILES.get(path, f"{path[-1]}:" if path[:2] == ("nic", "dcqcn") else "")
    yield commands.sysfs_text(nic.netdev, nic.rdma_device), needle
    debug = next((name for name, known in DEBUGFS.items() if path and known == path[-1]), "")
    if debug:
        yield commands.cc_params_text(nic.pci), f"/{debug}:"
