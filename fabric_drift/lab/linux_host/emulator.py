"""The emulated Linux host: one command line of a login shell on an exec channel."""

from __future__ import annotations

from collections.abc import Mapping

from fabric_drift.lab.emulator import Answer, LabDevice, Store
from fabric_drift.lab.linux_host import (
    bench,
    coreutils,
    dcb,
    editing,
    ethtool,
    firmware,
    iproute,
    loading,
    mellanox,
    mlnx_qos,
    mutation,
    services,
    shell,
)
from fabric_drift.lab.linux_host.start import start

COMMANDS: dict[str, shell.Command] = {
    **coreutils.COMMANDS,
    "cma_roce_mode": mellanox.cma_roce_mode,
    "cma_roce_tos": mellanox.cma_roce_tos,
    "dcb": dcb.run,
    "ethtool": ethtool.run,
    "ibdev2netdev": mellanox.ibdev2netdev,
    "ip": iproute.ip,
    "lab": bench.run,
    "lldpctl": services.lldpctl,
    "mlnx_qos": mlnx_qos.run,
    "mlxconfig": firmware.mlxconfig,
    "mlxreg": firmware.mlxreg,
    "mstconfig": firmware.mlxconfig,
    "mstreg": firmware.mlxreg,
    "rdma": iproute.rdma,
    "rm": editing.rm,
    "sed": editing.sed,
    "show_gids": mellanox.show_gids,
    "systemctl": services.systemctl,
}


class LinuxHost:
    """A GPU host with mlx5 NICs. See :class:`fabric_drift.lab.emulator.Emulator`."""

    name = "linux_host"

    def start(self, device: LabDevice) -> Store:
        """A fresh host: drivers loaded, nothing configured."""
        return start(device)

    def run(self, store: Store, command: str, *, user: str = "admin") -> Answer:
        """One command line; only root writes and reads what is private, and ``sudo`` makes anybody root."""
        return shell.run(store, command, COMMANDS, root=user == "root")

    def load(self, store: Store, files: Mapping[str, str]) -> None:
        """Takes ``roce-qos/PCI.conf``, ``mlxconfig/PCI.conf``, ``nccl.conf``, ``ucx.conf``: boots with them.

        Raises ValueError with file, line and the words of the service; then nothing is changed.
        """
        loading.load(store, files)

    def mutations(self, store: Store) -> Mapping[str, tuple[str, ...]]:
        """Changes by hand. A name is the path of the fact that changes, or says what kind of trouble it is."""
        return mutation.mutations(store)


EMULATOR = LinuxHost()
