"""Small tools of MLNX_OFED: ``cma_roce_mode``, ``cma_roce_tos``, ``show_gids``, ``ibdev2netdev``."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.linux_host import nic as mlx5
from fabric_drift.lab.linux_host import sysfs
from fabric_drift.lab.linux_host.files import mlx5_of
from fabric_drift.lab.linux_host.writes import ROCE_MODES, set_rdma_cm

MODES = {"1": ROCE_MODES[0], "2": ROCE_MODES[1]}


def _option(args: Sequence[str], letter: str) -> str:
    """The word behind ``-x``, or empty."""
    pairs = pairwise(args)
    return next((value for option, value in pairs if option == f"-{letter}"), "")


def _cma(store: Store, args: Sequence[str], root: bool, name: str) -> Answer:
    """Reads or sets through configfs; the folder is made and removed, what was set stays."""
    device = _option(args, "d")
    nic = mlx5_of(store, device)
    if nic is None or not root:
        reason = "Permission denied" if nic else "No such device"
        text = f"mkdir: cannot create directory '{device}': {reason}\nFailed to create configuration for {device}\n"
        return Answer(stderr=text, exit_status=1)
    wanted = _option(args, "t" if name == "tos" else "m")
    if wanted:
        try:
            set_rdma_cm(nic, name, wanted if name == "tos" else MODES.get(wanted, wanted))
        except OSError as error:
            return Answer(stderr=f"{error.strerror}\n", exit_status=1)
    return Answer(f"{nic['rdma_cm'][name]}\n")


def cma_roce_mode(store: Store, args: Sequence[str], root: bool) -> Answer:
    """``cma_roce_mode -d mlx5_0 [-p 1] [-m 1|2]``."""
    return _cma(store, args, root, "mode")


def cma_roce_tos(store: Store, args: Sequence[str], root: bool) -> Answer:
    """``cma_roce_tos -d mlx5_0 [-p 1] [-t N]``."""
    return _cma(store, args, root, "tos")


def show_gids(store: Store, _args: Sequence[str], _root: bool) -> Answer:
    """``show_gids``: a GID that isn't an IPv4 address has no fifth column."""
    lines = [
        "DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4  \t\tVER\tDEV",
        "---\t----\t-----\t---\t\t\t\t\t------------  \t---\t---",
    ]
    count = 0
    for nic in mlx5.mlx5(store):
        for index, (gid, kind) in enumerate(sysfs.gids(nic)):
            address = f"{nic['ip']}  " if gid.startswith("0000") else "\t"
            version = "v2" if kind == "RoCE v2" else "v1"
            lines.append(f"{nic['rdma']}\t1\t{index}\t{gid}\t{address}\t{version}\t{nic['netdev']}")
            count += 1
    return Answer("\n".join([*lines, f"n_gids_found={count}"]) + "\n")


def ibdev2netdev(store: Store, _args: Sequence[str], _root: bool) -> Answer:
    """``ibdev2netdev``."""
    rows = [
        f"{nic['rdma']} port 1 ==> {nic['netdev']} ({'Up' if mlx5.is_up(nic) else 'Down'})\n"
        for nic in mlx5.mlx5(store)
    ]
    return Answer("".join(rows))
