"""Changes that a human makes by hand on a host, one fact each, as native commands.

A name is the path of the fact that changes (with those that can't stay then: the DSCP map of another trust), or says
what kind of trouble it is: ``extra/``, ``deleted/``, ``second/``, ``stuck/``, ``gap/``, ``saved/``, ``foreign/``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.linux_host import firmware
from fabric_drift.lab.linux_host import nic as mlx5
from fabric_drift.lab.linux_host.defaults import RANGES
from fabric_drift.lab.linux_host.nic import Nic

Commands = tuple[str, ...]
Change = tuple[str, Commands]

JOB_FILES = ("/etc/nccl.conf", "/etc/ucx/ucx.conf")
FACTS = {
    "mtu_bytes": "mtu_bytes",
    "pfc_priorities": "qos/pfc/priorities",
    "cable_length_m": "qos/cable_length_m",
    "rdma_cm_tos": "nic/rdma_cm_tos",
    "traffic_class": "nic/traffic_class",
    "cnp_dscp": "nic/cnp_dscp",
    "cnp_priority": "nic/cnp_priority",
}


def mutations(store: Store) -> Mapping[str, Commands]:
    """Name -> commands, for the first NIC that has a file of the service, else the first rail."""
    nics = [nic for nic in mlx5.mlx5(store) if nic["role"] != "storage"]
    configured = [nic for nic in nics if f"/etc/roce-qos/{nic['pci']}.conf" in store["files"]]
    nic = (configured or nics)[0]
    changes = [*_link(nic), *_qos(nic), *_roce(nic), *_firmware(nic), *_files(store, nic), *_odd(store, nic)]
    return dict(sorted(changes))


def root(command: str) -> Commands:
    """One command with root's rights."""
    return (f"sudo -n {command}",)


def echo(value: object, path: str) -> Commands:
    """A write to a small file."""
    return root(f"sh -c 'echo {value} > {path}'")


def _link(nic: Nic) -> Iterator[Change]:
    base, netdev = f"ports/{nic['pci']}", nic["netdev"]
    yield f"{base}/mtu_bytes", root(f"ip link set dev {netdev} mtu {4200 if nic['mtu_bytes'] != 4200 else 1500}")  # noqa: PLR2004
    yield f"{base}/admin_up", root(f"ip link set dev {netdev} {'down' if nic['admin_up'] else 'up'}")
    yield f"{base}/fec", root(f"ethtool --set-fec {netdev} encoding {'off' if nic['fec'] == 'RS' else 'rs'}")
    pause = "off" if nic["pause"]["rx"] else "on"
    yield f"{base}/qos/global_pause", root(f"ethtool -A {netdev} rx {pause}")
    yield f"{base}/neighbour/device", (f"lab cable {nic['pci']} strange-device {nic['peer_port'] or 'none'}",)
    yield f"{base}/neighbour/port", (f"lab cable {nic['pci']} {nic['peer_device'] or 'none'} strange-port",)


def _qos(nic: Nic) -> Iterator[Change]:
    base, netdev, dcb = f"ports/{nic['pci']}/qos", nic["netdev"], nic["dcb"]
    word = "pcp" if mlx5.trust(nic) == "dscp" else "dscp"
    yield f"{base}/trust", root(f"mlnx_qos -i {netdev} --trust {word}")
    for dscp in dcb["dscp_entries"]:
        other = (dcb["dscp_to_priority"][dscp] + 1) % 8
        yield f"{base}/maps/dscp_to_priority/{dscp}", root(f"dcb app replace dev {netdev} dscp-prio {dscp}:{other}")
    yield from _priority_to_tc(base, nic)
    for priority, buffer in enumerate(dcb["priority_to_buffer"]):
        entry = f"{priority}:{1 - buffer if buffer in {0, 1} else 0}"
        yield f"{base}/maps/priority_to_buffer/{priority}", root(f"dcb buffer set dev {netdev} prio-buffer {entry}")
    for buffer, size in enumerate(dcb["buffer_bytes"]):
        other = size - 128 if size else 128
        if size or sum(dcb["buffer_bytes"]) + other <= dcb["total_bytes"]:
            command = f"dcb buffer set dev {netdev} buffer-size {buffer}:{other}"
            yield f"{base}/receive_buffers_bytes/{buffer}", root(command)
    yield f"{base}/cable_length_m", root(f"dcb pfc set dev {netdev} delay {dcb['delay'] + 1}")
    yield (
        f"{base}/pfc/priorities",
        root(f"dcb pfc set dev {netdev} prio-pfc {'all:off' if any(dcb['pfc']) else '3:on'}"),
    )
    yield f"{base}/dcbx", root(f"mlnx_qos -i {netdev} -d {'fw' if dcb['dcbx'] == 'os' else 'os'}")
    yield f"{base}/scheduling", root(f"dcb ets set dev {netdev} {_other_scheduling(nic)}")


def _priority_to_tc(base: str, nic: Nic) -> Iterator[Change]:
    to_tc = nic["dcb"]["priority_to_tc"]
    for priority, tc in enumerate(to_tc):
        other = next((candidate for candidate in to_tc if candidate != tc), (tc + 1) % 8)
        name = f"{base}/maps/priority_to_tc/{priority}"
        yield name, root(f"dcb ets set dev {nic['netdev']} prio-tc {priority}:{other}")


def _other_scheduling(nic: Nic) -> str:
    """Moves one percent between two ets TCs, or makes a TC strict."""
    ets = [tc for tc, kind in enumerate(nic["dcb"]["tc_tsa"]) if kind == "ets" and nic["dcb"]["tc_bw"][tc] > 1]
    if len(ets) < 2:  # noqa: PLR2004 - a giver and a taker
        return "tc-tsa 3:strict"
    shares = nic["dcb"]["tc_bw"]
    return f"tc-bw {ets[0]}:{shares[ets[0]] - 1} {ets[1]}:{shares[ets[1]] + 1}"


def _roce(nic: Nic) -> Iterator[Change]:
    base, netdev, device = f"ports/{nic['pci']}/nic", nic["netdev"], nic["rdma"]
    mode = "1" if nic["rdma_cm"]["mode"] == "RoCE v2" else "2"
    yield f"{base}/roce_mode", root(f"cma_roce_mode -d {device} -m {mode}")
    yield f"{base}/rdma_cm_tos", root(f"cma_roce_tos -d {device} -t {(nic['rdma_cm']['tos'] + 4) % 256}")
    traffic_class = 41 if nic["traffic_class"] != 41 else 106  # noqa: PLR2004
    yield f"{base}/traffic_class", echo(traffic_class, f"/sys/class/infiniband/{device}/tc/1/traffic_class")
    folder = f"/sys/class/net/{netdev}/ecn"
    names = {"cnp_dscp": "cnp_dscp", "cnp_802p_prio": "cnp_priority"}
    for side, word in (("roce_np", "notification"), ("roce_rp", "reaction")):
        for name, value in nic["ecn"][side].items():
            if name == "enable":
                path = f"{folder}/{side}/enable/3"
                yield f"{base}/dcqcn/{word}_priorities", echo(1 - value[3], path)
                continue
            fact = names.get(name, f"dcqcn/{word}/{name}")
            high = RANGES.get(name, (0, 1 << 31))[1]
            yield f"{base}/{fact}", echo(value + 1 if value < high else value - 1, f"{folder}/{side}/{name}")


def _firmware(nic: Nic) -> Iterator[Change]:
    for name, values in nic["firmware_parameters"].items():
        for number in (0, 1, 2):
            try:
                other = firmware.shown(name, values["default"], number)
            except ValueError:
                continue
            if other != values["next"]:
                command = f"mlxconfig -d {nic['pci']} -y set {name}={number}"
                yield f"saved/ports/{nic['pci']}/nic/firmware_parameters/{name}", root(command)
                break


def _fact_of_key(pci: str, key: str) -> str:
    """Path of the fact that a line of the service's file speaks of."""
    side, _, name = key.partition("_")
    if key in FACTS:
        return f"ports/{pci}/{FACTS[key]}"
    return f"ports/{pci}/nic/dcqcn/{key if name == 'priorities' else f'{side}/{name}'}"


def _files(store: Store, nic: Nic) -> Iterator[Change]:
    """Another number behind each key that has one: the next boot's settings, the jobs' environment."""
    own = f"/etc/roce-qos/{nic['pci']}.conf"
    for path in (*JOB_FILES, own):
        for key, value in re.findall(r"^(\w+)=(\d+)$", store["files"].get(path, ""), re.MULTILINE):
            fact = _fact_of_key(nic["pci"], key) if path == own else f"job/{key}"
            yield f"saved/{fact}", root(f"sed -i 's/^{key}=.*/{key}={int(value) + 1}/' {path}")


def dscp_of_nobody(nic: Nic) -> int:
    """A mark that the NIC doesn't put into a priority with PFC."""
    to_priority, pfc = nic["dcb"]["dscp_to_priority"], nic["dcb"]["pfc"]
    return next(dscp for dscp, priority in enumerate(to_priority) if not pfc[priority])


def _odd(store: Store, nic: Nic) -> Iterator[Change]:
    netdev, dcb = nic["netdev"], nic["dcb"]
    lossless = dcb["pfc"].index(True) if any(dcb["pfc"]) else 3
    free = next(priority for priority in (5, 4, 2, 1, 0, 3, 6, 7) if not dcb["pfc"][priority])
    dscp = next(value for value in range(10, 64) if dcb["dscp_to_priority"][value] != lossless)
    yield "extra/pfc_priority", root(f"dcb pfc set dev {netdev} prio-pfc {free}:on")
    yield "extra/dscp_entry", root(f"dcb app replace dev {netdev} dscp-prio {dscp}:{lossless}")
    yield "stuck/congestion_control", (f"lab register {nic['pci']} PPCC value 1",)
    yield "traffic/rdma_without_pfc", (f"lab traffic {nic['pci']} {dscp_of_nobody(nic)}",)
    yield "gap/second_writer", root("systemctl start lldpad")
    yield "gap/driver_reload", (f"lab reload {nic['pci']}",)
    own = f"/etc/roce-qos/{nic['pci']}.conf"
    if own in store["files"]:
        yield "deleted/roce_qos_file", root(f"rm {own}")
    job = re.search(r"^NCCL_IB_TC=.*$", store["files"].get("/etc/nccl.conf", ""), re.MULTILINE)
    if job:
        yield "second/job_value", root("sh -c 'echo NCCL_IB_TC=0 >> /etc/nccl.conf'")
    storage = next((other for other in mlx5.mlx5(store) if other["role"] == "storage"), None)
    if storage:
        commands = (
            f"ip link set dev {storage['netdev']} mtu 4000",
            f"dcb pfc set dev {storage['netdev']} prio-pfc 4:on",
        )
        yield "foreign/port", tuple(command for each in commands for command in root(each))
