"""Outputs of a host -> Reading. Layers: ``running`` (kernel and driver now), ``saved`` (next boot), ``hardware``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fabric_drift.finding import Layer
from fabric_drift.platform import Output, Reading
from fabric_drift.platforms.linux_host import commands
from fabric_drift.platforms.linux_host.answers import Problem, Problems, clip, unseen
from fabric_drift.platforms.linux_host.counters import gained, rdma_without_pfc, shows_rdma
from fabric_drift.platforms.linux_host.discovery import (
    IDENTITY,
    IP_LINK,
    LIST_MLX5,
    LIST_NETDEVS,
    RDMA_LINK,
    Hardware,
    MlxNic,
    discover,
)
from fabric_drift.platforms.linux_host.evidence import evidence_of
from fabric_drift.platforms.linux_host.firmware import Parameters, read_mlxconfig, read_ppcc
from fabric_drift.platforms.linux_host.identity import kernel_note, read_identity_files
from fabric_drift.platforms.linux_host.links import Link, missing_link, read_links, read_rdma_netdevs
from fabric_drift.platforms.linux_host.mode import dpu_mode, notes_of
from fabric_drift.platforms.linux_host.owner import read_neighbours
from fabric_drift.platforms.linux_host.running import rdma_missing, running_port
from fabric_drift.platforms.linux_host.saved import SavedPorts, read_job, read_saved_ports
from fabric_drift.state.device import DeviceState, Identity, Nic, Pfc, Port, PortQos
from fabric_drift.state.values import ABSENT, UNSAID, Unobserved

LAYERS = (Layer.SAVED, Layer.RUNNING, Layer.HARDWARE)


@dataclass(slots=True)
class _Host:
    """What the per-port functions share."""

    outputs: Mapping[str, Output]
    hardware: Hardware
    problems: Problems
    links: Mapping[str, Link] | Unobserved
    neighbours: Any
    saved: SavedPorts
    rdma_netdevs: Mapping[str, str]
    aliases: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    shows_rdma: bool = False

    def link(self, netdev: str) -> Link:
        """Link facts of ``netdev``."""
        if isinstance(self.links, Unobserved):
            return Link(self.links, self.links, self.links)
        return self.links.get(netdev, missing_link())

    def neighbour(self, netdev: str) -> Any:
        """LLDP neighbour of ``netdev``; ABSENT when lldpd hears nobody there."""
        return self.neighbours if isinstance(self.neighbours, Unobserved) else self.neighbours.get(netdev, ABSENT)


def parse(outputs: Mapping[str, Output]) -> Reading:
    """Read a host. Never raises on what a device said."""
    problems = Problems()
    host = _host(outputs, problems)
    identity = read_identity_files(outputs.get(IDENTITY), problems)
    kernel = kernel_note(outputs.get(IDENTITY))
    host.notes[:0] = [kernel] if kernel else []
    ports: dict[Layer, dict[str, Port]] = {layer: {} for layer in LAYERS}
    for nic in host.hardware.mlx5:
        for layer, port in _mlx5_ports(host, nic).items():
            ports[layer][nic.pci] = port
    if host.hardware.mlx5 and not host.shows_rdma:
        host.notes.append("no RDMA was sent while this looked: counters say nothing about how jobs mark it")
    for pci, netdev in host.hardware.others.items():
        for layer, port in _other_ports(host, pci, netdev).items():
            ports[layer][pci] = port
    return Reading(
        states=_states(host, identity, ports),
        unparsed=tuple(problems.lines),
        aliases=dict(sorted(host.aliases.items())),
        notes=tuple(host.notes),
        evidence=evidence_of(outputs, host.hardware),
    )


def _host(outputs: Mapping[str, Output], problems: Problems) -> _Host:
    hardware = discover(outputs)
    reason = unseen(IP_LINK, outputs.get(IP_LINK))
    links: Mapping[str, Link] | Unobserved
    if reason:
        links = reason
    else:
        links, trouble = read_links(outputs[IP_LINK].stdout)
        problems.add(Layer.RUNNING, IP_LINK, ("ports",), trouble)
        if trouble and not links:
            links = Unobserved("`ip link` isn't readable")
    neighbours, trouble = read_neighbours(outputs)
    problems.add(Layer.RUNNING, commands.NEIGHBOURS, ("ports",), trouble)
    known = frozenset(nic.pci for nic in hardware.mlx5)
    saved = read_saved_ports(outputs.get(commands.ROCE_QOS), known)
    strays = tuple(Problem(line, "not a line of grep -Hn", (), number) for number, line in saved.files.strays)
    problems.add(Layer.SAVED, commands.ROCE_QOS, ("ports",), strays)
    rdma = outputs.get(RDMA_LINK)
    netdevs = read_rdma_netdevs(rdma.stdout) if rdma and rdma.whole else {}
    host = _Host(outputs, hardware, problems, links, neighbours, saved, netdevs)
    host.notes += [f"{pci} has several netdevs: none was read" for pci in hardware.doubled]
    host.notes += [f"the name {name!r} isn't plain: nothing was asked about it" for name in hardware.refused]
    return host


def _mlx5_ports(host: _Host, nic: MlxNic) -> dict[Layer, Port]:
    parameters, firmware_reason = _firmware(host, nic)
    saved, trouble = host.saved.port(nic.pci)
    host.problems.add(Layer.SAVED, commands.ROCE_QOS, ("ports", nic.pci), trouble)
    current: Any = firmware_reason or parameters.current or Unobserved("mlxconfig shows no current values")
    next_boot: Any = firmware_reason or parameters.next_boot or Unobserved("mlxconfig shows no next boot")
    running = _running(host, nic, parameters)
    saved_nic = saved.nic if isinstance(saved.nic, Nic) else Nic()
    ports = {
        Layer.RUNNING: _with_nic(running, firmware_parameters=current),
        Layer.SAVED: replace(saved, nic=replace(saved_nic, firmware_parameters=next_boot)),
        Layer.HARDWARE: Port(nic=_hardware(host, nic, running)),
    }
    _name(host, nic, ports)
    return ports


def _hardware(host: _Host, nic: MlxNic, running: Port) -> Nic:
    qos = running.qos
    pfc = qos.pfc if isinstance(qos, PortQos) else qos
    sent: Any = Unobserved("the NIC has no netdev, or no RDMA device")
    if nic.netdev and nic.rdma_device:
        sent = gained(host.outputs, nic.netdev)
    host.shows_rdma = host.shows_rdma or shows_rdma(sent)
    seen = rdma_without_pfc(sent, pfc.priorities if isinstance(pfc, Pfc) else pfc)
    return Nic(congestion_control=_congestion_control(host, nic), rdma_without_pfc=seen)


def _with_nic(port: Port, **facts: Any) -> Port:
    return replace(port, nic=replace(port.nic, **facts)) if isinstance(port.nic, Nic) else port


_OF_LINK = ("admin_up", "oper_up", "mtu_bytes", "speed_mbps", "fec")
_OF_NETDEV = (
    *("family", "firmware", "guid", "dcb_owner", "roce_mode", "rdma_cm_tos", "traffic_class"),
    *("cnp_dscp", "cnp_priority", "dcqcn"),
)
"""Facts that are read by the netdev: without one they are unobserved, even where another layer has them."""


def _running(host: _Host, nic: MlxNic, parameters: Parameters) -> Port:
    if not nic.netdev:
        reason = Unobserved("several netdevs" if nic.pci in host.hardware.doubled else "the NIC has no netdev")
        rdma_device = nic.rdma_device or rdma_missing(host.outputs, nic)
        names = Nic(netdev=ABSENT, rdma_device=rdma_device, driver="mlx5_core", **dict.fromkeys(_OF_NETDEV, reason))
        return Port(**dict.fromkeys(_OF_LINK, reason), qos=reason, neighbour=reason, nic=names)
    link = host.link(nic.netdev)
    port = running_port(host.outputs, nic, link, parameters.current, host.problems)
    port = replace(port, neighbour=host.neighbour(nic.netdev))
    owned = dpu_mode(port, parameters)
    if owned:
        port = replace(port, qos=owned)
        port = _with_nic(port, **dict.fromkeys(("cnp_dscp", "cnp_priority", "dcqcn", "dcb_owner"), owned))
    return port


def _firmware(host: _Host, nic: MlxNic) -> tuple[Parameters, Unobserved | None]:
    command = commands.mlxconfig_text(nic.pci)
    reason = unseen(command, host.outputs.get(command), 2**18)
    if reason:
        return Parameters(), reason
    parameters = read_mlxconfig(host.outputs[command].stdout)
    host.problems.add(Layer.SAVED, command, ("ports", nic.pci), parameters.problems)
    return parameters, None


def _congestion_control(host: _Host, nic: MlxNic) -> Any:
    command = commands.ppcc_text(nic.pci)
    reason = unseen(command, host.outputs.get(command))
    if reason:
        return reason
    value, trouble = read_ppcc(host.outputs[command].stdout)
    host.problems.add(Layer.HARDWARE, command, ("ports", nic.pci), trouble)
    return value


def _name(host: _Host, nic: MlxNic, ports: Mapping[Layer, Port]) -> None:
    running = ports[Layer.RUNNING].nic
    guid = running.guid if isinstance(running, Nic) else UNSAID
    mac = host.link(nic.netdev).mac if nic.netdev else ""  # what LLDP of a NIC's firmware calls its port
    for alias in (nic.netdev, nic.rdma_device, mac, f"guid:{guid}" if isinstance(guid, str) else ""):
        if alias:
            host.aliases[alias] = nic.pci
    netdev = host.rdma_netdevs.get(nic.rdma_device, nic.netdev)
    if netdev != nic.netdev:
        host.notes.append(f"{nic.pci}: traffic of {nic.rdma_device} takes {clip(netdev)}, a bond or another port")
    host.notes += notes_of(nic, ports)


def _other_ports(host: _Host, pci: str, netdev: str) -> dict[Layer, Port]:
    """Read a NIC of another driver: link facts only."""
    host.aliases[netdev] = pci
    link = host.link(netdev)
    reason = Unobserved("not bound to mlx5_core: of other NICs only link facts are read")
    running = Port(
        admin_up=link.admin_up,
        oper_up=link.oper_up,
        mtu_bytes=link.mtu_bytes,
        qos=reason,
        nic=Nic(netdev=netdev),
        neighbour=host.neighbour(netdev),
    )
    return {Layer.RUNNING: running, Layer.SAVED: Port(qos=reason), Layer.HARDWARE: Port()}


def _states(host: _Host, identity: Identity, ports: Mapping[Layer, dict[str, Port]]) -> dict[Layer, DeviceState]:
    reason = _ports_unseen(host)
    job, trouble = read_job(host.outputs.get(commands.JOB_FILES))
    host.problems.lines += _job_problems(trouble)
    states = {
        layer: DeviceState(identity=identity, ports=reason or dict(sorted(ports[layer].items()))) for layer in LAYERS
    }
    states[Layer.SAVED] = replace(states[Layer.SAVED], job=job, unreferenced=_unreferenced(host, reason))
    return states


def _job_problems(trouble: tuple[Problem, ...]) -> list[Any]:
    found = Problems()
    found.add(Layer.SAVED, commands.JOB_FILES, ("job",), trouble)
    return found.lines


def _ports_unseen(host: _Host) -> Unobserved | None:
    """Why the NICs as a whole are unknown. No mlx5_core folder means that the driver isn't loaded: that is seen."""
    for command in (LIST_NETDEVS, LIST_MLX5):
        output = host.outputs.get(command)
        reason = unseen(command, output)
        if reason and not (command == LIST_MLX5 and output and "No such file" in output.stderr and not output.error):
            return reason
    return None


def _unreferenced(host: _Host, ports_unseen: Unobserved | None) -> Any:
    if ports_unseen or host.saved.files.trouble:
        return ports_unseen or Unobserved(host.saved.files.trouble)
    return {f"roce-qos/{name}": "unreferenced" for name in host.saved.others}
