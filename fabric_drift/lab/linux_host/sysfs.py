"""The small files that kernel and drivers show for a NIC, as path -> content (without the path of the NIC itself).

Formats: kernel (drivers/infiniband/hw/mlx5/cong.c, net/core/net-sysfs.c) and MLNX_OFED (``qos``, ``ecn``, ``tc``),
which an inbox driver doesn't have.
"""

from __future__ import annotations

from collections.abc import Iterator

from fabric_drift.lab.linux_host import nic as mlx5
from fabric_drift.lab.linux_host.defaults import CC_PARAMS
from fabric_drift.lab.linux_host.nic import Nic

File = tuple[str, str]


def net(nic: Nic, *, ofed: bool) -> Iterator[File]:
    """Below /sys/class/net/X/."""
    up = mlx5.is_up(nic)
    yield "address", f"{nic['mac']}\n"
    yield "carrier", f"{int(up)}\n"
    yield "ifindex", f"{nic['ifindex']}\n"
    yield "mtu", f"{nic['mtu_bytes']}\n"
    yield "operstate", "up\n" if up else "down\n"
    yield "speed", f"{nic['speed_mbps'] if up else -1}\n"
    if "dcb" not in nic:
        return
    yield "phys_port_name", "p0\n"
    if ofed:
        yield from _qos(nic)
        yield from _ecn(nic)


def _table(head: str, values: list[int]) -> str:
    return f"{head}\n" + "".join(f"{index}\t{value}\n" for index, value in enumerate(values))


def _qos(nic: Nic) -> Iterator[File]:
    dcb = nic["dcb"]
    yield "qos/trust", f"{mlx5.trust(nic)}\n"
    yield "qos/dscp2prio", _table("dscp\tprio", dcb["dscp_to_priority"])
    yield "qos/prio2buffer", _table("priority\tbuffer", dcb["priority_to_buffer"])
    yield "qos/buffer_size", _table(f"max_buffer_size={dcb['total_bytes']}", dcb["buffer_bytes"])
    yield "qos/maxrate", "".join(f"{float(kbps)}\n" for kbps in dcb["maxrate_kbps"])


def _ecn(nic: Nic) -> Iterator[File]:
    for side, parameters in nic["ecn"].items():
        for name, value in parameters.items():
            if name != "enable":
                yield f"ecn/{side}/{name}", f"{value}\n"
        for priority, enabled in enumerate(parameters["enable"]):
            yield f"ecn/{side}/enable/{priority}", f"{enabled}\n"


def infiniband(nic: Nic, *, ofed: bool) -> Iterator[File]:
    """Below /sys/class/infiniband/D/."""
    up = mlx5.is_up(nic)
    yield "board_id", f"{nic['psid']}\n"
    yield "fw_ver", f"{nic['firmware']}\n"
    yield "hca_type", f"{nic['hca_type']}\n"
    yield "node_guid", f"{nic['guid']}\n"
    yield "sys_image_guid", f"{nic['guid']}\n"
    yield "node_type", "1: CA\n"
    yield "ports/1/link_layer", "Ethernet\n"
    yield "ports/1/state", "4: ACTIVE\n" if up else "1: DOWN\n"
    yield "ports/1/phys_state", "5: LinkUp\n" if up else "3: Disabled\n"
    yield "ports/1/rate", f"{nic['speed_mbps'] // 1000} Gb/sec (4X NDR)\n"
    for index, (gid, kind) in enumerate(gids(nic)):
        yield f"ports/1/gids/{index}", f"{gid}\n"
        yield f"ports/1/gid_attrs/types/{index}", f"{kind}\n"
        yield f"ports/1/gid_attrs/ndevs/{index}", f"{nic['netdev']}\n"
    if ofed:
        value = nic["traffic_class"]
        yield "tc/1/traffic_class", "" if value is None else f"Global tclass={value}\n"


def gids(nic: Nic) -> list[tuple[str, str]]:
    """(GID, type) of the port: link-local and IPv4, each for RoCE v1 and v2."""
    octets = [int(octet) for octet in nic["ip"].split(".")]
    mapped = f"0000:0000:0000:0000:0000:ffff:{octets[0]:02x}{octets[1]:02x}:{octets[2]:02x}{octets[3]:02x}"
    mac = nic["mac"].split(":")
    local = f"fe80:0000:0000:0000:{int(mac[0], 16) ^ 2:02x}{mac[1]}:{mac[2]}ff:fe{mac[3]}:{mac[4]}{mac[5]}"
    return [(gid, kind) for gid in (local, mapped) for kind in ("IB/RoCE v1", "RoCE v2")]


def rdma_cm(nic: Nic) -> Iterator[File]:
    """Below /sys/kernel/config/rdma_cm/D/, while somebody keeps the folder."""
    if nic["rdma_cm"]["folder"]:
        yield "ports/1/default_roce_mode", f"{nic['rdma_cm']['mode']}\n"
        yield "ports/1/default_roce_tos", f"{nic['rdma_cm']['tos']}\n"


def cc_params(nic: Nic) -> Iterator[File]:
    """Below /sys/kernel/debug/mlx5/PCI/cc_params/."""
    for name, (side, parameter) in CC_PARAMS.items():
        yield name, f"{nic['ecn'][side][parameter]}\n"
    yield "np_cnp_prio_mode", "0\n"
