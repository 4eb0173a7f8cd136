"""The emulator ``opensm`` emulates nothing: it runs commands in the sandbox of a real SM node."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fabric_drift.lab.emulator import Answer, LabDevice, Store
from fabric_drift.lab.infiniband.lab import opened
from fabric_drift.lab.infiniband.node import SmNode
from fabric_drift.lab.infiniband.simulator import InfinibandLabError

NO_SIMULATOR = 255


class SmNodes:
    """See ``lab.emulator.Emulator``. The state of a node is its files and processes; the store only names it."""

    name = "opensm"

    def start(self, device: LabDevice) -> Store:
        """Where the node is."""
        return {"name": device.name, "lab": str(device.options["lab"])}

    def run(self, store: Store, command: str, *, user: str = "admin") -> Answer:
        """The command, in the node's shell."""
        del user  # rights are the daemon's business
        try:
            return _node(store).run(command)
        except (InfinibandLabError, FileNotFoundError) as error:
            return Answer(stderr=f"lab: {error}\n", exit_status=NO_SIMULATOR)

    def reads_input(self, command: str) -> bool:
        """Whether the command waits for the end of its standard input."""
        return "ib_change.py stage " in command

    def run_with_input(self, store: Store, command: str, stdin: str, *, user: str = "admin") -> Answer:
        """``run`` for commands that read their standard input."""
        del user
        try:
            return _node(store).run(command, stdin=stdin)
        except (InfinibandLabError, FileNotFoundError) as error:
            return Answer(stderr=f"lab: {error}\n", exit_status=NO_SIMULATOR)

    def load(self, store: Store, files: Mapping[str, str]) -> None:
        """Puts files into /etc/opensm and starts the subnet manager anew."""
        node = _node(store)
        for name, text in files.items():
            if "/" in name:
                raise ValueError(f"{name} is not a file of /etc/opensm")
            node.path(f"/etc/opensm/{name}").write_text(text)
        node.systemctl("restart")

    def mutations(self, store: Store) -> Mapping[str, tuple[str, ...]]:
        """Changes that a person makes on an SM node; writes to the hardware are ``lab.infiniband.drift``."""
        del store
        sed = "sed -i"
        return {
            "infiniband/options/max_op_vls": (f"{sed} 's/^max_op_vls .*/max_op_vls 2/' /etc/opensm/opensm.conf",),
            "infiniband/partitions": (f"{sed} 's/=full,$/=limited,/' /etc/opensm/partitions.conf",),
            "infiniband/guid_files/root": ("echo 0xb8cef60300100200 >/etc/opensm/root_guids.conf",),
            "infiniband/qos_policy": ("rm /etc/opensm/qos-policy.conf",),
        }


def _node(store: Store) -> SmNode:
    return opened(Path(store["lab"])).sm_nodes[store["name"]]


EMULATOR = SmNodes()
