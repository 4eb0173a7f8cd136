"""``ip link`` and ``rdma`` of iproute2, in JSON and as far as people set things by hand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.linux_host import nic as mlx5
from fabric_drift.lab.linux_host.nic import Nic

MTU_RANGE = range(68, 9979)
LOOPBACK = {
    "ifindex": 1,
    "ifname": "lo",
    "flags": ["LOOPBACK", "UP", "LOWER_UP"],
    "mtu": 65536,
    "qdisc": "noqueue",
    "operstate": "UNKNOWN",
    "link_type": "loopback",
    "address": "00:00:00:00:00:00",
    "broadcast": "00:00:00:00:00:00",
}
COMMANDS = ("link", "dev")


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":")) + "\n"


def _link(nic: Nic, *, details: bool) -> dict[str, Any]:
    up = mlx5.is_up(nic)
    shown = {
        "ifindex": nic["ifindex"],
        "ifname": nic["netdev"],
        "flags": ["BROADCAST", "MULTICAST"] + ["UP"] * nic["admin_up"] + ["LOWER_UP"] * up,
        "mtu": nic["mtu_bytes"],
        "qdisc": "mq",
        "operstate": "UP" if up else "DOWN",
        "linkmode": "DEFAULT",
        "group": "default",
        "txqlen": 1000,
        "link_type": "ether",
        "address": nic["mac"],
        "broadcast": "ff:ff:ff:ff:ff:ff",
    }
    if details:
        shown |= {"promiscuity": 0, "min_mtu": 68, "max_mtu": 9978, "num_tx_queues": 504, "num_rx_queues": 63}
        shown |= {"phys_port_name": "p0"} if "dcb" in nic else {}
        shown |= {"parentbus": "pci", "parentdev": nic["pci"]}
    return shown


def ip(store: Store, args: Sequence[str], root: bool) -> Answer:
    """``ip [-j] [-d] link show [dev X]`` and ``ip link set [dev] X mtu N | up | down``."""
    flags = {letter for arg in args if arg.startswith("-") for letter in arg.lstrip("-")}
    match [arg for arg in args if not arg.startswith("-")]:
        case ["link"] | ["link", "show"]:
            nics = sorted(store["nics"].values(), key=lambda nic: int(nic["ifindex"]))
            return Answer(_compact([LOOPBACK, *(_link(nic, details="d" in flags) for nic in nics)]))
        case ["link", "show", "dev", netdev] | ["link", "show", netdev]:
            try:
                return Answer(_compact([_link(mlx5.by_netdev(store, netdev), details="d" in flags)]))
            except OSError:
                return Answer(stderr=f'Device "{netdev}" does not exist.\n', exit_status=1)
        case ["link", "set", "dev", netdev, *rest] | ["link", "set", netdev, *rest]:
            return _set_link(store, netdev, rest, root)
        case words:
            return Answer(stderr=f'Object "{words[0] if words else ""}" is unknown, try "ip help".\n', exit_status=1)


def _set_link(store: Store, netdev: str, words: Sequence[str], root: bool) -> Answer:
    try:
        nic = mlx5.by_netdev(store, netdev)
    except OSError:
        return Answer(stderr=f'Cannot find device "{netdev}"\n', exit_status=1)
    if not root:
        return Answer(stderr="RTNETLINK answers: Operation not permitted\n", exit_status=2)
    match list(words):
        case ["mtu", size] if size.isdigit() and int(size) in MTU_RANGE:
            nic["mtu_bytes"] = int(size)
        case ["mtu", size] if size.isdigit():
            bound = "greater than device maximum" if int(size) >= MTU_RANGE.stop else "less than device minimum"
            return Answer(stderr=f"Error: mtu {bound}.\n", exit_status=2)
        case ["up" | "down" as state]:
            nic["admin_up"] = state == "up"
        case _:
            return Answer(stderr=f'Error: either "dev" is duplicate, or "{words[:1]}" is a garbage.\n', exit_status=255)
    return Answer()


def _rdma_link(nic: Nic) -> dict[str, Any]:
    up = mlx5.is_up(nic)
    return {
        "ifindex": int(nic["rdma"].rpartition("_")[2]),
        "ifname": nic["rdma"],
        "port": 1,
        "state": "ACTIVE" if up else "DOWN",
        "physical_state": "LINK_UP" if up else "DISABLED",
        "netdev": nic["netdev"],
        "netdev_index": nic["ifindex"],
    }


def _rdma_dev(nic: Nic) -> dict[str, Any]:
    return {
        "ifindex": int(nic["rdma"].rpartition("_")[2]),
        "ifname": nic["rdma"],
        "node_type": "ca",
        "fw": nic["firmware"],
        "node_guid": nic["guid"],
        "sys_image_guid": nic["guid"],
    }


def rdma(store: Store, args: Sequence[str], _root: bool) -> Answer:
    """``rdma -j link|dev [show]``; text of ``rdma link``."""
    words = [arg for arg in args if not arg.startswith("-")]
    nics = [nic for nic in mlx5.mlx5(store) if nic["rdma"]]
    if not words or words[0] not in COMMANDS or words[1:] not in ([], ["show"]):
        return Answer(stderr=f'Unknown object "{words[0] if words else ""}".\n', exit_status=1)
    shown = [_rdma_link(nic) if words[0] == "link" else _rdma_dev(nic) for nic in nics]
    shown.sort(key=lambda row: int(row["ifindex"]))
    if "-j" in args:
        return Answer(_compact(shown))
    if words[0] == "dev":
        return Answer("".join(f"{row['ifindex']}: {row['ifname']}: node_type ca fw {row['fw']} \n" for row in shown))
    form = "link {ifname}/1 state {state} physical_state {physical_state} netdev {netdev} \n"
    return Answer("".join(form.format(**row) for row in shown))
