"""The whole lab: one simulated fabric, its SM nodes, one directory."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from fabric_drift.lab.infiniband.fabric import Cable, Fabric, Size, rail_fat_tree
from fabric_drift.lab.infiniband.netfile import net_file
from fabric_drift.lab.infiniband.node import SmNode
from fabric_drift.lab.infiniband.simulator import InfinibandLabError, Simulator, port_limits, require_packages

OPENSM_CONF = """# A plain OpenSM of the lab.
sm_priority {priority}
routing_engine ftree
root_guid_file /etc/opensm/root_guids.conf
partition_config_file /etc/opensm/partitions.conf
sminfo_polling_timeout 1000
polling_retry_number 2
sweep_interval 2
log_file /var/log/opensm.log
force_log_flush TRUE
console loopback
console_port {console_port}
"""
FIRST_CONSOLE_PORT = 10001
TRIES = 4
READERS = "/usr/local/libexec/fabric_drift"
PROGRAMS = Path(__file__).parents[2] / "platforms" / "opensm"


@dataclass(slots=True)
class InfinibandLab:
    """A lab in ``directory``; ``up`` starts it, ``down`` stops it, files stay."""

    directory: Path
    size: Size

    @property
    def fabric(self) -> Fabric:
        """What is simulated, as cabled at the start."""
        return rail_fat_tree(self.size)

    @property
    def simulator(self) -> Simulator:
        """The ibsim of this lab."""
        return Simulator(self.directory, self.socket)

    @property
    def socket(self) -> str:
        """A socket name that no other lab has: ibsim's sockets are one space for the whole machine."""
        return "fd" + hashlib.sha256(str(self.directory.resolve()).encode()).hexdigest()[:10]

    @property
    def sm_nodes(self) -> dict[str, SmNode]:
        """SM nodes by name, the intended master first."""
        fabric = self.fabric
        names = [f"sm{number + 1}" for number in range(self.size.sm_nodes)]
        hcas = {name: fabric.node(f"{name} mlx5_0") for name in names}
        return {
            name: SmNode(name, hca.id, hca.port_guid, self.directory / "nodes" / name, self.simulator)
            for name, hca in hcas.items()
        }

    def up(self, widths: Mapping[Cable, str] | None = None, *, start_sms: bool = True, timeout_s: float = 300) -> None:
        """Starts the fabric and, one after the other, its subnet managers.

        Raises InfinibandLabError where packages are missing or something doesn't come up.
        """
        require_packages()
        self.directory.mkdir(parents=True, exist_ok=True)
        (self.directory / "size.json").write_text(json.dumps(asdict(self.size)))
        fabric = self.fabric
        (self.directory / "net.txt").write_text(net_file(fabric, widths))
        ports = sum(node.ports + 1 for node in fabric.nodes)
        self.simulator.start(port_limits(len(fabric.nodes), ports))
        for number, node in enumerate(self.sm_nodes.values()):
            node.prepare()
            self._stock_files(node, number)
            _install_readers(node)
        if start_sms:
            self.start_sms(timeout_s)

    def start_sms(self, timeout_s: float = 300) -> None:
        """Starts every SM that isn't there; the first brings the subnet up, the others stand by."""
        started = time.monotonic()
        for number, node in enumerate(self.sm_nodes.values()):
            if node.runs:
                continue
            since = len(node.log)
            node.systemctl("start")
            node.wait_for("SUBNET UP" if number == 0 else "Entering STANDBY", since=since, timeout_s=timeout_s)
        self._settle(1 + 2 * (time.monotonic() - started))

    def _settle(self, sweep_s: float) -> None:
        """Until the master sweeps. Raises InfinibandLabError.

        ibsim drops what it asks of a standby that is still starting, and nobody times out for it as a kernel would:
        a master that waits for such an answer waits for ever, so it is started again.
        """
        master = next(iter(self.sm_nodes.values()))
        for attempt in range(TRIES):
            since = len(master.log)
            master.systemctl("restart" if attempt else "reload")
            try:
                master.wait_for("SUBNET UP", since=since, timeout_s=sweep_s)
            except InfinibandLabError:
                if attempt == TRIES - 1:
                    raise
            else:
                return

    def _stock_files(self, node: SmNode, number: int) -> None:
        """What the packages bring, where nothing is configured yet."""
        conf = node.directory / "etc" / "opensm.conf"
        if conf.exists():
            return
        conf.write_text(OPENSM_CONF.format(priority=15 - number, console_port=FIRST_CONSOLE_PORT + number))
        roots = [leaf.guid for leaf in self.fabric.nodes if leaf.name.startswith("spine")]
        (node.directory / "etc" / "root_guids.conf").write_text("".join(f"{guid:#018x}\n" for guid in roots))

    @property
    def rogues(self) -> dict[str, SmNode]:
        """HCA -> a manager that was started on it and that no intent knows."""
        kept = self.directory / "rogues"
        ids = {node.id: node for node in self.fabric.nodes}
        found = (ids[folder.name] for folder in sorted(kept.iterdir())) if kept.exists() else ()
        return {node.name: self.rogue(node.name) for node in found}

    def rogue(self, hca: str) -> SmNode:
        """The sandbox of a manager on any HCA. Raises KeyError."""
        node = self.fabric.node(hca)
        return SmNode(f"rogue-{node.id}", node.id, node.port_guid, self.directory / "rogues" / node.id, self.simulator)

    def down(self) -> None:
        """Stops everything, subnet managers first."""
        for node in (*self.rogues.values(), *self.sm_nodes.values()):
            node.stop()
        self.simulator.stop()

    @property
    def runs(self) -> bool:
        """Whether its simulator lives."""
        return self.simulator.pid_file.exists()


def _install_readers(node: SmNode) -> None:
    """The read-only programs that the role puts on every SM node. Files, not modules: the lab runs none of ours."""
    folder = node.path(READERS)
    folder.mkdir(exist_ok=True)
    for program in sorted(PROGRAMS.glob("ib_*.py")):
        shutil.copy(program, folder / program.name)


def opened(directory: Path) -> InfinibandLab:
    """The lab that ``up`` made in ``directory``. Raises FileNotFoundError."""
    return InfinibandLab(directory, Size(**json.loads((directory / "size.json").read_text())))
