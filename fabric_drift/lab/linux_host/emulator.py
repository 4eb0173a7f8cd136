"""The emulated Linux host: one command line of a login shell on an exec channel."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from fabric_drift.lab.emulator import Answer, LabDevice, Store
from fabric_drift.lab.linux_host import (
    bench,
    coreutils,
    dcb,
    editing,
    ethtool,
    firmware,
    iproute,
    links,
    loading,
    mellanox,
    mlnx_qos,
    mutation,
    program,
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
    "systemd-run": services.systemd_run,
    "tee": editing.tee,
}


READS_INPUT = re.compile(r"(sudo (-n )?)?(tee( -a)? [^|;&<>]+|(/usr/sbin/)?roce-qos change stage \S+)")


def _roce_qos(store: Store, args: Sequence[str], root: bool) -> Answer:
    """The program of the package, which runs other commands of this host."""
    if program.NAME in store.get("missing_commands", ()):
        return Answer(stderr=f"bash: line 1: {program.NAME}: command not found\n", exit_status=shell.NOT_FOUND)
    return program.roce_qos(store, args, root, lambda where, argv: shell.plain(where, list(argv), COMMANDS, root=True))


def _lab(store: Store, args: Sequence[str], root: bool) -> Answer:
    """Hands; after a boot the units of the package run."""
    answer = bench.run(store, args, root)
    if list(args) != ["reboot"]:
        return answer
    ran = [_roce_qos(store, words, True) for words in (("change", "undo", "-"), ("apply", "--at-start"))]
    return Answer("".join(one.stdout + one.stderr for one in ran))


COMMANDS |= {"lab": _lab, program.NAME: _roce_qos}


class LinuxHost:
    """A GPU host with mlx5 NICs. See :class:`fabric_drift.lab.emulator.Emulator`."""

    name = "linux_host"

    def start(self, device: LabDevice) -> Store:
        """A fresh host: drivers loaded, nothing configured."""
        return start(device)

    def run(self, store: Store, command: str, *, user: str = "admin") -> Answer:
        """One command line; only root writes and reads what is private, and ``sudo`` makes anybody root."""
        links.follow_neighbours(store)
        answer = shell.run(store, command, COMMANDS, root=user == "root")
        links.tell_neighbours(store)
        return answer

    def reads_input(self, command: str) -> bool:
        """Whether ``command`` waits for the end of its standard input."""
        return READS_INPUT.fullmatch(command) is not None

    def run_with_input(self, store: Store, command: str, stdin: str, *, user: str = "admin") -> Answer:
        """Like ``run``, with standard input."""
        store["stdin"] = stdin
        try:
            return self.run(store, command, user=user)
        finally:
            del store["stdin"]

    def load(self, store: Store, files: Mapping[str, str]) -> None:
        """Takes ``roce-qos/PCI.conf``, ``mlxconfig/PCI.conf``, ``nccl.conf``, ``ucx.conf``: boots with them.

        Raises ValueError with file, line and the words of the service; then nothing is changed.
        """
        loading.load(store, files)

    def mutations(self, store: Store) -> Mapping[str, tuple[str, ...]]:
        """Changes by hand. A name is the path of the fact that changes, or says what kind of trouble it is."""
        return mutation.mutations(store)


EMULATOR = LinuxHost()
