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
    machine,
    mellanox,
    mlnx_qos,
    mutation,
    program,
    services,
    shell,
    slurm,
    units,
)
from fabric_drift.lab.linux_host.kernel import Kernel
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
    "scontrol": slurm.scontrol,
    "squeue": slurm.squeue,
    "rm": editing.rm,
    "sed": editing.sed,
    "show_gids": mellanox.show_gids,
    "systemd-run": services.systemd_run,
    "tee": editing.tee,
}


ASKS_GATE = re.compile(r"(sudo (-n )?)?(/usr/sbin/)?roce-qos (drained|apply|undo|change commit)\b")
READS_INPUT = re.compile(r"(sudo (-n )?)?(tee( -a)? [^|;&<>]+|(/usr/sbin/)?roce-qos change stage \S+)")


def _as_root(store: Store, words: Sequence[str]) -> Answer:
    """Another command of this host."""
    return shell.plain(store, list(words), COMMANDS, root=True)


def _roce_qos(store: Store, args: Sequence[str], root: bool) -> Answer:
    """The program of the package, which runs other commands of this host."""
    return program.roce_qos(store, args, root, _as_root)


def _systemctl(store: Store, args: Sequence[str], root: bool) -> Answer:
    """Units run commands of this host."""
    return units.systemctl(store, args, root, _as_root)


def _lab(store: Store, args: Sequence[str], root: bool) -> Answer:
    """Hands. After a boot, units run: those that are installed, else those that the image has."""
    answer = bench.run(store, args, root)
    installed = program.INSTALLED in store["files"]
    match list(args):
        case ["reload", pci] if installed and not answer.exit_status:
            units.appeared(store, store["nics"][pci]["netdev"], store["nics"][pci]["driver"], _as_root)
        case ["reboot"] if installed:
            units.booted(store, _as_root)
        case ["reboot"]:
            ran = [_roce_qos(store, words, True) for words in (("change", "undo", "-"), ("apply", "--at-start"))]
            return Answer("".join(one.stdout + one.stderr for one in ran))
    return answer


COMMANDS |= {"lab": _lab, "systemctl": _systemctl, program.NAME: _roce_qos}


OF_EVERY_SYSTEM = frozenset((*coreutils.COMMANDS, "rm", "sed", "tee"))
"""What the machine's own programs do in a sandbox, on files that are the emulator's."""


class LinuxHost:
    """A GPU host with mlx5 NICs. See :class:`fabric_drift.lab.emulator.Emulator`."""

    name = "linux_host"
    programs = frozenset(COMMANDS) - OF_EVERY_SYSTEM - {"lab", program.NAME}

    def start(self, device: LabDevice) -> Store:
        """A fresh host: drivers loaded, nothing configured."""
        return start(device)

    def run(self, store: Store, command: str, *, user: str = "admin") -> Answer:
        """One command line; only root writes and reads what is private, and ``sudo`` makes anybody root."""
        links.follow_neighbours(store)
        answer = shell.run(store, command, COMMANDS, root=user == "root")
        links.tell_neighbours(store)
        return answer

    def knows(self, command: str) -> bool:
        """Whether this shell can run the whole of ``command``."""
        return shell.knows(command, COMMANDS)

    def asks_first(self, store: Store, command: str) -> str:
        """The drain gate, where a command may ask it and it is no script of ours."""
        found = machine.gate(store) if ASKS_GATE.match(command) else ""
        return machine.GATE if found and found not in machine.GATE_ANSWERS else ""

    def tell(self, store: Store, answer: Answer | None) -> None:
        """What the gate said; None: it has been asked for."""
        store.pop("gate_answer", None)
        if answer:
            store["gate_answer"] = [answer.exit_status, answer.stdout, answer.stderr]

    def call(self, store: Store, argv: Sequence[str], *, user: str) -> Answer:
        """One program, without a shell."""
        return shell.plain(store, list(argv), COMMANDS, root=user == "root")

    def kernel_files(self, store: Store, *, user: str) -> Kernel:
        """Its /sys."""
        return Kernel(store, root=user == "root")

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
