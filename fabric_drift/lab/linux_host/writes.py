"""Writing to files: what drivers make of it, and ordinary files below /etc."""

from __future__ import annotations

import errno
import re
from collections.abc import Callable

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.linux_host import nic as mlx5
from fabric_drift.lab.linux_host.defaults import CC_PARAMS
from fabric_drift.lab.linux_host.nic import Nic, refuse

NET = re.compile(r"/sys/class/net/([^/]+)/(mtu|(?:qos|ecn)/.+)")
TCLASS = re.compile(r"/sys/class/infiniband/([^/]+)/tc/1/traffic_class")
RDMA_CM = re.compile(r"/sys/kernel/config/rdma_cm/([^/]+)/ports/1/default_roce_(mode|tos)")
DEBUG = re.compile(r"/sys/kernel/debug/mlx5/([^/]+)/cc_params/(\w+)")
ROCE_MODES = ("IB/RoCE v1", "RoCE v2")


def number(text: str) -> int:
    """A number as the kernel's kstrtoint takes it. Raises OSError EINVAL."""
    try:
        return int(text.strip(), 0)
    except ValueError:
        raise refuse(errno.EINVAL) from None


def write(store: Store, path: str, text: str, *, root: bool) -> None:
    """Raises OSError with the kernel's answer: EACCES, ENOENT, EINVAL, EPERM."""
    if not root and not path.startswith("/tmp/"):  # noqa: S108 - the emulated one
        raise refuse(errno.EACCES)
    for pattern, setter in SETTERS.items():
        match = pattern.fullmatch(path)
        if match:
            setter(store, match[1], match[2] if pattern.groups > 1 else "", text)
            return
    if path.startswith(("/sys/", "/proc/", "/dev/")):
        raise refuse(errno.ENOENT)
    store["files"][path] = text


def _net(store: Store, netdev: str, name: str, text: str) -> None:
    nic = mlx5.by_netdev(store, netdev)
    if name == "mtu":
        nic["mtu_bytes"] = number(text)
    elif "dcb" not in nic or not store["ofed"]:
        raise refuse(errno.ENOENT)
    elif name.startswith("ecn/"):
        _, side, parameter = [*name.split("/", 2), ""][:3]
        if side not in nic["ecn"]:
            raise refuse(errno.ENOENT)
        mlx5.set_ecn(nic, side, parameter, number(text))
    else:
        _qos(nic, name.removeprefix("qos/"), text)


def _qos(nic: Nic, name: str, text: str) -> None:
    if name == "trust":
        mlx5.set_trust(nic, text.strip())
    elif name == "dscp2prio":
        match text.split():  # "26 3": the entry, as mlnx_qos writes it
            case [dscp, priority]:
                mlx5.add_dscp(nic, number(dscp), number(priority))
            case _:
                raise refuse(errno.EINVAL)
    elif name in {"prio2buffer", "buffer_size"}:
        values = [number(item) for item in text.strip().rstrip(",").split(",")]
        (mlx5.set_priority_to_buffer if name == "prio2buffer" else mlx5.set_buffers)(nic, values)
    else:
        raise refuse(errno.ENOENT)


def _rdma(store: Store, device: str) -> Nic:
    for nic in mlx5.mlx5(store):
        if nic["rdma"] == device:
            return nic
    raise refuse(errno.ENOENT)


def _traffic_class(store: Store, device: str, _name: str, text: str) -> None:
    nic = _rdma(store, device)
    if not store["ofed"]:
        raise refuse(errno.ENOENT)
    mlx5.set_traffic_class(nic, number(text))


def set_rdma_cm(nic: Nic, name: str, text: str) -> None:
    """``tos`` 0-255 or ``mode`` of rdma_cm. Raises OSError EINVAL."""
    if name == "tos":
        value = number(text)
        if value not in range(256):
            raise refuse(errno.EINVAL)
        nic["rdma_cm"]["tos"] = value
    elif text.strip() in ROCE_MODES:
        nic["rdma_cm"]["mode"] = text.strip()
    else:
        raise refuse(errno.EINVAL)


def _rdma_cm(store: Store, device: str, name: str, text: str) -> None:
    nic = _rdma(store, device)
    if not nic["rdma_cm"]["folder"]:
        raise refuse(errno.ENOENT)
    set_rdma_cm(nic, name, text)


def _debug(store: Store, pci: str, name: str, text: str) -> None:
    nic = store["nics"].get(pci, {})
    if "ecn" not in nic or name not in CC_PARAMS:
        raise refuse(errno.ENOENT)
    side, parameter = CC_PARAMS[name]
    mlx5.set_ecn(nic, side, parameter, number(text))


SETTERS: dict[re.Pattern[str], Callable[[Store, str, str, str], None]] = {
    NET: _net,
    TCLASS: _traffic_class,
    RDMA_CM: _rdma_cm,
    DEBUG: _debug,
}
